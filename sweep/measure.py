# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the runs of one sweep and keeps what they say."""

from dataclasses import dataclass
from typing import Optional

from sweep import plan, program, progress, result as results, table
from sweep.settings import Settings


@dataclass
class Sweep:
    """All that the runs of a testcase need.

    path: the result file, None where none can be kept. lost: something could not be written.
    """

    place: object
    testcase: program.Testcase
    settings: Settings
    result: dict
    path: Optional[str]
    csv: table.Csv
    screen: progress.Screen
    lost: bool = False


def measure(sweep):
    """Make the runs that the result lacks: round after round, with a row of the CSV as soon as it
    is final. A run that fails is recorded, told, and does not stop the rest.

    Raises child.Interrupted with the result saved.
    """
    clock = progress.Clock()
    left = plan.remaining(sweep.settings, sweep.result["runs"])
    _print_rows(sweep, left)
    try:
        while left:
            step = left[0]
            sweep.screen.show(_progress(sweep, left, clock))
            skipped = _run(sweep, step)["status"] == "skipped"
            clock.finish(plan.expected_seconds(step.point, sweep.settings))
            left = [other for other in left[1:] if not (skipped and other.point == step.point)]
            _print_rows(sweep, left)
            if left and left[0].round != step.round:
                _save(sweep)
        sweep.result.update(complete=True, finished=results.now())
    finally:
        sweep.screen.clear()
        _save(sweep)


def _run(sweep, step):
    """Make one run, and keep and return its entry."""
    limit = plan.limit_seconds(step.point, sweep.settings)
    started = results.now()
    outcome = sweep.place.run(program.command(sweep.testcase, step.point, sweep.settings), limit)
    path = sweep.testcase.programs[step.point.mode]
    run, scratch = results.run(step, started, outcome, path, limit)
    sweep.result["runs"].append(run)
    sweep.result["scratch"] = sweep.result["scratch"] or scratch
    if run["status"] != "ok":
        sweep.screen.say_once(f"{sweep.testcase.name}: {run['mode']} {run['tasks']} "
                              f"{run['status']}: {run['reason']}",
                              (sweep.testcase.name, results.without_numbers(run["reason"])))
    return run


def _progress(sweep, left, clock):
    expected = sum(plan.expected_seconds(step.point, sweep.settings) for step in left)
    step = left[0]
    return (f"{sweep.testcase.name}: round {step.round + 1} of {sweep.settings.rounds}, "
            f"{step.point.mode} {step.point.tasks}, {clock.percent(expected):.0f} %, "
            f"{progress.duration(clock.left(expected))} left")


def _print_rows(sweep, left):
    sweep.screen.clear()
    sweep.csv.advance(sweep.result["runs"], {step.point.tasks for step in left})
    if sweep.csv.broken:
        sweep.lost = True
        message = f"cannot write the table: {sweep.csv.broken.strerror}"
        sweep.screen.say_once(message, message)


def _save(sweep):
    if sweep.path is None:
        return
    try:
        results.save(sweep.result, sweep.path)
    except OSError as error:
        sweep.lost = True
        message = f"cannot write {sweep.path}: {error.strerror}"
        sweep.screen.say_once(message, message)
