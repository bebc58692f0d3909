# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine's description and what it finds to disturb a measurement, here and on machines/.

machines/NAME.tree holds the files of a machine that matter, as `cd /; tail -n +1 FILE...` prints
them, NAME.json the description that they must give.
"""

import ctypes
import gzip
import json
import os
import platform
import re
import subprocess
import sys
import unittest
from unittest import mock

import suite
import tap
from sweep import disturbance, machine
from sweep.tree import Tree

MACHINES = os.path.join(suite.SOURCE, "check", "machines")

# Where each machine's scratch folder is, and what is to be found there: warnings, notes.
SCRATCH = {"board": "/mnt/my disk/scratch", "clean": "/dev/shm", "container": "/tmp",
           "damaged": "/tmp", "desktop": "/dev/shm/opscale", "guest": "/mnt/share",
           "nested": "/dev/shm", "server": "/home/user/bench"}
FINDINGS = {
    "board": (["scratch"], ["mitigations"]),
    "clean": ([], []),
    "container": (["CPU quota", "task limit", "seccomp", "scratch"], ["CPU set", "memory limit"]),
    "damaged": ([], []),
    "desktop": (["governor", "turbo", "load", "clock source"], ["SMT", "KSM", "mitigations"]),
    "guest": (["steal time", "scratch"], ["CPUs", "virtual machine", "mitigations"]),
    "nested": (["turbo", "CPU quota", "debug options"], ["memory limit", "mitigations"]),
    "server": (["governor", "turbo", "NUMA balancing", "scratch"],
               ["SMT", "THP", "swap", "NMI watchdog", "mitigations"]),
}
REMEDIES = {
    ("server", "governor"): "cpupower frequency-set -g performance",
    ("server", "turbo"): "echo 1 | tee /sys/devices/system/cpu/intel_pstate/no_turbo",
    ("desktop", "turbo"): "echo 0 | tee /sys/devices/system/cpu/cpufreq/boost",
    ("nested", "turbo"): "echo 0 | tee /sys/devices/system/cpu/cpufreq/policy*/boost",
    ("server", "SMT"): "echo off > /sys/devices/system/cpu/smt/control",
    ("container", "CPU quota"): "echo -1 > /sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us",
    ("nested", "CPU quota"): "echo max > /sys/fs/cgroup/kubepods.slice/pod7/cpu.max",
    ("container", "memory limit"): "echo -1 > /sys/fs/cgroup/memory/memory.limit_in_bytes",
    ("nested", "memory limit"): "/sys/fs/cgroup/kubepods.slice/pod7/runner/memory.high",
    ("container", "CPU set"): "taskset -pc 0-15 $$",
    ("container", "task limit"): "echo max > /sys/fs/cgroup/pids/job/pids.max",
    ("desktop", "clock source"): "dmesg",
    ("nested", "debug options"): "scripts/config -d DEBUG_LOCK_ALLOC -d KASAN",
    ("guest", "scratch"): "runtest.py --dir /dev/shm",
}

UNAME26 = 0x0020000
PERSONALITY_CALL = {"x86_64": 135, "aarch64": 92}


def files(name):
    """{path: text} of a recorded machine."""
    with open(os.path.join(MACHINES, name + ".tree"), encoding="utf-8") as file:
        parts = re.split(r"^==> (.+) <==\n", file.read(), flags=re.MULTILINE)[1:]
    return {path: text.rstrip("\n") + "\n" for path, text in zip(parts[::2], parts[1::2])}


def plant(root, contents):
    """Write {path: text or bytes} below a folder."""
    for path, content in contents.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())


def python(text):
    """Run a program that may import sweep."""
    return suite.run(sys.executable, "-c", text, env=dict(os.environ, PYTHONPATH=suite.SOURCE))


class Recorded(suite.TestCase):
    def describe(self, name, **changes):
        """Description of a recorded machine, some of its files replaced."""
        root = os.path.join(self.folder, str(len(os.listdir(self.folder))))
        plant(root, {**files(name), **changes})
        return machine.describe(root, SCRATCH[name])

    def test_descriptions(self):
        self.assertEqual(sorted(SCRATCH), sorted(
            name[:-5] for name in os.listdir(MACHINES) if name.endswith(".tree")))
        for name in SCRATCH:
            with self.subTest(name), open(os.path.join(MACHINES, name + ".json"),
                                          encoding="utf-8") as file:
                found = self.describe(name)
                self.assertEqual(found.pop("python_version"), platform.python_version())
                self.maxDiff = None
                self.assertEqual(found, json.load(file))

    def test_findings(self):
        for name, expected in FINDINGS.items():
            found = disturbance.findings(self.describe(name))
            for severity, subjects in zip(("warning", "note"), expected):
                with self.subTest(name, severity=severity):
                    self.assertEqual(subjects, [finding.subject for finding in found
                                                if finding.severity == severity])
            self.assertTrue(all(finding.why and finding.remedy for finding in found), found)

    def test_remedies(self):
        for (name, subject), remedy in REMEDIES.items():
            with self.subTest(name, subject=subject):
                found = {finding.subject: finding
                         for finding in disturbance.findings(self.describe(name))}
                self.assertIn(remedy, found[subject].remedy)

    def test_configuration_of_the_running_kernel_comes_first(self):
        packed = gzip.compress(b"CONFIG_HZ=100\nCONFIG_KCSAN=y\n")
        found = self.describe("server", **{"proc/config.gz": packed})["kernel"]
        self.assertEqual((found["config"], found["debug_options"]), ({"HZ": "100"}, ["KCSAN"]))
        for damaged in (packed[:-12], packed[:10] + b"\xff" * 20, b"\x1f\x8b"):
            found = self.describe("server", **{"proc/config.gz": damaged})["kernel"]
            self.assertEqual(found["config"]["HZ"], "250")

    def test_virtual_machines(self):
        vendor, product = "sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name"
        clocks = machine.CLOCKSOURCE + "available_clocksource"
        for texts, hypervisor in (
                ({clocks: "tsc"}, "qemu"),
                ({vendor: "VMware, Inc.", clocks: "tsc"}, "vmware"),
                ({vendor: "innotek GmbH", product: "VirtualBox", clocks: "tsc"}, "virtualbox"),
                ({vendor: "Microsoft Corporation", product: "Virtual Machine",
                  clocks: "hyperv_clocksource_tsc_page"}, "hyperv"),
                ({vendor: "Amazon EC2", product: "m7i.large", clocks: "tsc"}, "kvm"),
                ({"sys/hypervisor/type": "xen", clocks: "xen tsc"}, "xen"),
                ({vendor: "Somebody", product: "Cloud", clocks: "tsc"}, None)):
            with self.subTest(hypervisor):
                found = self.describe("guest", **texts)["virtualisation"]
                self.assertEqual((found["guest"], found["hypervisor"]), (True, hypervisor))
        # The same firmware's names without the CPU's flag, and on a CPU that has no such flag.
        found = self.describe("clean", **{vendor: "Amazon EC2", product: "m7i.large"})
        self.assertIs(found["virtualisation"]["guest"], False)
        for name, guest in (("m7g.large", True), ("m7g.metal-48xl", None)):
            found = self.describe("board", **{vendor: "Amazon EC2", product: name})
            self.assertIs(found["virtualisation"]["guest"], guest)

    def test_containers(self):
        group = "proc/self/cgroup"
        for change, container in (
                ({"run/.containerenv": ""}, "podman"), ({".dockerenv": ""}, "docker"),
                ({"run/systemd/container": "systemd-nspawn\n"}, "systemd-nspawn"),
                ({group: "0::/system.slice/docker-4f2d8a0c.scope\n"}, "docker"),
                ({group: "0::/lxc.payload.web/init.scope\n"}, "lxc"),
                ({group: "0::/system.slice/docker.service\n"}, None)):
            with self.subTest(container):
                found = self.describe("clean", **change)["virtualisation"]
                self.assertEqual(found["container"], container)

    def test_group_outside_the_mount_is_looked_for_at_the_mount(self):
        changes = {"proc/self/cgroup": "0::/../../elsewhere\n", "sys/elsewhere/cpu.max": "1 9\n",
                   "sys/fs/cgroup/cpu.max": "50000 100000\n"}
        found = self.describe("clean", **changes)["cgroup"]
        self.assertEqual((found["cpu_quota_cpus"], found["cpu_group"]), (0.5, "/sys/fs/cgroup"))

    def test_no_file_makes_it_fail(self):
        """Each file of some machines emptied, filled with garbage, absent, or a folder."""
        shape = keys(self.describe("clean"))
        for name in ("server", "container", "nested", "damaged"):
            root = os.path.join(self.folder, name)
            plant(root, files(name))
            for path, content in files(name).items():
                file = os.path.join(root, path)
                for damage in (b"", b"\0\xff\xfe[\x80] 9:\n", b"9" * 5000, b"0::/\0/c\n- - -",
                               os.remove, os.mkdir):
                    if isinstance(damage, bytes):
                        plant(root, {path: damage})
                    else:
                        damage(file)
                    found = machine.describe(root, "/dev/shm")
                    self.assertEqual(keys(found), shape, (name, path, damage))
                    disturbance.report(json.loads(json.dumps(found, allow_nan=False)))
                os.rmdir(file)
                plant(root, {path: content})
        self.assertEqual(keys(machine.describe(os.path.join(self.folder, "nowhere"), "/x")), shape)


def keys(description):
    """Its keys; not those of objects that are as large as the machine has things."""
    return {name: sorted(value) if isinstance(value, dict) and name != "mitigations" and
            name != "scratch" else None for name, value in description.items()}


class Sampled(suite.TestCase):
    IDLE = {"busy_share": 0.0, "steal_share": 0.0, "busiest": [], "aslr_off": True}

    def findings(self, **sampled):
        plant(self.folder, files("clean"))
        described = machine.describe(self.folder, "/dev/shm")
        return disturbance.findings(described, {**self.IDLE, **sampled})

    def test_idle(self):
        self.assertEqual(self.findings(busy_share=0.0015), [], "less than 0.1 of 64 CPUs")

    def test_load(self):
        compiler = {"pid": 7, "name": "cc1", "cpus": 0.98}
        found, = self.findings(busy_share=0.0156, busiest=[compiler])
        self.assertEqual((found.subject, found.severity, found.found),
                         ("load", "warning", "1.00 CPUs busy"))
        self.assertIn("cc1 (pid 7, 0.98 CPUs)", found.remedy)

    def test_steal(self):
        found, = self.findings(steal_share=0.03)
        self.assertEqual((found.subject, found.severity), ("steal time", "warning"))
        self.assertIn("3.00 % just now", found.found)

    def test_aslr_that_cannot_be_turned_off(self):
        found, = self.findings(aslr_off=False)
        self.assertEqual((found.subject, found.severity), ("ASLR", "warning"))

    def test_shares(self):
        first = {"user": 100, "nice": 0, "system": 50, "idle": 800, "iowait": 50, "irq": 0,
                 "softirq": 0, "steal": 10}
        last = {"user": 130, "nice": 10, "system": 58, "idle": 930, "iowait": 60, "irq": 1,
                "softirq": 1, "steal": 20}
        self.assertEqual(disturbance.shares(first, last), {"busy_share": 0.25, "steal_share": 0.05})
        for pair in ((first, first), (None, last), (first, None)):
            self.assertEqual(set(disturbance.shares(*pair).values()), {None})

    def test_processes(self):
        rest = " S 1 7 7 0 -1 4194560 120 0 0 0 {} {} 0 0 20 0 1 0 300 0 0\n"
        plant(self.folder, {"proc/7/stat": "7 (a) (b c)" + rest.format(40, 2),
                            "proc/12/stat": "12 (kworker/0:1)" + rest.format(0, 0),
                            "proc/13/stat": "13 (cut", "proc/14/status": "", "proc/x/stat": "x"})
        found = disturbance.process_ticks(Tree(self.folder))
        self.assertEqual(found, {(7, "a) (b c"): 42, (12, "kworker/0:1"): 0})
        later = {**found, (7, "a) (b c"): 142, (15, "new"): 50}
        with mock.patch.object(os, "sysconf", return_value=100):
            self.assertEqual(disturbance.busiest(found, later, 2.0), [
                {"pid": 7, "name": "a) (b c", "cpus": 0.5},
                {"pid": 15, "name": "new", "cpus": 0.25}])

    def test_a_busy_process_is_found(self):
        tree = Tree()
        first = disturbance.process_ticks(tree)
        text = "import time\nwhile time.process_time() < 0.5: pass\nprint(flush=True)\ninput()"
        with subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as busy:
            busy.stdout.readline()
            found = disturbance.busiest(first, disturbance.process_ticks(tree), 1.0, count=1 << 20)
            busy.communicate(b"\n")
        used = {process["pid"]: process["cpus"] for process in found}
        self.assertAlmostEqual(used[busy.pid], 0.5, delta=0.2)
        self.assertNotIn(os.getpid(), [pid for pid, _ in first])

    def test_sample(self):
        found = disturbance.sample(0.2)
        self.assertEqual(set(found), {"busy_share", "steal_share", "busiest"})
        self.assertTrue(0 <= found["busy_share"] <= 1 and 0 <= found["steal_share"] <= 1, found)
        unknown = disturbance.sample(0, self.folder)
        self.assertEqual(unknown, {"busy_share": None, "steal_share": None, "busiest": []})


class Here(suite.TestCase):
    def test_description_agrees_with_the_system(self):
        found = machine.describe(scratch=self.folder)
        system = os.uname()
        self.assertEqual(found["system"]["hostname"], system.nodename)
        self.assertEqual((found["kernel"]["release"], found["kernel"]["version"]),
                         (system.release, system.version))
        self.assertEqual(found["kernel"]["architecture"], system.machine)
        self.assertEqual(found["cpu"]["allowed_count"], len(os.sched_getaffinity(0)))
        self.assertGreaterEqual(found["cpu"]["online_count"], found["cpu"]["allowed_count"])
        self.assertEqual(found["memory"]["page_size_bytes"], os.sysconf("SC_PAGE_SIZE"))
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self.assertAlmostEqual(found["memory"]["total_bytes"] / total, 1, delta=0.05)
        listed = suite.run("df", "--output=fstype", self.folder).stdout
        self.assertEqual(listed.split()[-1], found["scratch"]["filesystem"])
        self.assertEqual(json.loads(json.dumps(found)), found)

    def test_affinity(self):
        cpu = max(os.sched_getaffinity(0))
        found = python(f"import os; os.sched_setaffinity(0, [{cpu}])\n"
                       "from sweep.machine import describe\n"
                       "print(describe()['cpu']['allowed_list'])")
        self.assertEqual(found.stdout.strip(), str(cpu), found.stderr)

    def test_report(self):
        found = python("import sys\nfrom sweep import disturbance\n"
                       "sys.exit(disturbance.main('/dev/shm'))")
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        lines = found.stdout.splitlines()
        self.assertIn(os.uname().release, lines[0])
        for name, _ in disturbance.CHECKS:
            start = re.compile(rf"{name} +(ok|-|note|warning) +\S")
            self.assertEqual(len(list(filter(start.match, lines))), 1, name)
        self.assertEqual(sum(map(int, re.findall(r": (\d+)", lines[-1]))), len(disturbance.CHECKS))

    def test_every_key_is_documented(self):
        with open(os.path.join(suite.SOURCE, "docs", "formats.md"), encoding="utf-8") as file:
            section = file.read().partition("## 5.")[2]
        found = machine.describe(scratch="/dev/shm")
        groups = [found, *found["numa"]] + [value for key, value in found.items()
                                            if isinstance(value, dict) and key != "mitigations"]
        self.assertEqual([name for group in groups for name in group
                          if f"`{name}`" not in section], [])


class Report(suite.TestCase):
    def test_layout(self):
        plant(self.folder, files("container"))
        sampled = {"busy_share": 0.05, "steal_share": 0.0, "aslr_off": False,
                   "busiest": [{"pid": 311, "name": "rsync", "cpus": 0.71}]}
        found = disturbance.report(machine.describe(self.folder, "/tmp"), sampled)
        self.maxDiff = None
        with open(os.path.join(MACHINES, "container.report"), encoding="utf-8") as file:
            self.assertEqual(found + "\n", file.read())


class Build(unittest.TestCase):
    def test_version(self):
        text = ("opscale:0.1\ncompiler:gcc 12.2.0\nflags:-O2 -DSEPARATOR=: -g\nlibc:glibc 2.36\n"
                "hwloc:2.9.0\nlater:1\nno colon\n")
        self.assertEqual(machine.build(text), {
            "opscale": "0.1", "compiler": "gcc 12.2.0", "flags": "-O2 -DSEPARATOR=: -g",
            "libc": "glibc 2.36", "hwloc": "2.9.0", "later": "1"})
        self.assertEqual(machine.build(""), dict.fromkeys(
            ("opscale", "compiler", "flags", "libc", "hwloc")))


ADDRESSES = """
import re, subprocess
from sweep import machine
{}
maps = subprocess.run(["cat", "/proc/self/maps"], stdout=subprocess.PIPE, text=True).stdout
for part in ("[heap]", "[stack]", "libc"):
    print(re.search(r"(\\w+)-.*" + re.escape(part), maps).group(1))
print(subprocess.run(["cat", "/proc/self/personality"], stdout=subprocess.PIPE, text=True).stdout)
"""

FILTER = """
import ctypes, struct
from sweep import machine
code = b"".join(struct.pack("HBBI", *line) for line in {0})
text = ctypes.create_string_buffer(code)
head = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(text))
prctl = ctypes.CDLL(None).prctl
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
assert prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
if prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.create_string_buffer(head)) == 0:
    print(machine.aslr_off(), machine.describe()["seccomp"])
"""


class Aslr(unittest.TestCase):
    def test_children_have_equal_addresses_afterwards(self):
        runs = [python(ADDRESSES.format("assert machine.aslr_off()")) for _ in range(3)]
        if any("AssertionError" in run.stderr for run in runs):
            self.skipTest("this system does not let address space randomisation be turned off")
        self.assertEqual(len({run.stdout for run in runs}), 1, runs)
        persona = int(runs[0].stdout.split()[-1], 16)
        self.assertEqual(persona & machine.ADDR_NO_RANDOMIZE, machine.ADDR_NO_RANDOMIZE)

    def test_they_differ_before(self):
        persona = ctypes.CDLL(None).personality(ctypes.c_ulong(machine.SAME_PERSONA))
        system = machine.describe()["sysctl"]["randomize_va_space"]
        if system != 2 or persona & machine.ADDR_NO_RANDOMIZE:
            self.skipTest("address space randomisation is off")
        runs = {python(ADDRESSES.format("")).stdout for _ in range(3)}
        self.assertEqual(len(runs), 3)

    def test_the_present_persona_stays(self):
        found = python("import ctypes\nfrom sweep import machine\n"
                       "call = ctypes.CDLL(None).personality\n"
                       f"call(ctypes.c_ulong({UNAME26}))\nmachine.aslr_off()\n"
                       "print(call(ctypes.c_ulong(machine.SAME_PERSONA)))")
        self.assertEqual(int(found.stdout), UNAME26 | machine.ADDR_NO_RANDOMIZE, found.stderr)

    def test_refused(self):
        call = PERSONALITY_CALL.get(platform.machine())
        if call is None:
            self.skipTest("number of personality(2) not known here")
        # A filter such as container engines use: personality() may tell, not change. It says that
        # it is not permitted or, worse, that all went well.
        for answer in (0x00050001, 0x00050000):
            found = python(FILTER.format([
                (0x20, 0, 0, 0), (0x15, 0, 2, call), (0x20, 0, 0, 16),
                (0x15, 0, 1, machine.SAME_PERSONA), (6, 0, 0, 0x7fff0000), (6, 0, 0, answer)]))
            if not found.stdout and not found.returncode:
                self.skipTest("this kernel has no seccomp filters")
            self.assertEqual(found.stdout, "False filter\n", found.stderr)

    def test_without_the_call(self):
        for library in ({"side_effect": OSError}, {"return_value": object()}):
            with mock.patch.object(machine.ctypes, "CDLL", **library):
                self.assertIs(machine.aslr_off(), False)


if __name__ == "__main__":
    tap.main()
