# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine's description: what a reader must know to judge a result or to compare two.

Everything is read from files under one root, so that a recorded copy of another machine's
/proc and /sys is described like this one. What cannot be read is None, never an error.
"""

import ctypes
import os
import platform
import re

from sweep.tree import Tree, count_cpus, integer

CPUS = "sys/devices/system/cpu/"
CPUFREQ = CPUS + "cpufreq/"
CLOCKSOURCE = "sys/devices/system/clocksource/clocksource0/"
SYSCTL = "proc/sys/kernel/"

# Options of the build that decide how often a kernel interrupts a task and what it adds to a path.
CONFIG = re.compile(r"HZ|PREEMPT(_[A-Z]+)?|NO_HZ_FULL|INIT_ON_(ALLOC|FREE)_DEFAULT_ON"
                    r"|RANDOMIZE_KSTACK_OFFSET_DEFAULT|HARDENED_USERCOPY")

# Debug options that cost so much on hot paths that they change what a measurement is about.
DEBUG_OPTIONS = """DEBUG_ATOMIC_SLEEP DEBUG_KMEMLEAK DEBUG_LOCK_ALLOC DEBUG_MUTEXES DEBUG_OBJECTS
    DEBUG_PAGEALLOC_ENABLE_DEFAULT DEBUG_PREEMPT DEBUG_RWSEMS DEBUG_SPINLOCK DEBUG_VM GCOV_KERNEL
    IRQSOFF_TRACER KASAN KCOV KCSAN KMSAN LOCK_STAT PREEMPT_TRACER PROVE_LOCKING PROVE_RCU
    SLUB_DEBUG_ON""".split()

# Name of a hypervisor, and what it leaves in the firmware's names or the list of clock sources.
HYPERVISORS = (("xen", r"\bxen\b"), ("vmware", r"\bvmware\b"), ("virtualbox", r"\bvirtualbox\b"),
               ("hyperv", r"\bmicrosoft corporation virtual machine\b|\bhyperv_clocksource"),
               ("kvm", r"\bkvm\b|\bgoogle compute engine\b|\bamazon ec2 (?!\S*metal)"),
               ("qemu", r"\bqemu\b|\bdummy-virt\b"))

# What engines call the control groups of containers, unlike those of their own services.
CONTAINER = re.compile(r"/(docker|libpod|lxc|kubepods)(?!\.service)[-/.]")

# The C library's personality() takes this for "tell, change nothing".
SAME_PERSONA = 0xffffffff
ADDR_NO_RANDOMIZE = 0x0040000


# Group of the description, reader, folder, files; the kernel's names of the files are the keys.
PLAIN = (
    ("system", Tree.text, SYSCTL, "hostname"),
    ("system", Tree.text, "sys/class/dmi/id/", "sys_vendor product_name bios_version"),
    ("system", Tree.text, "proc/device-tree/", "model"),
    ("kernel", Tree.text, "proc/", "cmdline"),
    ("kernel", Tree.text, SYSCTL, "version"),
    ("kernel", Tree.number, SYSCTL, "tainted"),
    ("kernel", Tree.text, "sys/kernel/security/", "lsm"),
    ("smt", Tree.switch, CPUS + "smt/", "active"),
    ("smt", Tree.text, CPUS + "smt/", "control"),
    ("cpuidle", Tree.text, CPUS + "cpuidle/", "current_driver current_governor"),
    ("thp", Tree.choice, "sys/kernel/mm/transparent_hugepage/", "enabled defrag shmem_enabled"),
    ("ksm", Tree.number, "sys/kernel/mm/ksm/", "run pages_sharing"),
    ("clocksource", Tree.text, CLOCKSOURCE, "current_clocksource"),
    ("clocksource", Tree.words, CLOCKSOURCE, "available_clocksource"),
    ("sysctl", Tree.number, SYSCTL, "randomize_va_space numa_balancing nmi_watchdog"),
    ("sysctl", Tree.number, SYSCTL, "perf_event_paranoid sched_autogroup_enabled"),
)


def kilobytes(text):
    """Bytes of a text such as "16 kB"; None where it is not one."""
    number, blank, _ = (text or "").partition(" kB")
    return integer(number) * 1024 if blank and integer(number) is not None else None


def distinct(values):
    """The different values that are not None, sorted."""
    return sorted({value for value in values if value is not None})


def kernel(tree):
    release = tree.text(SYSCTL + "osrelease")
    text = tree.config(release) or ""
    options = dict(re.findall(r"^CONFIG_(\w+)=(.*)$", text, re.MULTILINE))
    config = {name: value for name, value in options.items() if CONFIG.fullmatch(name)}
    debug = [name for name in DEBUG_OPTIONS if options.get(name) == "y"]
    # Kernels before 6.1 have no file for it; then only this machine can be asked otherwise.
    here = os.uname().machine if tree.here else None
    return {"release": release, "architecture": tree.text(SYSCTL + "arch") or here,
            "config": config if options else None, "debug_options": debug if options else None}


def cpu_records(tree):
    """One {field: text} per paragraph of /proc/cpuinfo, which is one per CPU on most machines."""
    paragraphs = re.split(r"\n\s*\n", tree.text("proc/cpuinfo") or "")
    return [dict(re.findall(r"^([^:\n]*?)[ \t]*:[ \t]*(.*?)[ \t]*$", text, re.MULTILINE))
            for text in paragraphs]


def cpu(tree, records):
    def field(*names):
        for name in names:
            values = distinct(record.get(name) or None for record in records)
            if values:
                return ", ".join(values)
        return None

    allowed = tree.fields("proc/self/status").get("Cpus_allowed_list")
    return {
        "vendor": field("vendor_id", "CPU implementer"),
        "model_name": field("model name", "Model Name", "cpu model", "cpu", "uarch"),
        "family": field("cpu family", "CPU architecture"),
        "model": field("model", "CPU part"),
        "variant": field("CPU variant"),
        "stepping": field("stepping", "CPU revision"),
        "microcode": field("microcode"),
        "online_count": count_cpus(tree.text(CPUS + "online")),
        "possible_count": count_cpus(tree.text(CPUS + "possible")),
        "allowed_count": count_cpus(allowed),
        "allowed_list": allowed if count_cpus(allowed) else None,
        "isolated_list": tree.cpus(CPUS + "isolated"),
        "nohz_full_list": tree.cpus(CPUS + "nohz_full"),
    }


def cpufreq(tree):
    """What sets the clock; arrays hold the distinct values of all CPUs, sorted."""
    policies = [f"{CPUFREQ}{name}/" for name in tree.names(CPUFREQ, r"policy\d+")]

    def values(reader, name):
        return distinct(reader(tree, policy + name) for policy in policies)

    switches = [CPUS + "intel_pstate/no_turbo", CPUFREQ + "boost", *(p + "boost" for p in policies)]
    file = next((name for name in switches if tree.switch(name) is not None), None)
    inverted = file == switches[0]
    return {
        "drivers": values(Tree.text, "scaling_driver"),
        "governors": values(Tree.text, "scaling_governor"),
        "energy_preferences": values(Tree.text, "energy_performance_preference"),
        "min_khz": values(Tree.number, "scaling_min_freq"),
        "max_khz": values(Tree.number, "scaling_max_freq"),
        "hardware_max_khz": values(Tree.number, "cpuinfo_max_freq"),
        "turbo": tree.switch(file) != inverted if file else None,
        "turbo_file": "/" + file if file else None,
    }


def memory(tree):
    info = tree.fields("proc/meminfo")
    total, free = kilobytes(info.get("SwapTotal")), kilobytes(info.get("SwapFree"))
    return {
        "total_bytes": kilobytes(info.get("MemTotal")),
        "page_size_bytes": kilobytes(tree.fields("proc/self/smaps").get("KernelPageSize")),
        "swap_total_bytes": total,
        "swap_used_bytes": None if None in (total, free) else total - free,
    }


def numa_node(tree, name):
    folder = f"sys/devices/system/node/{name}/"
    number = int(name[len("node"):])
    total = tree.fields(folder + "meminfo").get(f"Node {number} MemTotal")
    return {"node": number, "cpus": tree.cpus(folder + "cpulist"), "total_bytes": kilobytes(total)}


def virtualisation(tree, records):
    """Whether this is a guest (None: cannot be told), of what, and the kind of container."""
    files = ("sys/hypervisor/type", "sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name",
             "proc/device-tree/compatible", "proc/device-tree/hypervisor/compatible",
             CLOCKSOURCE + "available_clocksource")
    hints = " ".join(tree.text(file) or "" for file in files).lower()
    hypervisor = next((name for name, hint in HYPERVISORS if re.search(hint, hints)), None)
    guest = True if hypervisor else None
    if "flags" in records[0] and not tree.text("sys/hypervisor/type"):
        # x86 tells every guest so; a vendor's name alone may stand on a real machine.
        guest = "hypervisor" in records[0]["flags"].split()
    group = CONTAINER.search(tree.text("proc/self/cgroup") or "")
    marks = (("run/.containerenv", "podman"), (".dockerenv", "docker"))
    container = next((name for file, name in marks if tree.exists(file)),
                     tree.text("run/systemd/container") or (group.group(1) if group else None))
    return {"guest": guest, "hypervisor": hypervisor if guest else None, "container": container}


def mounts(tree):
    """One object per readable line of /proc/self/mountinfo, in the order of mounting."""
    def unescape(text):
        return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal.group(1), 8)), text)

    lines = re.findall(r"^\S+ \S+ \S+ (\S+) (\S+) (\S+) .*?- (\S+) \S* (\S+)$",
                       tree.text("proc/self/mountinfo") or "", re.MULTILINE)
    return [{"root": unescape(root), "point": unescape(point), "filesystem": filesystem,
             "options": list(dict.fromkeys(f"{options},{more}".split(",")))}
            for root, point, options, filesystem, more in lines]


def below(path, folder):
    """What of an absolute path is below a folder: "" for itself, "/x"; None if it is not."""
    folder = folder.rstrip("/")
    return path[len(folder):].rstrip("/") if (path + "/").startswith(folder + "/") else None


def scratch_mount(tree, path):
    """The file system that holds a path; None where it is not known."""
    real = tree.real(path)
    holders = [mount for mount in mounts(tree) if below(real, mount["point"]) is not None]
    # Of several mounted on one folder the last hides the others.
    mount = max(reversed(holders), key=lambda mount: len(mount["point"]), default=None)
    return mount and {"mount_point": mount["point"], "filesystem": mount["filesystem"],
                      "options": ",".join(mount["options"])}


def group_folders(tree, controller):
    """(hierarchy's version, folders of this process's groups for a controller, innermost first)."""
    paths = {}
    for line in (tree.text("proc/self/cgroup") or "").splitlines():
        controllers, _, path = line.partition(":")[2].partition(":")
        paths.update(dict.fromkeys(controllers.split(","), path))
    # A controller that version 1 has taken is not in version 2's hierarchy, which has no name.
    version, key = (1, controller) if controller in paths else (2, "")
    for mount in mounts(tree):
        if mount["filesystem"] == ("cgroup" if version == 1 else "cgroup2") and key in paths and (
                version == 2 or controller in mount["options"]):
            # From inside a container the mount may begin at the group, or the group be outside.
            steps = (below(paths[key], mount["root"]) or "").split("/")
            depths = range(1 if ".." in steps else len(steps), 0, -1)
            return version, [mount["point"][1:] + "/".join(steps[:depth]) for depth in depths]
    return None, []


def cpu_quota(tree, folder):
    """CPUs' worth of time that a group may use in a period; None without a limit."""
    files = ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us")
    words = (word for file in files for word in tree.words(f"{folder}/{file}"))
    numbers = [integer(word) or 0 for word in words]
    return numbers[0] / numbers[1] if len(numbers) == 2 and min(numbers) > 0 else None


def memory_limit(tree, folder):
    sizes = distinct(tree.number(f"{folder}/memory.{name}")
                     for name in ("max", "high", "limit_in_bytes"))
    # Version 1 writes "no limit" as the largest number of whole pages.
    return sizes[0] if sizes and sizes[0] < 1 << 62 else None


def cgroup(tree):
    """The tightest limits of this process's control groups and of those above them."""
    def pids_limit(tree, folder):
        return tree.number(folder + "/pids.max")

    found = {"version": group_folders(tree, "cpu")[0]}
    for controller, key, limit in (("cpu", "cpu_quota_cpus", cpu_quota),
                                   ("memory", "memory_limit_bytes", memory_limit),
                                   ("pids", "pids_limit", pids_limit)):
        limits = ((limit(tree, folder), "/" + folder)
                  for folder in group_folders(tree, controller)[1])
        found[key], found[controller + "_group"] = min(
            (pair for pair in limits if pair[0] is not None), default=(None, None))
    for kind in ("cpus", "mems"):
        lists = [tree.cpus(f"{folder}/cpuset.{name}")
                 for folder in group_folders(tree, "cpuset")[1]
                 for name in (f"{kind}.effective", f"effective_{kind}", kind)]
        found["cpuset_" + kind] = next(filter(None, lists), None)
    return found


def cpu_ticks(tree):
    """Ticks of the whole machine since boot, as /proc/stat counts them; None if not readable."""
    names = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
    ticks = [integer(word) for word in tree.words("proc/stat")[1:9]]
    return dict(zip(names, ticks)) if len(ticks) == 8 and None not in ticks else None


def steal_share(ticks):
    """Of the time that CPUs were wanted, the part that the hypervisor gave to others: 0 to 1."""
    wanted = ticks and sum(ticks.values()) - ticks["idle"] - ticks["iowait"]
    return round(ticks["steal"] / wanted, 5) if wanted else None


def load(tree):
    found = re.match(r"(\d{1,9}\.\d\d) (\d{1,9}\.\d\d) (\d{1,9}\.\d\d) (\d{1,9})/",
                     tree.text("proc/loadavg") or "")
    uptime = re.match(r"\d{1,12}\.\d\d", tree.text("proc/uptime") or "")
    return {"averages": [float(number) for number in found.groups()[:3]] if found else None,
            "running_tasks": int(found.group(4)) if found else None,
            "uptime_s": float(uptime.group()) if uptime else None,
            "steal_share": steal_share(cpu_ticks(tree))}


def describe(root="/", scratch=None):
    """The description of docs/formats.md, section 5; scratch is the scratch folder's path."""
    return of_tree(Tree(root), scratch)


def of_tree(tree, scratch):
    """As describe()."""
    records = cpu_records(tree)
    description = {"kernel": kernel(tree)}
    for group, read, folder, files in PLAIN:
        description.setdefault(group, {}).update(
            (file, read(tree, folder + file)) for file in files.split())
    seccomp = tree.fields("proc/self/status").get("Seccomp")
    folder = CPUS + "vulnerabilities"
    return {
        **description,
        "cpu": cpu(tree, records),
        "cpufreq": cpufreq(tree),
        "mitigations": {name: tree.text(f"{folder}/{name}") for name in tree.names(folder, r"\w+")},
        "memory": memory(tree),
        "numa": [numa_node(tree, name)
                 for name in tree.names("sys/devices/system/node", r"node\d+")],
        "virtualisation": virtualisation(tree, records),
        "cgroup": cgroup(tree),
        "seccomp": {"0": "off", "1": "strict", "2": "filter"}.get(seccomp),
        "load": load(tree),
        "scratch": scratch_mount(tree, scratch) if scratch else None,
        "python_version": platform.python_version(),
    }


def build(version_text):
    """A program's --version as an object; a key that the text lacks is None."""
    known = dict.fromkeys(("opscale", "compiler", "flags", "libc", "hwloc"))
    pairs = (line.partition(":") for line in version_text.splitlines())
    return {**known, **{key.strip(): text.strip() for key, colon, text in pairs if colon}}


def aslr_off():
    """Turn address space randomisation off for the programs that this thread starts from now on.

    False where the system refuses, as the filters of container engines do, or cannot do it.
    """
    try:
        personality = ctypes.CDLL(None, use_errno=True).personality
    except (OSError, AttributeError):
        return False
    personality.argtypes = [ctypes.c_ulong]
    present = personality(SAME_PERSONA)
    changed = present != -1 and personality(present | ADDR_NO_RANDOMIZE) != -1
    return changed and bool(personality(SAME_PERSONA) & ADDR_NO_RANDOMIZE)
