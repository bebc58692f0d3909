# SPDX-License-Identifier: GPL-2.0-or-later
"""What counting has found, for people and as CSV."""

import statistics

HEADER = "testcase,mode,instructions,user,kernel,least,greatest,windows"

# Functions that a summary names.
COSTLIEST = 5


def windows(result, mode):
    """What each valid window of a mode has found."""
    return [run["instructions"] for run in result["runs"]
            if run["mode"] == mode and run["status"] == "ok"]


def middle(found, key):
    """The median over windows, whole where it is."""
    value = statistics.median(window[key] for window in found)
    return int(value) if value == int(value) else round(value, 3)


def csv_lines(results):
    """A row for each testcase and mode: medians, and the extremes of the windows; 0 where nothing
    was counted.
    """
    yield HEADER
    for result in results:
        for mode in result["settings"]["modes"]:
            found = windows(result, mode)
            values = [middle(found, key) if found else 0
                      for key in ("per_operation", "user", "kernel")]
            spread = [window["per_operation"] for window in found] or [0]
            cells = [result["testcase"], mode, *values, min(spread), max(spread), len(found)]
            yield ",".join(map(str, cells))


def lines(result):
    """The summary of a result as lines of text."""
    rounds = result["settings"]["rounds"]
    yield f"{result['testcase']}: {result['description']}"
    yield f"instructions of one operation, median of {rounds} window{'s' * (rounds > 1)}"
    for mode in result["settings"]["modes"]:
        found = windows(result, mode)
        yield from _mode(mode, found) if found else [f"  {mode}: none"]


def _mode(mode, found):
    values = sorted(window["per_operation"] for window in found)
    spread = ("the same in all" if values[0] == values[-1] else
              f"{values[0]:,} to {values[-1]:,}")
    value, user, kernel = (middle(found, key) for key in ("per_operation", "user", "kernel"))
    yield (f"  {mode}: {value:,} ({user:,} of the program, {kernel:,} of the kernel), "
           f"{spread}{_remark(found)}")
    for name, instructions, _ in found[0]["functions"][:COSTLIEST]:
        yield f"  {instructions:12,}  {name}"


def _remark(found):
    if not all(window["undisturbed"] for window in found):
        return "; each operation contained an interrupt"
    if not all(window["exact"] for window in found):
        return "; operations differ, these are means"
    return ""
