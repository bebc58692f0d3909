# SPDX-License-Identifier: GPL-2.0-or-later
"""What a command line asks for, checked against the programs and the machine."""

import os
from dataclasses import dataclass
from typing import List, Optional

from sweep import machine, plan, program, result as results, selection
from sweep.arguments import MODES_OF
from sweep.errors import UsageError
from sweep.settings import Settings, interval_of

# What must be the same for runs to belong to one result: keys of the machine's description.
SAME = (("kernel", "release"), ("cpu", "model_name"), ("build", "compiler"), ("build", "flags"))


@dataclass
class Call:
    """A call's testcases and all that they share.

    names: of all testcases that the first command line named. folder: of the result files.
    placement: rows of the largest task count. build: how the programs were built. result and path:
    of the first testcase where it is resumed.
    """

    testcases: List[program.Testcase]
    names: List[str]
    settings: Settings
    topology: dict
    placement: List[dict]
    build: dict
    label: str
    folder: str
    command: List[str]
    result: Optional[dict] = None
    path: Optional[str] = None

    def result_of(self, testcase):
        """What is there of the testcase's result; None where it begins."""
        if self.result is not None and self.result["testcase"] == testcase.name:
            return self.result
        return None


def new(place, asked, command):
    """The call of parsed arguments. Raises UsageError."""
    modes = MODES_OF[asked.mode or "both"]
    if asked.all_testcases:
        names = list(program.all_testcases())
    else:
        names = selection.names(place, asked.testcases)
    if not names:
        raise UsageError("the name of a testcase is needed: --list shows all there are")
    options = dict(asked.option or [])
    testcases = _described(place, names, modes, options)
    duration = asked.duration or 0.5
    topology, _ = program.placement(place, testcases[0], 1, asked.policy, asked.cpus)
    settings = Settings(
        modes=modes, tasks=_tasks(place, testcases[0], asked, topology),
        rounds=asked.rounds or 10, duration=duration,
        warmup="auto" if asked.warmup is None else asked.warmup, interval=interval_of(duration),
        policy=asked.policy, cpus=asked.cpus, dir=asked.dir, aslr=bool(asked.aslr),
        options=options)
    _, placement = _placement(place, testcases[0], settings)
    label = asked.label or os.uname().release
    return Call(testcases, names, settings, topology, placement, _build(place, testcases[0]),
                label, os.path.join(asked.output or "results", label), command)


def resumed(place, path):
    """The call that goes on with a result file. Raises UsageError."""
    result, settings = results.load(path)
    names = result["testcases"]
    left = names[names.index(result["testcase"]):]
    if result["complete"]:
        left = left[1:]
        if not left:
            raise UsageError(f"{path} is complete: nothing is left to be measured")
    testcases = _described(place, left, settings.modes, settings.options)
    build = _build(place, testcases[0])
    _check_same(result, place, {**place.machine(settings.dir), "build": build}, path)
    topology, placement = _placement(place, testcases[0], settings)
    call = Call(testcases, names, settings, topology, placement, build, result["label"],
                os.path.dirname(path) or os.curdir, result["command"])
    if not result["complete"]:
        call.result, call.path = result, path
    return call


def _described(place, names, modes, options):
    testcases = program.find(names, modes)
    for testcase in testcases:
        program.describe(place, testcase, options.items())
    return testcases


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


def _build(place, testcase):
    return machine.build(program.version(place, testcase))


def _check_same(result, place, present, path):
    if result["place"] != place.describe():
        raise UsageError(f"{path}: its place is {result['place']}, not {place.describe()}")
    for group, key in SAME:
        before, now = result["machine"].get(group, {}).get(key), present[group][key]
        if before != now:
            raise UsageError(f"{path}: {group} {key.replace('_', ' ')} was '{before}' and now is "
                             f"'{now}': runs of both cannot be one result")
