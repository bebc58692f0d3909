# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics of the system: how what /proc, /sys and the control group tell has changed from just
before a measurement to just after it. Names are those of LKP's reports.
"""

import re
from dataclasses import dataclass, field
from typing import Dict

from sweep import machine

NODES = "sys/devices/system/node"

PATHS = ("proc/vmstat", "proc/stat", "proc/softirqs", "proc/interrupts", "proc/schedstat",
         "proc/meminfo", "proc/pressure/cpu", "proc/pressure/io", "proc/pressure/memory")

# Of a line of /proc/schedstat, versions 15 to 17, that begins with a CPU (Documentation/scheduler/
# sched-stats.rst); the second field has lost its meaning.
SCHEDSTAT = ("yld_count", "", "sched_count", "sched_goidle", "ttwu_count", "ttwu_local",
             "rq_cpu_time", "run_delay", "pcount")
SCHEDSTAT_VERSIONS = ("15", "16", "17")

TICKS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")

# What begins like a number of pages, and counts events; and the other way round.
EVENTS = re.compile(r"nr_(dirtied|written|throttled_written|vmscan_\w+|foll_pin_\w+|tlb_\w+)$")
LEVELS = re.compile(r"nr_|workingset_nodes$")

# Of memory.stat: all else is a number of bytes.
MEMORY_EVENTS = re.compile(r"pg|workingset_(?!nodes)|thp_\w+_(alloc|fallback)|zswp|swpin|swpout|"
                           r"numa_(pages_migrated|pte_updates|hint_faults)")


@dataclass
class Readings:
    """What one file tells: {name: value} of what only grows, and of what also shrinks."""

    counters: Dict[str, int] = field(default_factory=dict)
    levels: Dict[str, int] = field(default_factory=dict)

    def add(self, name, value, level=False):
        """A value as text; one that is no whole number is left out. Equal names are summed up."""
        if re.fullmatch(r"\d{1,25}", value):
            kind = self.levels if level else self.counters
            kind[name] = kind.get(name, 0) + int(value)


@dataclass
class Changes:
    """differences: of counters and levels, after less before; levels: after; each without what is
    0. unread: {path: why its file tells nothing}.
    """

    differences: Dict[str, int] = field(default_factory=dict)
    levels: Dict[str, int] = field(default_factory=dict)
    unread: Dict[str, str] = field(default_factory=dict)


def paths(tree):
    """Absolute paths of the files that are there."""
    nodes = tree.names(NODES, r"node\d+")
    # A single one has nothing to tell that the whole machine does not.
    by_node = [f"{NODES}/{node}/{name}" for node in nodes[len(nodes) == 1:]
               for name in ("vmstat", "numastat", "meminfo")]
    groups = [f"{folders[0]}/{name}" for name in ("cpu.stat", "memory.stat")
              for folders in [machine.group_folders(tree, name.split(".")[0])[1]] if folders]
    return [f"/{path}" for path in (*PATHS, *by_node, *groups) if tree.exists(path)]


def changes(texts):
    """The Changes of {path: (text before, text after)}; a text is an OSError where it could not be
    read.
    """
    found = Changes()
    for path, both in texts.items():
        errors = [text for text in both if isinstance(text, OSError)]
        if errors:
            found.unread[path] = str(errors[0])
            continue
        before, after = (_readings(path, text) for text in both)
        if not after.counters and not after.levels:
            found.unread[path] = "it holds nothing that is known"
        _compare(found, before, after)
    return found


def _compare(found, before, after):
    for name, value in after.counters.items():
        # One that goes back, or begins now, was not counted all the time.
        if value > before.counters.get(name, value):
            found.differences[name] = value - before.counters[name]
    for name, value in after.levels.items():
        if value:
            found.levels[name] = value
        if value != before.levels.get(name, value):
            found.differences[name] = value - before.levels[name]


def _readings(path, text):
    name = path.rsplit("/", 1)[1]
    node = re.search(r"/(node\d+)/\w+$", path)
    read = {"vmstat": _vmstat, "numastat": _numastat, "meminfo": _meminfo, "stat": _stat,
            "softirqs": _softirqs, "interrupts": _interrupts, "schedstat": _schedstat,
            "cpu.stat": _cpu_stat, "memory.stat": _memory_stat}.get(name, _pressure)
    readings = Readings()
    prefix = {"numastat": "numa-numastat", "vmstat": "numa-vmstat" if node else "proc-vmstat",
              "meminfo": "numa-meminfo" if node else "meminfo",
              "stat": "proc-stat", "cpu.stat": "cgroup.cpu", "memory.stat": "cgroup.memory"}.get(
                  name, name if read is not _pressure else f"pressure.{name}")
    read(readings, f"{prefix}.{node.group(1)}." if node else f"{prefix}.", text.splitlines())
    return readings


def _pairs(lines):
    """The lines of a name and a value."""
    return [words for words in map(str.split, lines) if len(words) == 2]


def _vmstat(readings, prefix, lines):
    for name, value in _pairs(lines):
        readings.add(prefix + name, value,
                     level=bool(LEVELS.match(name)) and not EVENTS.match(name))


def _numastat(readings, prefix, lines):
    for name, value in _pairs(lines):
        readings.add(prefix + name, value)


def _meminfo(readings, prefix, lines):
    """Lines as "MemFree: 1 kB", on a node after "Node 0"."""
    for line in lines:
        found = re.fullmatch(r"(?:Node \d+ )?([^\s:]+):\s+(\d+)(?: kB)?", line.strip())
        if found:
            readings.add(prefix + found.group(1), found.group(2), level=True)


def _stat(readings, prefix, lines):
    for words in map(str.split, lines):
        if words[:1] == ["cpu"]:
            for name, value in zip(TICKS, words[1:]):
                readings.add(f"{prefix}cpu.{name}", value)
        elif len(words) > 1 and words[0] in ("intr", "ctxt", "processes", "softirq"):
            readings.add(prefix + words[0], words[1])


def _columns(lines):
    """Pairs of a row's first word and the others, and the number of CPUs by the header."""
    rows = [line.split() for line in lines]
    cpus = len(rows[0]) if rows and re.match(r"CPU\d", " ".join(rows[0])) else 0
    return cpus, [(words[0].rstrip(":"), words[1:]) for words in rows[1:] if len(words) > 1]


def _softirqs(readings, prefix, lines):
    cpus, rows = _columns(lines)
    for name, values in rows:
        for value in values[:cpus]:
            readings.add(prefix + name, value)


def _interrupts(readings, prefix, lines):
    """A device's: its number and words, joined by dots; others: by underscores."""
    cpus, rows = _columns(lines)
    for name, values in rows:
        told = values[cpus:]
        joined = (".".join(told) if name.isdigit() else "_".join(told)).replace(",.", ",")
        for value in values[:cpus]:
            readings.add(f"{prefix}{name}{':' if told else ''}{joined}", value)


def _schedstat(readings, prefix, lines):
    rows = [line.split() for line in lines]
    if not rows or rows[0][:1] != ["version"] or rows[0][-1] not in SCHEDSTAT_VERSIONS:
        return
    for words in rows:
        if re.fullmatch(r"cpu\d+", words[0] if words else ""):
            for name, value in zip(SCHEDSTAT, words[1:]):
                if name:
                    readings.add(prefix + name, value)


def _cpu_stat(readings, prefix, lines):
    for name, value in _pairs(lines):
        readings.add(prefix + name, value)


def _memory_stat(readings, prefix, lines):
    for name, value in _pairs(lines):
        # Limits, and version 1's sums over the groups below.
        if not name.startswith(("hierarchical_", "total_")):
            readings.add(prefix + name, value, level=not MEMORY_EVENTS.match(name))


def _pressure(readings, prefix, lines):
    """Microseconds in which some, or all, tasks waited."""
    for line in lines:
        found = re.match(r"(some|full) .*\btotal=(\d+)$", line)
        if found:
            readings.add(prefix + found.group(1), found.group(2))
