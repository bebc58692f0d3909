# SPDX-License-Identifier: GPL-2.0-or-later
"""What else has changed with a point: statistics of the system, events, profiles."""

import math
from dataclasses import dataclass
from typing import Optional

import numpy as np

import inference
import profiles
import readings

# What comes less often than this for an operation, on both sides, no operation brings with it: it
# is compared per second, since of an operation that takes longer there would be more for no other
# reason.
RARE = 0.01

# Percentage points by which a share of the profile must change to be told.
LEAST_POINTS = 0.1


@dataclass
class Cause:
    """A statistic of both sides: means over runs and standard deviations in percent of them, None
    for a single run or a mean of 0. unit: readings' or profiles.POINTS, whose values are percent of
    the samples. change: a share of base, infinite where that is 0; of POINTS candidate less base.
    p and adjusted_p are None where there are too few runs; significant: as for points.
    """

    name: str
    unit: str
    base: float
    base_spread: Optional[float]
    candidate: float
    candidate_spread: Optional[float]
    change: float
    p: Optional[float] = None
    adjusted_p: Optional[float] = None
    significant: bool = False

    @property
    def in_points(self):
        return self.unit == profiles.POINTS


def compare(pairs, settings):
    """A list of Causes for each pair of Points, which hold runs, the largest change first; their p
    corrected for all pairs together.
    """
    found = [_of_pair(*pair) for pair in pairs]
    tested = [one for causes in found for one in causes if one.p is not None]
    for one, adjusted in zip(tested, inference.adjusted([one.p for one in tested])):
        one.adjusted_p = float(adjusted)
        least = LEAST_POINTS if one.in_points else settings.noise
        one.significant = bool(adjusted <= 1 - settings.confidence and abs(one.change) > least)
    return [sorted(causes, key=_order) for causes in found]


def _order(one):
    return one.in_points, -abs(one.change), one.name, one.unit


def _of_pair(base, candidate):
    return [*_statistics(*([run for run in point.runs if run.recorded is not None]
                           for point in (base, candidate))),
            *_profile(*([profile.shares for profile in point.profiles]
                        for point in (base, candidate)))]


def _statistics(base, candidate):
    if not base or not candidate:
        return []
    values = [[run.recorded.statistics() for run in side] for side in (base, candidate)]
    runs = [*values[0], *values[1]]
    found = []
    for statistic in dict.fromkeys(name for run in runs for name in run):
        if readings.is_event(statistic) and not all(statistic in run for run in runs):
            continue
        name, unit = statistic
        sides = [np.array([run.get(statistic, 0) for run in side], float) for side in values]
        if unit in readings.OF_RARE and max(abs(side.mean()) for side in sides) < RARE:
            unit = readings.OF_RARE[unit]
            sides = [each * [run.rate for run in side]
                     for each, side in zip(sides, (base, candidate))]
        found.append((_cause(name, unit, *sides), sides))
    p = inference.p_values([sides for _, sides in found])
    for (one, sides), value in zip(found, p):
        if min(map(len, sides)) > 1:
            one.p = float(value)
    return [one for one, _ in found]


def _profile(base, candidate):
    if not base or not candidate:
        return []
    found = []
    for name in sorted({name for run in (*base, *candidate) for name in run}):
        sides = [np.array([run.get(name, 0) for run in side], float)
                 for side in (base, candidate)]
        if max(side.mean() for side in sides) < profiles.LEAST_SHARE:
            continue
        one = _cause(name, profiles.POINTS, *sides)
        if min(map(len, sides)) > 1:
            one.p = inference.welch_p(*sides)
        found.append(one)
    return found


def _cause(name, unit, base, candidate):
    means = float(base.mean()), float(candidate.mean())
    if unit == profiles.POINTS:
        change = means[1] - means[0]
    elif means[0]:
        change = (means[1] - means[0]) / abs(means[0])
    else:
        change = math.copysign(math.inf, means[1]) if means[1] else 0.0
    return Cause(name, unit, means[0], _spread(base), means[1], _spread(candidate), change)


def _spread(values):
    if len(values) < 2 or not values.mean():
        return None
    return abs(inference.spread(values))
