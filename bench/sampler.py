#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a sample costs: CPU time of the parent, which on a full machine is taken from the tasks.

Counts what the parent's own clock of CPU time says over many samples 10 ms apart. What the tasks
lose besides, to the switches and to a counter's cache line that goes back and forth, is not in it.
"""

import os

import measure

INTERVAL = 0.01
SAMPLES, QUICK_SAMPLES = 200, 20
COUNTS, QUICK_COUNTS = (1, 2, 100, 1000, 4000), (1, 2)

WIDTHS = (-9, 5, 16, 24)


def cost(path, tasks, samples):
    """Seconds of CPU time for one sample."""
    with measure.started(path, "-t", tasks, "--warmup", 0, "--interval", INTERVAL) as run:
        measure.wait_for("min:", run)
        before = measure.cpu_time(run.pid)
        for _ in range(samples):
            measure.wait_for("min:", run)
        return (measure.cpu_time(run.pid) - before) / samples


def body(arguments):
    counts, samples = ((QUICK_COUNTS, QUICK_SAMPLES) if arguments.quick else (COUNTS, SAMPLES))
    cpus = len(os.sched_getaffinity(0))
    measure.prefer_self()
    measure.say(f"spin1, mean of {samples} samples; the machine's time is that of {cpus} CPUs")
    measure.row(("mode", "tasks", "CPU time a sample", "of the machine, each 10 ms"), WIDTHS)
    for mode in measure.MODES:
        path = measure.program_path(arguments, f"programs/spin1_{mode}")
        for tasks in counts:
            seconds = cost(path, tasks, samples)
            measure.row((mode, str(tasks), f"{1e6 * seconds:.1f} us",
                         f"{100 * seconds / INTERVAL / cpus:.3f} %"), WIDTHS)


if __name__ == "__main__":
    measure.main(__doc__, body)
