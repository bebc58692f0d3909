# SPDX-License-Identifier: GPL-2.0-or-later
"""The story of a call of runtest.py or runalltests."""

import contextlib
import dataclasses
import os
import shlex
import signal
import sys
import tempfile
from datetime import datetime

from sweep import (arguments, call as calls, child, counting, counts, disturbance, listing, machine,
                   plan, program, progress, recording, result as results, selection, summary, table,
                   verdict)
from sweep.errors import PlaceError, UsageError
from sweep.measure import Record, Sweep, measure
from sweep.places.local import Local, scratch

# Exit statuses.
DONE, INCOMPLETE, WRONG_USE = 0, 1, 2


def runtest():
    """Measure the named testcases; ends the process."""
    sys.exit(_main("runtest.py", all_testcases=False))


def runalltests():
    """Measure every testcase into a CSV file each; ends the process."""
    sys.exit(_main("runalltests", all_testcases=True))


def _main(name, all_testcases):
    screen = progress.Screen(name)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return _act(arguments.parse(name, sys.argv[1:], all_testcases), screen)
    except UsageError as error:
        screen.say(str(error))
        return WRONG_USE
    except PlaceError as error:
        screen.say(str(error))
        return INCOMPLETE


def _act(asked, screen):
    if asked.check_machine:
        return disturbance.main(scratch(asked.dir))
    if asked.list:
        return _list(asked.testcases)
    if asked.resume is not None:
        call = calls.resumed(asked.resume)
    else:
        call = calls.new(asked, sys.argv[1:])
    with contextlib.closing(call):
        return _show_plan(call) if asked.dry_run else _measure(call, asked, screen)


def _measure(call, asked, screen):
    keeps = _keeps_results(call, asked.classic, screen)
    call = _settle_aslr(call, screen)
    if call.is_virtual:
        screen.say(call.sides[0].place.told)
    with child.interrupts_held(), _guarded(call, screen):
        failed = (_count(call, screen, keeps) if call.settings.instructions else
                  [match[0].name for match in call.matches()
                   if not _sweep(call, match, screen, keeps, asked.all_testcases)])
    if failed and asked.all_testcases:
        screen.say(f"not all was measured of {', '.join(failed)}")
    if call.contest:
        verdict.show([call.folder_of(side) for side in call.sides], screen)
    if asked.report and keeps:
        verdict.report(call.folder, screen)
    return INCOMPLETE if failed else DONE


@contextlib.contextmanager
def _guarded(call, screen):
    """Inside, the sides' setting can be switched; one that the kernel does not take is told now."""
    knob = call.contest and call.contest.knob
    if not knob:
        yield
        return
    with knob.guarded(screen):
        for side in call.sides:
            knob.set(side.value)
        yield


def _list(words):
    place, known = Local(), program.all_testcases()
    names = selection.names(place, words) if words else known
    unknown = [name for name in names if name not in known]
    if unknown:
        raise program.unknown(unknown[0], known)
    testcases = [known[name] for name in names]
    program.describe(place, testcases)
    print(*listing.text(testcases), sep="\n")
    return DONE


def _show_plan(call):
    total = 0.0
    for match in call.matches():
        begun = call.result_of(match[0])
        steps = plan.remaining(call.settings, begun["runs"] if begun else [])
        for testcase, side in zip(match, call.sides):
            print(": ".join(filter(None, [side.name, testcase.name, testcase.description])))
        print(" tasks  mode       runs  seconds each")
        for point in plan.points(call.settings):
            runs = sum(step.point == point for step in steps)
            seconds = len(match) * plan.expected_seconds(point, call.settings)
            total += runs * seconds
            print(f"{point.tasks:6}  {point.mode:9}  {runs:4}  {seconds:12.1f}")
    recordings = recording.count(call.settings)
    if recordings:
        print(f"and for each testcase {recordings} runs that are recorded")
        total += (len(call.matches()) * len(call.sides) *
                  recording.expected_seconds(call.settings))
    print(f"in all about {progress.duration(total)}")
    return DONE


def _settle_aslr(call, screen):
    """Turn address space randomisation off where that is wanted, and let the settings tell."""
    if call.settings.aslr or call.is_virtual or machine.aslr_off():
        return call
    if call.result is not None:
        raise UsageError(f"{call.path}: address space randomisation was off, and this system "
                         "refuses to turn it off now: runs of both cannot be one result")
    screen.say("this system refuses to turn address space randomisation off: runs will vary more")
    return dataclasses.replace(call, settings=dataclasses.replace(call.settings, aslr=True))


def _keeps_results(call, classic, screen):
    """Whether result files can be written; that they cannot is only told in the classic form."""
    try:
        os.makedirs(call.folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=call.folder):
            return True
    except OSError as error:
        message = f"cannot write results to {call.folder}: {error.strerror}"
        if not classic:
            raise UsageError(f"{message}: --output names another folder") from error
        screen.say(message)
        return False


def _count(call, screen, keeps):
    """Count all testcases' instructions; the names of those of which not all was."""
    sweeps = []
    try:
        for match in call.matches():
            records = [_record(call, side, testcase, testcase.name, keeps, in_turns=False)
                       for side, testcase in zip(call.sides, match)]
            sweeps.append(Sweep(match[0].name, call.settings, records, None, screen))
        # What was asked is known; nothing else may run while it is counted.
        call.close()
        counting.count(call, sweeps, screen)
    except OSError as error:
        screen.say(f"not all is counted: {error}")
        return call.names
    except child.Interrupted as interrupted:
        made = sum(len(sweep.records[0].result["runs"]) for sweep in sweeps)
        left = sum(len(sweep.left) for sweep in sweeps)
        screen.say(f"interrupted by {interrupted} after {made} of {made + left} windows, which are "
                   f"kept in {call.folder}")
        child.die_by(interrupted.signum)
    if not call.contest:
        print(*counts.csv_lines([sweep.records[0].result for sweep in sweeps]), sep="\n")
    return [sweep.name for sweep in sweeps if not _tell(call, sweep, counts.lines, screen)]


def _sweep(call, match, screen, keeps, all_testcases):
    """Measure one testcase and show what was found; whether all of it was measured and kept."""
    name = ",".join(dict.fromkeys(testcase.name for testcase in match))
    in_turns = bool(call.contest) and call.contest.in_turns(match)
    try:
        with _table(call, name, all_testcases) as csv:
            records = [_record(call, side, testcase, name, keeps, in_turns)
                       for side, testcase in zip(call.sides, match)]
            sweep = Sweep(name, call.settings, records, csv, screen, in_turns=in_turns,
                          knob=call.contest and call.contest.knob)
            measure(sweep)
            recording.make(sweep)
            sweep.complete()
            sweep.save()
    except OSError as error:
        screen.say(f"{name} is not measured to the end: {error}")
        return False
    except child.Interrupted as interrupted:
        _tell_how_to_go_on(sweep, interrupted)
        child.die_by(interrupted.signum)
    return _tell(call, sweep, summary.lines, screen)


def _tell(call, sweep, told, screen):
    """Show what was found, with told() of a result, and what failed; whether nothing did."""
    failures = []
    for record in sweep.records:
        if not call.contest:
            screen.write("", *told(record.result))
        if record.path:
            screen.write(f"result file: {record.path}")
        failures += summary.failures(record.result)
    if failures:
        screen.write(*failures)
    return not failures and not sweep.lost


@contextlib.contextmanager
def _table(call, name, all_testcases):
    """Where the rows go: nowhere for two sides, whose table is their comparison."""
    if call.contest:
        yield None
    elif all_testcases:
        with open(f"{name}.csv", "w", encoding="utf-8") as file:
            yield table.Csv(file, call.settings.tasks)
    else:
        yield table.Csv(sys.stdout, call.settings.tasks, name if len(call.names) > 1 else None)


def _record(call, side, testcase, name, keeps, in_turns):
    """A side's result so far, with the path of its file, None where there is none."""
    begun = call.result_of(testcase)
    if begun:
        return Record(side, testcase, begun, call.path)
    path = (results.create(call.folder_of(side), testcase.name, datetime.now()) if keeps
            else None)
    contest = call.contest and results.contest(
        call.contest.kind, side, testcase=name, identity=call.contest.identity, in_turns=in_turns)
    result = results.new(
        testcase, call.settings, opscale=side.build["opscale"], label=call.label,
        command=call.command, testcases=call.names, place=side.place.describe(),
        machine={**side.place.machine(call.settings.dir), "build": side.build},
        topology=call.topology, placement=call.placement, contest=contest)
    if path:
        results.save(result, path)
    return Record(side, testcase, result, path)


def _tell_how_to_go_on(sweep, interrupted):
    runs, path = sweep.records[0].result["runs"], sweep.records[0].path
    kept = f"interrupted by {interrupted} after {len(runs)} of {len(runs) + len(sweep.left)} runs"
    if path is None or sweep.lost:
        sweep.screen.say(f"{kept}; they are not kept, since they could not be written")
    elif len(sweep.records) > 1:
        sweep.screen.say(f"{kept} of each side, which are kept in "
                         f"{os.path.dirname(os.path.dirname(path))}")
    else:
        command = sys.argv[0] if os.sep in sys.argv[0] else os.path.join(os.curdir, sys.argv[0])
        folder = os.environ.get("OPSCALE_PROGRAMS")
        words = [*([f"OPSCALE_PROGRAMS={folder}"] if folder else []), command, "--resume",
                 path]
        sweep.screen.say(f"{kept}, which are kept. To go on: {shlex.join(words)}")
