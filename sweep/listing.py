# SPDX-License-Identifier: GPL-2.0-or-later
"""The testcases by group, as text and as a page."""

import itertools


def _groups(testcases):
    """(group, testcases) pairs, both sorted."""
    by_group = sorted(testcases, key=lambda testcase: (testcase.group, testcase.name))
    return [(group, list(members)) for group, members in
            itertools.groupby(by_group, key=lambda testcase: testcase.group)]


def text(testcases):
    """Lines for a terminal, from described testcases."""
    width = max(len(testcase.name) for testcase in testcases)
    for group, members in _groups(testcases):
        yield f"@{group}"
        for testcase in members:
            yield f"  {testcase.name:{width}}  {testcase.description}"


def markdown(testcases):
    """Lines of docs/testcases.md, from described testcases."""
    yield "# The testcases"
    yield ""
    yield ("Made by `make docs` from what the programs say of themselves. `./runtest.py @memory` "
           "measures a group, `./runtest.py 'pread*'` what a pattern matches.")
    for group, members in _groups(testcases):
        yield ""
        yield f"## {group}"
        yield ""
        yield "| testcase | one operation | a task needs | options |"
        yield "| --- | --- | --- | --- |"
        for testcase in members:
            options = "; ".join(f"`{name}={value}` {told}" for name, value, told in
                                testcase.options)
            cells = (f"[{testcase.name}](../{testcase.source})", testcase.description,
                     _needs(testcase.needs), options)
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _needs(needs):
    """files, partners and memory (bytes) of a task, in words."""
    parts = [f"{needs[key]} {word}{'' if needs[key] == 1 else 's'}" for key, word in
             (("files", "file"), ("partners", "partner")) if needs[key]]
    if needs["memory"]:
        parts.append(_bytes(needs["memory"]))
    return ", ".join(parts)


def _bytes(number):
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number} B"
