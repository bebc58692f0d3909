#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What it costs to record the causes of a change.

A plain program runs in turns with one that keeps the system's statistics, and with one that counts
events. Each row tells the ratio of the recording one's rate to the plain one's, the median over
launches with its exact 95 % interval; the rows "nothing" have two plain programs, and so show what
this can tell apart.
"""

from statistics import median

import measure
from sweep import observed
from sweep.tree import Tree

SECONDS, QUICK_SECONDS = 1, 0.1
WARMUP = 0.3
LAUNCHES, QUICK_LAUNCHES = 12, 6

# Work of every kind that events could disturb: none, page faults, and switches of tasks.
TESTCASES = ("getppid1", "page_fault1", "context_switch1")

WIDTHS = (-15, -9, -10, 10, 20)


def ways():
    """Options of the programs by what is recorded."""
    files = [word for path in observed.paths(Tree()) for word in ("--observe", path)]
    return {"nothing": [], "statistics": files, "events": ["--events", "default"]}


def ratio(command, options, number):
    """Of one launch; the two programs change their roles from launch to launch."""
    order = 1 if number % 2 == 0 else -1
    plain, recording = measure.run_in_turns(
        *[[*command, *words] for words in ([], options)][::order])[::order]
    return recording.rate / plain.rate


def body(arguments):
    seconds = QUICK_SECONDS if arguments.quick else SECONDS
    launches = QUICK_LAUNCHES if arguments.quick else LAUNCHES
    measure.say(f"{launches} launches, {seconds} s of each program after {WARMUP} s of warm-up, "
                "1 task")
    measure.row(("testcase", "mode", "recorded", "rate", "95 % interval"), WIDTHS)
    for testcase in TESTCASES:
        for mode in measure.MODES:
            command = [measure.program_path(arguments, f"programs/{testcase}_{mode}"),
                       "-s", seconds, "--warmup", WARMUP]
            for name, options in ways().items():
                ratios = [ratio(command, options, number) for number in range(launches)]
                low, high = measure.median_interval(ratios)
                measure.row((testcase, mode, name, measure.percent(median(ratios)),
                             f"{measure.percent(low)} to {measure.percent(high)}"), WIDTHS)


if __name__ == "__main__":
    measure.main(__doc__, body)
