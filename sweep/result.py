# SPDX-License-Identifier: GPL-2.0-or-later
"""The result file: docs/formats.md, section 4, describes it. Here it is a plain dict."""

import contextlib
import json
import os
import re
from dataclasses import asdict
from datetime import datetime

from sweep import observed, plan, program, samples, table
from sweep.errors import UsageError
from sweep.settings import Settings

FORMAT = "opscale-result"
SCHEMA = 1

# Of a file, before the time.
LONGEST_NAME = 100

# The keys of a run that are null unless it is ok.
MEASURED = ("seconds", "operations", "warmup_seconds", "start_seconds", "task_operations",
            "samples", "cpu_ticks", "instructions", "events", "statistics")

# Keys of lists of runs.
LISTS = ("profiles", "latencies", "runs")

# What --resume relies on: the keys of a file and the types of their values.
KEYS = {"testcase": str, "label": str, "command": list, "complete": bool, "testcases": list,
        "settings": dict, "place": dict, "machine": dict, "not_counted": dict,
        "statistics": dict, "profiles": list, "latencies": list, "runs": list}


def now():
    """ISO 8601 with the offset from UTC."""
    return datetime.now().astimezone().isoformat(timespec="milliseconds")


def new(testcase, settings, *, opscale, label, command, testcases, place, machine, topology,
        placement, contest=None):
    """The result of a sweep that begins now. placement: rows of program.placement(). contest: of
    one side of two, its contest() below.
    """
    return {
        "format": FORMAT, "schema": SCHEMA, "opscale": opscale,
        "testcase": testcase.name, "description": testcase.description,
        "source": testcase.source, "label": label, "command": command,
        "started": now(), "finished": None, "complete": False,
        "testcases": testcases, "contest": contest, "settings": asdict(settings), "place": place,
        "machine": machine,
        "topology": topology,
        "placement": {"columns": list(program.COLUMNS),
                      "tasks": [list(row.values()) for row in placement]},
        "scratch": None,
        "not_counted": {},
        "statistics": {"differences": [], "levels": [], "unread": {}},
        "profiles": [],
        "latencies": [],
        "runs": [],
    }


def run(step, started, outcome, path, limit):
    """The entry of a run, which add() completes, and the samples that it is made of.

    path: of the program. limit: the seconds that the run was given.
    """
    try:
        read, damage = samples.parse(outcome.samples), None
    except ValueError as error:
        read, damage = samples.Samples(), str(error)
    status, reason = _verdict(outcome, read, damage, path, limit)
    entry = {"round": step.round, "mode": step.point.mode, "tasks": step.point.tasks,
             "role": None, "started": started, "status": status, "reason": reason,
             **(_measured(read) if status == "ok" else dict.fromkeys(MEASURED))}
    return entry, read


def add(result, entry, read):
    """Adds a run to a result, with what its samples tell of the whole result: where scratch files
    are, and names of statistics, of which a run holds only the numbers.
    """
    if read.scratch and not result["scratch"]:
        filesystem, scratch = read.scratch
        result["scratch"] = {"filesystem": filesystem, "path": os.path.dirname(scratch)}
    if entry["status"] == "ok":
        if read.events:
            result["not_counted"].update(read.events.lacking)
        if read.files:
            entry["statistics"] = _statistics(result["statistics"], observed.changes(read.files))
    result["runs"].append(entry)


def _statistics(known, changes):
    """A run's numbers in the order of the names that the result knows, which new ones are added to.
    """
    known["unread"].update(changes.unread)
    numbers = {}
    for kind, found in (("differences", changes.differences), ("levels", changes.levels)):
        known[kind] += [name for name in found if name not in known[kind]]
        numbers[kind] = [found.get(name, 0) for name in known[kind]]
    return numbers


def _verdict(outcome, read, damage, path, limit):
    """A run's status, and the reason where it is not ok."""
    if outcome.exceeded:
        return "failed", f"stopped, since it took longer than {limit:.0f} s"
    if outcome.status != 0:
        told = read.reason if read.end in ("failed", "skipped") else ""
        status = "skipped" if outcome.status == program.SKIPPED else "failed"
        return status, told or program.failure(outcome, path)
    if damage:
        return "failed", damage
    if read.end != "completed":
        return "failed", f"it ended with status 0, but its samples file with '{read.end}'"
    if read.nanoseconds <= 0:
        return "failed", "its samples file holds no measurement"
    return "ok", None


def contest(kind, side, *, testcase, identity, in_turns):
    """What a result says of itself that is one side of two: docs/formats.md, section 4."""
    return {"kind": kind, "side": side.name, "told": side.told, "testcase": testcase,
            "id": identity, "in_turns": in_turns}


def nothing(reason, status="failed"):
    """What changes in the entry of a run that is found to have brought nothing."""
    return {**dict.fromkeys(MEASURED), "status": status, "reason": reason}


def match(first, second):
    """Two entries of one step stand and fall together: what one of them lacks, both do."""
    first["role"], second["role"] = "first", "second"
    for one, other in ((first, second), (second, first)):
        if one["status"] == "ok" and other["status"] != "ok":
            one.update(nothing(f"the other side: {other['reason']}", other["status"]))
        elif other["status"] == "skipped" and one["status"] == "failed":
            # In turns, whoever is left has failed for want of a partner.
            one.update(status="skipped", reason=f"the other side: {other['reason']}")


def without_numbers(reason):
    """What is the same in a reason that tells of other tasks, processes or counts in each run."""
    return re.sub(r"\d+", "N", reason)


def _measured(read):
    totals = [sum(sample.counts) for sample in read.samples]
    return {
        "seconds": _seconds(read.nanoseconds),
        "operations": sum(totals),
        "warmup_seconds": _seconds(read.samples[0].start),
        "start_seconds": _seconds(read.start),
        "task_operations": [sum(task) for task in zip(*(each.counts for each in read.samples))],
        "samples": {
            "seconds": _lengths(read.samples),
            "operations": totals,
            "least": [min(sample.counts) for sample in read.samples],
            "greatest": [max(sample.counts) for sample in read.samples],
            "warmup_seconds": _lengths(read.warmup),
            "warmup_operations": [sum(sample.counts) for sample in read.warmup],
        },
        "cpu_ticks": read.ticks,
        "instructions": None,
        "events": read.events and {"operations": read.events.operations,
                                   "counts": read.events.counts, "shares": read.events.shares},
        "statistics": None,
    }


def _lengths(samples):
    return [_seconds(sample.end - sample.start) for sample in samples]


def _seconds(nanoseconds):
    return round(nanoseconds / 1e9, 9)


def create(folder, testcase, time):
    """Make an empty result file with a name that no other has; its path. Raises OSError."""
    os.makedirs(folder, exist_ok=True)
    # A command has characters that no file should have.
    name = re.sub(r"[^\w.+-]+", "_", testcase)[:LONGEST_NAME]
    stem = os.path.join(folder, f"{name}-{time.strftime('%Y%m%dT%H%M%S')}")
    number = 1
    while True:
        path = f"{stem}.json" if number == 1 else f"{stem}-{number}.json"
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            return path
        except FileExistsError:
            number += 1


def save(result, path):
    """Put the result in the place of the file, wholly or not at all. Raises OSError."""
    beside = f"{path}.tmp"
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text(result))
            file.flush()
            # Kernels under test crash; besides, no write-back is left for the next measurement.
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def text(result):
    """The file's text: a line a key and a line a run, for people and for diff."""
    lines = []
    for key, value in result.items():
        if key in LISTS:
            each = (json.dumps(item, ensure_ascii=False) for item in value)
            told = "[\n" + ",\n".join(each) + "\n]"
        else:
            told = json.dumps(value, ensure_ascii=False)
        lines.append(f"{json.dumps(key)}: {told}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def load(path):
    """The result in a file, and its settings. Raises UsageError where --resume cannot use it."""
    try:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{path} is damaged: {error}") from error
    if not isinstance(result, dict) or result.get("format") != FORMAT:
        raise UsageError(f"{path} is no result file of this suite: its format is not '{FORMAT}'")
    if result.get("schema") != SCHEMA:
        raise UsageError(f"{path} has schema {result.get('schema')}; this version knows {SCHEMA}")
    try:
        return result, _checked_settings(result)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise UsageError(f"{path} is damaged: {error!r}") from error


def _checked_settings(result):
    """The settings of a result that is as it should be; else some error that tells what is not."""
    for key, kind in KEYS.items():
        if not isinstance(result[key], kind):
            raise TypeError(f"{key} is {result[key]!r}")
    result["testcases"].index(result["testcase"])
    for run in result["runs"]:
        missing = {"started", "reason", *MEASURED} - set(run)
        if missing:
            raise KeyError(*missing)
    settings = Settings(**result["settings"])
    plan.remaining(settings, result["runs"])
    for tasks in settings.tasks:
        table.row(result["runs"], tasks)
    return settings
