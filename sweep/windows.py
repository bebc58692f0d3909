# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads what the counting plugin writes (docs/formats.md, section 9), and tells what an operation
of a window costs.
"""

import statistics
from dataclasses import dataclass, field
from typing import Dict, List, Tuple


END = "\nend\n"


@dataclass
class Kind:
    """Operations of equally many instructions, or all that are too different from each other.

    total, user, repeated: instructions of all these operations; repeated: those of string
    instructions. disturbed: an interrupt came in each of them. functions: instructions, and a
    number for the code that was executed, by name; names that several functions share are one.
    """

    operations: int
    total: int
    disturbed: bool
    alike: bool
    user: int = 0
    repeated: int = 0
    functions: Dict[str, Tuple[int, int]] = field(default_factory=dict)

    @property
    def value(self):
        """Instructions of one operation."""
        return self.total / self.operations


def parse(text):
    """{number of the run, from 1: its kinds}; a window that was not written to its end is left out.
    Raises ValueError.
    """
    windows, number, kinds = {}, None, []
    for line in text[:text.rfind(END) + len(END)].splitlines():
        word, _, rest = line.partition(" ")
        if word == "window":
            number, kinds = int(rest.split(" ")[0]), []
        elif word in ("kind", "others"):
            operations, total, disturbed = map(int, rest.split(" "))
            kinds.append(Kind(operations, total, bool(disturbed), word == "kind"))
        elif word in ("user", "repeated"):
            setattr(kinds[-1], word, int(rest))
        elif word == "function":
            instructions, meaning, name = rest.split(" ")
            before = kinds[-1].functions.get(name, (0, 0))
            kinds[-1].functions[name] = (before[0] + int(instructions),
                                         before[1] + int(meaning, 16) & 0xffffffffffffffff)
        elif word == "end" and kinds:
            windows[number] = kinds
    return windows


def cost(kinds):
    """What one operation costs: the object `instructions` of a run, docs/formats.md, section 4.

    Where most undisturbed operations are of equally many instructions, these are the value, and
    nothing else is in it. Where they differ, as those that make a process do, the value is the mean
    of all undisturbed ones.
    """
    undisturbed = [kind for kind in kinds if not kind.disturbed]
    chosen = undisturbed or kinds
    operations = sum(kind.operations for kind in chosen)
    common = max((kind for kind in chosen if kind.alike), key=lambda kind: kind.operations,
                 default=None)
    exact = common is not None and 2 * common.operations >= operations
    if exact:
        chosen = [common]
    counted = sum(kind.operations for kind in chosen)
    per_operation = _ratio(sum(kind.total for kind in chosen), counted)
    user = _ratio(sum(kind.user for kind in chosen), counted)
    return {
        "per_operation": per_operation, "exact": exact,
        "user": user, "kernel": _ratio(sum(kind.total - kind.user for kind in chosen), counted),
        "repeated": _ratio(sum(kind.repeated for kind in chosen), counted),
        "counted": counted, "undisturbed": sum(kind.operations for kind in undisturbed),
        **_distribution(kinds),
        "functions": _functions(chosen, counted),
    }


def _ratio(total, count):
    """Whole where it is, for people and for files."""
    return total // count if total % count == 0 else round(total / count, 3)


def _distribution(kinds):
    """Of all operations, disturbed ones too."""
    values: List[float] = []
    for kind in kinds:
        values += [kind.value] * kind.operations
    return {"operations": len(values), "minimum": round(min(values), 3),
            "median": round(statistics.median(values), 3),
            "mean": round(statistics.fmean(values), 3), "maximum": round(max(values), 3)}


def _functions(kinds, counted):
    """Rows of name, instructions per operation and code, the costliest first. code: hexadecimal,
    equal where the same instructions were executed, addresses apart; None where that differs from
    operation to operation.
    """
    sums: Dict[str, int] = {}
    codes: Dict[str, set] = {}
    for kind in kinds:
        for name, (instructions, meaning) in kind.functions.items():
            sums[name] = sums.get(name, 0) + instructions
            codes.setdefault(name, set()).add(f"{meaning:016x}")
    rows = [[name, _ratio(total, counted), codes[name].pop() if len(codes[name]) == 1 else None]
            for name, total in sums.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0]))
