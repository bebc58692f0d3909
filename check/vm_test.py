#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""runtest.py --kernel: runs in virtual machines, with Debian's kernels."""

import gzip
import io
import lzma
import os
import re
import shutil
import signal
import struct
import subprocess
import time
from unittest import mock

import guests
import suite
import sweep_test
import tap
from sweep import child, errors
from sweep.places import agent, image, initramfs, kit, modules, qemu, vm

RUNTEST = os.path.join(suite.SOURCE, "runtest.py")
QUICK = ("--mode", "processes", "--warmup", "0.05", "--duration", "0.1")


def children_named(name):
    """Processes of a command below this one or orphaned, by number."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if name.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            continue
    return found


class MachineTestCase(sweep_test.SweepTest):
    def setUp(self):
        super().setUp()
        guests.need_qemu()
        self.kernel = os.path.join(self.folder, "vmlinuz-of-test")
        os.symlink(guests.debian(guests.CLOUD), self.kernel)

    def runtest(self, *arguments, **keywords):
        return self.call(RUNTEST, *arguments, programs=suite.PROGRAMS, **keywords)

    def assert_nothing_runs(self):
        """Of the virtual machines with this test's kernel, which no other test names."""
        limit = time.monotonic() + 10
        while children_named(self.folder):
            self.assertLess(time.monotonic(), limit, "QEMU is left running")
            time.sleep(0.05)

    def machine(self, *names, append="", modules_folder=None):
        """A virtual machine of one CPU with the programs of testcases, closed after the test."""
        programs = [suite.program(name, "processes") for name in names]
        shape = kit.Shape(1, "512M", append, modules_folder)
        # The link to the kernel, which tells the machines of this test from others.
        found = image.Image(self.kernel, "test", "vmlinux")
        with mock.patch.object(image, "cache", return_value=self.folder):
            unpacked = image.bootable(image.load(self.kernel))
        shutil.copy(unpacked, os.path.join(self.folder, "kernel"))
        found.path = os.path.join(self.folder, "kernel")
        machine = vm.VirtualMachine(kit.Kit(found, shape, programs, False),
                                    os.path.join(self.folder, "logs"), "tcg")
        self.addCleanup(machine.close)
        return machine


class Sweep(MachineTestCase):
    def test_a_sweep(self):
        done = self.runtest("getppid1", "exec-cat", "--kernel", self.kernel, "--tasks", "1,2",
                            "--rounds", "1", "--vm-cpus", "2", "--vm-memory", "1G", "--append",
                            "opscale.test=1", *QUICK)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row.split(",") for row in done.stdout.splitlines() if re.match(r"[12],", row)]
        self.assertEqual(len(rows), 4)
        self.assertTrue(all(int(row[1]) > 0 for row in rows), done.stdout)
        results = {result["testcase"]: result for result in self.results().values()}
        self.assertEqual(results.keys(), {"exec-cat", "getppid1"})
        result, place = results["getppid1"], results["getppid1"]["place"]
        self.assertEqual((place["type"], place["cpus"], place["memory"]), ("vm", 2, "1G"))
        self.assertEqual(place["sha256"], image.load(self.kernel).sha256)
        release = os.path.basename(os.path.realpath(self.kernel)).partition("-")[2]
        self.assertEqual(result["machine"]["kernel"]["release"], release)
        self.assertEqual(result["label"], release)
        self.assertIn("opscale.test=1", result["machine"]["kernel"]["cmdline"])
        self.assertEqual(result["machine"]["kernel"]["config"]["HZ"], "250")
        self.assertEqual(result["topology"]["cpus"], 2)
        self.assertEqual(result["scratch"], {"filesystem": "tmpfs", "path": "/dev/shm"})
        self.assertIn("runtest.py: virtual machines ", done.stderr)
        self.assert_nothing_runs()

    def test_two_kernels(self):
        """Boots alternate, and the comparison is printed."""
        other = os.path.join(self.folder, "vmlinuz-other")
        os.symlink(os.path.realpath(self.kernel), other)
        done = self.runtest("getppid1", "--kernel", self.kernel, "--kernel", other, "--tasks", "1",
                            "--rounds", "2", *QUICK)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"base:      {self.kernel}, kernel", done.stdout)
        self.assertIn(f"candidate: {other}, kernel", done.stdout)
        self.assertRegex(done.stdout, r"getppid1 +processes +1 .* too few runs: 4 ")
        runs = sorted((run["started"], result["contest"]["side"])
                      for result in self.results().values() for run in result["runs"])
        self.assertEqual([side for _, side in runs], ["base", "candidate", "candidate", "base"])
        self.assert_nothing_runs()

    def test_going_on_with_a_result(self):
        process = subprocess.Popen(
            [RUNTEST, "getppid1", "--kernel", self.kernel, "--tasks", "1", "--rounds", "20",
             *QUICK],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "OPSCALE_PROGRAMS": suite.PROGRAMS})
        limit = time.monotonic() + 120
        while not any(result["runs"] for result in self.whole_results()):
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT, told)
        self.assert_nothing_runs()
        (path,) = self.results()
        made = len(self.results()[path]["runs"])
        done = self.runtest("--resume", os.path.join("results", path), "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, rf"\n +1 +processes +{20 - made} ")
        self.assert_nothing_runs()

    def whole_results(self):
        try:
            return list(self.results().values())
        except ValueError:
            return []


class Failure(MachineTestCase):
    def test_a_panic(self):
        began = time.monotonic()
        done = self.runtest("getppid1", "--kernel", self.kernel, "--append", "rdinit=/nothing",
                            "--tasks", "1", *QUICK)
        self.assertLess(time.monotonic() - began, 100)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        (line,) = done.stderr.splitlines()
        self.assertIn(f"runtest.py: the virtual machine with {self.kernel} ended; last on its "
                      "console: ", line)
        self.assertIn("Kernel panic - not syncing", line)
        (log,) = re.findall(r"\(all of it: (\S+)\)$", line)
        with open(os.path.join(self.folder, log), encoding="utf-8", errors="replace") as file:
            self.assertIn("Kernel panic", file.read())
        self.assert_nothing_runs()

    def test_a_kernel_that_hangs(self):
        machine = self.machine("getppid1", append="rdinit=/programs/opscale-child")
        # A first process that only reads a file for ever cannot be had: one that is stopped can.
        with mock.patch.dict(vm.BOOT_LIMIT, tcg=0.5), self.assertRaisesRegex(
                errors.PlaceError, "did not start within 0.5 s"):
            machine.release()
            machine.machine(None)
        self.assert_nothing_runs()

    def test_qemu_dies(self):
        machine = self.machine("getppid1")
        command = machine.kit.programs[:1]
        self.assertEqual(machine.query([*command, "--version"]).status, 0)
        (pid,) = children_named(self.folder)
        os.kill(pid, signal.SIGKILL)
        (failed,) = machine.run([[*command, "-s", "0.1", "--warmup", "0"]], 60, [{}])
        self.assertEqual(failed.status, 1)
        self.assertIn("ended (QEMU was killed by signal 9)", failed.errors)
        # The next one finds another boot.
        self.assertEqual(machine.query([*command, "--version"]).status, 0)

    def test_a_run_that_takes_too_long(self):
        machine = self.machine("getppid1")
        (outcome,) = machine.run([[*machine.kit.programs[:1], "-s", "100"]], 3, [{}])
        self.assertTrue(outcome.exceeded)
        self.assert_nothing_runs()

    def test_interrupted_while_it_boots(self):
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(signum.name):
                process = subprocess.Popen(
                    [RUNTEST, "getppid1", "--kernel", self.kernel], cwd=self.folder,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    env={**os.environ, "OPSCALE_PROGRAMS": suite.PROGRAMS,
                         "XDG_CACHE_HOME": self.folder})
                limit = time.monotonic() + 60
                while len(children_named(self.folder)) < 2:
                    self.assertLess(time.monotonic(), limit)
                    time.sleep(0.02)
                process.send_signal(signum)
                self.assertEqual(process.wait(60), -signum)
                self.assert_nothing_runs()

    def test_wrong_usage(self):
        text = os.path.join(self.folder, "text")
        with open(text, "w", encoding="ascii") as file:
            file.write("no kernel")
        for words, message in (
                (("--kernel", "/nowhere"), "--kernel /nowhere: No such file or directory: a ker"),
                (("--kernel", text), f"--kernel {text}: neither a bzImage (vmlinuz) nor a vmlinux"),
                (("--kernel", text, "--kernel", text),
                 f"--kernel {text}: one kernel, or two different ones, are needed"),
                (("--vm-cpus", "2"), "--vm-cpus is for a virtual machine: --kernel names its kern"),
                (("--instructions",), "--instructions is for a virtual machine: --kernel names"),
                (("--kernel", text, "--vm-memory", "1M"),
                 "argument --vm-memory: '1M': a size from 64M on, as 512M or 2G, is needed"),
                (("--kernel", text, "--dir", "/tmp"), "--dir /tmp: a virtual machine's scratch"),
                (("--kernel", text, "--ab-env", "X=1,2"), "--ab-env cannot be given with --kernel"),
                (("--kernel", text, "--modules", "/nowhere"),
                 "argument --modules: '/nowhere': a folder of modules is needed"),
                (("--kernel", text, "--instructions", "--tasks", "2"),
                 "--tasks cannot be given with --instructions: those of one task on one CPU are")):
            with self.subTest(words):
                done = self.runtest("getppid1", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertTrue(done.stderr.startswith(f"runtest.py: {message}"), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_without_qemu(self):
        done = self.call(RUNTEST, "getppid1", "--kernel", self.kernel, programs=suite.PROGRAMS,
                         PATH=self.path_without_qemu())
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "runtest.py: --kernel needs qemu-system-x86_64, which is not "
                         "installed (Debian's package qemu-system-x86)\n")

    def path_without_qemu(self):
        folder = os.path.join(self.folder, "bin")
        os.mkdir(folder)
        for name in ("python3", "env", "lz4"):
            os.symlink(shutil.which(name), os.path.join(folder, name))
        return folder


class Guest(MachineTestCase):
    def test_what_a_guest_has(self):
        machine = self.machine("getppid1")
        listed, mounts = (self.content(machine, path) for path in ("/proc/mounts", "/proc/cmdline"))
        for point in ("/proc", "/sys", "/dev", "/run", "/tmp", "/dev/shm", "/dev/mqueue",
                      "/sys/fs/cgroup", "/sys/kernel/tracing"):
            self.assertIn(f" {point} ", listed)
        self.assertIn("norandmaps", mounts)
        error, _ = machine.ask(agent.message(["read", "/nowhere"]), 30)
        self.assertEqual(error, b"No such file or directory")
        self.assertEqual(self.content(machine, "/sys/class/net/lo/operstate"), "unknown\n")

    def content(self, machine, path):
        error, content = machine.ask(agent.message(["read", path]), 30)
        self.assertEqual(error, b"")
        return content.decode()

    def test_modules(self):
        """In the order of their needs, whatever their names are."""
        found = {}
        top = os.path.join(os.path.dirname(os.path.realpath(self.kernel)), "..", "lib", "modules")
        for folder, _, names in os.walk(top):
            found.update({name: os.path.join(folder, name) for name in names})
        for name in ("ip6_udp_tunnel.ko", "udp_tunnel.ko", "vxlan.ko"):
            if name not in found:
                self.skipTest(f"this kernel has no module {name}")
            os.makedirs(os.path.join(self.folder, "modules", name[0]), exist_ok=True)
            shutil.copy(found[name], os.path.join(self.folder, "modules", name[0], name))
        machine = self.machine("getppid1", modules_folder=os.path.join(self.folder, "modules"))
        loaded = re.findall(r"^\w+", self.content(machine, "/proc/modules"), re.MULTILINE)
        self.assertLessEqual({"ip6_udp_tunnel", "udp_tunnel", "vxlan"}, set(loaded))

    def test_nothing_outlives_a_run(self):
        machine = self.machine("getppid1", "context_switch1")
        for name in machine.kit.programs:
            machine.run([[name, "-s", "0.05", "--warmup", "0", "-t", "4"]], 60, [{}])
        processes = machine.ask(agent.message(["names", "/proc"]), 30)[1].split(b"\0")
        user = [number for number in processes if number.isdigit() and
                self.content(machine, f"/proc/{number.decode()}/cmdline")]
        self.assertEqual(user, [b"1"])


class Parts(suite.TestCase):
    """What needs no virtual machine."""

    def test_messages(self):
        data = agent.message(["run", b"\x00:\n", "", "ä"]) + agent.message(["x"])
        self.assertEqual(list(agent.messages(data)),
                         [[b"run", b"\x00:\n", b"", "ä".encode()], [b"x"]])
        for length in range(len(data)):
            fields, taken = agent.first_message(data[:length])
            self.assertEqual(taken > 0, fields is not None)
        for damage in (b"x", b"1\nx:", b"-1\n", b"9" * 30):
            with self.subTest(damage), self.assertRaises(agent.Damaged):
                agent.first_message(damage)

    def test_order_of_modules(self):
        needs = {"a": ["c"], "b": [], "c": ["b", "d"], "d": ["a"]}
        ordered = modules.order(needs)
        self.assertEqual(sorted(ordered), ["a", "b", "c", "d"])
        self.assertLess(ordered.index("b"), ordered.index("c"))
        self.assertLess(ordered.index("c"), ordered.index("a"))

    def test_no_module(self):
        with self.assertRaisesRegex(errors.UsageError, "no module .* is in it"):
            modules.add(initramfs.Initramfs(), self.folder)

    def test_archive(self):
        """Two of the same files are the same, and cpio's fields are where the kernel looks."""
        made = []
        for _ in range(2):
            content = initramfs.Initramfs()
            content.add("/a/b/file", b"12345", executable=True)
            made.append(content.archive())
        self.assertEqual(*made)
        names, at = {}, 0
        while at < len(made[0]):
            self.assertEqual(made[0][at:at + 6], b"070701")
            fields = [int(made[0][at + 6 + 8 * i:at + 14 + 8 * i], 16) for i in range(13)]
            size, length = fields[6], fields[11]
            name = made[0][at + 110:at + 110 + length - 1].decode()
            start = at + (110 + length + 3 & ~3)
            names[name] = fields[1], made[0][start:start + size]
            at = start + (size + 3 & ~3)
        self.assertEqual(names["a/b/file"], (0o100755, b"12345"))
        self.assertEqual(names["a/b"][0], 0o40755)
        self.assertIn("TRAILER!!!", names)

    def test_libraries(self):
        found = initramfs.libraries(suite.program("getppid1", "processes"))
        self.assertTrue(any("/libhwloc." in path for path in found), found)
        self.assertTrue(any("/ld-linux" in path for path in found), found)
        init = os.path.join(suite.PROGRAMS, "opscale-init")
        if os.path.exists(init):
            self.assertEqual(initramfs.libraries(init), [])

    def vmlinux(self, note=b"\x04\0\0\0\x08\0\0\0\x12\0\0\0Xen\0" + bytes(8)):
        """The smallest file that looks like one, with a note."""
        head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 64, 0,
                                                               0, 64, 56, 1, 0, 0, 0)
        return head + struct.pack("<IIQQQQQQ", 4, 0, 120, 0, 0, len(note), 0, 0) + note

    def bzimage(self, payload):
        content = bytearray(1024)
        content[0x1f1] = 1
        content[0x202:0x206] = b"HdrS"
        struct.pack_into("<H", content, 0x20e, 0x100)
        content[0x300:0x320] = b"6.9.9-test (who@where) #1".ljust(32, b"\0")
        struct.pack_into("<II", content, 0x248, 0, len(payload))
        return bytes(content) + payload

    def write(self, content, name="kernel"):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_a_kernel_is_unpacked(self):
        kernel = self.vmlinux()
        size = struct.pack("<I", len(kernel))
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb") as file:
            file.write(kernel)
        for name, payload in (("gzip", packed.getvalue()), ("xz", lzma.compress(kernel) + size),
                              ("lzma", lzma.compress(kernel, lzma.FORMAT_ALONE) + size)):
            with self.subTest(name), mock.patch.object(image, "cache", return_value=self.folder):
                found = image.load(self.write(self.bzimage(payload), name))
                self.assertEqual((found.kind, found.release), ("vmlinuz", "6.9.9-test"))
                with open(image.bootable(found), "rb") as file:
                    self.assertEqual(file.read(), kernel)

    def test_a_kernel_that_cannot_be_unpacked_boots_as_it_is(self):
        for payload in (b"unknown", lzma.compress(self.vmlinux())[:-20],
                        lzma.compress(self.vmlinux(note=b"")) + bytes(4)):
            found = image.load(self.write(self.bzimage(payload)))
            with mock.patch.object(image, "cache", return_value=self.folder):
                self.assertEqual(image.bootable(found), found.path)

    def test_vmlinux(self):
        found = image.load(self.write(self.vmlinux()))
        self.assertEqual((found.kind, image.bootable(found)), ("vmlinux", found.path))
        with self.assertRaisesRegex(errors.UsageError, "boots only with CONFIG_PVH=y"):
            image.load(self.write(self.vmlinux(note=b"")))

    def test_what_lies_beside_an_image(self):
        os.makedirs(os.path.join(self.folder, "arch/x86/boot"))
        path = self.write(self.bzimage(b""), "arch/x86/boot/bzImage")
        self.assertIsNone(image.load(path).beside("config"))
        self.write(b"CONFIG_HZ=100\n", ".config")
        self.write(b"0 T x\n", "System.map")
        self.assertEqual(image.load(path).beside("config"), "CONFIG_HZ=100\n")
        self.assertEqual(image.load(path).beside("System.map"), "0 T x\n")
        path = self.write(self.bzimage(b""), "vmlinuz-6.9")
        self.write(b"CONFIG_HZ=250\n", "config-6.9")
        self.assertEqual(image.load(path).beside("config"), "CONFIG_HZ=250\n")

    def test_memory(self):
        self.assertEqual(qemu.memory_bytes("512M"), 512 << 20)
        self.assertEqual(qemu.memory_bytes("2G"), 2 << 30)
        for text in ("", "2", "2T", "1.5G", "G"):
            self.assertIsNone(qemu.memory_bytes(text))

    def test_input_is_awaited(self):
        with child.interrupts_held():
            read, write = os.pipe()
            self.assertFalse(child.await_input(read, time.monotonic() + 0.01))
            os.write(write, b"x")
            self.assertTrue(child.await_input(read, time.monotonic() + 60))
            os.kill(os.getpid(), signal.SIGTERM)
            with self.assertRaises(child.Interrupted):
                child.await_input(read, time.monotonic() + 60)


if __name__ == "__main__":
    tap.main()
