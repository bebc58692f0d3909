# SPDX-License-Identifier: GPL-2.0-or-later
"""How a testcase scales in each mode: its curve over task counts, the fit of the Universal
Scalability Law to it, and where the two modes part.
"""

import collections
import math
from dataclasses import dataclass, field
from typing import Optional

import numpy as np

import inference
import tiers
import usl
from loading import MODES, place_of

# A fit holds where no point is further from it than this share of the highest rate.
TOLERANCE = 0.1


@dataclass
class Point:
    """rate: operations per second of all tasks together, the median over runs; efficiency: the rate
    of a task, as a share of that at the least count. left_out: why the fit does not use it; or "".
    """

    tasks: int
    runs: int
    rate: float
    efficiency: float
    left_out: str = ""


@dataclass
class Curve:
    """One mode of a testcase. fit: a usl.Fit or None; problem: why there is none, or it does not
    hold; crossed: topology steps within the fitted counts, (tasks, what).
    """

    mode: str
    points: list
    fit: Optional[usl.Fit] = None
    problem: str = ""
    crossed: list = field(default_factory=list)

    @property
    def fitted(self):
        return [point for point in self.points if not point.left_out]

    @property
    def most(self):
        return self.points[-1].tasks

    @property
    def holds(self):
        return self.fit is not None and not self.problem


@dataclass
class Parting:
    """Which mode scales better: `better` is empty where neither does; tasks: from which count on.
    problem: why nothing can be said.
    """

    better: str = ""
    tasks: Optional[int] = None
    problem: str = ""


@dataclass
class Scaling:
    """A testcase in one kind of place. topology: a tiers.Topology."""

    testcase: str
    place: str
    topology: tiers.Topology
    curves: dict
    parting: Parting

    @property
    def sentence(self):
        """What a reader wants to know first."""
        said = "; ".join(f"{mode} {course(curve)[1]}" for mode, curve in self.curves.items())
        if self.parting.better:
            said += f"; {self.parting.better} scale better from {self.parting.tasks} tasks on"
        elif len(self.curves) == len(MODES):
            said += f"; {self.parting.problem or 'neither mode scales better'}"
        return said


def analyse(side, settings):
    """A Scaling for each testcase and kind of place of a loading.Side, by name; a placement that is
    damaged becomes one of the side's problems.
    """
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for (testcase, mode, tasks, place), point in sorted(side.points.items()):
        if point.runs and not point.counted:
            found[testcase, place][mode][tasks] = np.array([run.rate for run in point.runs])
    return [_scaling(testcase, place, modes, _topology(side, testcase, place), settings)
            for (testcase, place), modes in found.items()]


def _topology(side, testcase, place):
    """That of the file with the most tasks: on it, every smaller count sits alike."""
    results = [result for result in side.results
               if (result["testcase"], place_of(result)) == (testcase, place)]
    result = max(results, key=lambda result: max(result["settings"].get("tasks") or [0]))
    try:
        return tiers.topology(result)
    except ValueError as error:
        side.problems.append(f"{result['path']}: is damaged: {error}")
        return tiers.Topology()


def _scaling(testcase, place, modes, topology, settings):
    curves = {mode: _curve(mode, rates, topology, settings.confidence)
              for mode, rates in sorted(modes.items())}
    return Scaling(testcase, place, topology, curves, _parting(modes, settings))


def _curve(mode, rates, topology, confidence):
    choice = tiers.choose(sorted(rates), topology, usl.COEFFICIENTS + 1)
    least = min(rates)
    unit = inference.median(rates[least]) / least
    points = []
    for tasks, values in sorted(rates.items()):
        rate = inference.median(values)
        points.append(Point(tasks, len(values), rate, rate / tasks / unit,
                            choice.left_out.get(tasks, "")))
    curve = Curve(mode, points, crossed=choice.crossed)
    try:
        # Of medians: runs of one count share what the law does not describe there.
        curve.fit = usl.fit([point.tasks for point in curve.fitted],
                            [point.rate for point in curve.fitted], confidence)
        curve.problem = _misfit(curve)
    except ValueError as error:
        curve.problem = str(error)
    return curve


def _misfit(curve):
    """Why the law does not describe the curve; empty where it does."""
    highest = max(point.rate for point in curve.fitted)
    off, tasks = max((abs(point.rate - float(curve.fit.throughput(point.tasks))) / highest,
                      point.tasks) for point in curve.fitted)
    if off <= TOLERANCE:
        return ""
    return (f"the law does not hold: at the count of {tasks} it is off by {100 * off:.0f} % of the "
            "highest rate")


# What more tasks bring, in general.
GAINS, STOPS, NOTHING, NOT_JUDGED = ("gains up to the end", "stops gaining", "gains nothing",
                                     "cannot be judged")


def course(curve):
    """What more tasks bring a mode: one of the four above, and the rest of a sentence."""
    if not curve.holds:
        return NOT_JUDGED, f"cannot be judged: {curve.problem}"
    peak, most = curve.fit.peak, curve.fitted[-1].tasks
    if round(peak) <= 1:
        return NOTHING, "gain nothing from a second task"
    if peak <= most:
        sure = "peak" in curve.fit.intervals
        return STOPS, f"{'' if sure else 'may '}stop gaining at {peak:.0f} tasks"
    gained = f"gain up to {curve.most} tasks, the most measured"
    if most < curve.most:
        gained = f"gain up to {most} tasks, the most that the fit uses"
    if "peak" in curve.fit.intervals:
        gained += f", and would stop at {peak:.0f} by the fit"
    return GAINS, gained


def _parting(modes, settings):
    """From which count on the ratio of the modes' rates is another one than at the least count: the
    intervals of the two ratios are apart, in the same direction at every count from there.
    """
    if len(modes) < len(MODES):
        return Parting()
    counts = sorted(set.intersection(*(set(rates) for rates in modes.values())))
    if len(counts) < 2:
        return Parting(problem="the modes have fewer than two task counts in common")
    ratios = [inference.change(modes["processes"][tasks], modes["threads"][tasks],
                               settings.confidence) for tasks in counts]
    if any(low is None for _, low, _ in ratios):
        return Parting(problem="too few runs to tell the modes apart: "
                               f"{inference.least_runs(settings.confidence)} are needed")
    signs = [sign(ratios[0], ratio, settings.noise) for ratio in ratios]
    first = next(number for number in range(len(signs))
                 if len(set(signs[number:])) == 1)
    if not signs[-1]:
        return Parting()
    return Parting("threads" if signs[-1] > 0 else "processes", counts[first])


def sign(start, ratio, noise):
    """1 where threads have gained on processes since the start, -1 where they have lost, else 0."""
    beyond = abs(math.log(ratio[0] / start[0])) > math.log1p(noise)
    if beyond and ratio[1] > start[2]:
        return 1
    return -1 if beyond and ratio[2] < start[1] else 0
