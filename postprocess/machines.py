# SPDX-License-Identifier: GPL-2.0-or-later
"""What differs between the machines of two sides, and could explain a change."""

from dataclasses import dataclass

# Groups and keys of a machine's description (docs/formats.md, section 5) that change what is
# measured: their differences are warned of. A whole group stands for all of its keys.
IMPORTANT = (
    "system.hostname", "kernel.architecture", "kernel.cmdline", "kernel.config",
    "kernel.debug_options", "kernel.lsm", "cpu.model_name", "cpu.microcode", "cpu.stepping",
    "cpu.online_count", "cpu.allowed_count", "cpu.isolated_list", "cpu.nohz_full_list", "smt",
    "cpufreq.drivers", "cpufreq.governors", "cpufreq.energy_preferences", "cpufreq.max_khz",
    "cpufreq.turbo", "cpuidle", "mitigations", "clocksource.current_clocksource",
    "memory.page_size_bytes", "numa", "thp", "ksm.run", "sysctl", "virtualisation",
    "cgroup.cpu_quota_cpus", "cgroup.cpuset_cpus", "cgroup.memory_limit_bytes", "seccomp",
    "scratch.filesystem", "build", "settings.aslr",
)

# Kernels are what is compared, and these differ from one moment to the next.
IGNORED = ("kernel.release", "kernel.version", "load", "python_version", "memory.swap_used_bytes",
           "ksm.pages_sharing", "settings", "system.bios_version", "memory.total_bytes")

# Of the load: a share of time, and running tasks beyond this one, that are worth a warning.
STEAL_SHARE = 0.02
LOAD_AVERAGE = 0.5


@dataclass
class Difference:
    """values: the distinct ones of each side, as text."""

    key: str
    base: list
    candidate: list
    important: bool

    def __str__(self):
        return f"{self.key}: {' or '.join(self.base)} in base, {' or '.join(self.candidate)} in " \
               "candidate"


def _flat(value, name=""):
    """Leaves of nested objects, by dotted name."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else key)
    else:
        yield name, value


def _text(value):
    if value is None or value == [] or value == {}:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(_text, value))
    return str(value)


def _matches(key, names):
    return any(key == name or key.startswith(name + ".") for name in names)


def _values(side):
    """The distinct values of each key over a side's results, sorted."""
    found = {}
    for result in _described(side):
        described = {**result["machine"], "settings": {"aslr": result["settings"].get("aslr")}}
        for key, value in _flat(described):
            found.setdefault(key, set()).add(_text(value))
    return {key: sorted(values) for key, values in found.items()}


def _described(side):
    """The results that tell of their machine: a table does not."""
    return [result for result in side.results if result["machine"]]


def differences(base, candidate):
    """Every difference between the sides' machines, the important ones first."""
    if not _described(base) or not _described(candidate):
        return []
    one, other = _values(base), _values(candidate)
    found = []
    for key in sorted(one.keys() | other.keys()):
        before, after = one.get(key, ["nothing"]), other.get(key, ["nothing"])
        important = _matches(key, IMPORTANT)
        if before != after and (important or not _matches(key, IGNORED)):
            found.append(Difference(key, before, after, important))
    return sorted(found, key=lambda difference: not difference.important)


def table(sides):
    """Rows of the whole description of the sides' machines: (key, values of each side, whether they
    differ), those that differ first; empty where no side tells of its machine.
    """
    described = [_values(side) for side in sides]
    keys = sorted(set().union(*described))
    rows = [(key, [values.get(key, ["nothing"]) for values in described]) for key in keys]
    found = [(key, columns, any(column != columns[0] for column in columns))
             for key, columns in rows]
    return sorted(found, key=lambda row: not row[2])


def load_warnings(name, side):
    """Lines about what is not known of a side's machine, and about other work on it when its sweeps
    began.
    """
    if len(_described(side)) < len(side.results):
        yield f"{name}: a table says nothing of the machine: whether it was the same is not known"
    loads = [result["machine"].get("load") or {} for result in side.results]
    steal = max((load.get("steal_share") or 0 for load in loads), default=0)
    average = max(((load.get("averages") or [0])[0] for load in loads), default=0)
    if steal > STEAL_SHARE:
        yield f"{name}: the hypervisor gave {steal:.0%} of the wanted CPU time to others"
    if average > LOAD_AVERAGE:
        yield f"{name}: the load average was {average:g} when a sweep began"
