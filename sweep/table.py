# SPDX-License-Identifier: GPL-2.0-or-later
"""Values of points, and the CSV of runtest.py; docs/formats.md, section 3, describes it."""

import os
import statistics

from sweep.settings import MODES

HEADER = "tasks,processes,processes_idle,threads,threads_idle,linear\n0,0,100,0,100,0"


def rates(runs, point):
    """Operations per second of all tasks together, one number per valid run of the point."""
    return [run["operations"] / run["seconds"] for run in runs
            if (run["mode"], run["tasks"]) == point and run["status"] == "ok"]


def value(runs, point):
    """The median rate of the point; 0 where no run is valid."""
    found = rates(runs, point)
    return statistics.median(found) if found else 0


def idle(runs, point):
    """Percent of the whole machine's time that was idle in the valid runs of the point; 0 if none.

    It can be told only where the runs were long enough for the kernel's clock ticks.
    """
    ticks = [run["cpu_ticks"] for run in runs
             if (run["mode"], run["tasks"]) == point and run["status"] == "ok" and run["cpu_ticks"]]
    whole = sum(sum(each.values()) for each in ticks)
    return 100 * sum(each["idle"] + each["iowait"] for each in ticks) / whole if whole else 0


def row(runs, tasks):
    """One row. `linear` needs the runs with 1 task, and is 0 before they are there."""
    best = max(int(value(runs, (mode, 1))) for mode in MODES)
    modes = ",".join(f"{int(value(runs, (mode, tasks)))},{idle(runs, (mode, tasks)):.2f}"
                     for mode in MODES)
    return f"{tasks},{modes},{best * tasks}"


class Csv:
    """Prints rows in the order of `tasks` as soon as they are final."""

    def __init__(self, file, tasks, title=None):
        """title: for a line of its own before the header."""
        self.file = file
        self.head = [f"# {title}", HEADER] if title else [HEADER]
        self.left = list(tasks)
        self.broken = None

    def advance(self, runs, waiting):
        """Print the rows up to the first whose task count is in `waiting` for further runs.

        An OSError is kept in `broken`, and nothing is printed after it.
        """
        lines, self.head = self.head, []
        while self.left and self.left[0] not in waiting:
            lines.append(row(runs, self.left.pop(0)))
        if not lines or self.broken:
            return
        try:
            print(*lines, sep="\n", file=self.file, flush=True)
        except OSError as error:
            self.broken = error
            # What the buffer still holds must not fail again when the file is closed.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.file.fileno())
            os.close(nowhere)
