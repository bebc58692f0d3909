#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Cost per iteration of the runtime, against a hand-written loop of the same work.

The hand-written loop and a testcase's program run at the same time on one CPU. The scheduler lets
them take turns of a few milliseconds, so that whatever changes the machine's speed falls on both
alike; what is compared is the CPU time of an iteration over the same second. Each row is the
median of many such launches, with its exact 95 % interval. Rows "itself" compare the loop with
another copy of it, and so show what this can tell apart.
"""

import os
import subprocess
import tempfile
import time
from statistics import median

import measure

WARMUP = 0.2
SECONDS, QUICK_SECONDS = 1, 0.4
LAUNCHES, QUICK_LAUNCHES = 20, 6

# Missed where the cost's whole interval is above the first number, met where it lies within the
# second: wider than that it could hide a cost.
TARGETS = {"spin1": ("within 0.5 %", 0.005, 0.005), "getppid1": ("no cost to be seen", 0, 0.01)}

WIDTHS = (-8, -9, 12, 12, 9, 20, -30)


class Loop:
    """The hand-written loop, running from now on until it is stopped."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        text=True)

    def stop(self, begun, end):
        """Nanoseconds on the CPU for an iteration, between two times of the monotonic clock."""
        self.process.kill()
        text, _ = self.process.communicate()
        marks = [tuple(map(int, line.split())) for line in text.split("\n")[:-1]]
        inside = [mark for mark in marks if begun <= mark[0] / 1e9 <= end]
        _, on_cpu, iterations = (last - first for first, last in zip(inside[0], inside[-1]))
        return on_cpu / iterations


def beside_itself(command, seconds):
    """Nanoseconds for an iteration of the loop, and of its other copy."""
    first, second = Loop(command), Loop(command)
    time.sleep(WARMUP)
    begun = time.monotonic()
    time.sleep(seconds)
    end = time.monotonic()
    return first.stop(begun, end), second.stop(begun, end)


def beside_testcase(command, seconds, words):
    """Nanoseconds for an iteration of the loop, and of the testcase."""
    interval = measure.interval_of(seconds)
    words = (*words, "-s", seconds, "--warmup", WARMUP, "--interval", interval)
    loop = Loop(command)
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        with measure.started(*words, "--samples", file.name) as run:
            # The task; where tasks are threads, the process that holds them and does nothing else.
            task = measure.children(run.pid)[0]
            measure.wait_for("measurement", run)
            begun, before = time.monotonic(), measure.cpu_time(task)
            for _ in range(round(seconds / interval)):
                measure.wait_for("min:", run)
            end, after = time.monotonic(), measure.cpu_time(task)
            run.wait()
        operations = measure.operations_of(file.read())
    return loop.stop(begun, end), 1e9 * (after - before) / operations


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
    measure.prefer_self()
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
                words = (measure.program_path(arguments, f"programs/{work}_{mode}"), "--cpus", cpu)
                found = [beside_testcase(loop, seconds, words) for _ in range(launches)]
            ratios = [other / plain for plain, other in found]
            plain, other = map(median, zip(*found))
            interval = measure.median_interval(ratios)
            measure.row((work, mode, f"{plain:.2f} ns", f"{other:.2f} ns",
                         measure.percent(median(ratios)),
                         " to ".join(map(measure.percent, interval)),
                         "" if mode == "itself" else verdict(work, interval)), WIDTHS)


if __name__ == "__main__":
    measure.main(__doc__, body)
