# SPDX-License-Identifier: GPL-2.0-or-later
"""What a command line asks for, checked against the programs and the machine."""

import os
from dataclasses import dataclass
from datetime import datetime
from typing import List, Optional

from sweep import counting, machine, plan, program, result as results, selection, sides
from sweep.arguments import MODES_OF
from sweep.errors import UsageError
from sweep.places import kit
from sweep.places.counter import Counter
from sweep.places.local import Local
from sweep.places.vm import VirtualMachine
from sweep.settings import Settings, interval_of

# What must be the same for runs to belong to one result: keys of the machine's description.
SAME = (("kernel", "release"), ("cpu", "model_name"), ("build", "compiler"), ("build", "flags"))


@dataclass
class Call:
    """A call's testcases and all that they share.

    names: of all testcases that the first command line named; those with one side each are the same
    as the side's. sides: one, or those of the contest. folder: of the result files. placement: rows
    of the largest task count. result and path: of the first testcase where it is resumed.
    """

    names: List[str]
    sides: List[sides.Side]
    contest: Optional[sides.Contest]
    settings: Settings
    topology: dict
    placement: List[dict]
    label: str
    folder: str
    command: List[str]
    result: Optional[dict] = None
    path: Optional[str] = None

    @property
    def is_virtual(self):
        """Whether runs happen in virtual machines."""
        return self.sides[0].kernel is not None

    def close(self):
        """Nothing that its places have started goes on."""
        for side in self.sides:
            side.place.close()

    def matches(self):
        """For each testcase the programs that are measured: a list with one for each side."""
        return [list(match) for match in zip(*(side.testcases for side in self.sides))]

    def result_of(self, testcase):
        """What is there of the testcase's result; None where it begins."""
        if self.result is not None and self.result["testcase"] == testcase.name:
            return self.result
        return None

    def folder_of(self, side):
        """Where the side's result files go."""
        return os.path.join(self.folder, side.name) if side.name else self.folder


def new(asked, command):
    """The call of parsed arguments. Raises UsageError, and PlaceError."""
    modes = MODES_OF[asked.mode or "both"]
    options = dict(asked.option or [])
    if asked.command is not None:
        options[program.COMMAND] = asked.command
    contest = sides.contest(asked)
    taking_part = (contest.sides if contest
                   else [sides.Side(kernel=asked.kernel[0] if asked.kernel else None)])
    names = _names(asked, taking_part)
    for side in taking_part:
        _describe(side, [side.chosen] if side.chosen else names, modes, options)
        side.place = _place(side, asked)
    place, testcase = taking_part[0].place, taking_part[0].testcases[0]
    topology, _ = program.placement(place, testcase, 1, asked.policy, asked.cpus)
    settings = Settings(
        modes=modes, policy=asked.policy, cpus=asked.cpus, dir=asked.dir, aslr=bool(asked.aslr),
        options=options, **(_counted(asked) if asked.instructions else
                            _timed(asked, _tasks(place, testcase, asked, topology))))
    _, placement = _placement(place, testcase, settings)
    _observe(taking_part, settings)
    label = asked.label or place.release()
    # Both sides of a contest in one folder that nothing else is in: they are to be compared, not
    # to be pooled with the label's other results.
    folder = f"{label}-ab-{datetime.now():%Y%m%dT%H%M%S}" if contest else label
    return Call(names, taking_part, contest, settings, topology, placement, label,
                os.path.join(asked.output or "results", folder), command)


def _place(side, asked):
    if side.kernel is None:
        return Local()
    made = Counter if asked.instructions else VirtualMachine
    return made(kit.asked_for(side, asked), logs=asked.output or "results")


def _timed(asked, tasks):
    duration = asked.duration or 0.5
    return {"tasks": tasks, "rounds": asked.rounds or 10, "duration": duration,
            "warmup": "auto" if asked.warmup is None else asked.warmup,
            "interval": interval_of(duration), "events": asked.events,
            "statistics": not asked.no_statistics, "profile": bool(asked.profile),
            "latency": bool(asked.latency)}


def _counted(asked):
    return {"tasks": [1], "rounds": asked.rounds or counting.ROUNDS, "instructions": True,
            "duration": counting.DURATION, "warmup": counting.WARMUP,
            "interval": counting.INTERVAL}


def resumed(path):
    """The call that goes on with a result file. Raises UsageError, and PlaceError."""
    result, settings = results.load(path)
    if result.get("contest"):
        raise UsageError(f"{path} is one side of two: only a result of its own can be gone on with")
    if settings.instructions:
        raise UsageError(f"{path} holds instructions: count them again, it is quick")
    names = result["testcases"]
    left = names[names.index(result["testcase"]):]
    if result["complete"]:
        left = left[1:]
        if not left:
            raise UsageError(f"{path} is complete: nothing is left to be measured")
    side = sides.Side(kernel=result["place"].get("kernel"))
    _describe(side, left, settings.modes, settings.options)
    side.place = (VirtualMachine(kit.resumed(side, result), os.path.dirname(path))
                  if side.kernel else Local())
    _check_same(result, side, {**side.place.machine(settings.dir), "build": side.build}, path)
    topology, placement = _placement(side.place, side.testcases[0], settings)
    _observe([side], settings)
    call = Call(names, [side], None, settings, topology, placement, result["label"],
                os.path.dirname(path) or os.curdir, result["command"])
    if not result["complete"]:
        call.result, call.path = result, path
    return call


def _names(asked, taking_part):
    if asked.ab_testcase:
        return [",".join(asked.ab_testcase)]
    if asked.command is not None:
        return [asked.command]
    if asked.all_testcases:
        return list(program.all_testcases())
    names = selection.names(Local(), asked.testcases, taking_part[0].folder)
    if not names:
        raise UsageError("the name of a testcase is needed: --list shows all there are")
    return names


def _describe(side, names, modes, options):
    """Fill in the side's testcases and how they were built: the same wherever they will run."""
    side.testcases = ([program.of_command(*names, modes, side.folder)]
                      if names == [options.get(program.COMMAND)] else
                      program.find(names, modes, side.folder))
    program.describe(Local(), side.testcases, options.items())
    side.build = machine.build(program.version(Local(), side.testcases[0]))


def _tasks(place, testcase, asked, topology):
    if isinstance(asked.tasks, list):
        return asked.tasks
    cpus = topology["cpus"]
    if asked.tasks is not None:
        return plan.parse_tasks(asked.tasks, cpus)
    # With one task per hardware thread the rows are all of the machine.
    _, rows = program.placement(place, testcase, cpus, "pus", asked.cpus)
    return plan.default_tasks(cpus, plan.topology_steps(rows, topology["cores"]))


def _placement(place, testcase, settings):
    return program.placement(place, testcase, max(settings.tasks), settings.policy, settings.cpus)


def _observe(taking_part, settings):
    """Fill in the files that tell of the system, where they are to be read."""
    for side in taking_part:
        side.observed = side.place.observed() if settings.statistics else []


def _check_same(result, side, present, path):
    now = side.place.describe()
    if result["place"] != now:
        raise UsageError(f"{path}: its place is {result['place']}, not {now}")
    for group, key in SAME:
        before, now = result["machine"].get(group, {}).get(key), present[group][key]
        if before != now:
            raise UsageError(f"{path}: {group} {key.replace('_', ' ')} was '{before}' and now is "
                             f"'{now}': runs of both cannot be one result")
