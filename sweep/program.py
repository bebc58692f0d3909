# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds the testcases' programs, asks them about themselves, and builds their command lines."""

import difflib
import os
import signal
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

from sweep.errors import UsageError
from sweep.settings import MODES

# Exit status of a program whose testcase this machine cannot run.
SKIPPED = 77

# The testcase that runs a command of the user's, and its option that says which.
COMMAND = "command"

COLUMNS = ("cpu", "core", "cache", "node", "package", "kind")


@dataclass
class Testcase:
    """A testcase and what it says of itself.

    programs: path by mode. needs: of a task, files, partners and memory in bytes. in_turns:
    whether its tasks may be stopped and continued. options: name, default and help of each.
    """

    name: str
    programs: Dict[str, str]
    description: str = ""
    source: Optional[str] = None
    needs: Dict[str, int] = field(default_factory=dict)
    in_turns: bool = True
    options: List[Tuple[str, str, str]] = field(default_factory=list)

    @property
    def group(self):
        """The folder in tests/ that its source lies in; "other" for one from elsewhere."""
        parts = (self.source or "").split("/")
        return parts[1] if len(parts) == 3 and parts[0] == "tests" else "other"

    @property
    def any_program(self):
        """A program to ask what both modes' programs answer alike."""
        return next(iter(self.programs.values()))


def folder():
    """Where the programs are: in programs/ of a checkout, beside runtest.py where that is the
    installed zip archive, or where the environment says.
    """
    above = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    built = os.path.join(above, "programs") if os.path.isdir(above) else os.path.dirname(above)
    return os.environ.get("OPSCALE_PROGRAMS") or built


def _programs_in(path):
    """{testcase: {mode: path}} of a folder; empty where it cannot be read."""
    found = {}
    try:
        names = sorted(os.listdir(path))
    except OSError:
        return found
    for name in names:
        testcase, _, mode = name.rpartition("_")
        program = os.path.join(path, name)
        if testcase and mode in MODES and os.path.isfile(program) and os.access(program, os.X_OK):
            found.setdefault(testcase, {})[mode] = program
    return found


def all_testcases(where=None):
    """Every testcase whose program was found, by name. Raises UsageError where there is none.

    where: another folder than the usual one.
    """
    where = where or folder()
    found = _programs_in(where)
    if not found:
        raise UsageError(f"no testcase's program in {where}: make builds them, and "
                         "OPSCALE_PROGRAMS names another folder")
    return {name: Testcase(name, programs) for name, programs in sorted(found.items())}


def unknown(name, known):
    """The UsageError for a name that is not among the known ones."""
    close = difflib.get_close_matches(name, known)
    hint = f"did you mean {', '.join(close)}?" if close else "--list shows all there are"
    return UsageError(f"no testcase is called '{name}': {hint}")


def find(names, modes, where=None):
    """The named testcases with programs of the given modes only, described by none yet.

    where: another folder than the usual one. Raises UsageError for an unknown name and for a
    missing program.
    """
    known = all_testcases(where)
    found = []
    for name in names:
        if name not in known:
            raise unknown(name, known)
        missing = [mode for mode in modes if mode not in known[name].programs]
        if missing:
            raise UsageError(f"the program {name}_{missing[0]} is missing in {where or folder()}: "
                             f"'make {name}_{missing[0]}' builds it")
        found.append(Testcase(name, {mode: known[name].programs[mode] for mode in modes}))
    return found


def of_command(command, modes, where=None):
    """The testcase that runs a command, which it has its name from. As find()."""
    (testcase,) = find([COMMAND], modes, where)
    testcase.name = command
    return testcase


def _ask(place, path, *arguments):
    outcome = place.query([path, *arguments])
    if outcome.status != 0:
        raise UsageError(f"{os.path.basename(path)}: {failure(outcome, path)}")
    return outcome.output


def describe(place, testcases, options=()):
    """Fill in what the testcases say of themselves. Raises UsageError where one cannot say it, as
    for options, (name, value) pairs, that it does not accept.
    """
    words = [word for pair in options for word in ("--option", "=".join(pair))]
    for testcase in testcases:
        _fill_in(testcase, _ask(place, testcase.any_program, "--describe", *words))


def _fill_in(testcase, text):
    pairs = [tuple(line.split(":", 1)) for line in text.splitlines() if ":" in line]
    told = dict(pairs)
    testcase.description = told.get("testcase", "")
    testcase.source = told.get("source")
    testcase.needs = {need: int(told[f"{need}_per_task"])
                      for need in ("files", "partners", "memory")}
    testcase.in_turns = told.get("in_turns") != "no"
    testcase.options = [_option(text) for key, text in pairs if key == "option"]


def _option(text):
    name, _, rest = text.partition("=")
    value, _, told = rest.partition(" ")
    return name, value, told


def version(place, testcase):
    """How the testcase's program was built: the text of --version."""
    return _ask(place, testcase.any_program, "--version")


def placement(place, testcase, tasks, policy, cpus):
    """What the topology offers, as a dict of numbers, and where tasks go: a list of dicts by
    column, None where it does not apply. Raises UsageError, for cpus that do not exist too.
    """
    chosen = ["--cpus", cpus] if cpus is not None else []
    lines = _ask(place, testcase.any_program, "--show-placement", "-t", str(tasks),
                 "--policy", policy, *chosen).splitlines()
    counts = (word.split("=") for word in lines[0].partition(":")[2].split())
    topology = {name: int(number) for name, number in counts}
    columns = lines[1].split()
    rows = [dict(zip(columns, map(_number, line.split()))) for line in lines[2:]]
    return topology, [{column: row[column] for column in COLUMNS} for row in rows]


def _number(text):
    return None if text == "-" else int(text)


def command(testcase, point, settings, observed=()):
    """The command line of one run, for a place to add the samples file to. observed: paths of files
    that are kept as they are before and after it.
    """
    words = [testcase.programs[point.mode], "-t", str(point.tasks), "-s", str(settings.duration),
             "--warmup", str(settings.warmup), "--interval", str(settings.interval),
             "--policy", settings.policy]
    for option, value in (("--cpus", settings.cpus), ("--dir", settings.dir),
                          ("--events", settings.events),
                          *(("--observe", path) for path in observed)):
        if value is not None:
            words += [option, value]
    for name, value in settings.options.items():
        words += ["--option", f"{name}={value}"]
    return words


def failure(outcome, path):
    """One line that says why the program at a path did not end well."""
    lines = [line.strip() for line in outcome.errors.splitlines() if line.strip()]
    if lines:
        name = os.path.basename(path) + ": "
        return lines[-1][len(name):] if lines[-1].startswith(name) else lines[-1]
    if outcome.status < 0:
        return f"killed by signal {-outcome.status} ({signal.strsignal(-outcome.status)})"
    return f"ended with status {outcome.status} and without a message"
