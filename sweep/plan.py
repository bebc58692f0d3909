# SPDX-License-Identifier: GPL-2.0-or-later
"""Which task counts, which runs in which order, and how long they take: pure functions."""

import re
from typing import NamedTuple

from sweep.errors import UsageError

# The kernel's PID_MAX_LIMIT: no machine runs more tasks than that.
MOST_TASKS = 4194304

# Seconds. An automatic warm-up usually ends long before its limit; a program is started, ends and
# is read in OVERHEAD, and takes MAKING for each task.
USUAL_WARMUP = 0.45
LONGEST_WARMUP = 5.0
OVERHEAD = 0.05
MAKING = {"processes": 1e-3, "threads": 2e-4}


class Point(NamedTuple):
    """One place of a sweep, measured once a round."""

    mode: str
    tasks: int


class Step(NamedTuple):
    """One run that is to be made; rounds count from 0."""

    round: int
    point: Point


def _wrong(text, item, right):
    named = f"'{item}'" if item == text else f"'{item}' in '{text}'"
    return UsageError(f"--tasks: {named}: {right}")


def _count(text, item, digits):
    count = int(digits)
    if not 1 <= count <= MOST_TASKS:
        raise _wrong(text, item, f"a number of tasks is from 1 to {MOST_TASKS}")
    return count


def parse_tasks(text, cpus):
    """Task counts of a list as `1,2,4-8,50%,all`, ascending, each once.

    cpus: hardware threads that there are; percentages and `all` are of them, rounded, at least 1.
    Raises UsageError.
    """
    counts = set()
    for item in text.split(","):
        item = item.strip()
        span = re.fullmatch(r"([0-9]+)-([0-9]+)", item)
        percentage = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)%", item)
        if item == "all":
            counts.add(cpus)
        elif re.fullmatch(r"[0-9]+", item):
            counts.add(_count(text, item, item))
        elif span:
            first, last = (_count(text, item, digits) for digits in span.groups())
            if first > last:
                raise _wrong(text, item, "a range goes upwards, as 4-8")
            counts.update(range(first, last + 1))
        elif percentage:
            part = float(percentage.group(1))
            if part <= 0:
                raise _wrong(text, item, "a percentage is above 0")
            counts.add(_count(text, item, max(1, int(part * cpus / 100 + 0.5))))
        else:
            raise _wrong(text, item, "a list as 1,2,4-8,50%,all is needed")
    return sorted(counts)


def topology_steps(rows, cores):
    """Task counts, one a core, that fill the first last-level cache, node, package, and all cores.

    rows: one dict per hardware thread with `core`, `cache`, `node` and `package`, None where the
    machine has no such thing. cores: how many there are.
    """
    steps = {cores}
    for tier in ("cache", "node", "package"):
        first = rows[0][tier]
        if first is not None:
            steps.add(len({row["core"] for row in rows if row[tier] == first}))
    return steps


def default_tasks(cpus, steps):
    """Every count up to 16, then powers of two and the topology's steps; none above `cpus`."""
    counts = set(range(1, 17)) | {2 ** power for power in range(cpus.bit_length())} | set(steps)
    return sorted(count for count in counts | {cpus} if 1 <= count <= cpus)


def points(settings):
    """The points of a sweep in the order of the table's rows."""
    return [Point(mode, tasks) for tasks in settings.tasks for mode in settings.modes]


def steps(settings):
    """All runs of a sweep in their order.

    Rounds go up and down in turn, so that a drift of the machine does not look like scaling. The
    last one goes up: rows of the table become final in their order.
    """
    upwards = points(settings)
    return [Step(number, point)
            for number in range(settings.rounds)
            for point in (upwards if (settings.rounds - number) % 2 else upwards[::-1])]


def remaining(settings, runs):
    """The steps that `runs`, as in a result file, leave to be made.

    What a machine cannot run it cannot run in the next round: a skipped point is not tried again.
    """
    made = {(run["round"], run["mode"], run["tasks"]) for run in runs}
    skipped = {(run["mode"], run["tasks"]) for run in runs if run["status"] == "skipped"}
    return [step for step in steps(settings)
            if (step.round, *step.point) not in made and tuple(step.point) not in skipped]


def expected_seconds(point, settings):
    """How long a run of the point usually takes."""
    warmup = USUAL_WARMUP if settings.warmup == "auto" else settings.warmup
    return OVERHEAD + MAKING[point.mode] * point.tasks + warmup + settings.duration


def limit_seconds(point, settings):
    """How long a run of the point may take before it counts as hanging.

    The programs have limits of their own (120 s each for a testcase to prepare and to clean up);
    this one is for a program that does not keep them.
    """
    warmup = LONGEST_WARMUP if settings.warmup == "auto" else settings.warmup
    return 300 + 50 * MAKING[point.mode] * point.tasks + warmup + 2 * settings.duration
