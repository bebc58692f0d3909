# SPDX-License-Identifier: GPL-2.0-or-later
"""What a sweep found, for people: rates per task with an interval that tells how sure they are."""

import math
import statistics

from sweep import columns, recorded, table
from sweep.result import without_numbers

CONFIDENCE = 0.95
LEAST_FOR_INTERVAL = 6
NAMES = {"processes": "per_process_ops", "threads": "per_thread_ops"}


def median_interval(values):
    """The exact interval of the median: (low, high), or None with fewer than 6 values.

    Whatever the distribution, the number of n independent values below its median is
    binomial(n, 1/2); so the k-th least and the k-th greatest value enclose it with probability
    1 - 2 P(fewer than k). The largest k that keeps 95 % gives the narrowest interval.
    """
    count = len(values)
    outside, k = 0.0, 0
    while True:
        outside += 2 * math.comb(count, k) / 2 ** count
        if outside > 1 - CONFIDENCE:
            break
        k += 1
    ordered = sorted(values)
    return (ordered[k - 1], ordered[-k]) if k else None


def number(value):
    """With two decimals below 1000, as the programs print rates."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"


def _cells(runs, mode, tasks):
    per_task = [rate / tasks for rate in table.rates(runs, (mode, tasks))]
    if not per_task:
        return ["none", "-"]
    interval = median_interval(per_task)
    return [number(statistics.median(per_task)),
            " to ".join(map(number, interval)) if interval else "-"]


def lines(result):
    """The summary of a result as aligned lines of text."""
    modes, runs = result["settings"]["modes"], result["runs"]
    rows = [["tasks", *(cell for mode in modes for cell in (NAMES[mode], "95 % interval"))]]
    for tasks in result["settings"]["tasks"]:
        rows.append([str(tasks), *(cell for mode in modes for cell in _cells(runs, mode, tasks))])
    return [f"{result['testcase']}: {result['description']}",
            f"operations per second of one task, median of {_rounds(result)}",
            *columns.aligned(rows), *recorded.lines(result)]


def _rounds(result):
    rounds = result["settings"]["rounds"]
    if rounds < LEAST_FOR_INTERVAL:
        return f"{rounds} round{'s' * (rounds > 1)} (an interval needs {LEAST_FOR_INTERVAL})"
    return f"{rounds} rounds"


def failures(result):
    """What was not measured and why, as lines; none if all was. Reasons that differ only in
    numbers are one.
    """
    failed = [run for run in result["runs"] if run["status"] != "ok"]
    if not failed:
        return []
    alike = {}
    for run in failed:
        about = run["mode"], run["status"], without_numbers(run["reason"])
        alike.setdefault(about, []).append(run)
    lines = [f"{len(failed)} of {len(result['runs'])} runs of {result['testcase']} brought no "
             "value:"]
    for (mode, status, _), runs in alike.items():
        tasks = ",".join(map(str, sorted({run["tasks"] for run in runs})))
        lines.append(f"  {mode} {tasks}: {status}: {runs[0]['reason']}")
    return lines
