#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Time from the making of the first task to the opening of the gate, and memory.

The time is the `start` record of the samples file. Memory is read with the tasks stopped in their
loop: `user` is the sum of Pss over all processes of the run, the parent among them, which counts
a page that they share once; `kernel` is how much the whole machine's kernel stacks, page tables
and slabs have grown since before the run, so that other work on the machine shows in it.
"""

import os
import signal
import tempfile
from statistics import median
from typing import NamedTuple

import measure

COUNTS, QUICK_COUNTS = (1, 100, 1000, 4000), (1, 100)
REPETITIONS, QUICK_REPETITIONS = 5, 2

# Milliseconds a task.
TARGETS = {"processes": 1.0, "threads": 0.2}

KERNEL_MEMORY = ("KernelStack", "PageTables", "Slab")
WIDTHS = (-9, 5, 9, 9, 9, -20, 9, 9, 9)


class Start(NamedTuple):
    """Seconds to the gate; memory in bytes."""

    seconds: float
    user: int
    kernel: int


def kibibytes(path, names):
    """The sum of the named fields of a file of /proc with lines `Name: N kB`, in bytes."""
    with open(path, encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file if ":" in line)
    return sum(int(fields[name].split()[0]) * 1024 for name in names)


def user_memory(processes):
    return sum(kibibytes(f"/proc/{pid}/smaps_rollup", ["Pss"]) for pid in processes)


def start_once(path, tasks):
    """Start a run, look at it, and end it."""
    before = kibibytes("/proc/meminfo", KERNEL_MEMORY)
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        with measure.started(path, "-t", tasks, "--warmup", 0, "--samples", file.name) as run:
            members = measure.children(run.pid)
            os.killpg(os.getpgid(members[0]), signal.SIGSTOP)
            kernel = kibibytes("/proc/meminfo", KERNEL_MEMORY) - before
            user = user_memory([run.pid, *members])
        return Start(measure.start_seconds(file.read()), user, kernel)


def verdict(mode, per_task):
    target = TARGETS[mode]
    return f"under {target:g} ms: {'met' if per_task < target else 'missed'}"


def body(arguments):
    counts, repetitions = ((QUICK_COUNTS, QUICK_REPETITIONS) if arguments.quick
                           else (COUNTS, REPETITIONS))
    measure.prefer_self()
    measure.say(f"spin1, median of {repetitions} starts; memory per task: growth from 1 task on")
    measure.row(("mode", "tasks", "start", "least", "per task", "target", "user", "per task",
                 "kernel"), WIDTHS)
    for mode in measure.MODES:
        path = measure.program_path(arguments, f"programs/spin1_{mode}")
        first = None
        for tasks in counts:
            starts = [start_once(path, tasks) for _ in range(repetitions)]
            seconds, user, kernel = map(median, zip(*starts))
            first = first or user
            per_task, more = 1000 * seconds / tasks, tasks - 1
            measure.row((mode, str(tasks), f"{1000 * seconds:.1f} ms",
                         f"{1000 * min(start.seconds for start in starts):.1f} ms",
                         f"{per_task:.3f} ms", verdict(mode, per_task),
                         f"{user / 2 ** 20:.1f} MiB",
                         f"{(user - first) / more / 1024:.1f} KiB" if more else "-",
                         f"{kernel / more / 1024:.1f} KiB" if more else "-"), WIDTHS)


if __name__ == "__main__":
    measure.main(__doc__, body)
