#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How long it takes to see a change of 1, 2 and 5 %, and how often one is seen where there is none.

In turns, as runtest.py --ab measures: pairs of launches, Student's test of their ratios. The old
way: one run of 5 s after 6 s of warm-up, five times for each side, a change being called where the
ranges of the two sides do not meet. Both sides are the same program, the two ways alternate; a
change is put into the candidate's rates afterwards, so that the same runs answer for each size.
"""

import math
import os
import statistics
import sys

import measure

sys.path.insert(0, os.path.join(measure.ROOT, "postprocess"))
import needs  # noqa: E402,F401  finds a Python that has what follows
import evidence  # noqa: E402
import inference  # noqa: E402
from loading import Point, Run  # noqa: E402

TESTCASES = (("getppid1", "processes"), ("writeseek1", "processes"))
CHANGES = (0, 0.01, 0.02, 0.05)
CLASSIC_RUNS, QUICK_CLASSIC_RUNS = 24, 12
PAIRS_A_RUN = 2
PAIR, QUICK_PAIR = 0.5, 0.1
CLASSIC, QUICK_CLASSIC = (5, 6), (0.2, 0.1)

# Runs of each side, of the classic way; pairs by default; and the most that are looked at.
CLASSIC_SIDE, DEFAULT_PAIRS, MOST_PAIRS = 5, 10, 24

CONFIDENCE = 0.95
FOUND = 0.8

WIDTHS = (-10, -9, 7, 15, 8, 9, 14, 8, 9)


def pair_ratio(path, seconds, number):
    """The ratio that compare.py would find, and the seconds that it took."""
    roles = ("first", "second")[::1 if number % 2 == 0 else -1]
    command = [path, "-s", seconds, "--warmup", "auto"]
    runs = measure.run_in_turns(command, command)
    sides = dict(zip(("first", "second"), runs))
    points = [Point("", "", 1, "", runs=[Run("", 0, ("", 0), role, sides[role].rate, [],
                                             sides[role].samples, None, None)])
              for role in roles]
    return float(evidence.of(*points).ratios[0]), runs[0].wall


def windows(values, length):
    """All stretches of so many values that were measured one after the other."""
    return [values[at:at + length] for at in range(len(values) - length + 1)]


def seen_in_turns(ratios, count, change):
    """The share of stretches of so many pairs that show the change; any where it is 0."""
    found = []
    for stretch in windows(ratios, count):
        shifted = [ratio / (1 + change) for ratio in stretch]
        right = not change or statistics.mean(map(math.log, shifted)) < 0
        found.append(right and inference.pair_p(shifted) <= 1 - CONFIDENCE)
    return statistics.mean(found)


def seen_the_classic_way(rates, change):
    """The share of stretches of five runs of each side whose ranges do not meet."""
    found = []
    for stretch in windows(rates, 2 * CLASSIC_SIDE):
        base = stretch[:CLASSIC_SIDE]
        candidate = [rate / (1 + change) for rate in stretch[CLASSIC_SIDE:]]
        found.append(max(candidate) < min(base) or (not change and max(base) < min(candidate)))
    return statistics.mean(found)


def enough_pairs(ratios, change):
    """The least number that mostly shows the change; the default one for none, None for too many.
    """
    if not change:
        return DEFAULT_PAIRS
    return next((count for count in range(inference.LEAST_PAIRS, MOST_PAIRS + 1)
                 if seen_in_turns(ratios, count, change) >= FOUND), None)


def report(name, mode, pairs, classic):
    ratios, walls = zip(*pairs)
    rates = [run.rate for run in classic]
    classic_time = 2 * CLASSIC_SIDE * statistics.mean(run.wall for run in classic)
    for change in CHANGES:
        count = enough_pairs(ratios, change)
        shown = count or MOST_PAIRS
        measure.row((name, mode, f"{100 * change:g} %" if change else "none",
                     f"{'' if count else '> '}{shown} pairs",
                     f"{'' if count else '> '}{shown * statistics.mean(walls):.0f} s",
                     f"{100 * seen_in_turns(ratios, shown, change):.0f} %",
                     f"2 x {CLASSIC_SIDE} runs", f"{classic_time:.0f} s",
                     f"{100 * seen_the_classic_way(rates, change):.0f} %"), WIDTHS)


def body(arguments):
    runs, seconds, (length, warmup) = (
        (QUICK_CLASSIC_RUNS, QUICK_PAIR, QUICK_CLASSIC) if arguments.quick else
        (CLASSIC_RUNS, PAIR, CLASSIC))
    measure.say("the change, what it takes in turns, how often it is seen then, and the same the "
                "classic way;")
    measure.say("'none': how often a change is called that is not there")
    measure.row(("testcase", "mode", "change", "in turns", "time", "seen", "classic", "time",
                 "seen"), WIDTHS)
    for name, mode in TESTCASES:
        path = measure.program_path(arguments, f"programs/{name}_{mode}")
        pairs, classic = [], []
        for _ in range(runs):
            classic.append(measure.run(path, "-s", length, "--warmup", warmup))
            pairs += [pair_ratio(path, seconds, len(pairs) + number)
                      for number in range(PAIRS_A_RUN)]
        report(name, mode, pairs, classic)


if __name__ == "__main__":
    measure.main(__doc__, body)
