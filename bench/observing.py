#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What it costs to record the causes of a change.

Runs without anything beside them, with the system's statistics, and with events alternate, there
and back. Each row tells the ratio of the rates of a way to those of the plain runs of the same
round, as the median over rounds with its exact 95 % interval; the rows "nothing" compare a round's
two plain runs with each other, and so show what this can tell apart.
"""

from statistics import median

import measure
from sweep import observed
from sweep.tree import Tree

SECONDS, QUICK_SECONDS = 0.5, 0.1
WARMUP = 0.3
ROUNDS, QUICK_ROUNDS = 40, 6

# Work of every kind that events could disturb: none, page faults, and switches of tasks.
TESTCASES = ("getppid1", "page_fault1", "context_switch1")

WIDTHS = (-15, -9, -10, 10, 20, 12)


def ways():
    """Options of the programs, by name; plain runs at both ends of a round."""
    files = [word for path in observed.paths(Tree()) for word in ("--observe", path)]
    return {"plain": [], "statistics": files, "events": ["--events", "default"], "again": []}


def seconds_before(text):
    """From the last sample of the warm-up to the measurement's first: what is read in between."""
    samples = [line.split()[1:4] for line in text.splitlines() if line.startswith("sample ")]
    ends = [int(end) for phase, _, end in samples if phase == "warmup"]
    starts = [int(start) for phase, start, _ in samples if phase == "measure"]
    return (starts[0] - ends[-1]) / 1e9


def body(arguments):
    seconds = QUICK_SECONDS if arguments.quick else SECONDS
    rounds = QUICK_ROUNDS if arguments.quick else ROUNDS
    measure.say(f"{rounds} rounds, runs of {seconds} s after {WARMUP} s of warm-up, 1 task")
    measure.row(("testcase", "mode", "recorded", "rate", "95 % interval", "taken before"), WIDTHS)
    for testcase in TESTCASES:
        for mode in measure.MODES:
            path = measure.program_path(arguments, f"programs/{testcase}_{mode}")
            rates, before = {name: [] for name in ways()}, {name: [] for name in ways()}
            for number in range(rounds):
                order = list(ways().items())
                for name, options in order if number % 2 == 0 else order[::-1]:
                    outcome = measure.outcome(path, "-s", seconds, "--warmup", WARMUP, *options)
                    rates[name].append(measure.rate_of(outcome.samples))
                    before[name].append(seconds_before(outcome.samples))
            tell(testcase, mode, rates, before)


def tell(testcase, mode, rates, before):
    """The rows of a testcase; a round's plain runs stand on either side of the others."""
    plain = [(first + last) / 2 for first, last in zip(rates["plain"], rates["again"])]
    for name, base in (("again", rates["plain"]), ("statistics", plain), ("events", plain)):
        ratios = [rate / each for rate, each in zip(rates[name], base)]
        low, high = measure.median_interval(ratios) or (min(ratios), max(ratios))
        measure.row((testcase, mode, "nothing" if name == "again" else name,
                     measure.percent(median(ratios)),
                     f"{measure.percent(low)} to {measure.percent(high)}",
                     f"{1e3 * median(before[name]):.2f} ms"), WIDTHS)


if __name__ == "__main__":
    measure.main(__doc__, body)
