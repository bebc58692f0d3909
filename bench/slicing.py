#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A/A: how far apart two sides seem that are the same, measured in turns and one after the other.

Launches of the same program as base and as candidate, for 1, 2, 5 and 10 s of both together: in
turns, and as two separate runs of half that time each. The standard deviation, over launches, of
the difference says how large a change hides in one launch; ten launches show one of about its size.
"""

import math
import random
import statistics
import time

import measure

TESTCASES = (("getppid1", "processes"), ("getppid1", "threads"), ("spin1", "processes"),
             ("writeseek1", "processes"))
LENGTHS, QUICK_LENGTHS = (1, 2, 5, 10), (0.2, 0.4)
LAUNCHES, QUICK_LAUNCHES = 12, 3

# Seconds after which no further launch begins.
BUDGET = 3000

RESAMPLES = 2000
WIDTHS = (-10, -9, 6, 8, 8, 8, 7, 16)


def difference(rates):
    """Of two rates, in percent."""
    return 100 * math.log(rates[1] / rates[0])


def launch(path, seconds, swapped):
    """Differences of candidate and base: in turns, and one after the other."""
    words = ("-s", seconds / 2, "--warmup", "auto", "--interval", measure.interval_of(seconds / 2))
    # The sides change their roles, as in runtest.py.
    together = measure.run_in_turns([path, *words], [path, *words])[::-1 if swapped else 1]
    separate = [measure.run(path, *words) for _ in together][::-1 if swapped else 1]
    return [difference([run.rate for run in runs]) for runs in (together, separate)]


def ratio_interval(turns, apart):
    """Percentile bootstrap over launches of how many times smaller the first deviation is."""
    chance = random.Random(1)
    count = len(turns)
    found = []
    for _ in range(RESAMPLES):
        chosen = [chance.randrange(count) for _ in range(count)]
        below = statistics.stdev([turns[at] for at in chosen])
        if below:
            found.append(statistics.stdev([apart[at] for at in chosen]) / below)
    found.sort()
    return found[int(0.025 * len(found))], found[int(0.975 * len(found)) - 1]


def report(name, mode, seconds, launches):
    turns, apart = zip(*launches)
    deviations = [statistics.stdev(each) for each in (turns, apart)]
    low, high = ratio_interval(turns, apart)
    measure.row((name, mode, f"{seconds} s", str(len(launches)), f"{deviations[0]:.2f} %",
                 f"{deviations[1]:.2f} %", f"{deviations[1] / deviations[0]:.1f}",
                 f"{low:.1f} to {high:.1f}"), WIDTHS)


def body(arguments):
    lengths, count = ((QUICK_LENGTHS, QUICK_LAUNCHES) if arguments.quick else (LENGTHS, LAUNCHES))
    paths = {(name, mode): measure.program_path(arguments, f"programs/{name}_{mode}")
             for name, mode in TESTCASES}
    found = {(point, seconds): [] for point in TESTCASES for seconds in lengths}
    begun = time.monotonic()
    for number in range(count):
        for (point, seconds), launches in found.items():
            if number < 2 or time.monotonic() - begun < BUDGET:
                launches.append(launch(paths[point], seconds, number % 2))
    measure.say("standard deviation over launches of an A/A difference; 'smaller': how many times,")
    measure.say("with the 95 % interval of a bootstrap over the launches")
    measure.row(("testcase", "mode", "time", "launches", "in turns", "apart", "smaller",
                 "95 % interval"), WIDTHS)
    for ((name, mode), seconds), launches in found.items():
        report(name, mode, seconds, launches)


if __name__ == "__main__":
    measure.main(__doc__, body)
