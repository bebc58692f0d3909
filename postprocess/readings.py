# SPDX-License-Identifier: GPL-2.0-or-later
"""What was recorded beside a run, as numbers by statistic: docs/formats.md, section 4, describes
the file, and section 6 the names.
"""

import math
import re
from typing import NamedTuple

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


def of_run(entry, known):
    """{Statistic: value} of a run of a result file, None where nothing was recorded. known: what
    the result says of all its runs' statistics. What did not change is not in it.
    """
    events, numbers = entry.get("events"), entry.get("statistics")
    if events is None and numbers is None:
        return None
    found = {}
    if events:
        for name, count in events["counts"].items():
            _add(found, f"perf-stat.{name}", count, events["operations"], entry["seconds"])
    if numbers:
        levels = dict(zip(known["levels"], numbers["levels"]))
        for name, difference in zip(known["differences"], numbers["differences"]):
            if name in known["levels"]:
                found[Statistic(name, GROWTH)] = difference / entry["operations"]
            else:
                _add(found, name, difference, entry["operations"], entry["seconds"])
        found.update((Statistic(name, LEVEL), value) for name, value in levels.items())
    if not all(math.isfinite(value) for value in found.values()):
        raise ValueError("a statistic that is no number")
    return found


def _add(found, name, count, operations, seconds):
    if BY_THE_CLOCK.match(name):
        found[Statistic(name, PER_SECOND)] = count / seconds
    else:
        found[Statistic(name, PER_OPERATION)] = count / operations


def is_event(statistic):
    """Whether it was counted by perf: a run that lacks it has not counted it; else it was 0."""
    return statistic.name.startswith("perf-stat.")
