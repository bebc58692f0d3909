# SPDX-License-Identifier: GPL-2.0-or-later
"""Comparisons of counted instructions as tables for people, and as flat rows for programs."""

import collections
import dataclasses

import tables

HEADER = ("testcase", "mode", "base", "candidate", "change", "", "verdict")
LEFT = (0, 1, 6)
FUNCTIONS = ("base", "candidate", "change", "function")

# Of a point's functions; what is left out is said.
MOST_FUNCTIONS = 12


def number(value):
    """Whole instructions as such, means with one decimal."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def signed(value):
    return "0" if value == 0 else f"{'-' if value < 0 else '+'}{number(abs(value))}"


def cells(one):
    """The table's row of a point."""
    values = ["" if count is None else number(count.value) for count in (one.base, one.candidate)]
    change = ["", ""] if one.change is None else [signed(one.change), f"{one.share:+.2%}"]
    if one.change == 0:
        change[1] = ""
    return (one.testcase, one.mode, *values, *(cell.replace("%", " %") for cell in change),
            one.words)


def head():
    """How to read what follows."""
    yield ("Values are instructions of one operation, counted in a virtual machine: the length of "
           "its path, not its time.")
    yield ("Less is better: a plus means that the candidate executes more instructions for the "
           "same work.")


def table(compared):
    return tables.aligned([HEADER, *map(cells, compared)], LEFT)


def markdown(compared):
    return tables.markdown_table(HEADER, map(cells, compared), LEFT)


def functions(one):
    """Lines that tell which functions made the change of a point."""
    shown = one.functions[:MOST_FUNCTIONS]
    rows = map(function_cells, shown)
    yield f"{one.testcase} {one.mode}: functions of the kernel that came, went or changed"
    yield from ("  " + line for line in tables.aligned([FUNCTIONS, *rows], (3,)))
    rest = one.functions[MOST_FUNCTIONS:]
    if rest:
        yield (f"  and {len(rest)} more, which change it by "
               f"{signed(sum(each.change for each in rest))} together")


def function_cells(each):
    """The row of a Function."""
    return (number(each.base), number(each.candidate), signed(each.change),
            each.name + _what(each))


def _what(function):
    if not function.base or not function.candidate:
        return " (new)" if function.candidate else " (gone)"
    return " (the same code)" if function.same_code else ""


def tail(compared):
    """The lines below the table: functions of each changed point, counts, remarks."""
    for one in compared:
        if one.functions:
            yield ""
            yield from functions(one)
    by_code = [one for one in compared if one.code]
    if by_code:
        yield ""
        yield "Other code, but as long: " + "; ".join(
            f"{one.testcase} {one.mode}: {', '.join(one.code)}" for one in by_code)
    yield ""
    counts = collections.Counter(one.verdict.value for one in compared)
    yield ", ".join(f"{count} {words}" for words, count in counts.items())
    for one in compared:
        for remark in one.remarks:
            yield f"  {one.testcase} {one.mode}: {remark}"


def flat(one):
    """A point as a flat dict; docs/formats.md, section 6."""
    found = {"testcase": one.testcase, "mode": one.mode, "tasks": one.tasks, "place": one.place}
    for name, count in (("base", one.base), ("candidate", one.candidate)):
        for key in ("value", "user", "kernel", "least", "greatest", "windows"):
            found[f"{name}_{key}"] = None if count is None else getattr(count, key)
    return {**found, "change": one.change, "share": one.share, "verdict": one.verdict.value,
            "none_changed": one.none_changed, "reason": one.reason,
            "remarks": "; ".join(one.remarks)}


def whole(one):
    """A point as an object of JSON, with its functions."""
    return {**flat(one), "remarks": one.remarks, "other_code": one.code,
            "functions": [dataclasses.asdict(each) for each in one.functions]}
