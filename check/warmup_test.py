#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""--warmup auto ends when the rate has settled, and not later than 5 s."""

import statistics

import suite
import tap

LIMIT = 5.0
INTERVAL = 0.025
LEAST = 8 * INTERVAL

SETTLED = 1e6  # operations per second of all the fixtures used here, once they have settled


class WarmupTest(suite.ProgramTestCase):
    def measure(self, name, *options, mode="processes"):
        """Seconds of automatic warm-up, and by how much the rate after it falls short."""
        self.assert_measured(self.run_program(name, mode, "--warmup", "auto", "-s", "0.5",
                                              *options))
        samples = suite.samples_of(self.samples, "warmup")
        self.assertEqual(samples[0].start, 0)
        operations, duration = suite.measured(self.samples)
        return samples[-1].end / 1e9, 1 - operations * 1e9 / duration / SETTLED

    def medians(self, *arguments, **keywords):
        """Of some runs, as a busy machine may spoil one."""
        runs = [self.measure(*arguments, **keywords) for _ in range(3)]
        length, missing = map(statistics.median, zip(*runs))
        print(f"# {' '.join(arguments)}: {length:.2f} s of warm-up, {missing:.2%} missing after it",
              flush=True)
        return length, missing

    def test_steady_rate_ends_it(self):
        for mode in suite.MODES:
            length, missing = self.medians("clockrate", mode=mode)
            self.assertGreaterEqual(length, LEAST)
            self.assertLess(length, 0.6)
            self.assertLess(abs(missing), 0.015)

    def test_rise_is_waited_for(self):
        for constant in (100, 300):
            length, missing = self.medians("ramp", "--option", f"milliseconds={constant}")
            self.assertLess(abs(missing), 0.015)
            self.assertLess(length, LIMIT)

    def test_rise_that_noise_hides(self):
        """It must leave less than what such a run's rate varies by anyhow, some 0.7 %."""
        _, missing = self.medians("waver", "--option", "milliseconds=300", "--option", "percent=7")
        self.assertLess(abs(missing), 0.02)

    def test_never_longer_than_the_limit(self):
        length, missing = self.measure("ramp", "--option", "milliseconds=20000")
        self.assertGreater(length, 0.99 * LIMIT)
        # The last sample may begin just before the limit, and a busy machine may be late.
        self.assertLess(length, LIMIT + INTERVAL + 0.1)
        self.assertGreater(missing, 0.5)

    def test_samples_are_short(self):
        self.measure("clockrate")
        lengths = [sample.end - sample.start for sample in suite.samples_of(self.samples, "warmup")]
        self.assertAlmostEqual(statistics.median(lengths) / 1e9, INTERVAL, delta=0.005)


if __name__ == "__main__":
    tap.main()
