#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares two sides, base and candidate: which points became slower or faster, and how sure that
is; where instructions were counted, which need more or fewer, and in which functions. A side is a
result file of runtest.py or a folder of them.
"""

import argparse
import math
import sys

import needs  # noqa: F401  finds a Python that has what follows
import causes
import causetables
import counted
import countedtables
import lkp
import loading
import machines
import tables
from commandline import BAD_INPUT, NOISE, Parser, add_evidence, add_only, chosen, show
from comparison import Settings, Verdict, compare, obstacle

# Exit statuses, and what `git bisect run` makes of them.
NO_REGRESSION, REGRESSION, NOTHING_SAID = 0, 1, 3
GOOD, BAD, SKIP = 0, 1, 125

SORTS = {
    "name": lambda one: (one.testcase, one.mode, one.tasks),
    "change": lambda one: one.change if one.change is not None else math.inf,
    "p": lambda one: one.adjusted_p if one.adjusted_p is not None else math.inf,
    "tasks": lambda one: (one.tasks, one.testcase, one.mode),
}
FORMATS = ("table", "lkp", "lkp-2014", "csv", "json", "markdown")

EPILOG = """
Exit status: 0 no point became slower, or needs more instructions, 1 at least one does, 2 bad input,
3 nothing can be said (too few runs, or nothing in common). With --bisect: 0, 1, and 125 for what
cannot be said.
"""


def parser():
    made = Parser(prog="compare.py", description=__doc__, epilog=EPILOG, allow_abbrev=False,
                  formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("base", metavar="BASE",
                      help="result file or folder, as results/LABEL; or a folder of X.csv files, "
                      "as those of will-it-scale")
    made.add_argument("candidate", metavar="CANDIDATE")
    add_evidence(made, "changes")
    made.set_defaults(noise=None)
    made.add_argument("--metric", choices=("per_task", "total"), default="per_task",
                      help="operations per second of each task (default) or of all together")
    made.add_argument("--sort", choices=SORTS, default="name", help="default: name")
    add_only(made)
    made.add_argument("--format", choices=FORMATS, default="table", help="default: table")
    made.add_argument("--all-statistics", action="store_true",
                      help="tell all that was recorded beside the runs, of all points; else what "
                      "changed significantly, of those that became slower or faster")
    made.add_argument("--bisect", action="store_true",
                      help="exit status for git bisect run: 0 good, 1 bad, 125 skip")
    return made


def _load(path, only):
    side = loading.load(path)
    for problem in side.problems:
        print(f"compare.py: {problem}", file=sys.stderr)
    side.points = {key: point for key, point in side.points.items()
                   if chosen(point.testcase, only)}
    return side


def _report(sides, timed, exact, machine, warnings, settings, markdown, every):
    """The comparison for people: timed points, then counted ones."""
    yield from tables.told(sides)
    if timed:
        yield from tables.head(timed, settings)
    if exact:
        yield from countedtables.head()
    yield from tables.warned(machine, warnings)
    if timed:
        yield from (tables.markdown if markdown else tables.table)(timed, settings)
        yield from tables.tail(timed, settings)
        yield from causetables.table(timed, settings, every)
    if timed and exact:
        yield ""
    if exact:
        yield from (countedtables.markdown if markdown else countedtables.table)(exact)
        yield from countedtables.tail(exact)
    yield from tables.differences(machine)


def _lines(sides, timed, exact, settings, form, every):
    (_, base), (_, candidate) = sides
    machine = machines.differences(base, candidate)
    warnings = [line for name, side in sides for line in machines.load_warnings(name, side)]
    if form == "csv":
        # Rows of one kind: times where there are any.
        return tables.as_csv([*map(tables.flat, timed)] or [*map(countedtables.flat, exact)])
    if form == "json":
        return tables.json_lines(sides, machine, warnings, timed,
                                 [*map(countedtables.whole, exact)], settings)
    if form == "lkp":
        return lkp.lines(base, candidate, timed, settings, every)
    if form == "lkp-2014":
        return lkp.lines_2014(timed, settings, every)
    return _report(sides, timed, exact, machine, warnings, settings, form == "markdown", every)


def _status(timed, exact):
    verdicts = {one.verdict for one in [*timed, *exact]}
    if verdicts & {Verdict.SLOWER, counted.Verdict.MORE}:
        return REGRESSION
    if verdicts - {Verdict.TOO_FEW, Verdict.NOT_COMPARABLE, counted.Verdict.NOT_COMPARABLE}:
        return NO_REGRESSION
    return NOTHING_SAID


def _explain(timed, exact, base, candidate, settings, every):
    """Fill in what else changed with the points that have changed, or with all of them."""
    by_function = {(one.testcase, one.mode) for one in exact if one.functions}
    wanted = [one for one in timed if one.change is not None and (
        every or one.verdict in (Verdict.SLOWER, Verdict.FASTER))]
    points = [[side.points[one.testcase, one.mode, one.tasks, one.place]
               for side in (base, candidate)] for one in wanted]
    for one, found in zip(wanted, causes.compare(points, settings)):
        # Counted instructions tell by function what a profile could only estimate.
        one.causes = [each for each in found
                      if not (each.in_points and (one.testcase, one.mode) in by_function)]


def _remark(timed, exact):
    """Where no code on a testcase's path has changed, a difference in time is of another kind."""
    untouched = {(one.testcase, one.mode) for one in exact if one.none_changed}
    for one in timed:
        if one.verdict in (Verdict.SLOWER, Verdict.FASTER) and (
                one.testcase, one.mode) in untouched:
            one.remarks.append("its instructions were counted, and none of the code that it "
                               "executes has changed: this is layout or noise")


def main():
    made = parser()
    arguments = made.parse_args()
    if arguments.metric == "total" and arguments.format.startswith("lkp"):
        made.error(f"--metric total: --format {arguments.format} tells rates per task only; use "
                   "per_task")
    noise = arguments.noise
    settings = Settings(NOISE if noise is None else noise, arguments.confidence, arguments.metric)
    try:
        sides = [(name, _load(getattr(arguments, name), arguments.only))
                 for name in ("base", "candidate")]
    except loading.InputError as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return SKIP if arguments.bisect else BAD_INPUT
    (_, base), (_, candidate) = sides
    timed = compare(base, candidate, settings)
    exact = counted.compare(base, candidate, lambda key: obstacle(base, candidate, key), noise or 0)
    if not timed and not exact:
        print(f"compare.py: no testcase matches {' or '.join(arguments.only)}", file=sys.stderr)
        return SKIP if arguments.bisect else BAD_INPUT
    _remark(timed, exact)
    _explain(timed, exact, base, candidate, settings, arguments.all_statistics)
    timed.sort(key=SORTS[arguments.sort])
    show(_lines(sides, timed, exact, settings, arguments.format,
                arguments.all_statistics))
    status = _status(timed, exact)
    if not arguments.bisect:
        return status
    return {NO_REGRESSION: GOOD, REGRESSION: BAD}.get(status, SKIP)


if __name__ == "__main__":
    sys.exit(main())
