# SPDX-License-Identifier: GPL-2.0-or-later
"""Two sides point by point: values, change, verdict."""

import enum
from dataclasses import dataclass, field
from typing import Optional

import evidence
import inference
import remarks
from loading import MODES


class Verdict(enum.Enum):
    """What is said of a point; the value is the word for tables of other programs."""

    SLOWER = "slower"
    FASTER = "faster"
    NO_CHANGE = "no change"
    TOO_FEW = "too few runs"
    NOT_COMPARABLE = "not comparable"


@dataclass
class Settings:
    """noise and confidence are shares (0.01, 0.95). metric: "per_task" or "total"."""

    noise: float = 0.01
    confidence: float = 0.95
    metric: str = "per_task"


@dataclass
class Value:
    """A side of a point: the median over runs of the metric, its interval (None with too few runs),
    the spread in percent (None for one run) and the number of runs.
    """

    median: float
    low: Optional[float]
    high: Optional[float]
    spread: Optional[float]
    runs: int


@dataclass
class Comparison:
    """A point of both sides. base and candidate are None where a side did not measure it. pairs:
    their number where each run of one side was made against one of the other, else None. change,
    low and high are ratios less 1; adjusted_p is corrected for all points compared. causes: what
    else has changed, of causes.compare(), where that was asked for.
    """

    testcase: str
    mode: str
    tasks: int
    place: str
    base: Optional[Value] = None
    candidate: Optional[Value] = None
    pairs: Optional[int] = None
    change: Optional[float] = None
    low: Optional[float] = None
    high: Optional[float] = None
    p: Optional[float] = None
    adjusted_p: Optional[float] = None
    verdict: Verdict = Verdict.NOT_COMPARABLE
    reason: str = ""
    remarks: list = field(default_factory=list)
    causes: list = field(default_factory=list)

    @property
    def statistic(self):
        return MODES[self.mode]

    @property
    def words(self):
        """The verdict for people."""
        if self.verdict == Verdict.NO_CHANGE:
            return f"no change larger than {self.bound:.1%}".replace("%", " %")
        if self.verdict in (Verdict.TOO_FEW, Verdict.NOT_COMPARABLE):
            return f"{self.verdict.value}: {self.reason}"
        return self.verdict.value

    @property
    def bound(self):
        """How large a change can be at most by the interval, as a share."""
        return max(abs(self.low), abs(self.high))


def compare(base, candidate, settings):
    """A Comparison for each point of either side, sorted by testcase, mode and tasks."""
    keys = sorted(key for key in base.points.keys() | candidate.points.keys()
                  if not any(key in side.points and side.points[key].counted
                             for side in (base, candidate)))
    found = [_pair(base, candidate, key, settings) for key in keys]
    tested = [(one, what) for one, what in found if one.verdict == Verdict.NO_CHANGE]
    for (one, _), p in zip(tested, evidence.p_values([what for _, what in tested])):
        one.p = float(p)
    for (one, _), adjusted in zip(tested, inference.adjusted([one.p for one, _ in tested])):
        one.adjusted_p = float(adjusted)
        if adjusted <= 1 - settings.confidence and abs(one.change) > settings.noise:
            one.verdict = Verdict.SLOWER if one.change < 0 else Verdict.FASTER
    for one, what in tested:
        if one.verdict == Verdict.NO_CHANGE and one.bound > settings.noise:
            needed = what.needed(max(settings.noise, 0.001), settings.confidence)
            one.remarks.append(f"about {needed} runs of each side would show a change of "
                               f"{100 * settings.noise:g} %")
    return [one for one, _ in found]


def value(point, settings):
    """The Value of a Point; None where it has no run."""
    if point is None or not point.runs:
        return None
    rates = evidence.rates(point) / (point.tasks if settings.metric == "per_task" else 1)
    low, high = inference.median_interval(rates, settings.confidence) or (None, None)
    return Value(inference.median(rates), low, high, inference.spread(rates), len(rates))


def _pair(base, candidate, key, settings):
    """A point with all but its verdict among many, for which NO_CHANGE stands, and the evidence for
    that, None where there is none.
    """
    sides = base.points.get(key), candidate.points.get(key)
    one = Comparison(*key, base=value(sides[0], settings), candidate=value(sides[1], settings))
    one.reason = obstacle(base, candidate, key)
    if one.reason:
        return one, None
    what = evidence.of(*sides)
    one.pairs = what.pairs
    ratio, low, high = what.change(settings.confidence)
    one.change = ratio - 1
    for name, side in zip(("base", "candidate"), sides):
        one.remarks += remarks.of_point(name, side)
    one.remarks += remarks.of_pairs(what)
    if low is None:
        one.verdict = Verdict.TOO_FEW
        one.reason = f"{what.least(settings.confidence)} of each side are needed"
        return one, what
    one.low, one.high, one.verdict = low - 1, high - 1, Verdict.NO_CHANGE
    return one, what


def obstacle(base, candidate, key):
    """Why a point cannot be compared; empty where it can."""
    for name, side in (("base", base), ("candidate", candidate)):
        point = side.points.get(key)
        if point is None:
            elsewhere = _elsewhere(side, key)
            if elsewhere is not None:
                return f"{_plain(elsewhere)} in {name}, {_plain(key[3])} in the other"
            return f"{name} has no such run"
        if not point.runs:
            return f"all runs of {name} failed: {point.failures[0]}"
    return ""


def _elsewhere(side, key):
    """The place in which a side has measured this point instead; None where it has not."""
    return next((point.place for point in side.points.values() if point.key[:3] == key[:3]), None)


def _plain(place):
    return place or "the usual place"
