#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Cost per iteration of the runtime, against a hand-written loop of the same work.

The hand-written loop and a testcase's program run at the same time on one CPU. The scheduler gives
both the same share of it, in turns of a few milliseconds, so that whatever changes the machine's
speed falls on both alike; their iterations over the same second are compared. Each row is the
median of many such launches, with its exact 95 % interval. Rows "itself" compare the loop with
another copy of it, and so show what this can tell apart.
"""

import os
import subprocess
import time
from statistics import median

import measure

WARMUP = 0.2
SECONDS, QUICK_SECONDS = 1, 0.2
LAUNCHES, QUICK_LAUNCHES = 20, 6

# Seconds at the end in which a program may be gone already.
GUARD = 0.05

# Missed where the cost's whole interval is above the first number, met where it lies within the
# second: wider than that it could hide a cost.
TARGETS = {"spin1": ("within 0.5 %", 0.005, 0.005), "getppid1": ("no cost to be seen", 0, 0.01)}

WIDTHS = (-8, -9, 12, 12, 9, 20, -30)


class Loop:
    """The hand-written loop, running from now on until it is stopped."""

    def __init__(self, command):
        # A session of its own, as the suite's programs have: the scheduler may share the CPU out
        # between sessions first (autogroup).
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        text=True, start_new_session=True)

    def stop(self, end, seconds):
        """Iterations per second, and nanoseconds on the CPU for each, in the seconds until `end`
        on the monotonic clock.
        """
        self.process.kill()
        text, _ = self.process.communicate()
        marks = [tuple(map(int, line.split())) for line in text.split("\n")[:-1]]
        inside = [mark for mark in marks if end - seconds <= mark[0] / 1e9 <= end]
        wall, on_cpu, iterations = (last - first for first, last in zip(inside[0], inside[-1]))
        return iterations * 1e9 / wall, on_cpu / iterations


def beside_itself(command, seconds):
    """Rates of two copies of the loop, and nanoseconds of the first."""
    first, second = Loop(command), Loop(command)
    time.sleep(WARMUP + seconds)
    end = time.monotonic()
    rate, nanoseconds = first.stop(end, seconds)
    return rate, second.stop(end, seconds)[0], nanoseconds


def beside_testcase(command, seconds, words):
    """Rates of the loop and of a testcase, and nanoseconds of the loop."""
    loop = Loop(command)
    found = measure.run(*words)
    rate, nanoseconds = loop.stop(time.monotonic() - GUARD, seconds)
    return rate, found.rate, nanoseconds


def verdict(work, interval):
    """What an interval of the cost says about the target."""
    text, missed_above, met_within = TARGETS[work]
    low, high = interval[0] - 1, interval[1] - 1
    if low > missed_above:
        return f"{text}: missed"
    return f"{text}: {'met' if max(-low, high) <= met_within else 'not decided'}"


def body(arguments):
    launches, seconds = ((QUICK_LAUNCHES, QUICK_SECONDS) if arguments.quick
                         else (LAUNCHES, SECONDS))
    cpu = max(os.sched_getaffinity(0))
    path = measure.program_path(arguments, "bench/handwritten")
    measure.say(f"{launches} launches, {seconds} s each on CPU {cpu} after {WARMUP} s of warm-up")
    measure.row(("work", "run as", "hand-written", "so", "cost", "95 % interval", "target"),
                WIDTHS)
    for work in ("spin1", "getppid1"):
        loop = [path, work, str(cpu)]
        for mode in (*measure.MODES, "itself"):
            if mode == "itself":
                found = [beside_itself(loop, seconds) for _ in range(launches)]
            else:
                words = (measure.program_path(arguments, f"programs/{work}_{mode}"),
                         "-s", seconds, "--warmup", WARMUP, "--cpus", cpu,
                         "--interval", measure.interval_of(seconds))
                found = [beside_testcase(loop, seconds, words) for _ in range(launches)]
            # The time of an iteration is inverse to the rate.
            ratios = [plain / other for plain, other, _ in found]
            plain, interval = median(each[2] for each in found), measure.median_interval(ratios)
            measure.row((work, mode, f"{plain:.2f} ns", f"{plain * median(ratios):.2f} ns",
                         measure.percent(median(ratios)),
                         " to ".join(map(measure.percent, interval)),
                         "" if mode == "itself" else verdict(work, interval)), WIDTHS)


if __name__ == "__main__":
    measure.main(__doc__, body)
