# SPDX-License-Identifier: GPL-2.0-or-later
"""Thousands of comparisons of simulated runs whose truth is known: how often a verdict is wrong,
how often an interval misses, and how often a change is found.

The runs vary as real ones do: each has a rate of its own (its pages, its minute), its samples vary
around that, some runs and some turns are disturbed, and the machine drifts: by little, and alike
for both, under sides that are measured by themselves, since no method tells a drift that only one
of them had from a change; without bounds under sides in turns.
"""

import math

import suite
import tap

import analysis  # noqa: F401  before what it finds
import comparison
import numpy as np
from comparison import Verdict
from loading import Point, Run, Side

# Standard deviations of logarithms, as seen on a virtual machine: of runs, of pairs of runs in
# turns, of samples and turns, and of the steps of the drift in turns, from run to run. The other
# drift is a rise from the first run to the last.
BETWEEN, PAIRS, WITHIN, DRIFT, RISE = 0.015, 0.004, 0.01, 0.01, 0.01
DISTURBED_RUNS, DISTURBED_TURNS = 0.05, 0.05

# Points that are compared at once, and how often that is done.
POINTS, FAMILIES = 50, 60
CHANGED, CHANGE = 10, 0.03
ROUNDS, SAMPLES, TURNS = 10, 10, 25


class Simulation:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def disturbed(self, values, share):
        """Some of the logarithms of rates become less, by up to 20 %."""
        return values + np.where(self.random.random(len(values)) < share,
                                 np.log(self.random.uniform(0.8, 1, len(values))), 0)

    def runs(self, change):
        """Runs of a side that was measured by itself."""
        between = self.disturbed(self.random.normal(0, BETWEEN, ROUNDS), DISTURBED_RUNS)
        return [self.run(number, base + change + self.random.normal(0, WITHIN, SAMPLES))
                for number, base in enumerate(np.linspace(0, RISE, ROUNDS) + between)]

    def pairs(self, change):
        """Runs of two sides in turns: the machine drifts from turn to turn too."""
        base, candidate = [], []
        for number, start in enumerate(np.cumsum(self.random.normal(0, DRIFT, ROUNDS))):
            course = start + np.cumsum(self.random.normal(0, DRIFT / 5, 2 * TURNS + 1))
            turns = self.disturbed(course + self.random.normal(0, WITHIN, len(course)),
                                   DISTURBED_TURNS)
            luck = self.random.normal(0, PAIRS)
            roles = ("first", "second") if number % 2 == 0 else ("second", "first")
            for side, role, own in zip((base, candidate), roles, (0, change + luck)):
                side.append(self.run(number, turns[role == "second"::2] + own, role))
        return base, candidate

    @staticmethod
    def run(number, logarithms, role=None):
        rates = 1e6 * np.exp(logarithms)
        return Run(started=f"{number:04}", round=number, pair=role and ("one", number), role=role,
                   rate=float(rates.mean()), task_rates=[float(rates.mean())],
                   sample_rates=list(map(float, rates)), idle=0.5, steal=0.0)

    def verdicts(self, changes, in_turns):
        """Comparisons of points with these true changes, of which all are made at once."""
        sides = [Side(name, {}, [], []) for name in ("base", "candidate")]
        for number, change in enumerate(changes):
            if in_turns:
                both = self.pairs(math.log1p(change))
            else:
                both = [self.runs(own) for own in (0, math.log1p(change))]
            for side, runs in zip(sides, both):
                point = Point(f"point{number:02}", "threads", 1, "", runs=runs)
                side.points[point.key] = point
        return comparison.compare(*sides, comparison.Settings(noise=0.0))


class SimulationTest(suite.TestCase):
    def simulate(self, changes, in_turns, seed):
        simulation = Simulation(seed)
        return [simulation.verdicts(changes, in_turns) for _ in range(FAMILIES)]

    def called(self, points):
        return [one for one in points if one.verdict in (Verdict.SLOWER, Verdict.FASTER)]

    def test_sides_that_are_alike(self):
        """Of families in which nothing has changed, at most 1 in 20 has a verdict; intervals of
        95 % hold the truth in 93 to 97 %.
        """
        for in_turns in (False, True):
            with self.subTest(in_turns=in_turns):
                families = self.simulate([0.0] * POINTS, in_turns, 1)
                wrong = sum(bool(self.called(points)) for points in families)
                inside = np.mean([one.low <= 0 <= one.high for points in families
                                  for one in points])
                self.tell(in_turns, f"{wrong} of {FAMILIES} families of {POINTS} have a false "
                          f"verdict, intervals hold the truth in {100 * inside:.1f} %")
                self.assertLessEqual(wrong, 0.05 * FAMILIES)
                self.assertTrue(0.93 <= inside <= 0.97, inside)

    def test_some_points_that_have_changed(self):
        """Of the verdicts at most 1 in 20 is false, and most of the changes are found in turns."""
        changes = [-CHANGE] * CHANGED + [0.0] * (POINTS - CHANGED)
        for in_turns, least in ((False, 0.3), (True, 0.99)):
            with self.subTest(in_turns=in_turns):
                families = self.simulate(changes, in_turns, 2)
                called = [self.called(points) for points in families]
                false = np.mean([sum(one.testcase >= f"point{CHANGED:02}" for one in found) /
                                 max(1, len(found)) for found in called])
                power = np.mean([[one.verdict == Verdict.SLOWER for one in points[:CHANGED]]
                                 for points in families])
                inside = np.mean([[one.low <= -CHANGE <= one.high for one in points[:CHANGED]]
                                  for points in families])
                self.tell(in_turns, f"{100 * power:.0f} % of changes by {100 * CHANGE:g} % are "
                          f"found, {100 * false:.1f} % of the verdicts are false, intervals hold "
                          f"the truth in {100 * inside:.1f} %")
                self.assertLessEqual(false, 0.05)
                self.assertGreater(power, least)
                self.assertTrue(0.93 <= inside <= 0.97, inside)

    @staticmethod
    def tell(in_turns, text):
        print(f"# {ROUNDS} {'pairs in turns' if in_turns else 'runs of each side'}: {text}")


if __name__ == "__main__":
    tap.main()
