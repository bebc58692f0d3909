#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Time to a 1 % interval: how long until a value's 95 % interval lies within 1 % of it.

Short runs of each testcase, 1 process, in rounds that go through all of them, as a sweep does;
counts the rounds until the exact interval of their median is narrow enough, then starts counting
anew with the next round. Beside it the classic way: one run of 5 s after 6 s of warm-up.
"""

import statistics
import time

import measure

TESTCASES = ("spin1", "getppid1", "writeseek1")
WITHIN = 0.01
ROUNDS, QUICK_ROUNDS = 40, 7
SHORT, QUICK_SHORT = (0.5, 0.1), (0.05, 0.02)
CLASSIC, QUICK_CLASSIC = (5, 6), (0.2, 0.1)

# Seconds after which no further round begins: on a busy machine a warm-up may take 5 s.
BUDGET = 240

WIDTHS = (-10, -25, 8, 7, 13, 13, 20)


def precise(rates):
    """Whether the interval of the rates' median lies within 1 % of it."""
    interval = measure.median_interval(rates)
    median = statistics.median(rates)
    return interval and max(median - interval[0], interval[1] - median) <= WITHIN * median


def passages(rates):
    """How many rounds each count took, from the first rate on; the last, unfinished one is left."""
    found, begun = [], 0
    for end in range(1, len(rates) + 1):
        if precise(rates[begun:end]):
            found.append(end - begun)
            begun = end
    return found


def interval_text(rates):
    interval = measure.median_interval(rates)
    if not interval:
        return "none"
    median = statistics.median(rates)
    return " to ".join(measure.percent(end / median) for end in interval)


def report_short(name, seconds, runs):
    rates = [run.rate for run in runs]
    wall = statistics.mean(run.wall for run in runs)
    found = passages(rates)
    rounds = statistics.median(found) if found else len(rates)
    beyond = "" if found else "> "
    measure.row((name, f"runs of {seconds} s", f"{beyond}{rounds:g}",
                 f"{min(found)}-{max(found)}" if found else "-", f"{beyond}{rounds * wall:.1f} s",
                 f"{statistics.median(rates):,.0f}", interval_text(rates)), WIDTHS)


def body(arguments):
    rounds, lengths, (seconds, warmup) = ((QUICK_ROUNDS, QUICK_SHORT, QUICK_CLASSIC)
                                          if arguments.quick else (ROUNDS, SHORT, CLASSIC))
    paths = {name: measure.program_path(arguments, f"programs/{name}_processes")
             for name in TESTCASES}
    short = {(name, length): [] for name in TESTCASES for length in lengths}
    begun, made = time.monotonic(), 0
    while made < rounds and time.monotonic() - begun < BUDGET:
        made += 1
        for (name, length), runs in short.items():
            runs.append(measure.run(paths[name], "-s", length, "--warmup", "auto", "--interval",
                                    measure.interval_of(length)))
    measure.say(f"{made} rounds; 'rounds' and 'time' to an interval within 1 %: median of the "
                "counts, launch to end;")
    measure.say(f"'rate': operations per second, median of all {made}, and its 95 % interval")
    measure.row(("testcase", "way", "rounds", "range", "time", "rate", "95 % interval"), WIDTHS)
    for name in TESTCASES:
        for length in lengths:
            report_short(name, length, short[name, length])
        run = measure.run(paths[name], "-s", seconds, "--warmup", warmup)
        measure.row((name, f"1 run of {seconds} s after {warmup} s", "1", "-", f"{run.wall:.1f} s",
                     f"{run.rate:,.0f}", interval_text([run.rate])), WIDTHS)


if __name__ == "__main__":
    measure.main(__doc__, body)
