# SPDX-License-Identifier: GPL-2.0-or-later
"""A comparison as a table to be read or pasted, and as CSV and JSON for programs."""

import collections
import csv
import dataclasses
import io
import json

import causetables
import inference
from comparison import Verdict

HEADER = ("testcase", "mode", "tasks", "base", "+-", "candidate", "+-", "change", "interval",
          "verdict")
# Columns that are text stand to the left.
LEFT = (0, 1, 9)

WORST = 5


def number(value):
    """Six significant digits at most, none after the point above 1000."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _spread(value):
    return "" if value is None else "-" if value.spread is None else f"{value.spread:.1f} %"


def _percent(share):
    return "" if share is None else f"{100 * share:+.1f} %"


def cells(one):
    """The table's row of a point."""
    interval = "" if one.low is None else f"{100 * one.low:+.1f} to {100 * one.high:+.1f} %"
    values = [cell for value in (one.base, one.candidate)
              for cell in ("" if value is None else number(value.median), _spread(value))]
    return (one.testcase, one.mode, str(one.tasks), *values, _percent(one.change), interval,
            one.words)


def header(settings):
    """The names of a table's columns."""
    names = list(HEADER)
    names[8] = f"{100 * settings.confidence:g} % interval"
    return names


def told(sides):
    """Which side is which."""
    yield from (f"{name + ':':11}{what_it_is(side)}" for name, side in sides)
    yield ""


def head(compared, settings):
    """How to read a table."""
    unit = "each task" if settings.metric == "per_task" else "all tasks together"
    yield (f"Values are operations per second of {unit}, the median over runs; +- is the standard "
           "deviation of the runs.")
    yield ("More is better: a minus means that the candidate does fewer operations per second, it "
           "is slower.")
    if any(one.pairs for one in compared):
        yield ("Runs were made in pairs, one of each side against the other: the change is the "
               "geometric mean of their ratios; what disturbs both sides alike is not in it.")
    if not all(one.pairs for one in compared):
        yield ("The change is the median of all ratios of a candidate's run to a base's run, and "
               "can differ from the ratio of the two medians.")


def warned(machine, warnings):
    """What may explain a change."""
    important = [str(difference) for difference in machine if difference.important]
    for line in [*warnings, *(f"the machines differ: {line}" for line in important)]:
        yield f"Warning: {line}"
    yield ""


def what_it_is(side):
    """Its kernel, label, runs and times, in a line."""
    def words(values):
        return ", ".join(sorted({str(value) for value in values}))

    kernels = words((result["machine"].get("kernel") or {}).get("release", "not known")
                    for result in side.results)
    dates = sorted(result["started"][:16].replace("T", " ") for result in side.results)
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    files = f"{len(side.results)} file{'s' * (len(side.results) > 1)}"
    differs = words(result["contest"]["told"] for result in side.results if result.get("contest"))
    labels = words(result["label"] for result in side.results)
    return (f"{differs + ', ' if differs else ''}kernel {kernels}, label {labels}: {side.runs} "
            f"runs in {files}, {when} ({side.path})")


def tail(compared, settings):
    """The lines below a table: counts, means, the worst points, remarks."""
    counts = collections.Counter(one.verdict for one in compared)
    yield ""
    yield ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    for mode in ("processes", "threads"):
        ratios = [1 + one.change for one in compared if one.mode == mode and one.low is not None]
        if ratios:
            mean = inference.geometric_mean(ratios) - 1
            yield (f"geometric mean of {mode}: {100 * mean:+.2f} % over {len(ratios)} "
                   f"point{'s' * (len(ratios) > 1)}")
    worst = sorted((one for one in compared if one.verdict == Verdict.SLOWER),
                   key=lambda one: one.change)[:WORST]
    if worst:
        yield "worst: " + ", ".join(
            f"{one.testcase} {one.mode} {one.tasks} ({_percent(one.change)})" for one in worst)
    remarked = [(one, remark) for one in compared for remark in one.remarks]
    if remarked:
        yield ""
        yield "Remarks:"
    for one, remark in remarked:
        yield f"  {one.testcase} {one.mode} {one.tasks}: {remark}"
    yield ""
    tests = {"Student's t of the pairs" if one.pairs else "Mann-Whitney" for one in compared}
    yield (f"slower, faster: significant ({', '.join(sorted(tests))}, "
           f"{100 * settings.confidence:g} %, corrected for {len(compared)} "
           f"point{'s' * (len(compared) > 1)}) and beyond {100 * settings.noise:g} %.")


def differences(machine):
    """What else the sides' machines do not have in common."""
    others = [difference for difference in machine if not difference.important]
    if others:
        yield ""
        yield "Other differences between the machines:"
    for difference in others:
        yield f"  {difference}"


def aligned(rows, left=()):
    """Lines of aligned columns, two spaces apart; left: numbers of the columns that are text."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        yield "  ".join(f"{cell:{'<' if column in left else '>'}{width}}" for column, (cell, width)
                        in enumerate(zip(row, widths))).rstrip()


def table(compared, settings):
    return aligned([header(settings), *map(cells, compared)], LEFT)


def markdown(compared, settings):
    """A table for a mail or an issue that shows Markdown."""
    return markdown_table(header(settings), map(cells, compared), LEFT)


def markdown_table(header, rows, left):
    """Lines of a table; left: numbers of the columns that are text."""
    yield "| " + " | ".join(header) + " |"
    yield "| " + " | ".join("---" if column in left else "---:"
                            for column in range(len(header))) + " |"
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def flat(one):
    """A point as a flat dict: changes are shares (0.01 for 1 %), spreads percent."""
    found = {"testcase": one.testcase, "mode": one.mode, "tasks": one.tasks, "place": one.place,
             "statistic": one.statistic}
    for name, value in (("base", one.base), ("candidate", one.candidate)):
        for key in ("median", "low", "high", "spread", "runs"):
            found[f"{name}_{key}"] = None if value is None else getattr(value, key)
    return {**found, "pairs": one.pairs, "change": one.change, "change_low": one.low,
            "change_high": one.high, "p": one.p, "adjusted_p": one.adjusted_p,
            "verdict": one.verdict.value, "reason": one.reason,
            "remarks": "; ".join(one.remarks)}


def as_csv(rows):
    """Dicts of the same keys as RFC 4180, with the keys as header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    yield text.getvalue().rstrip("\n")


def json_lines(sides, machine, warnings, compared, counted, settings):
    """One object; docs/formats.md, section 6."""
    yield json.dumps({
        "format": "opscale-comparison", "schema": 1, "settings": dataclasses.asdict(settings),
        **{name: {"path": side.path, "runs": side.runs, "labels": sorted(
            {result["label"] for result in side.results})} for name, side in sides},
        "warnings": list(warnings),
        "machine_differences": [dataclasses.asdict(difference) for difference in machine],
        "points": [{**flat(one), "remarks": one.remarks, "statistics": causetables.whole(one)}
                   for one in compared],
        "counted": counted,
    }, indent=1, ensure_ascii=False)
