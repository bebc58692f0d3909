# SPDX-License-Identifier: GPL-2.0-or-later
"""What tells the two sides of a point apart: their runs, or pairs of runs."""

from dataclasses import dataclass

import numpy as np

import inference


@dataclass
class Runs:
    """The rates of independent runs."""

    base: np.ndarray
    candidate: np.ndarray
    pairs = None

    def change(self, confidence):
        """The ratio candidate/base and its interval, as inference.change()."""
        return inference.change(self.base, self.candidate, confidence)

    def needed(self, effect, confidence):
        """Runs of each side that would show a change by `effect`, a share."""
        return inference.runs_to_detect(self.base, self.candidate, effect, confidence)

    @staticmethod
    def least(confidence):
        """Runs of each side without which nothing can be said."""
        return inference.least_runs(confidence)


@dataclass
class Pairs:
    """The ratios, candidate to base, of runs that were made against each other; totals: those of
    all operations in all time, where the ratios come from turns.
    """

    ratios: np.ndarray
    totals: np.ndarray

    @property
    def pairs(self):
        return len(self.ratios)

    def change(self, confidence):
        return inference.pair_change(self.ratios, confidence)

    def needed(self, effect, confidence):
        return inference.pairs_to_detect(self.ratios, effect, confidence)

    @staticmethod
    def least(_confidence):
        return inference.LEAST_PAIRS


def of(base, candidate):
    """The evidence of a point's two sides, Points with runs."""
    pairs = [[run.pair for run in point.runs] for point in (base, candidate)]
    if None in pairs[0] or pairs[0] != pairs[1]:
        return Runs(rates(base), rates(candidate))
    return Pairs(np.array([_ratio(*pair) for pair in zip(base.runs, candidate.runs)]),
                 rates(candidate) / rates(base))


def rates(point):
    return np.array([run.rate for run in point.runs])


def _ratio(base, candidate):
    """Of the runs of a pair."""
    turns = {run.role: run.sample_rates for run in (base, candidate)}
    first, second = turns.get("first", []), turns.get("second", [])
    # Without a single operation in a turn there is no ratio of turns.
    if len(first) != len(second) + 1 or not second or not min(*first, *second) > 0:
        return candidate.rate / base.rate
    ratio = inference.turns_ratio(first, second)
    return ratio if candidate.role == "second" else 1 / ratio


def p_values(found):
    """For each evidence, the p-value of its sides being alike."""
    p = np.empty(len(found))
    alone = [number for number, each in enumerate(found) if not each.pairs]
    p[alone] = inference.p_values([(found[number].base, found[number].candidate)
                                   for number in alone])
    for number, each in enumerate(found):
        if each.pairs:
            p[number] = inference.pair_p(each.ratios)
    return p
