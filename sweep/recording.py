# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs that perf or the kernel records, made after those that are measured: recording disturbs."""

import contextlib
import dataclasses

from sweep import plan, program, progress, result as results
from sweep.errors import RecorderError
from sweep.latency import LatencyTracer
from sweep.perf import Profiler

# Of each point: enough to tell how much shares and latencies differ from run to run.
ROUNDS = {Profiler.key: 5, LatencyTracer.key: 1}

# Seconds that perf takes to start, and to make sense of what it has.
OVERHEAD = 1.0


def _wanted(settings):
    """The recorders that are asked for."""
    return [recorder for asked, recorder in ((settings.profile, Profiler),
                                             (settings.latency, LatencyTracer)) if asked]


def count(settings):
    """How many recordings a testcase takes."""
    return sum(ROUNDS[recorder.key] for recorder in _wanted(settings)) * len(plan.points(settings))


def expected_seconds(settings):
    """How long they usually take."""
    runs = sum(plan.expected_seconds(point, settings) + OVERHEAD for point in plan.points(settings))
    return sum(ROUNDS[recorder.key] for recorder in _wanted(settings)) * runs


def make(sweep):
    """Make all recordings that the sweep's settings ask for and its results lack. One that cannot
    be made here is told, and the others go on. Raises child.Interrupted with the results saved.
    """
    for recorder in _wanted(sweep.settings):
        try:
            with contextlib.closing(recorder(sweep.settings.duration)) as made:
                _record(sweep, made)
        except RecorderError as error:
            message = f"no {recorder.key} are recorded: {error}"
            sweep.screen.say_once(message, message)
        finally:
            sweep.screen.clear()
            sweep.save()


def _left(sweep, key):
    """Steps that are yet to be made: rounds of all points."""
    made = {(entry["round"], entry["mode"], entry["tasks"])
            for entry in sweep.records[0].result[key]}
    steps = [plan.Step(number, point) for number in range(ROUNDS[key])
             for point in plan.points(sweep.settings)]
    return [step for step in steps if (step.round, *step.point) not in made
            and not sweep.is_skipped(step.point)]


def _record(sweep, recorder):
    clock = progress.Clock()
    left = _left(sweep, recorder.key)
    while left:
        step = left.pop(0)
        expected = sweep.expected_seconds(step)
        after = sum(map(sweep.expected_seconds, left)) + expected
        sweep.screen.show(f"{sweep.name}: {recorder.key} {step.round + 1} of "
                          f"{ROUNDS[recorder.key]}, {step.point.mode} {step.point.tasks}, "
                          f"{progress.duration(clock.left(after))} left")
        # As the measured runs, no side is always the first.
        for record in sweep.records if step.round % 2 == 0 else sweep.records[::-1]:
            if sweep.knob:
                sweep.knob.set(record.side.value)
            _add(record.result[recorder.key], _run(sweep, record, step, recorder))
        clock.finish(expected)


def _run(sweep, record, step, recorder):
    """The entry of a recorded run."""
    limit = plan.limit_seconds(step.point, sweep.settings)
    started = results.now()
    # Events would be seen in what is recorded.
    settings = dataclasses.replace(sweep.settings, events=None)
    outcome = record.side.place.record(
        program.command(record.testcase, step.point, settings), limit, record.side.environment,
        recorder)
    run, _ = results.run(step, started, outcome, record.testcase.programs[step.point.mode], limit)
    entry = {key: run[key] for key in ("round", "mode", "tasks", "started", "status", "reason")}
    try:
        recorded = recorder.read()
    except RecorderError as error:
        return {**entry, "status": "failed", "reason": entry["reason"] or str(error)}
    return {**entry, **recorded} if run["status"] == "ok" else entry


def _add(entries, entry):
    """Raises RecorderError for a first one that failed: so would all others."""
    if entry["status"] != "ok" and not entries:
        raise RecorderError(entry["reason"])
    entries.append(entry)
