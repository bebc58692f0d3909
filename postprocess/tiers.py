# SPDX-License-Identifier: GPL-2.0-or-later
"""Which task counts a law of scaling may be fitted to: those within one tier of the topology, where
every further task costs the same. Pure functions of a result file's placement (docs/formats.md,
section 4) and machine.
"""

from dataclasses import dataclass, field
from typing import Optional

# What a further task can be the first to use, the widest first: of steps at one task count only
# the widest is told. `siblings` are second hardware threads of cores.
STEPS = {"package": "a second package", "node": "a second NUMA node",
         "kind": "another kind of CPU", "siblings": "second hardware threads of cores",
         "cache": "a second last-level cache"}


@dataclass
class Topology:
    """steps: (first task count, what it is the first to use), ascending. most: the largest count
    that leaves every task a CPU of its own, None where not known; limit: what ends it, in words.
    known: whether the file tells where tasks sat.
    """

    steps: list = field(default_factory=list)
    most: Optional[int] = None
    limit: str = ""
    known: bool = False


@dataclass
class Choice:
    """left_out: {count: why}, all others are for the fit; crossed: the steps that these go across,
    (count, what), since the tiers before them have too few counts.
    """

    left_out: dict
    crossed: list


def topology(result):
    """The Topology of a result file's object. Raises ValueError where the file is damaged."""
    try:
        placement = result.get("placement") or {"columns": [], "tasks": []}
        rows = [dict(zip(placement["columns"], row, strict=True)) for row in placement["tasks"]]
        cpus = (result.get("topology") or {}).get("cpus")
        quota = (result["machine"].get("cgroup") or {}).get("cpu_quota_cpus")
        made = Topology(known=any(row["cpu"] is not None for row in rows))
        made.steps, bound = _steps(rows)
        limits = [(bound, "more tasks than CPUs"), (cpus and int(cpus), "more tasks than CPUs"),
                  (quota and int(quota), "more tasks than the control group's CPU time")]
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"its placement, topology or machine has {error!r}") from error
    known = [limit for limit in limits if limit[0] is not None]
    if known:
        made.most, made.limit = min(known, key=lambda limit: limit[0])
    return made


def _steps(rows):
    """Steps of a placement, and how many tasks have a CPU of their own (None: all of them)."""
    found = []
    seen = {column: set() for column in ("cpu", "core", *STEPS)}
    for tasks, row in enumerate(rows, 1):
        if row["cpu"] is not None and row["cpu"] in seen["cpu"]:
            return found, tasks - 1
        siblings = row["core"] is not None and row["core"] in seen["core"]
        new = {"siblings"} if siblings and not seen["siblings"] else set()
        for column in seen:
            value = siblings or None if column == "siblings" else row[column]
            if value is not None and value not in seen[column]:
                # Of all but siblings, the first one is no step.
                if column in STEPS and len(seen[column]) == 1 and column != "siblings":
                    new.add(column)
                seen[column].add(value)
        widest = next((step for step in STEPS if step in new), None)
        if widest:
            found.append((tasks, STEPS[widest]))
    return found, None


def choose(counts, known, enough):
    """The Choice among ascending task counts: the first tier with enough of them; where none has,
    all that leave every task a CPU of its own.
    """
    within = [count for count in counts if known.most is None or count <= known.most]
    left_out = {count: known.limit for count in counts if count not in within}
    for number, (first, what) in enumerate(known.steps):
        if sum(count < first for count in within) >= enough:
            left_out.update({count: what for count in within if count >= first})
            return Choice(dict(sorted(left_out.items())), known.steps[:number])
    crossed = [step for step in known.steps if within and step[0] <= within[-1]]
    return Choice(dict(sorted(left_out.items())), crossed)
