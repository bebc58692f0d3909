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
    """placement: {column: number} of each task, in task order, as far as a result tells. steps:
    (first task count, what it is the first to use), ascending. most: the largest count
    that leaves every task a CPU of its own, None where not known; limit: what ends it, in words.
    """

    placement: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    most: Optional[int] = None
    limit: str = ""


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
        rows = [_row(placement["columns"], row) for row in placement["tasks"]]
        cpus = (result.get("topology") or {}).get("cpus")
        quota = (result["machine"].get("cgroup") or {}).get("cpu_quota_cpus")
        steps, bound = _steps(rows)
        limits = [(bound, "more tasks than CPUs"), (cpus and int(cpus), "more tasks than CPUs"),
                  (quota and int(quota), "more tasks than the control group's CPU time")]
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"its placement, topology or machine has {error!r}") from error
    known = [limit for limit in limits if limit[0] is not None]
    return Topology(rows, steps, *min(known, key=lambda limit: limit[0], default=()))


def _row(columns, values):
    if len(columns) != len(values):
        raise ValueError(f"{len(values)} values for {len(columns)} columns")
    return dict(zip(columns, values))


def _steps(rows):
    """Steps of a placement, and how many tasks have a CPU of their own (None: all of them)."""
    found = []
    cpus, cores = set(), set()
    seen = {step: set() for step in STEPS}
    for tasks, row in enumerate(rows, 1):
        if row["cpu"] is not None and row["cpu"] in cpus:
            return found, tasks - 1
        used = {**row, "siblings": None if row["core"] is None else row["core"] in cores}
        # Only the second of a kind is a step: a third adds to what is there.
        widest = next((step for step in STEPS if used[step] is not None and
                       len(seen[step]) == 1 and used[step] not in seen[step]), None)
        if widest:
            found.append((tasks, STEPS[widest]))
        cpus.add(row["cpu"])
        cores.add(row["core"])
        for step in STEPS:
            if used[step] is not None:
                seen[step].add(used[step])
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
