# SPDX-License-Identifier: GPL-2.0-or-later
"""What on this machine will disturb a measurement, why, and what to do about it."""

import os
import re
import textwrap
import time
import typing

from sweep import machine
from sweep.tree import Tree

WIDTH = 100
# A CPU that others use for this part of the time, or this part of all CPUs, is worth a warning.
BUSY_CPUS, BUSY_SHARE = 0.1, 0.001
# Parts of the time that a guest waited for its CPUs: of the wanted time since boot, of a second.
STEAL_SINCE_BOOT, STEAL_NOW = 0.005, 0.02
STEADY_GOVERNORS = {"performance", "userspace"}
SLOW_CLOCKS = {"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"}
IN_MEMORY = {"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"}
NETWORKED = re.compile(r"nfs\d?|cifs|smb3?|9p|ceph|afs|lustre|glusterfs|virtiofs|fuse\.sshfs")
CHECKS = []


class Finding(typing.NamedTuple):
    """severity: "ok", "unknown", "note" (keep it equal on both sides) or "warning" (it makes
    rates vary); why and remedy are there for the last two."""

    subject: str
    severity: str
    found: str
    why: str = ""
    remedy: str = ""


def subject(name):
    """Registers a check(description, sampled) -> fields of a Finding after the subject."""
    def register(check):
        CHECKS.append((name, check))
        return check
    return register


def settled(value, found):
    """Nothing to warn of; unknown where the value that it rests on is None."""
    return ("unknown", "not reported") if value is None else ("ok", found)


def size(count):
    """Bytes as a reader likes them: 1536 MiB, 24 GiB."""
    return f"{count / 2**20:.0f} MiB" if count < 1 << 32 else f"{count / 2**30:.0f} GiB"


def cpus(description):
    return description["cpu"]["online_count"] or description["cpu"]["allowed_count"] or 1


@subject("governor")
def governor(description, _):
    clock = description["cpufreq"]
    if not clock["governors"]:
        return settled(None, "")
    found = f"{', '.join(clock['governors'])} ({', '.join(clock['drivers'])})"
    if len(clock["max_khz"]) == 1 and clock["min_khz"] == clock["max_khz"]:
        return "ok", f"{found}, held at {clock['max_khz'][0] / 1e6:.2f} GHz"
    if STEADY_GOVERNORS.issuperset(clock["governors"]):
        return "ok", found
    return ("warning", found,
            "The clock follows the load: a rate depends on what the CPU did just before.",
            "cpupower frequency-set -g performance")


@subject("turbo")
def turbo(description, _):
    enabled, file = description["cpufreq"]["turbo"], description["cpufreq"]["turbo_file"]
    if not enabled:
        return settled(enabled, "off")
    value = 1 if file.endswith("no_turbo") else 0
    return ("warning", "on",
            "A core's clock depends on how many are busy and on how warm they are: the curve "
            "bends even where the kernel scales.",
            f"echo {value} | tee {re.sub('policy[0-9]+', 'policy*', file)}")


@subject("SMT")
def smt(description, _):
    active, control = description["smt"]["active"], description["smt"]["control"]
    if not active:
        return settled(active, "off")
    switch = "echo off > /sys/devices/system/cpu/smt/control, or " if control == "on" else ""
    return ("note", "on",
            "Tasks on one core share its units, and whatever runs beside a task slows it down.",
            switch + "stay within the number of cores, where each task has one of its own")


@subject("CPUs")
def cpu_count(description, _):
    count = description["cpu"]["online_count"]
    if count is None or count >= 4:
        return settled(count, f"{count} online")
    return ("note", f"{count} online",
            "So few points make no curve, and the largest count leaves no CPU for the rest of "
            "the system.", "compare kernels here, judge scaling on a larger machine")


@subject("CPU set")
def cpu_set(description, _):
    allowed, online = description["cpu"]["allowed_count"], description["cpu"]["online_count"]
    if None in (allowed, online) or allowed >= online:
        return settled(allowed and online, "all CPUs")
    return ("note", f"{description['cpu']['allowed_list']}: {allowed} of {online} CPUs",
            "Tasks are placed on these only; a larger count shares them.",
            f"taskset -pc 0-{online - 1} $$, or the group's cpuset, if that is not meant")


@subject("CPU quota")
def cpu_quota(description, _):
    limits = description["cgroup"]
    quota, group = limits["cpu_quota_cpus"], limits["cpu_group"]
    if quota is None or quota >= cpus(description):
        return settled(limits["version"], f"{quota:g} CPUs, which is all" if quota else "none")
    lift = "echo -1 > {}/cpu.cfs_quota_us" if limits["version"] == 1 else "echo max > {}/cpu.max"
    return ("warning", f"{quota:g} of {cpus(description)} CPUs' time",
            "Once the tasks have used it up, all of them stand still until the next period.",
            lift.format(group) + " (for a container: start it without --cpus)")


@subject("memory limit")
def memory_limit(description, _):
    limits, total = description["cgroup"], description["memory"]["total_bytes"]
    limit, group = limits["memory_limit_bytes"], limits["memory_group"]
    if limit is None or limit >= (total or limit):
        return settled(limits["version"], "none")
    lift = ("echo -1 > {}/memory.limit_in_bytes" if limits["version"] == 1
            else "echo max | tee {0}/memory.max {0}/memory.high")
    return ("note", f"{size(limit)} of {size(total)}",
            "The page cache and the scratch files count too; close to the limit the kernel "
            "reclaims memory while it is being measured.", lift.format(group))


@subject("task limit")
def task_limit(description, _):
    limit, group = description["cgroup"]["pids_limit"], description["cgroup"]["pids_group"]
    if limit is None or limit >= 4 * cpus(description):
        return settled(description["cgroup"]["version"], f"{limit} tasks" if limit else "none")
    return ("warning", f"{limit} tasks",
            "A run needs a task or two for each CPU and some more; it is refused beyond the limit.",
            f"echo max > {group}/pids.max (for a container: a larger --pids-limit)")


@subject("load")
def load(description, sampled):
    averages, busy = description["load"]["averages"], sampled.get("busy_share")
    if busy is not None:
        used, found = busy * cpus(description), f"{busy * cpus(description):.2f} CPUs busy"
    elif averages:
        used, found = averages[0], f"load average {averages[0]:.2f}"
    else:
        return settled(None, "")
    if used < max(BUSY_CPUS, BUSY_SHARE * cpus(description)):
        return "ok", found
    others = [f"{process['name']} (pid {process['pid']}, {process['cpus']:.2f} CPUs)"
              for process in sampled.get("busiest", ())]
    return ("warning", found,
            "Others take time and cache from the tasks, most where every CPU has a task.",
            "stop what need not run: " + ", ".join(others + ["see top for more"]))


@subject("steal time")
def steal(description, sampled):
    share, now = description["load"]["steal_share"], sampled.get("steal_share")
    found = ", ".join(f"{100 * part:.2f} % {when}" for part, when in (
        (share, "of the wanted time since boot"), (now, "just now")) if part is not None)
    if (share or 0) < STEAL_SINCE_BOOT and (now or 0) < STEAL_NOW:
        return settled(share, found)
    return ("warning", found,
            "The host ran others while tasks wanted to run: rates drop, each round differently.",
            "virsh vcpupin DOMAIN CPU HOSTCPU on the host, for each CPU one of its own; in a "
            "cloud, take an instance with dedicated CPUs")


@subject("virtual machine")
def virtual_machine(description, _):
    place = description["virtualisation"]
    container = f" (in a {place['container']} container)" if place["container"] else ""
    if not place["guest"]:
        return settled(place["guest"], "no" + container)
    return ("note", f"yes, {place['hypervisor'] or 'of an unknown hypervisor'}{container}",
            "The host decides on clock and placement, and faults and interrupts cost more than on "
            "the machine itself.",
            "compare only within one guest, and give it CPUs of its own")


@subject("THP")
def thp(description, _):
    pages = description["thp"]
    if pages["enabled"] != "always":
        return settled(pages["enabled"], pages["enabled"])
    return ("note", f"always (defrag {pages['defrag']})",
            "A task gets huge pages if memory is unfragmented just then, and khugepaged makes more "
            "in the background: page faults and memory testcases vary.",
            "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled")


@subject("NUMA balancing")
def numa_balancing(description, _):
    value = description["sysctl"]["numa_balancing"]
    if not value or len(description["numa"]) < 2:
        return settled(value, "on, but there is one node" if value else "off")
    return ("warning", "on", "The kernel unmaps pages to see who uses them and moves them between "
            "nodes: faults that no testcase asked for.", "sysctl kernel.numa_balancing=0")


@subject("KSM")
def ksm(description, _):
    run = description["ksm"]["run"]
    if run != 1:
        return settled(run, "off")
    return ("note", "on", "ksmd uses CPU time and memory bandwidth to look for equal pages.",
            "echo 0 > /sys/kernel/mm/ksm/run")


@subject("swap")
def swap(description, _):
    used = description["memory"]["swap_used_bytes"]
    if not used:
        return settled(used, "nothing swapped out")
    return ("note", f"{size(used)} in use",
            "Memory was short; what comes back from swap waits for a disk.",
            "swapoff -a && swapon -a, with enough memory free")


@subject("ASLR")
def aslr(description, sampled):
    value = description["sysctl"]["randomize_va_space"]
    if not value:
        return settled(value, "off")
    if sampled.get("aslr_off", True):
        return "ok", "on; runtest.py turns it off for its runs"
    return ("warning", "on, and it cannot be turned off from here",
            "Every run gets other addresses, so other conflicts in caches: runs differ more.",
            "sysctl kernel.randomize_va_space=0, or start a container with --security-opt "
            "seccomp=unconfined")


@subject("seccomp")
def seccomp(description, _):
    mode = description["seccomp"]
    if mode in (None, "off"):
        return settled(mode, "no filter")
    return ("warning", mode, "A filter looks at every system call before the kernel does it.",
            "start a container with --security-opt seccomp=unconfined, else without the sandbox")


@subject("clock source")
def clock_source(description, _):
    clocks = description["clocksource"]
    current = clocks["current_clocksource"]
    if current not in SLOW_CLOCKS:
        return settled(current, current)
    tsc = "tsc" in clocks["available_clocksource"]
    return ("warning", current,
            "Reading the time is a system call and slow: testcases that read it measure the "
            "clock's hardware.",
            f"echo tsc > /{machine.CLOCKSOURCE}current_clocksource" if tsc
            else "dmesg | grep -i -e tsc -e clocksource tells why the kernel does without the TSC")


@subject("NMI watchdog")
def nmi_watchdog(description, _):
    value = description["sysctl"]["nmi_watchdog"]
    if not value:
        return settled(value, "off")
    return ("note", "on", "It interrupts busy CPUs every few seconds and mostly holds one of each "
            "CPU's hardware counters.", "sysctl kernel.nmi_watchdog=0")


@subject("debug options")
def debug_options(description, _):
    options = description["kernel"]["debug_options"]
    if not options:
        return settled(options, "none")
    disable = " ".join(f"-d {option}" for option in options)
    return ("warning", ", ".join(options),
            "This kernel checks itself on hot paths: its rates say little about one that does not.",
            f"scripts/config {disable} && make olddefconfig, and build again")


@subject("mitigations")
def mitigations(description, _):
    texts = description["mitigations"].values()
    active = sum((text or "").startswith("Mitigation") for text in texts)
    if not active:
        return settled(active if texts else None, "none active")
    return ("note", f"{active} active", "They are part of the way into the kernel and so of what "
            "is measured.", "give both sides the same microcode and the same mitigations= option")


@subject("scratch")
def scratch(description, _):
    place = description["scratch"]
    found = place and f"{place['filesystem']} on {place['mount_point']}"
    if place is None or place["filesystem"] in IN_MEMORY:
        return settled(place, found)
    device = "network" if NETWORKED.fullmatch(place["filesystem"]) else "disk"
    return ("warning", found,
            f"File testcases also measure the {device}, and writes go on in the background.",
            "runtest.py --dir /dev/shm, unless that file system is what you measure")


def examine(description, sampled=None):
    """One Finding per subject, those that are fine or not known too; sampled as of sample()."""
    return [Finding(name, *check(description, sampled or {})) for name, check in CHECKS]


def findings(description, sampled=None):
    """The warnings and notes of examine()."""
    return [found for found in examine(description, sampled)
            if found.severity in ("warning", "note")]


def shares(first, last):
    """busy_share and steal_share of the machine's time between two cpu_ticks, None if not known."""
    spent = {name: last[name] - first[name] for name in first} if first and last else {}
    total = sum(spent.values())
    if total <= 0:
        return {"busy_share": None, "steal_share": None}
    away = spent["idle"] + spent["iowait"] + spent["steal"]
    return {"busy_share": (total - away) / total, "steal_share": spent["steal"] / total}


def process_ticks(tree):
    """{(pid, name): CPU time in ticks} of all processes but this one."""
    found = {}
    for pid in tree.names("proc", r"\d+"):
        # A name may hold blanks and parentheses; after it come the state and ten other fields.
        stat = re.match(r"\d+ \((.*)\) \S(?: -?\d+){10} (\d{1,20}) (\d{1,20}) ",
                        tree.text(f"proc/{pid}/stat") or "", re.DOTALL)
        if stat and int(pid) != os.getpid():
            found[int(pid), stat.group(1)] = int(stat.group(2)) + int(stat.group(3))
    return found


def busiest(first, last, seconds, count=3):
    """The processes that used most CPU time between two process_ticks, in CPUs, most first."""
    per_cpu = seconds * os.sysconf("SC_CLK_TCK")
    used = sorted(((ticks - first.get(key, 0)) / per_cpu, key) for key, ticks in last.items())
    return [{"pid": pid, "name": name, "cpus": round(share, 2)}
            for share, (pid, name) in reversed(used[-count:]) if share >= 0.01]


def sample(seconds, root="/"):
    """What others do in the meantime: busy_share, steal_share (0 to 1, of all CPUs), busiest."""
    tree = Tree(root)
    # Reading all processes costs CPU time itself, so it stays outside the two readings of ticks.
    start, processes = time.monotonic(), process_ticks(tree)
    first = machine.cpu_ticks(tree)
    time.sleep(seconds)
    last = machine.cpu_ticks(tree)
    after = process_ticks(tree)
    elapsed = time.monotonic() - start
    return {**shares(first, last), "busiest": busiest(processes, after, elapsed)}


def heading(description):
    """One line that says which machine this is."""
    kernel, total = description["kernel"], description["memory"]["total_bytes"]
    parts = (description["system"]["hostname"], kernel["release"] and f"Linux {kernel['release']}",
             kernel["architecture"], description["cpu"]["model_name"],
             f"{cpus(description)} CPUs", total and size(total))
    return ", ".join(part for part in parts if part)


def report(description, sampled=None):
    """The text of --check-machine: a line per subject, under a finding why and what to do."""
    found = examine(description, sampled)
    name = max(len(finding.subject) for finding in found)
    lines = textwrap.wrap(heading(description), WIDTH) + [""]
    for finding in found:
        start = f"{finding.subject:{name}}  {finding.severity.replace('unknown', '-'):7}  "
        blank = " " * len(start)
        for first, text, more in ((start, finding.found, blank), (blank, finding.why, blank),
                                  (blank + "-> ", finding.remedy, blank + "   ")):
            lines += textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=more,
                                   break_long_words=False, break_on_hyphens=False)
    counts = [sum(finding.severity == severity for finding in found)
              for severity in ("warning", "note", "ok", "unknown")]
    summary = ("warnings: {} (rates vary), notes: {} (keep equal on both sides), fine: {}, "
               "not reported: {}").format(*counts)
    return "\n".join([*lines, "", summary])


def main(scratch):
    """Print the report on this machine; scratch is the path of the folder for scratch files."""
    sampled = dict(sample(1.0), aslr_off=machine.aslr_off())
    print(report(machine.describe(scratch=scratch), sampled))
    return 0
