#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The statistics of postprocess/ against known values, simulated runs and scipy."""

import math

import suite
import tap

import analysis  # noqa: F401  before what it finds
import inference
import numpy as np
import usl
from scipy import stats


class InferenceTest(suite.TestCase):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(1)

    def runs(self, count, spread=0.03, shift=0.0):
        return np.exp(self.random.normal(shift, spread, count))

    def test_order_statistics(self):
        """Of n and 1/2: 1/32 lies outside of the extremes of 6, 7/512 of the second ones of 10."""
        self.assertEqual([inference.order_statistic_rank(count, 0.95) for count in
                          (5, 6, 8, 9, 10, 11, 12, 15, 20)], [0, 1, 1, 2, 2, 2, 3, 4, 6])
        self.assertEqual(inference.median_interval([5, 1, 4, 2, 3, 6], 0.95), (1, 6))
        self.assertIsNone(inference.median_interval([1, 2, 3, 4, 5], 0.95))

    def test_spread(self):
        self.assertAlmostEqual(inference.spread([18, 20, 22]), 10)
        self.assertAlmostEqual(inference.spread([9, 11]), 10 * math.sqrt(2))
        self.assertIsNone(inference.spread([1]))

    def test_interval_holds_what_the_test_does_not_reject(self):
        for sizes in ((4, 4), (6, 9), (10, 10), (20, 15)):
            base, candidate = self.runs(sizes[0]), self.runs(sizes[1], shift=0.02)
            ratio, low, high = inference.change(base, candidate, 0.95)
            self.assertTrue(low < ratio < high)
            for factor, rejected in ((low * 0.99999, True), (low * 1.00001, False),
                                     (high * 0.99999, False), (high * 1.00001, True)):
                p = stats.mannwhitneyu(base * factor, candidate, method="exact").pvalue
                self.assertEqual(p <= 0.05, rejected, (sizes, factor, p))

    def test_interval_of_many_runs(self):
        """By the normal approximation: its ends are just about rejected."""
        for sizes in ((30, 30), (25, 40)):
            base, candidate = self.runs(sizes[0]), self.runs(sizes[1], shift=0.02)
            _, low, high = inference.change(base, candidate, 0.95)
            for factor in (low, high):
                p = stats.mannwhitneyu(base * factor * 1.0000001, candidate,
                                       method="asymptotic").pvalue
                self.assertTrue(0.045 < p < 0.055, (sizes, p))

    def test_change(self):
        base = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
        self.assertAlmostEqual(inference.change(base, base * 0.9, 0.95)[0], 0.9)
        self.assertEqual(inference.change(base[:3], base[:3], 0.95), (1, None, None))
        self.assertEqual(inference.least_runs(0.95), 4)

    def test_p_values(self):
        pairs = [(self.runs(size), self.runs(size, shift=shift))
                 for size, shift in ((4, 0.1), (10, 0), (10, 0.02), (30, 0.01))]
        for p, pair in zip(inference.p_values(pairs), pairs):
            method = "exact" if len(pair[0]) <= 20 else "asymptotic"
            self.assertAlmostEqual(p, stats.mannwhitneyu(*pair, method=method).pvalue)
        self.assertEqual(list(inference.p_values([(np.ones(5), np.ones(5))])), [1])

    def test_correction_for_many(self):
        """The example of Benjamini and Hochberg's article: at 5 % the first four are called."""
        p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
             0.4262, 0.5719, 0.6528, 0.7590, 1.0]
        adjusted = inference.adjusted(p)
        self.assertEqual(int((adjusted <= 0.05).sum()), 4)
        self.assertAlmostEqual(adjusted[3], 0.0095 * 15 / 4)
        self.assertEqual(list(inference.adjusted(p[::-1])), list(adjusted[::-1]))

    def test_verdicts_of_simulated_runs(self):
        """Sides that are alike, each of 10 runs with outliers and a common drift: the intervals
        hold the truth, and of many points hardly any is called.
        """
        comparisons, inside = 1500, 0
        pairs = []
        for _ in range(comparisons):
            drift = np.linspace(0, 0.01, 10)
            sides = [self.runs(10) * np.exp(drift) for _ in range(2)]
            for side in sides:
                side[self.random.random(10) < 0.05] *= 0.8
            pairs.append(sides)
            _, low, high = inference.change(*sides, 0.95)
            inside += low <= 1 <= high
        called = (inference.adjusted(inference.p_values(pairs)) <= 0.05).sum()
        self.assertTrue(0.93 <= inside / comparisons <= 0.975, inside / comparisons)
        self.assertLessEqual(called, 3)

    def test_runs_that_are_needed_do_show_it(self):
        needed = inference.runs_to_detect(self.runs(500), self.runs(500), 0.03, 0.95)
        found = inference.p_values([(self.runs(needed), self.runs(needed, shift=math.log(1.03)))
                                    for _ in range(500)]) <= 0.05
        self.assertTrue(0.74 <= found.mean() <= 0.86, found.mean())

    def test_pairs_as_students_test(self):
        for count, shift in ((4, 0.05), (10, 0.0), (10, 0.02), (30, -0.01)):
            ratios = self.runs(count, shift=shift)
            reference = stats.ttest_1samp(np.log(ratios), 0)
            self.assertAlmostEqual(inference.pair_p(ratios), reference.pvalue)
            for confidence in (0.95, 0.99):
                ratio, low, high = inference.pair_change(ratios, confidence)
                interval = reference.confidence_interval(confidence)
                self.assertAlmostEqual(math.log(ratio), np.mean(np.log(ratios)))
                self.assertAlmostEqual(math.log(low), interval.low)
                self.assertAlmostEqual(math.log(high), interval.high)
        ratio, *interval = inference.pair_change([1.1, 1.1, 1.1], 0.95)
        self.assertAlmostEqual(ratio, 1.1)
        self.assertEqual(interval, [None, None])
        self.assertEqual([inference.pair_p(np.full(5, value)) for value in (1.0, 2.0)], [1, 0])

    def test_pairs_that_are_needed_do_show_it(self):
        needed = inference.pairs_to_detect(self.runs(20000), 0.03, 0.95)
        found = [inference.pair_p(self.runs(needed, shift=math.log(1.03))) <= 0.05
                 for _ in range(500)]
        self.assertTrue(0.74 <= np.mean(found) <= 0.88, (needed, np.mean(found)))
        self.assertEqual(inference.pairs_to_detect(self.runs(20, 1e-9), 0.03, 0.95), 4)

    def test_ratio_of_turns(self):
        """A drift of whatever size is not in it, nor what disturbs a quarter of the turns."""
        course = np.exp(np.linspace(0, 2, 25))
        first, second = course[::2].copy(), 0.9 * course[1::2]
        self.assertAlmostEqual(inference.turns_ratio(first, second), 0.9)
        second[:3] *= 0.1
        self.assertAlmostEqual(inference.turns_ratio(first, second), 0.9)
        second[3:] *= np.exp(self.random.normal(0, 0.01, 9))
        logarithms = np.sort(np.log(second / np.sqrt(first[:-1] * first[1:])))
        self.assertAlmostEqual(inference.turns_ratio(first, second),
                               math.exp(np.mean(logarithms[3:-3])))

    def test_trend(self):
        self.assertLess(inference.trend(np.arange(10.0) + 100)[0], 0.001)
        self.assertAlmostEqual(inference.trend(np.linspace(95, 105, 21))[1], 0.1)
        called = [inference.trend(self.runs(10))[0] < 0.05 for _ in range(2000)]
        self.assertTrue(0.03 <= np.mean(called) <= 0.06, np.mean(called))

    def test_trend_needs_eight_values(self):
        self.assertEqual(inference.trend(np.arange(7.0) + 100), (1, 0))
        self.assertLess(inference.trend(np.arange(8.0) + 100)[0], 0.01)

    def test_how_far_apart_clusters_are(self):
        """Six and four values with a standard deviation within of 1, and a gap around 4."""
        within = np.array([-1, 1, -1, 1, -1, 1]) * math.sqrt(0.8)
        for gap, two in ((3.9, False), (4.1, True)):
            high = within.max() + gap - within.min() + within[:4]
            self.assertEqual(inference.clusters(np.concatenate((within, high))) is not None, two)
        low = np.arange(8) / 100
        for count, two in ((1, False), (2, True)):
            values = np.concatenate((low, 9 + low[:count], low[:2 - count]))
            self.assertEqual(inference.clusters(values) is not None, two, count)
            self.assertEqual(inference.clusters(-values) is not None, two, count)

    def test_outliers_by_scaled_deviations(self):
        """The median is 0 and that of the distances 10: five times 14.826 is the limit."""
        for far, found in ((74, False), (75, True)):
            values = [-20, -10, -10, -5, 0, 5, 10, 10, far]
            self.assertEqual(inference.outliers(values)[-1], found)

    def test_clusters_and_outliers(self):
        low, high = inference.clusters(np.array([1, 1.01, 1.02, 1, 1.01, 2, 2.01, 2, 2.02, 2.01]))
        self.assertEqual((len(low), len(high)), (5, 5))
        found = [inference.clusters(self.runs(10)) is not None for _ in range(2000)]
        self.assertLess(np.mean(found), 0.015)
        self.assertEqual(list(inference.outliers([10, 11, 10, 9, 10, 30])), [False] * 5 + [True])

    def test_sign_test(self):
        self.assertAlmostEqual(inference.sign_p(10, 10), 2 / 1024)
        self.assertEqual(inference.sign_p(5, 10), 1)

    def test_scalability_law_on_published_data(self):
        """SPEC SDM91, with the coefficients that the R package usl finds."""
        tasks = np.array([1, 18, 36, 72, 108, 144, 216])
        rates = np.array([64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2])
        fit = usl.fit(tasks, rates, 0.95)
        self.assertAlmostEqual(fit.contention, 0.02773, places=5)
        self.assertAlmostEqual(fit.coherency, 0.0001044, places=7)
        self.assertAlmostEqual(fit.peak, 96.5, delta=0.05)
        self.assertAlmostEqual(float(fit.throughput(1)), fit.rate)
        residuals = rates - usl.law(tasks, fit.rate, 0.02773, 0.0001044)
        self.assertAlmostEqual(fit.r_squared, 1 - np.var(residuals) / np.var(rates), delta=5e-4)
        with self.assertRaises(ValueError):
            usl.fit([1, 2, 3], [1, 2, 3], 0.95)

    def test_intervals_of_a_fit_cover_the_truth(self):
        """Noise of one size at all counts, as the intervals take it; near the nominal rate."""
        tasks = np.array([1, 2, 4, 8, 16, 32, 64])
        truth = {"rate": 1e6, "contention": 0.05, "coherency": 0.001,
                 "peak": math.sqrt(0.95 / 0.001)}
        rates = usl.law(tasks, *list(truth.values())[:3])
        tries, covered = 600, dict.fromkeys(truth, 0)
        for _ in range(tries):
            fit = usl.fit(tasks, rates + self.random.normal(0, 1e5, len(tasks)), 0.95)
            for name, value in truth.items():
                low, high = fit.intervals.get(name, (0, math.inf))
                covered[name] += low <= value <= high
        for name, count in covered.items():
            self.assertTrue(0.925 < count / tries < 0.98, (name, count / tries))


if __name__ == "__main__":
    tap.main()
