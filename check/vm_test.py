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
        # The guest's statistics: each cat that is run faults in its pages.
        for run in results["exec-cat"]["runs"]:
            numbers = dict(zip(results["exec-cat"]["statistics"]["differences"],
                               run["statistics"]["differences"]))
            self.assertGreater(numbers["proc-vmstat.pgfault"], 10 * run["operations"])
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
