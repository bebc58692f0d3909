# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts the instructions of testcases, in boots that do nothing else, and keeps what they say."""

from sweep import child, program, progress, result as results, windows

# A boot has so many rounds: how much windows differ within one, and how much boots do, is told
# apart. The seed, and with it all that the guest has for chance, changes from boot to boot.
ROUNDS_A_BOOT = 2
ROUNDS = 4

# Of an instruction's nanosecond: how long a testcase may take for its operations, and before them.
DURATION, WARMUP, INTERVAL = 0.5, 0.01, 0.005

# Operations of a window; each one is looked at.
OPERATIONS = 400


def count(call, sweeps, screen):
    """Make all rounds of the sweeps, one for each testcase, both sides of two at the same time.

    Raises child.Interrupted, and PlaceError, with the results saved.
    """
    clock = progress.Clock()
    boots = -(-call.settings.rounds // ROUNDS_A_BOOT)
    try:
        for boot in range(boots):
            screen.show(f"boot {boot + 1} of {boots}, {clock.percent(boots - boot):.0f} %, "
                        f"{progress.duration(clock.left(boots - boot))} left")
            _boot(call, sweeps, boot)
            clock.finish(1)
            for sweep in sweeps:
                sweep.save()
        for sweep in sweeps:
            sweep.complete()
    finally:
        screen.clear()
        for sweep in sweeps:
            sweep.save()


def _boot(call, sweeps, number):
    """One boot of each side, with all testcases' windows of its rounds."""
    steps = _steps(call.settings, sweeps, number)
    if not steps:
        return
    started = results.now()
    boots = [side.place.boot([_command(sweep.records[at], step, call.settings)
                              for sweep, step in steps], number + 1, OPERATIONS)
             for at, side in enumerate(call.sides)]
    ended = child.run([boot.child() for boot in boots], boots[0].limit)
    outcomes = [boot.outcomes(*end) for boot, end in zip(boots, ended)]
    for at, (sweep, step) in enumerate(steps):
        sweep.add(sweep.records, [_run(record, step, started, *found[at], boots[0].limit)
                                  for record, found in zip(sweep.records, outcomes)])


def _steps(settings, sweeps, boot):
    """Pairs of a sweep and a step, in their order: there and back."""
    rounds = range(boot * ROUNDS_A_BOOT, min((boot + 1) * ROUNDS_A_BOOT, settings.rounds))
    chosen = []
    for number in rounds:
        found = [(sweep, step) for sweep in sweeps for step in sweep.left if step.round == number]
        chosen += found if number % 2 == 0 else found[::-1]
    return chosen


def _command(record, step, settings):
    return [*program.command(record.testcase, step.point, settings),
            "--operations", str(OPERATIONS)]


def _run(record, step, started, outcome, kinds, limit):
    path = record.testcase.programs[step.point.mode]
    entry, read = results.run(step, started, outcome, path, limit)
    if entry["status"] == "ok" and not kinds:
        entry.update(results.nothing("no operation came to its end in the window"))
    if entry["status"] == "ok":
        entry["instructions"] = windows.cost(kinds)
    return entry, read
