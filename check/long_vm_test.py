#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Virtual machines that fail, and what one that does not has to offer."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from unittest import mock

import suite
import tap
from sweep import errors
from sweep.places import agent, vm
from vm_test import QUICK, RUNTEST, MachineTestCase, children_named


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
        machine = self.machine("getppid1")
        # No kernel boots so soon.
        with mock.patch.dict(vm.BOOT_LIMIT, tcg=0.5), self.assertRaisesRegex(
                errors.PlaceError, "did not start within 0.5 s"):
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
        os.symlink(sys.executable, os.path.join(folder, "python3"))
        for name in ("env", "lz4"):
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
        error, _ = machine.ask(agent.message(["read", "/nowhere"]))
        self.assertEqual(error, b"No such file or directory")
        self.assertEqual(self.content(machine, "/sys/class/net/lo/operstate"), "unknown\n")

    def content(self, machine, path):
        error, content = machine.ask(agent.message(["read", path]))
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
        processes = machine.ask(agent.message(["names", "/proc"]))[1].split(b"\0")
        user = [number for number in processes if number.isdigit() and
                self.content(machine, f"/proc/{number.decode()}/cmdline")]
        self.assertEqual(user, [b"1"])


if __name__ == "__main__":
    tap.main()
