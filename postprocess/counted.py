# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares points of which instructions were counted: the change, and what functions made it."""

import enum
import itertools
from dataclasses import dataclass, field
from typing import List, Optional

import inference


class Verdict(enum.Enum):
    MORE = "more instructions"
    FEWER = "fewer instructions"
    SAME = "as many instructions"
    WITHIN = "no more than windows differ"
    NOT_COMPARABLE = "not comparable"


@dataclass
class Count:
    """One side of a point: the median over windows and their extremes, in instructions of one
    operation.
    """

    value: float
    user: float
    kernel: float
    least: float
    greatest: float
    windows: int


@dataclass
class Function:
    """A function whose share has changed, in instructions of one operation; 0 where a side does not
    execute it. same_code: the same instructions of it were executed, only another number of times;
    None where that is not known.
    """

    name: str
    base: float
    candidate: float
    same_code: Optional[bool]

    @property
    def change(self):
        return self.candidate - self.base


@dataclass
class Comparison:
    """A point and what is said of it. change: candidate less base. functions: that came, went or
    changed, the largest change first. code: those of as many instructions, but not the same ones.
    """

    testcase: str
    mode: str
    tasks: int
    place: str
    base: Optional[Count] = None
    candidate: Optional[Count] = None
    verdict: Verdict = Verdict.NOT_COMPARABLE
    reason: str = ""
    functions: List[Function] = field(default_factory=list)
    code: List[str] = field(default_factory=list)
    remarks: List[str] = field(default_factory=list)

    @property
    def change(self):
        return None if self.reason else self.candidate.value - self.base.value

    @property
    def share(self):
        return None if self.reason else self.change / self.base.value

    @property
    def none_changed(self):
        """Whether this testcase executes none of the code that differs between the sides."""
        return self.verdict == Verdict.SAME and not self.functions and not self.code

    @property
    def words(self):
        """The verdict for people."""
        if self.reason:
            return f"{self.verdict.value}: {self.reason}"
        if self.none_changed:
            return "this testcase executes none of the changed code"
        if self.verdict == Verdict.SAME:
            return f"{self.verdict.value}, by changed code"
        return self.verdict.value


def compare(base, candidate, obstacle, noise):
    """A Comparison for each point of either side that holds instructions, sorted. base, candidate:
    loading.Side. obstacle(key): why a point cannot be compared, empty where it can. noise: a share;
    changes up to it are not called.
    """
    keys = sorted(key for key in base.points.keys() | candidate.points.keys()
                  if any(key in side.points and side.points[key].counted
                         for side in (base, candidate)))
    return [_pair(Comparison(*key, reason=obstacle(key)),
                  [side.points.get(key) for side in (base, candidate)], noise) for key in keys]


def _pair(one, points, noise):
    counts = [_count(point) for point in points]
    one.base, one.candidate = counts
    if one.reason:
        return one
    one.functions, one.code = _functions(*points)
    values = [[run.instructions["per_operation"] for run in point.runs] for point in points]
    if one.change == 0:
        one.verdict = Verdict.SAME
    elif not _beyond_windows(*values) or abs(one.share) <= noise:
        one.verdict = Verdict.WITHIN
    else:
        one.verdict = Verdict.MORE if one.change > 0 else Verdict.FEWER
    for name, point in zip(("base", "candidate"), points):
        windows = [run.instructions for run in point.runs]
        if not all(window["undisturbed"] for window in windows):
            one.remarks.append(f"each operation of {name} contained an interrupt")
        elif not all(window["exact"] for window in windows):
            one.remarks.append(f"operations of {name} differ: these are means")
    return one


def _beyond_windows(base, candidate):
    """Whether values of a side's windows differ from the other's by more than windows do. Windows
    of the same number were counted after the same history, and are compared with each other: a
    file that has grown has done so on both sides.
    """
    pairs = zip(base, candidate) if len(base) == len(candidate) else itertools.product(
        base, candidate)
    differences = [after - before for before, after in pairs]
    return abs(inference.median(differences)) > max(differences) - min(differences)


def _count(point):
    if point is None or not point.runs:
        return None
    windows = [run.instructions for run in point.runs]
    values = [window["per_operation"] for window in windows]
    value, user, kernel = (inference.median([window[key] for window in windows])
                           for key in ("per_operation", "user", "kernel"))
    return Count(value, user, kernel, min(values), max(values), len(windows))


def _functions(base, candidate):
    """Functions of which the two sides differ by more than their windows do; names of those that
    are executed as long, and are other code.
    """
    sides = [by_name(point) for point in (base, candidate)]
    changed, code = [], []
    for name in sorted(sides[0].keys() | sides[1].keys()):
        (before, old), (after, new) = (side.get(name, ([0] * len(point.runs), None))
                                       for side, point in zip(sides, (base, candidate)))
        same_code = None if None in (old, new) else old == new
        if _beyond_windows(before, after):
            changed.append(Function(name, inference.median(before), inference.median(after),
                                    same_code))
        elif same_code is False:
            code.append(name)
    return sorted(changed, key=lambda function: (-abs(function.change), function.name)), code


def by_name(point):
    """{function: (instructions in each window, the executed code, None where it varies)}"""
    windows = [{name: (instructions, code) for name, instructions, code
                in run.instructions["functions"]} for run in point.runs]
    found = {}
    for name in set().union(*windows):
        rows = [window.get(name, (0, None)) for window in windows]
        codes = {code for _, code in rows}
        found[name] = [value for value, _ in rows], codes.pop() if len(codes) == 1 else None
    return found
