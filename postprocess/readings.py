# SPDX-License-Identifier: GPL-2.0-or-later
"""What was recorded beside a run, as numbers by statistic: docs/formats.md, section 4, describes
the file, and section 6 the names.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

# Units of values, and those in which the values of what is rare are told.
PER_OPERATION, PER_SECOND, LEVEL = "per operation", "per second", ""
GROWTH = "growth per operation"
OF_RARE = {PER_OPERATION: PER_SECOND, GROWTH: "growth per second"}

# What happens by the clock, whatever the tasks do: of an operation there is more of it for no other
# reason than that the operation takes longer.
BY_THE_CLOCK = re.compile(
    r"proc-stat\.cpu\.|pressure\.|interrupts\.(LOC|NMI|PMI):|cgroup\.cpu\..*(usec|_time)$|"
    r"softirqs\.(TIMER|SCHED|HRTIMER|RCU)$|schedstat\.(rq_cpu_time|run_delay)$|"
    r"perf-stat\.(task|cpu)-clock$")


class Statistic(NamedTuple):
    """name: as LKP's reports have it. unit: of its values."""

    name: str
    unit: str


@dataclass
class Recorded:
    """Numbers as they lie in the file: a comparison has a hundred thousand runs, and looks at the
    statistics of a few. known: what the result says of all its runs' statistics.
    """

    known: dict
    differences: np.ndarray
    levels: np.ndarray
    events: dict
    operations: int
    seconds: float

    def statistics(self):
        """{Statistic: value}; what did not change is not in it."""
        found = {}
        for name, count in self.events.get("counts", {}).items():
            self._add(found, f"perf-stat.{name}", count, self.events["operations"])
        # Names without a number were not known yet: theirs were 0.
        names = self.known.get("levels", ())
        levels = {**dict.fromkeys(names, 0.0), **dict(zip(names, self.levels))}
        for name, difference in zip(self.known.get("differences", ()), self.differences):
            if name in levels:
                found[Statistic(name, GROWTH)] = difference / self.operations
            else:
                self._add(found, name, difference, self.operations)
        found.update((Statistic(name, LEVEL), value) for name, value in levels.items())
        return found

    def _add(self, found, name, count, operations):
        if BY_THE_CLOCK.match(name):
            found[Statistic(name, PER_SECOND)] = count / self.seconds
        else:
            found[Statistic(name, PER_OPERATION)] = count / operations


def of_run(entry, known):
    """What was recorded beside a run of a result file, None where nothing was. Raises ValueError,
    TypeError and LookupError for what is damaged.
    """
    events, numbers = entry.get("events"), entry.get("statistics")
    if events is None and numbers is None:
        return None
    found = Recorded(known or {}, *(_numbers(numbers[kind] if numbers else [])
                                    for kind in ("differences", "levels")),
                     events or {}, entry["operations"], entry["seconds"])
    if events and not events["operations"] > 0:
        raise ValueError(f"events of {events['operations']!r} operations")
    _numbers(list(found.events.get("counts", {}).values()))
    return found


def _numbers(values):
    found = np.array(values, dtype=float)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise ValueError("statistics that are no numbers")
    return found


def is_event(statistic):
    """Whether it was counted by perf: a run that lacks it has not counted it; else it was 0."""
    return statistic.name.startswith("perf-stat.")
