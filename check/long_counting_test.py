#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Instructions of more testcases and kernels; and whether counting answers the question of
docs/counting.md, which a timing cannot.
"""

import json
import os
import shutil

import guests
import analysis
import suite
import tap
from counting_test import RUNTEST, CountingTestCase


class Counting(CountingTestCase):
    @classmethod
    def setUpClass(cls):
        guests.need_qemu()
        cls.kernel = guests.debian(guests.CLOUD)

    def test_the_same_kernel_twice(self):
        """Nothing differs, and nothing is said to."""
        other = os.path.join(self.folder, "vmlinuz-other")
        os.symlink(self.kernel, other)
        done = self.count("getppid1", "pipe1", "--kernel", self.kernel, "--kernel", other,
                          "--mode", "processes", "--rounds", "2")
        self.assertEqual(done.stdout.count("this testcase executes none of the changed code\n"), 2,
                         done.stdout)
        self.assertNotIn("came, went or changed", done.stdout)
        compare = suite.run(analysis.COMPARE, *self.sides())
        self.assertEqual(compare.returncode, 0)

    def test_two_kernels(self):
        """Of two flavours almost every path differs, and the functions add up to the change."""
        done = self.count("dup1", "--kernel", self.kernel, "--kernel",
                          guests.debian(guests.REALTIME), "--mode", "processes", "--rounds", "2")
        self.assertRegex(done.stdout, r"dup1 +processes .* (more|fewer) instructions")
        compare = suite.run(analysis.COMPARE, *self.sides(), "--format", "json")
        (point,) = json.loads(compare.stdout)["counted"]
        self.assertEqual(compare.returncode, int(point["verdict"] == "more instructions"))
        self.assertEqual(point["change"], point["candidate_value"] - point["base_value"])
        before, after = ({row[0]: row[1] for row in self.counted()["dup1", side, "processes"][0]
                          ["functions"]} for side in ("base", "candidate"))
        changed = {row["name"]: row["candidate"] - row["base"] for row in point["functions"]}
        self.assertEqual(sum(changed.values()), point["change"])
        for name, change in changed.items():
            self.assertEqual(change, after.get(name, 0) - before.get(name, 0))

    def test_operations_that_differ(self):
        """A process is made in each; the value is a mean, and said to be one."""
        done = self.count("fork1", "--kernel", self.kernel, "--mode", "processes", "--rounds", "2")
        (window, _), = self.counted().values()
        self.assertFalse(window["exact"])
        self.assertLess(window["undisturbed"], window["operations"])
        self.assertLessEqual(window["minimum"], window["per_operation"])
        self.assertLessEqual(window["per_operation"], window["maximum"])
        self.assertIn("operations differ, these are means", done.stderr)

    def test_a_command(self):
        """Of the program, found in the guest as it was here."""
        self.count("--command", "true", "--kernel", self.kernel, "--mode", "processes",
                   "--rounds", "1")
        (window,), = self.counted().values()
        self.assertIn("do_wait", [row[0] for row in window["functions"]])
        self.assertGreater(window["user"], 1000)

    def test_a_loop_is_there(self):
        """Of testcases that ask the kernel for nothing: no compiler has emptied their loops."""
        names = sorted(name[:-2] for name in os.listdir(
            os.path.join(suite.SOURCE, "tests", "userspace")) if name.endswith(".c"))
        # That one needs two CPUs.
        names.remove("cacheline1")
        self.count(*names, "--kernel", self.kernel, "--mode", "threads", "--rounds", "1")
        found = self.counted()
        self.assertEqual(sorted({name for name, _, _ in found}), names)
        for (name, _, _), (window,) in found.items():
            with self.subTest(name):
                # Counting alone takes two: the increment, and the jump back.
                self.assertGreater(window["user"] + window["kernel"], 2)

    def test_a_testcase_that_fails(self):
        """Its reason is told, and the others are counted."""
        folder = os.path.join(self.folder, "programs")
        os.mkdir(folder)
        for name, where in (("getppid1", suite.PROGRAMS), ("skips", suite.FIXTURES),
                            ("dies", suite.FIXTURES)):
            shutil.copy(os.path.join(where, f"{name}_processes"), folder)
        for name in ("opscale-init", "opscale-count.so", "opscale-child"):
            shutil.copy(os.path.join(suite.PROGRAMS, name), folder)
        done = self.call(RUNTEST, "getppid1", "skips", "dies", "--kernel", self.kernel, "--mode",
                         "processes", "--rounds", "1", "--instructions", programs=folder)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"\ngetppid1,processes,\d+,\d+,\d+,\d+,\d+,1\n")
        self.assertRegex(done.stdout, r"\nskips,processes,0,0,0,0,0,0\n")
        self.assertRegex(done.stderr, r"dies: processes 1 failed: task 0 ")


class IntegerPrinting(CountingTestCase):
    """Two small kernels that differ in how they print integers."""

    TEXTS = ("loadavg-read", "procstat-read", "pidstat-read", "uptime-read", "proc-scan")
    OTHERS = ("getppid1", "writeseek1")
    # Windows differ too: the files' numbers grow, and there are other processes.
    VARYING = ("procstat-read", "proc-scan")

    def test_which_testcases_see_it(self):
        guests.need_qemu()
        base, division = guests.lean()
        self.count(*self.TEXTS, *self.OTHERS, "--kernel", base, "--kernel", division, "--mode",
                   "processes")
        compare = suite.run(analysis.COMPARE, *self.sides(), "--format", "json")
        self.assertEqual(compare.returncode, 1)
        points = {point["testcase"]: point for point in json.loads(compare.stdout)["counted"]}
        self.assertEqual(points.keys(), {*self.TEXTS, *self.OTHERS})
        for name in self.OTHERS:
            self.assertEqual((points[name]["change"], points[name]["none_changed"]), (0, True))
        for name in self.TEXTS:
            with self.subTest(name):
                point = points[name]
                if name not in self.VARYING:
                    self.assertEqual(point["verdict"], "more instructions")
                changed = {row["name"]: row["candidate"] - row["base"]
                           for row in point["functions"]}
                self.assertGreater(changed["put_dec_trunc8"], 0)
                if name not in self.VARYING:
                    self.assertGreater(
                        changed["put_dec_trunc8"] + changed.get("put_dec_full8", 0),
                        0.7 * point["change"])


class Bisect(CountingTestCase):
    """vm/bisect under git bisect run, on a history in which a stand-in for the build only fetches a
    kernel that is there already.
    """

    BISECT = os.path.join(suite.SOURCE, "vm", "bisect")

    def setUp(self):
        super().setUp()
        guests.need_qemu()
        self.tree = os.path.join(self.folder, "tree")
        os.mkdir(self.tree)

    def git(self, *words):
        done = suite.run("git", "-c", "user.name=test", "-c", "user.email=test", *words,
                         cwd=self.tree, timeout=600,
                         env={**os.environ, "OPSCALE_PROGRAMS": suite.PROGRAMS})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def commit(self, text):
        with open(os.path.join(self.tree, "kernel"), "w", encoding="ascii") as file:
            file.write(f"{text}\n")
        self.git("add", "kernel")
        self.git("commit", "-q", "--allow-empty", "-m", text)
        return self.git("rev-parse", "HEAD").strip()

    def test_a_change_is_found(self):
        base, division = guests.lean()
        self.count("loadavg-read", "--kernel", base, "--mode", "processes", "--label", "good")
        self.git("init", "-q")
        good = self.commit(base)
        for text in (f"{base} 0", "/nothing that can be built", f"{base} 1"):
            self.commit(text)
        first_bad = self.commit(division)
        for number in range(3):
            bad = self.commit(f"{division} {number}")
        self.git("bisect", "start", bad, good)
        told = self.git("bisect", "run", self.BISECT, "--base",
                        os.path.join(self.folder, "results", "good"), "--build",
                        "read -r path rest <kernel; cp \"$path\" image", "--image", "image",
                        "loadavg-read", "--", "--mode", "processes")
        self.assertIn("more instructions", told)
        self.assertIn(f"{first_bad} is the first bad commit", told)

    def test_a_commit_that_cannot_be_built_is_skipped(self):
        done = suite.run(self.BISECT, "--base", self.folder, "--build", "false", "x", cwd=self.tree)
        self.assertEqual(done.returncode, 125)
        self.assertEqual(done.stderr, "bisect: the build failed (see bisect.log); this commit is "
                         "skipped\n")

    def test_wrong_usage(self):
        for words, message in ((("x",), "--base is needed"),
                               (("--base", "/nowhere", "x"), "--base /nowhere: there is no such"),
                               (("--base", "/tmp"), "the name of a testcase is needed"),
                               (("--bas", "x"), "unknown argument '--bas'"),
                               (("--base",), "--base: needs a value")):
            with self.subTest(words):
                done = suite.run(self.BISECT, *words, cwd=self.tree)
                self.assertEqual((done.returncode, done.stdout), (255, ""))
                self.assertTrue(done.stderr.startswith(f"bisect: {message}"), done.stderr)


if __name__ == "__main__":
    tap.main()
