#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tells how testcases scale: fits the Universal Scalability Law to each testcase and mode of a
result file or of a folder of them, says where more tasks stop gaining, and which mode scales
better.
"""

import argparse
import collections
import json
import math
import sys

import needs  # noqa: F401  finds a Python that has what follows
import loading
import scaling
import tables
from commandline import BAD_INPUT, Parser, add_evidence, add_only, chosen, show
from comparison import Settings

# Exit statuses.
FITTED, NOTHING_SAID = 0, 3

EPILOG = """\
exit status: 0 at least one curve has a fit that holds, 2 bad input, 3 none has.
"""


def parser():
    made = Parser(prog="scalability.py", description=__doc__, epilog=EPILOG, allow_abbrev=False,
                  formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("results", metavar="RESULTS",
                      help="result file or folder, as results/LABEL; or a folder of X.csv files, "
                      "as those of will-it-scale")
    add_evidence(made, "differences between the modes")
    add_only(made)
    made.add_argument("--format", choices=FORMATS, default="table", help="default: table")
    return made


def _interval(values, form):
    return f"{values[0]:{form}} to {values[1]:{form}}"


def _fit_row(curve):
    """The table's row of a curve with a fit."""
    fit, fitted = curve.fit, [point.tasks for point in curve.fitted]
    peak = "none" if math.isinf(fit.peak) else f"{fit.peak:.1f}"
    return (curve.mode, f"{fit.contention:.4g}", _interval(fit.intervals["contention"], ".3g"),
            f"{fit.coherency:.4g}", _interval(fit.intervals["coherency"], ".3g"), peak,
            _interval(fit.intervals["peak"], ".1f") if "peak" in fit.intervals else "not bounded",
            f"{fit.r_squared:.4f}", f"{fitted[0]} to {fitted[-1]} ({len(fitted)} counts)")


def _point_rows(one):
    """The table's header and its rows, a row for each task count of any mode."""
    yield ("tasks", *(name for mode in one.curves for name in (mode, "efficiency", "by the fit")))
    points = {mode: {point.tasks: point for point in curve.points}
              for mode, curve in one.curves.items()}
    for tasks in sorted(set().union(*points.values())):
        row = [str(tasks)]
        for mode, curve in one.curves.items():
            point = points[mode].get(tasks)
            row += ["", "", ""] if point is None else [
                tables.number(point.rate), f"{100 * point.efficiency:.0f} %",
                tables.number(float(curve.fit.throughput(tasks))) if curve.fit else "-"]
        yield row


def _notes(one):
    for mode, curve in one.curves.items():
        for tasks, what in curve.crossed:
            yield f"Warning: {mode}: the fit goes across {what} (from {tasks} tasks on)"
        reasons = {}
        for point in curve.points:
            if point.left_out:
                reasons.setdefault(point.left_out, []).append(str(point.tasks))
        for reason, tasks in reasons.items():
            yield f"{mode}: not in the fit: {', '.join(tasks)} ({reason})"


def table_lines(side, found, settings):
    yield (f"{side.path}: operations per second of all tasks together, the median over runs; "
           f"intervals are of {100 * settings.confidence:g} %.")
    yield ("Contention: the share of work that waits in turn. Coherency: what each pair of tasks "
           "costs. Peak: the tasks with the highest rate.")
    yield "Efficiency: the rate of a task, of that at the least count."
    several = collections.Counter(one.testcase for one in found)
    for one in found:
        yield ""
        place = f" ({one.place})" if several[one.testcase] > 1 else ""
        yield f"{one.testcase}{place}: {one.sentence}"
        fits = [_fit_row(curve) for curve in one.curves.values() if curve.fit]
        if fits:
            header = ("mode", "contention", "interval", "coherency", "interval", "peak", "interval",
                      "R squared", "tasks")
            yield from tables.aligned([header, *fits], left=(0, 8))
        yield from tables.aligned([*_point_rows(one)])
        yield from _notes(one)


def _fit_keys(curve):
    fit = curve.fit
    keys = {"holds": curve.holds, "problem": curve.problem}
    for name in ("rate", "contention", "coherency", "peak"):
        value = getattr(fit, name) if fit else None
        keys[name] = None if value is None or math.isinf(value) else value
        keys[f"{name}_low"], keys[f"{name}_high"] = \
            fit.intervals.get(name, (None, None)) if fit else (None, None)
    return {**keys, "r_squared": fit.r_squared if fit else None}


def _point_keys(curve, point):
    return {"tasks": point.tasks, "runs": point.runs, "total": point.rate,
            "efficiency": point.efficiency, "left_out": point.left_out,
            "by_the_fit": float(curve.fit.throughput(point.tasks)) if curve.fit else None}


def csv_lines(_side, found, _settings):
    """A row for each point, with the fit of its curve."""
    return tables.as_csv([
        {"testcase": one.testcase, "mode": mode, "place": one.place, **_point_keys(curve, point),
         **_fit_keys(curve)}
        for one in found for mode, curve in one.curves.items() for point in curve.points])


def json_lines(side, found, settings):
    """One object; docs/formats.md, section 7."""
    yield json.dumps({
        "format": "opscale-scalability", "schema": 1, "path": side.path,
        "settings": {"noise": settings.noise, "confidence": settings.confidence},
        "testcases": [{
            "testcase": one.testcase, "place": one.place, "sentence": one.sentence,
            "scales_better": one.parting.better or None, "scales_better_from": one.parting.tasks,
            "modes": {mode: {**_fit_keys(curve),
                             "crossed": [{"tasks": tasks, "what": what}
                                         for tasks, what in curve.crossed],
                             "points": [_point_keys(curve, point) for point in curve.points]}
                      for mode, curve in one.curves.items()},
        } for one in found]}, indent=1, ensure_ascii=False)


FORMATS = {"table": table_lines, "csv": csv_lines, "json": json_lines}


def _load(arguments):
    side = loading.load(arguments.results)
    labels = sorted({result["label"] for result in side.results})
    if len(labels) > 1:
        raise loading.InputError(f"{arguments.results}: holds results of several labels "
                                 f"({', '.join(labels)}): give the folder of one")
    side.points = {key: point for key, point in side.points.items()
                   if chosen(point.testcase, arguments.only)}
    return side


def main():
    arguments = parser().parse_args()
    settings = Settings(arguments.noise, arguments.confidence)
    try:
        side = _load(arguments)
    except loading.InputError as error:
        print(f"scalability.py: {error}", file=sys.stderr)
        return BAD_INPUT
    found = scaling.analyse(side, settings)
    for problem in side.problems:
        print(f"scalability.py: {problem}", file=sys.stderr)
    if not found:
        reason = f"{arguments.results}: no run was measured" if not arguments.only else \
            f"no measured testcase matches {' or '.join(arguments.only)}"
        print(f"scalability.py: {reason}", file=sys.stderr)
        return BAD_INPUT
    show(FORMATS[arguments.format](side, found, settings))
    holds = any(curve.holds for one in found for curve in one.curves.values())
    return FITTED if holds else NOTHING_SAID


if __name__ == "__main__":
    sys.exit(main())
