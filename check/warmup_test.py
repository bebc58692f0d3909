#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""--warmup auto ends when the rate has settled, and not later than 5 s."""

import math
import statistics

import suite
import tap

LIMIT = 5.0
INTERVAL = 0.025
LEAST = 16 * INTERVAL

# Where so much of a sample is missing, the task had no CPU for a while, and the machine adds noise
# of its own. The fixture that wavers does so by itself.
DISTURBED = {"clockrate": 0.04, "ramp": 0.04, "waver": 0.3}


def settled_seconds(passed, constant):
    """The operations of a fixture so far, in seconds of its settled rate: a million a second."""
    return passed - constant * (1 - math.exp(-passed / constant)) if constant else passed


class WarmupTest(suite.ProgramTestCase):
    def measure(self, name, constant=0, mode="processes", tries=10):
        """Seconds of automatic warm-up, and the share that is missing in the rate after it. The
        rate of the fixture of this name settles with a time constant, in seconds.
        """
        options = ["--option", f"milliseconds={1000 * constant:.0f}"] if constant else []
        for _ in range(tries):
            done = self.run_program(name, mode, "--warmup", "auto", "-s", "0.5", *options)
            if " counted nothing " in done.stderr:
                continue
            self.assert_measured(done)
            samples = suite.samples_of(self.samples, "warmup")
            if not self.disturbed(samples, constant, DISTURBED[name]):
                operations, duration = suite.measured(self.samples)
                return samples[-1].end / 1e9, 1 - 1000 * operations / duration
        self.skipTest("this machine is too busy to tell")

    @staticmethod
    def disturbed(samples, constant, share):
        """Whether a sample after the first one, in which it starts, is not as it should be."""
        ends = [settled_seconds(sample.end / 1e9, constant) for sample in samples]
        return any(abs(sample.counts[0] / 1e6 - (end - start)) > share * (end - start)
                   for sample, start, end in zip(samples[1:], ends, ends[1:]))

    def medians(self, *arguments, **keywords):
        length, missing = map(statistics.median,
                              zip(*(self.measure(*arguments, **keywords) for _ in range(3))))
        print(f"# {' '.join(map(str, arguments))}: {length:.2f} s of warm-up, {missing:.2%} "
              "missing after it", flush=True)
        return length, missing

    def test_steady_rate_ends_it(self):
        for mode in suite.MODES:
            length, missing = self.medians("clockrate", mode=mode)
            self.assertGreaterEqual(length, LEAST)
            self.assertLess(length, 3 * LEAST)
            self.assertLess(abs(missing), 0.015)

    def test_rise_is_waited_for(self):
        for constant in (0.1, 0.3):
            length, missing = self.medians("ramp", constant)
            self.assertLess(abs(missing), 0.015)
            self.assertLess(length, LIMIT)

    def test_rise_that_noise_hides(self):
        """What is missing stays near what the noise makes such a rate vary by, some 0.7 %, and far
        from the 12 % of a warm-up that takes the rise for noise.
        """
        _, missing = self.medians("waver", 0.3)
        self.assertLess(abs(missing), 0.03)

    def test_never_longer_than_the_limit(self):
        length, missing = self.measure("ramp", 20, tries=2)
        self.assertGreater(length, LIMIT - 2 * INTERVAL)
        # The last sample may begin just before the limit, and a busy machine may be late.
        self.assertLess(length, LIMIT + INTERVAL + 0.1)
        self.assertGreater(missing, 0.5)

    def test_samples_are_short(self):
        self.measure("clockrate")
        lengths = [sample.end - sample.start for sample in suite.samples_of(self.samples, "warmup")]
        self.assertAlmostEqual(statistics.median(lengths) / 1e9, INTERVAL, delta=0.005)


if __name__ == "__main__":
    tap.main()
