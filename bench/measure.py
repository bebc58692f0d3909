# SPDX-License-Identifier: GPL-2.0-or-later
"""What the benchmarks share: how one is called, running a program of the suite, printing."""

import argparse
import contextlib
import os
import platform
import signal
import subprocess
import sys
import time
from typing import List, NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)
from sweep import child, machine, program, samples  # noqa: E402
from sweep.places.local import Local  # noqa: E402
from sweep.settings import MODES, interval_of  # noqa: E402
from sweep.summary import median_interval  # noqa: E402

__all__ = ["MODES", "Run", "children", "cpu_time", "interval_of", "main", "median_interval",
           "operations_of", "percent", "prefer_self", "program_path", "row", "run",
           "run_in_turns", "say", "start_seconds", "started", "wait_for"]

# Seconds; no run of a benchmark comes near it.
LIMIT = 120


class Run(NamedTuple):
    """Operations per second of all tasks together, over the measurement and in each sample, and the
    seconds from launch to end.
    """

    rate: float
    wall: float
    samples: List[float]


def main(text, body):
    """Call body(arguments) as a benchmark's story; text: a title line, then what it answers."""
    title, _, answers = text.strip().partition("\n")
    parser = argparse.ArgumentParser(description=answers.strip())
    parser.add_argument("--build", metavar="FOLDER", default=ROOT,
                        help="where the suite was built (default: where its sources are)")
    parser.add_argument("--quick", action="store_true",
                        help="few and short runs: shows that it works, not what is true")
    arguments = parser.parse_args()
    say(title)
    say(f"{len(os.sched_getaffinity(0))} CPUs, {platform.system()} {platform.release()}, machine "
        f"{100 * idle_share():.0f} % idle before, {time.strftime('%Y-%m-%d %H:%M')}"
        + (", quick: not to be relied on" if arguments.quick else ""))
    # As runtest.py measures.
    if not machine.aslr_off():
        say("address space randomisation cannot be turned off here: runs will vary more")
    say()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        body(arguments)
    except child.Interrupted as interrupted:
        child.die_by(interrupted.signum)
    say()


def idle_share():
    """The idle part of all CPUs' time over the next second: load averages remember too long."""
    def ticks():
        with open("/proc/stat", encoding="ascii") as file:
            return [int(word) for word in file.readline().split()[1:9]]
    before = ticks()
    time.sleep(1)
    passed = [late - early for early, late in zip(before, ticks())]
    return (passed[3] + passed[4]) / max(1, sum(passed))


def say(text=""):
    """Print a line at once: a benchmark takes minutes, and has readers."""
    print(text, flush=True)


def row(cells, widths):
    """One line of a table; a negative width aligns to the left."""
    cells = [cell.ljust(-width) if width < 0 else cell.rjust(width)
             for cell, width in zip(cells, widths)]
    say("  ".join(cells).rstrip())


def percent(ratio):
    """A ratio as a difference from 1, in percent."""
    return f"{100 * (ratio - 1):+.2f} %"


def program_path(arguments, name):
    """The path of a built program, or the end of this one."""
    path = os.path.join(arguments.build, name)
    if not os.access(path, os.X_OK):
        sys.exit(f"{os.path.basename(sys.argv[0])}: {path} is not built: 'make bench' does it, "
                 "and --build names the folder")
    return path


def run(path, *words):
    """Run a program of the suite with these arguments. One that fails ends this program."""
    return run_in_turns([path, *words])[0]


def run_in_turns(*commands):
    """Run programs of the suite, one or two that take turns; a Run of each."""
    begun = time.monotonic()
    with child.interrupts_held():
        outcomes = Local().run([[*map(str, command)] for command in commands], LIMIT,
                               [{} for _ in commands])
    wall = time.monotonic() - begun
    for (path, *_), outcome in zip(commands, outcomes):
        if outcome.status or outcome.exceeded:
            sys.exit(f"{os.path.basename(path)}: {program.failure(outcome, path)}")
    return [_run_of(samples.parse(outcome.samples), wall) for outcome in outcomes]


def _run_of(read, wall):
    rates = [1e9 * sum(sample.counts) / (sample.end - sample.start) for sample in read.samples]
    operations = sum(sum(sample.counts) for sample in read.samples)
    return Run(1e9 * operations / read.nanoseconds, wall, rates)


@contextlib.contextmanager
def started(path, *words):
    """A program of the suite with its gate open, as a Popen; it is ended afterwards."""
    # With a length of its own: one that nobody is left to end does so by itself.
    command = [path, "-s", str(LIMIT), *map(str, words)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_for("warmup", process)
            yield process
        finally:
            process.terminate()
            process.communicate()


def wait_for(word, process):
    """Wait until a program prints a line that begins so. One that does not ends this program."""
    if not any(line.startswith(word) for line in iter(process.stdout.readline, "")):
        sys.exit(process.stderr.read().strip())


def children(parent):
    """The children of a process."""
    with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
        return [int(pid) for pid in file.read().split()]


def cpu_time(pid):
    """Seconds of CPU time of a process, by the clock that clock_getcpuclockid(3) names."""
    return time.clock_gettime((~pid << 3) | 2)


def operations_of(text):
    """Operations of all tasks over the measurement, out of a samples file."""
    return sum(sum(sample.counts) for sample in samples.parse(text).samples)


def start_seconds(text):
    """From the making of the first task to the opening of the gate, out of a samples file."""
    return samples.parse(text).start / 1e9


def prefer_self():
    """Get a CPU at once among thousands of tasks that never sleep; children do not inherit it."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except PermissionError:
        say("not allowed to take precedence over the tasks: this will take longer")
