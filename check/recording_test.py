# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs that are recorded: profiles, and latencies of system calls."""

import contextlib
import glob
import json
import math
import os
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import time
import unittest
from unittest import mock

import suite
import tap
from sweep import errors, latency, perf, tracing

QUICK = ("--rounds", "2", "--duration", "0.2", "--warmup", "0.05", "--mode", "processes")
TOLD = "runtest.py: no {} are recorded: "


def need_perf():
    """Skips where perf is missing, or may not record."""
    if not shutil.which("perf"):
        raise unittest.SkipTest("perf is not installed (Debian's package linux-perf)")
    done = suite.run("perf", "record", "-a", "-o", "/dev/null", "--", "true")
    if done.returncode:
        raise unittest.SkipTest("perf may not record the whole machine here")


INSTANCES = "/sys/kernel/tracing/instances"


def need_tracing():
    """Skips where the kernel's tracing is missing, or not permitted."""
    if not os.access(INSTANCES, os.W_OK):
        raise unittest.SkipTest("tracefs is not mounted, or not for this user")


def instances():
    """Those of the suite."""
    return {name for name in os.listdir(INSTANCES) if name.startswith(latency.PREFIX)}


class Profile(unittest.TestCase):
    """The text of perf script as shares."""

    SAMPLE = ("{pid} \n\tffffffff8179e955 {leaf} ([kernel.kallsyms])\n"
              "\tffffffff816d83d4 vfs_read.constprop.0 ([kernel.kallsyms])\n"
              "\t           70a7 testcase (/a b/x_processes)\n\n")

    def text(self, *leaves):
        return "".join(self.SAMPLE.format(pid=10 + number, leaf=leaf)
                       for number, leaf in enumerate(leaves))

    def test_shares_and_chains(self):
        found = perf.profile(self.text("a.isra.0", "a", "b", "a.part.5.cold") +
                             self.SAMPLE.format(pid=0, leaf="idle"))
        self.assertEqual((found["samples"], found["idle_samples"]), (4, 1))
        rows = {(row[0], row[1]): row[2:] for row in found["symbols"]}
        error = round(math.sqrt(0.75 * 0.25 / 4), 6)
        self.assertEqual(rows["a", "kernel"], [0.75, error, 0.75, error])
        self.assertEqual(rows["vfs_read", "kernel"], [0, 0, 1, 0])
        self.assertEqual(rows["testcase", "user"], [0, 0, 1, 0])
        self.assertEqual(found["chains"], [["testcase;vfs_read;a", 3], ["testcase;vfs_read;b", 1]])
        self.assertEqual(found["chains_left_out"], 0)

    def test_recursion_counts_once_and_unknown_symbols_have_their_file_s_name(self):
        found = perf.profile("7 \n\t  1 [unknown] (/lib/libc.so.6)\n\t  2 f; g (/x)\n"
                             "\t  3 f; g (/x)\n\nbroken\n\n8 \n\tno frame\n\n")
        self.assertEqual(found["samples"], 1)
        self.assertEqual(sorted(row[:2] for row in found["symbols"]),
                         [["[libc.so.6]", "user"], ["f: g", "user"]])
        self.assertEqual(found["symbols"][0][4], 1)
        self.assertEqual(found["chains"], [["f: g;f: g;[libc.so.6]", 1]])

    def test_the_upper_half_of_the_addresses_is_the_kernel_s(self):
        for address, where in (("8000000000000000", "kernel"), ("7fffffffffffffff", "user"),
                               ("ffff800080010000", "kernel"), ("80000000", "user")):
            with self.subTest(address):
                (row,) = perf.profile(f"7 \n\t{address} f (/x)\n\n")["symbols"]
                self.assertEqual(row[1], where)

    def test_rare_ones_are_left_out_and_counted(self):
        found = perf.profile(self.text(*["often"] * 5000, *(f"f{number}" for number in range(400))))
        self.assertNotIn("f0", [row[0] for row in found["symbols"]])
        self.assertEqual(len(found["chains"]), perf.MOST_CHAINS)
        self.assertEqual(found["chains_left_out"], 401 - perf.MOST_CHAINS)

    def test_no_samples(self):
        for text in ("", "\n", self.SAMPLE.format(pid=0, leaf="idle")):
            with self.subTest(text), self.assertRaises(errors.RecorderError):
                perf.profile(text)


class Latency(unittest.TestCase):
    """Pages of the kernel's ring buffer as events, and those as rows."""

    NAMES = {1: (True, "read"), 2: (False, "read"), 3: (True, "close"), 4: (False, "close")}

    @staticmethod
    def event(number, thread, *, delta=0, result=None, length_apart=False):
        """An entry of a page: with its length in the head, or in a word of its own."""
        data = struct.pack("=HBBi", number, 0, 0, thread)
        if result is not None:
            data += struct.pack("=iiq", 0, 0, result)
        head = 0 if length_apart else len(data) // 4
        apart = struct.pack("=I", len(data) + 4) if length_apart else b""
        return struct.pack("=I", delta << 5 | head) + apart + data

    @staticmethod
    def page(*entries, time=1000, flags=0):
        data = b"".join(entries)
        return struct.pack("=QQ", time, len(data) | flags) + data.ljust(4080, b"\xff")

    @unittest.skipUnless(sys.byteorder == "little" and tracing.LONG_SIZE == 8,
                         "the pages below are of another architecture")
    def test_pages(self):
        extend = struct.pack("=II", 5 << 5 | 30, 1)
        stamp = struct.pack("=II", 7 << 5 | 31, 2)
        discarded = struct.pack("=II", 3 << 5 | 29, 12) + b"x" * 8
        found = list(tracing.events(self.page(
            self.event(1, 70), self.event(2, 70, delta=500, result=-2), extend,
            self.event(3, 71, delta=1, length_apart=True), discarded,
            self.event(4, 71, delta=1, result=9), stamp, self.event(3, 72),
            struct.pack("=I", 29), flags=1 << 31)))
        after = 1500 + (1 << 27) + 5 + 1
        self.assertEqual(found, [
            (1000, 1, 70, None), (1500, 2, 70, 2 ** 64 - 2), (after, 3, 71, None),
            (after + 4, 4, 71, 9), ((2 << 27) + 7, 3, 72, None)])

    def test_rows(self):
        events = [(0, 1, 70, None), (10, 3, 71, None), (1000, 2, 70, 5), (2000, 1, 70, None),
                  # Another event than those of calls, an end without a beginning, another call's.
                  (2500, 99, 70, None), (2600, 4, 72, 0), (5010, 4, 71, 2 ** 64 - 9),
                  (6000, 1, 71, None), (7000, 4, 71, 0)]
        events.insert(5, (2550, 1, 70, None))
        events.append((8550, 2, 70, 2 ** 64 - 5000))
        self.assertEqual(latency.rows(events, self.NAMES), [
            ["read", 2, 0, 3.5, 6.0, round(statistics.stdev([1.0, 6.0]), 3)],
            ["close", 1, 1, 5.0, 5.0, 0.0]])
        self.assertEqual(latency.rows([], self.NAMES), [])


class Recording(suite.TestCase):
    def setUp(self):
        super().setUp()
        self.stood = instances() if os.access(INSTANCES, os.R_OK) else set()

    def no_instance_is_left(self):
        """None but what stood before: others share the kernel."""
        self.assertEqual(instances() - self.stood, set())

    def runtest(self, *words, **environment):
        return suite.run(suite.RUNTEST, *words, cwd=self.folder, env={**os.environ, **environment})

    def results(self):
        found = {}
        for path in sorted(glob.glob(f"{self.folder}/results/**/*.json", recursive=True)):
            with open(path, encoding="utf-8") as file:
                found[path] = json.load(file)
        return found

    def fake(self, script):
        """The environment with a perf of the test's making."""
        folder = os.path.join(self.folder, "bin")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "perf"), "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(os.path.join(folder, "perf"), 0o755)
        return {"PATH": f"{folder}:{os.environ['PATH']}"}

    def test_a_profile(self):
        need_perf()
        done = self.runtest("loadavg-read", "--tasks", "1,2", "--profile", *QUICK)
        self.assertEqual(done.returncode, 0, done.stderr)
        (result,) = self.results().values()
        self.assertTrue(result["complete"])
        self.assertEqual(sorted((entry["tasks"], entry["round"]) for entry in result["profiles"]),
                         [(tasks, number) for tasks in (1, 2) for number in range(5)])
        # What perf disturbs is not among the values.
        self.assertEqual(len(result["runs"]), 4)
        for entry in result["profiles"]:
            self.assertEqual(entry["status"], "ok", entry)
            # 0.2 s of two CPUs, and no warm-up.
            self.assertLess(entry["samples"] + entry["idle_samples"],
                            0.3 * entry["frequency"] * os.cpu_count())
            self.assertGreater(entry["samples"], 0.1 * entry["frequency"])
            rows = {row[0]: row for row in entry["symbols"]}
            self.assertEqual(rows["testcase"][1], "user")
            self.assertEqual(rows["loadavg_proc_show"][1], "kernel")
            self.assertGreater(rows["loadavg_proc_show"][4], 0.02)
            self.assertTrue(any("loadavg_proc_show;" in chain for chain, _ in entry["chains"]))
        self.assertRegex(done.stderr, r"\nprofile of processes, 2 tasks: .* of 5 runs\n +self .*\n"
                         r" +\d+\.\d% +\d+\.\d%  kernel +\w+\n")

    def test_latencies(self):
        need_tracing()
        done = self.runtest("loadavg-read", "fork1", "--tasks", "1,2", "--latency", *QUICK)
        self.assertEqual(done.returncode, 0, done.stderr)
        fork, read = sorted(self.results().values(), key=lambda result: result["testcase"])
        for result in (fork, read):
            self.assertEqual([entry["tasks"] for entry in result["latencies"]], [1, 2])
        for entry in read["latencies"]:
            ((name, calls, failed, mean, most, deviation),) = entry["calls"]
            self.assertEqual((name, failed), ("pread64", 0))
            self.assertGreater(calls, 100)
            self.assertGreater(mean, 0.05)
            self.assertGreater(most, mean)
            self.assertGreater(deviation, 0)
        for entry in fork["latencies"]:
            rows = {row[0]: row for row in entry["calls"]}
            # What the children do is traced as well; a parent waits for them.
            self.assertLessEqual({"wait4", "set_robust_list"}, set(rows))
            self.assertLess(rows["set_robust_list"][3], rows["wait4"][3])
        self.assertRegex(done.stderr, r"system calls of processes, 2 tasks, while they were "
                         r"traced, in microseconds.*\n.*\n +\d+ +0 .* pread64\n")
        self.no_instance_is_left()

    def test_latencies_without_permission(self):
        if os.geteuid():
            self.skipTest("only root can become another user")
        need_tracing()
        source, end = os.pipe()
        pid = os.fork()
        if not pid:
            os.setgroups([])
            os.setgid(64321)
            os.setuid(64321)
            try:
                latency.LatencyTracer(0.1)
            except errors.RecorderError as error:
                os.write(end, str(error).encode())
            finally:
                os._exit(0)
        os.close(end)
        os.waitpid(pid, 0)
        with os.fdopen(source, encoding="utf-8") as told:
            self.assertEqual(told.read(), "not permitted: root may trace the kernel")

    def test_a_tracing_that_fails(self):
        """The program is not kept waiting, and what is read is no number."""
        need_tracing()
        with contextlib.closing(latency.LatencyTracer(0.1)) as tracer:
            mine, its = socket.socketpair()
            with mine, its, mock.patch.object(latency, "threads", return_value=["none"]):
                its.settimeout(10)
                tracer.start(mine)
                its.sendall(b"enable\n")
                self.assertEqual(its.recv(16), b"")
                tracer.end()
            with self.assertRaisesRegex(errors.RecorderError, "the kernel's tracing: "):
                tracer.read()
        self.no_instance_is_left()

    def test_without_perf(self):
        folder = os.path.join(self.folder, "bin")
        os.mkdir(folder)
        for name in ("env", "sh"):
            os.symlink(shutil.which(name), os.path.join(folder, name))
        os.symlink(sys.executable, os.path.join(folder, "python3"))
        done = self.runtest("getppid1", "spin1", "--tasks", "1", "--profile", *QUICK, PATH=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count(TOLD.format("profiles") + "perf is not installed"), 1,
                         done.stderr)
        for result in self.results().values():
            self.assertEqual((result["complete"], result["profiles"]), (True, []))

    def test_a_perf_that_fails(self):
        paranoid = suite.run("cat", "/proc/sys/kernel/perf_event_paranoid").stdout.strip()
        for script, reason in (
                ("echo 'Error:' >&2; echo 'perf_event_paranoid setting is 2' >&2; exit 255",
                 f"not permitted, as kernel.perf_event_paranoid is {paranoid}: root may, or "),
                ("echo; echo ' no way'  >&2; exit 1", "perf record: no way\n"),
                ("kill -9 $$", "perf record: it told nothing\n")):
            with self.subTest(script):
                done = self.runtest("getppid1", "--tasks", "1", "--profile", *QUICK,
                                    **self.fake(script))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.count(TOLD.format("profiles") + reason), 1,
                                 done.stderr)

    def test_a_testcase_that_fails_meanwhile(self):
        """The recording of a failed run is none."""
        need_perf()
        done = self.runtest("dies", "--tasks", "1", "--profile", *QUICK,
                            OPSCALE_PROGRAMS=suite.FIXTURES)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count(TOLD.format("profiles")), 1, done.stderr)

    def test_going_on(self):
        """Only what is missing is made: the last recordings, and no run."""
        need_perf()
        self.assertEqual(self.runtest("spin1", "--tasks", "1", "--profile", *QUICK).returncode, 0)
        ((path, result),) = self.results().items()
        kept = [entry["started"] for entry in result["profiles"][:3]]
        result["profiles"] = result["profiles"][:3]
        result.update(complete=False, finished=None)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        done = self.runtest("--resume", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        ((_, again),) = self.results().items()
        self.assertEqual(again["runs"], result["runs"])
        self.assertEqual([entry["started"] for entry in again["profiles"][:3]], kept)
        self.assertEqual([entry["round"] for entry in again["profiles"]], [0, 1, 2, 3, 4])
        self.assertTrue(again["complete"])

    def test_interrupted(self):
        """While it records, which takes as long as the measured run before it."""
        need_perf()
        need_tracing()
        for option, signum in (("--profile", signal.SIGINT), ("--latency", signal.SIGINT),
                               ("--latency", signal.SIGKILL)):
            with self.subTest(option, signal=signum):
                process = subprocess.Popen(
                    [suite.RUNTEST, "spin1", "--tasks", "1", "--rounds", "1", "--duration", "4",
                     "--warmup", "0", "--mode", "threads", "--output", f"{option[2:]}{signum}",
                     option],
                    cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                limit = time.monotonic() + 60
                while not any("--recorder" in command for command in self.children(process.pid)):
                    self.assertLess(time.monotonic(), limit)
                    self.assertIsNone(process.poll(), "it ended")
                    time.sleep(0.05)
                left = self.children(process.pid)
                self.assertEqual(any("perf\0record" in command for command in left),
                                 option == "--profile")
                process.send_signal(signum)
                # The guard of the tracing holds the stream open until it has done its work.
                _, told = process.communicate(timeout=60)
                self.assertEqual(process.returncode, -signum, told)
                while any(os.path.exists(f"/proc/{pid}") for pid in left.values()):
                    self.assertLess(time.monotonic(), limit, "something is left")
                    time.sleep(0.05)
                self.no_instance_is_left()

    @staticmethod
    def children(parent):
        """{command line: number} of the children of a process."""
        found = {}
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/stat", encoding="utf-8") as file:
                    above = int(file.read().rpartition(")")[2].split()[1])
                with open(f"/proc/{number}/cmdline", encoding="utf-8") as file:
                    command = file.read()
            except (OSError, ValueError, IndexError):
                continue
            if above == parent and command:
                found[command] = int(number)
        return found

    def test_wrong_usage(self):
        for option in ("--profile", "--latency"):
            for other, message in (
                    (("--kernel", "x"), "cannot be given with --kernel: it records this"),
                    (("--resume", "x"), "cannot be given with --resume, which goes on as"),
                    (("--kernel", "x", "--instructions"), "cannot be given with --instructions")):
                with self.subTest(option=option, other=other):
                    words = ("getppid1",) * ("--resume" not in other)
                    done = self.runtest(*words, option, *other)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertIn(f"runtest.py: {option} {message}", done.stderr)


if __name__ == "__main__":
    tap.main()
