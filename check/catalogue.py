# SPDX-License-Identifier: GPL-2.0-or-later
"""check/catalogue.txt as data: what the kernel is asked for in one cycle of each testcase."""

import collections
import os
import re

import suite

PATH = os.path.join(suite.SOURCE, "check", "catalogue.txt")

# operations: of one cycle; objects: "own", "same" or "-"; calls: {"call" or "call!ERROR": number},
# where None stands for any number, 0 too; others: whether other calls may be seen as well; faults:
# page faults of a cycle, None where unknown; settings: arguments of --option.
Row = collections.namedtuple("Row", "name operations objects calls others faults settings")

OTHERS = "..."
WORD = re.compile(r"(\w+(?:![A-Z0-9]+)?)(?:\*(\d+)|(\?))?")


def _row(line):
    name, operations, objects, *words = line.split()
    calls, settings, faults = {}, [], None
    for word in words:
        if "=" in word:
            settings.append(word)
        elif word not in ("-", OTHERS):
            call, number, optional = WORD.fullmatch(word).groups()
            if call == "faults":
                faults = int(number or 1)
            else:
                calls[call] = None if optional else int(number or 1)
    if objects not in ("own", "same", "-"):
        raise ValueError(f"{PATH}: {line}")
    return Row(name, int(operations), objects, calls, OTHERS in words, faults, settings)


def rows():
    """The table, {name: Row}."""
    with open(PATH, encoding="utf-8") as file:
        found = [_row(line) for line in file if line.strip() and not line.startswith("#")]
    return {row.name: row for row in found}
