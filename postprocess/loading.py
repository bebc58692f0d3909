# SPDX-License-Identifier: GPL-2.0-or-later
"""Result files (docs/formats.md, sections 4 and 5), or tables where there are none, as points, each
with all its runs.
"""

import collections
import json
import math
import os
from dataclasses import dataclass, field

import classic
import profiles
import readings

FORMAT, SCHEMA = "opscale-result", 1

# Keys that every result file has, with the type of their values.
KEYS = {"testcase": str, "label": str, "started": str, "settings": dict, "machine": dict,
        "place": dict, "runs": list}

# Keys of the contest of a result that is one side of two.
CONTEST_KEYS = ("id", "side", "told", "testcase")

# Of a system call's row, beside its name.
CALL_NUMBERS = 5

# Settings by which runs are of one kind: where tasks run, on what, and with what.
PLACE_SETTINGS = ("policy", "cpus", "dir", "aslr", "options", "instructions")

# What of a place is not its kind, but what is compared.
KERNEL = ("kernel", "sha256", "append", "modules")

# Keys of lists of runs, which points hold.
LISTS = ("runs", "profiles", "latencies")

MODES = {"processes": "per_process_ops", "threads": "per_thread_ops"}


class InputError(Exception):
    """A path that cannot be used; the text names it, and why."""


@dataclass
class Run:
    """A run that was measured. pair: what it shares with the run of another side that it was made
    against, None for none; role: "first" or "second" where the two took turns, which the samples
    are, else None. rate: operations per second of all tasks together; idle and steal: shares of the
    machine's time over the measurement, None where not known. warmup_seconds: how long it took;
    sample_seconds, warmup_lengths: lengths of the samples that have these rates. instructions: what
    counting has found (docs/formats.md, section 4), None for a run that was timed. recorded: of
    readings.of_run().
    """

    started: str
    round: int
    pair: tuple
    role: str
    rate: float
    task_rates: list
    sample_rates: list
    idle: float
    steal: float
    instructions: dict = None
    recorded: readings.Recorded = None
    warmup_seconds: float = 0
    sample_seconds: list = field(default_factory=list)
    warmup_rates: list = field(default_factory=list)
    warmup_lengths: list = field(default_factory=list)


@dataclass
class Point:
    """All runs of one testcase, mode, task count and kind of place, in the order of their start.

    counted: instructions were, not time. failures: reasons of the runs that were not measured.
    profiles: of profiles.of_entry(), one for each run that was profiled instead of measured.
    latencies: rows of the system calls of each run that was traced (docs/formats.md, section 4).
    """

    testcase: str
    mode: str
    tasks: int
    place: str
    counted: bool = False
    runs: list = field(default_factory=list)
    failures: list = field(default_factory=list)
    profiles: list = field(default_factory=list)
    latencies: list = field(default_factory=list)

    @property
    def key(self):
        return self.testcase, self.mode, self.tasks, self.place


@dataclass
class Side:
    """What was loaded from one file or folder, or of one label of it. points: by their key;
    results: the files' objects without their runs; problems: a line for each file that could not be
    used.
    """

    path: str
    points: dict
    results: list
    problems: list

    @property
    def runs(self):
        return sum(len(point.runs) for point in self.points.values())


def load(path):
    """A side. Raises InputError where there is nothing to load."""
    (side,) = _load(path, lambda result: None).values()
    return side


def load_labels(path):
    """{label: side} of all labels, and of both sides of contests, in a folder, by the time of their
    first result; problems are those of the first. Raises InputError where there is nothing to load.
    """
    # A table's label is but its folder's name: an archive of several is one side.
    archive = os.path.basename(os.path.abspath(path)) if os.path.isdir(path) else None
    sides = _load(path, lambda result: (archive if archive and "format" not in result
                                        else label_of(result)))
    return dict(sorted(sides.items(), key=lambda pair: min(
        result["started"] for result in pair[1].results)))


def name_of(result):
    """The testcase's name, the same on both sides of a contest."""
    return (result.get("contest") or {}).get("testcase") or result["testcase"]


def label_of(result):
    """What tells a result's side from others, for people."""
    contest = result.get("contest")
    return f"{contest['side']}, {contest['told']}" if contest else result["label"]


def _load(path, key):
    """Sides by the key of their results."""
    sides, problems = {}, []
    for file in _files(path):
        try:
            result = _read(file)
            _add(sides.setdefault(key(result), Side(path, {}, [], [])), result)
        except InputError as error:
            problems.append(str(error))
    sides = {name: side for name, side in sides.items() if side.results}
    if not sides:
        raise InputError("; ".join(problems) or f"{path}: there is no result file in it")
    next(iter(sides.values())).problems += problems
    for side in sides.values():
        for point in side.points.values():
            # The runs of two sides in pairs come in one order, whichever of a pair was first.
            point.runs.sort(key=lambda run: run.pair or (run.started,))
    return sides


def _files(path):
    if not os.path.exists(path):
        raise InputError(f"{path}: there is no such file or folder")
    if not os.path.isdir(path):
        return [path]
    found = {".json": [], ".csv": []}
    for folder, _, names in sorted(os.walk(path)):
        for name in sorted(names):
            found.get(os.path.splitext(name)[1], []).append(os.path.join(folder, name))
    # Beside result files a table only repeats what is in them.
    return found[".json"] or found[".csv"]


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            if path.endswith(".csv"):
                return {**classic.parse(file.read(), path), "path": path}
            result = json.load(file)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no text in UTF-8") from error
    except ValueError as error:
        empty = os.path.getsize(path) == 0
        raise InputError(f"{path}: {'is empty' if empty else f'is damaged: {error}'}") from error
    except RecursionError as error:
        raise InputError(f"{path}: is damaged: it is nested too deeply") from error
    if not isinstance(result, dict) or result.get("format") != FORMAT:
        raise InputError(f"{path}: is no result file of this suite: its format is not '{FORMAT}'")
    if result.get("schema") != SCHEMA:
        raise InputError(f"{path}: has schema {result.get('schema')!r}, and this version knows "
                         f"{SCHEMA}")
    for key, kind in KEYS.items():
        if not isinstance(result.get(key), kind):
            raise InputError(f"{path}: is damaged: its {key} is {result.get(key)!r}")
    contest = result.get("contest")
    if contest is not None and not (isinstance(contest, dict) and all(
            isinstance(contest.get(key), str) for key in CONTEST_KEYS)):
        raise InputError(f"{path}: is damaged: its contest is {contest!r}")
    return {**result, "path": path}


def _add(side, result):
    """Adds a result's runs to the side's points: all of them or, where one is damaged, none."""
    place = place_of(result)
    contest = result.get("contest") or {}
    counted = bool(result["settings"].get("instructions"))
    found = collections.defaultdict(lambda: ([], [], [], []))
    known = result.get("statistics")
    for entry in result["runs"]:
        try:
            runs, failures, *_ = found[entry["mode"], entry["tasks"]]
            if entry["mode"] not in MODES or not entry["tasks"] >= 1:
                raise ValueError(f"mode {entry['mode']!r}, {entry['tasks']!r} tasks")
            if entry["status"] == "ok":
                runs.append(_run(entry, contest, counted, known))
            else:
                failures.append(str(entry["reason"]))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise InputError(f"{result['path']}: is damaged: a run has {error!r}") from error
    for number, kind, read in ((2, "profiles", profiles.of_entry), (3, "latencies", _calls)):
        for entry in result.get(kind, []):
            try:
                if entry["status"] == "ok":
                    found[entry["mode"], entry["tasks"]][number].append(read(entry))
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                raise InputError(f"{result['path']}: is damaged: one of its {kind} has "
                                 f"{error!r}") from error
    for (mode, tasks), (runs, failures, profiled, traced) in found.items():
        new = Point(name_of(result), mode, tasks, place, counted)
        point = side.points.setdefault(new.key, new)
        point.runs += runs
        point.failures += failures
        point.profiles += profiled
        point.latencies += traced
    side.results.append({key: value for key, value in result.items() if key not in LISTS})


def place_of(result):
    """What tells a result's kind of place from others, as text: a key, and fit to be shown."""
    settings = result["settings"]
    parts = [f"{key} {_plain(settings.get(key))}" for key in PLACE_SETTINGS if settings.get(key)]
    parts += [f"{key} {_plain(value)}" for key, value in sorted(result["place"].items())
              if (key, value) != ("type", "local") and key not in KERNEL]
    return ", ".join(parts)


def _plain(value):
    if isinstance(value, dict):
        return " ".join(f"{key}={value[key]}" for key in sorted(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _run(entry, contest, counted, known):
    seconds, operations = entry["seconds"], entry["operations"]
    rate = operations / seconds
    if not (rate > 0 and math.isfinite(rate)):
        raise ValueError(f"{operations} operations in {seconds} s")
    samples = entry["samples"]
    ticks = entry["cpu_ticks"] or {}
    every = sum(ticks.values())
    return Run(
        started=str(entry["started"]), round=entry["round"], rate=rate,
        pair=(contest["id"], entry["round"]) if contest else None,
        role=entry["role"] if contest.get("in_turns") else None,
        task_rates=[count / seconds for count in entry["task_operations"]],
        sample_rates=_rates(samples["operations"], samples["seconds"]),
        idle=(ticks["idle"] + ticks["iowait"]) / every if every else None,
        steal=ticks["steal"] / every if every and "steal" in ticks else None,
        instructions=_instructions(entry, counted), recorded=readings.of_run(entry, known),
        warmup_seconds=entry.get("warmup_seconds") or 0, sample_seconds=samples["seconds"],
        warmup_rates=_rates(samples.get("warmup_operations", []),
                            samples.get("warmup_seconds", [])),
        warmup_lengths=samples.get("warmup_seconds", []))


def _rates(operations, seconds):
    return [count / length for count, length in zip(operations, seconds)]


def _calls(entry):
    """Rows of system calls: name, calls, failed, mean, maximum and deviation in microseconds."""
    for name, *numbers in entry["calls"]:
        if not isinstance(name, str) or not all(number >= 0 for number in numbers) \
                or len(numbers) != CALL_NUMBERS:
            raise ValueError(f"the system call {name!r} with {numbers!r}")
    return entry["calls"]


def _instructions(entry, counted):
    found = entry["instructions"] if counted else None
    if counted:
        for key in ("per_operation", "user", "kernel"):
            if not found[key] >= 0:
                raise ValueError(f"{key} {found[key]!r}")
        for name, instructions, _ in found["functions"]:
            if not (isinstance(name, str) and instructions >= 0):
                raise ValueError(f"function {name!r} {instructions!r}")
        # Asked for here, so that what is damaged is told of the file.
        _ = found["exact"], found["undisturbed"]
    return found
