#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The automatic warm-up measures what a fixed one of 5 s does, on real testcases."""

import math
import random
import statistics

import suite
import tap

# The fewest of which an interval of 95 % exists.
PAIRS = 6
FIXED, AUTO = "5", "auto"
CONFIDENCE = 0.95


def rank_sums(count):
    """How many of the choices of signs of the ranks 1 to count give each sum of positive ranks."""
    ways = [1]
    for rank in range(1, count + 1):
        ways = [low + high for low, high in zip(ways + rank * [0], rank * [0] + ways)]
    return ways


def centre(values):
    """Hodges and Lehmann's estimate of the centre, and its exact interval by Wilcoxon's test."""
    means = sorted((one + other) / 2 for number, one in enumerate(values)
                   for other in values[number:])
    ways = rank_sums(len(values))
    outside = 0
    while 2 * sum(ways[:outside + 1]) <= (1 - CONFIDENCE) * sum(ways):
        outside += 1
    return statistics.median(means), means[outside - 1], means[-outside]


class BiasTest(suite.ProgramTestCase):
    LIMIT = 600

    def measure(self, name, mode, warmup):
        """The rate over 0.5 s, and how long the warm-up took."""
        self.assert_measured(self.run_program(name, mode, "--warmup", warmup, "-s", "0.5"))
        operations, duration = suite.measured(self.samples)
        return operations / duration, suite.samples_of(self.samples, "warmup")[-1].end / 1e9

    def assert_unbiased(self, name, mode="processes"):
        rates = {AUTO: [], FIXED: []}
        lengths = []
        for _ in range(PAIRS):
            # Both of a pair close in time, so that what drifts on the machine hits both.
            for warmup in random.sample((AUTO, FIXED), 2):
                rate, length = self.measure(name, mode, warmup)
                rates[warmup].append(rate)
                if warmup == AUTO:
                    lengths.append(length)
        bias, low, high = centre([math.log(auto / fixed)
                                  for auto, fixed in zip(rates[AUTO], rates[FIXED])])
        noise = statistics.stdev(map(math.log, rates[FIXED]))
        print(f"# {name} {mode}: bias {bias:+.2%} (95 %: {low:+.2%} to {high:+.2%}), noise of runs "
              f"{noise:.2%}; warm-up of {min(lengths):.2f} to {max(lengths):.2f} s", flush=True)
        self.assertTrue(low <= 0 <= high or abs(bias) < noise, "a bias beyond the noise")

    def test_getppid1(self):
        self.assert_unbiased("getppid1")

    def test_page_fault1(self):
        self.assert_unbiased("page_fault1", "threads")

    def test_writeseek1(self):
        self.assert_unbiased("writeseek1")


if __name__ == "__main__":
    tap.main()
