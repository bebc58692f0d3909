# SPDX-License-Identifier: GPL-2.0-or-later
"""Two sides measured against each other on real programs: runtest.py --ab and its kin."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import analysis
import suite
import sweep_test
import tap

ONE = ("--tasks", "1", "--mode", "processes", "--warmup", "0.02")
QUICK = (*ONE, "--rounds", "2", "--duration", "0.05")
# Lets no test fail by chance: of a thousand intervals one misses the truth.
SURE = ("--confidence", "99.9")

SWAPPINESS = "/proc/sys/vm/swappiness"


def setting():
    with open(SWAPPINESS, encoding="ascii") as file:
        return file.read().strip()


def changeable():
    return os.access(SWAPPINESS, os.W_OK)


# That of the sources, which finds the analysis beside itself.
RUNTEST = os.path.join(suite.SOURCE, "runtest.py")


class ContestTestCase(sweep_test.SweepTest):
    def runtest(self, *arguments, **keywords):
        return self.call(RUNTEST, *arguments, **keywords)

    def sides(self):
        """The result of each side, and the folder of both."""
        found = {path.split("/")[1]: result for path, result in self.results().items()}
        (folder,) = {path.split("/")[0] for path in self.results()}
        return found["base"], found["candidate"], os.path.join(self.folder, "results", folder)

    def start(self, *arguments):
        return subprocess.Popen([RUNTEST, *arguments], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "OPSCALE_PROGRAMS": suite.FIXTURES})

    def wait_for(self, condition):
        limit = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), limit, "waited in vain")
            time.sleep(0.02)


class Contest(ContestTestCase):
    def folders(self, *names):
        """Folders of programs, in each a testcase `work` that is another one in truth."""
        made = []
        for name in names:
            made.append(os.path.join(self.folder, f"of-{name}"))
            os.mkdir(made[-1])
            for mode in suite.MODES:
                shutil.copy(suite.program(name, mode), os.path.join(made[-1], f"work_{mode}"))
        return made

    def point(self, *options):
        """The only one of the comparison."""
        folder = self.sides()[2]
        done = suite.run(analysis.COMPARE, f"{folder}/base", f"{folder}/candidate",
                         "--format", "json", *options)
        (point,) = json.loads(done.stdout)["points"]
        return point

    def test_two_builds_of_which_one_works_more(self):
        """It is called slower, and the interval holds the truth: 1 / 1.03. Not on trial is that
        this machine has the time.
        """
        folders = self.folders("work100", "work103")
        for _ in range(3):
            shutil.rmtree(os.path.join(self.folder, "results"), ignore_errors=True)
            done = self.runtest("work", "--ab", *folders, *ONE, "--rounds", "10", "--duration",
                                "0.2")
            self.assertEqual(done.returncode, 0, done.stderr)
            sure = self.point(*SURE)
            self.assertTrue(sure["change_low"] <= 1 / 1.03 - 1 <= sure["change_high"], sure)
            if self.point()["verdict"] == "slower":
                break
        self.assertEqual((self.point()["verdict"], sure["pairs"]), ("slower", 10), sure)

    def test_sides_that_are_alike(self):
        done = self.runtest("spin1", "getppid1", "--ab-env", "OPSCALE_WORK=1,2", *ONE,
                            "--rounds", "8", "--duration", "0.2", programs=suite.PROGRAMS)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("spin1", "getppid1"):
            self.assertRegex(done.stdout, rf"\n{name} .*  no change larger than \d+\.\d %\n")

    def test_in_turns_with_roles_that_change(self):
        done = self.runtest("work100", "--ab-env", "OPSCALE_WORK=,2", *QUICK)
        self.assertEqual(done.returncode, 0, done.stderr)
        base, candidate, _ = self.sides()
        for result, roles in ((base, ["first", "second"]), (candidate, ["second", "first"])):
            self.assertTrue(result["complete"])
            self.assertTrue(result["contest"]["in_turns"])
            self.assertEqual([run["role"] for run in result["runs"]], roles)
            for run, role in zip(result["runs"], roles):
                # Four slices at least: A BB A.
                self.assertEqual(len(run["samples"]["seconds"]) % 2, role == "first")
                self.assertGreaterEqual(len(run["samples"]["seconds"]), 2)
        self.assertEqual(base["contest"]["id"], candidate["contest"]["id"])
        self.assertIn("base:      without OPSCALE_WORK, ", done.stdout)
        point = self.point()
        self.assertTrue(-0.55 < point["change"] < -0.45, point)

    def test_two_testcases(self):
        done = self.runtest("--ab-testcase", "clockrate,work100", *QUICK)
        self.assertEqual(done.returncode, 0, done.stderr)
        base, candidate, _ = self.sides()
        self.assertEqual([base["testcase"], candidate["testcase"]], ["clockrate", "work100"])
        point = self.point()
        self.assertEqual((point["testcase"], point["pairs"]), ("clockrate,work100", 2))

    def test_a_testcase_that_must_not_be_stopped(self):
        done = self.runtest("vfork1", "--ab-env", "X=1,2", *QUICK, programs=suite.PROGRAMS)
        self.assertEqual(done.returncode, 0, done.stderr)
        base, candidate, _ = self.sides()
        self.assertFalse(base["contest"]["in_turns"])
        order = sorted((run["started"], side) for side, result in
                       (("A", base), ("B", candidate)) for run in result["runs"])
        self.assertEqual([side for _, side in order], ["A", "B", "B", "A"])
        self.assertEqual(self.point()["pairs"], 2)

    def test_a_side_that_cannot_be_measured(self):
        """What one side lacks both do, and the table tells why."""
        done = self.runtest("--ab-testcase", "skips,clockrate", *QUICK)
        self.assertEqual(done.returncode, 1, done.stderr)
        base, candidate, _ = self.sides()
        self.assertEqual([run["status"] for run in base["runs"]], ["skipped"])
        self.assertEqual([run["status"] for run in candidate["runs"]], ["skipped"])
        self.assertEqual(candidate["runs"][0]["reason"],
                         f"the other side: {base['runs'][0]['reason']}")
        self.assertIn("not comparable: all runs of base failed", done.stdout)

    def test_interrupted(self):
        process = self.start("clockrate", "--ab-env", "X=1,2", *ONE, "--rounds", "100")
        self.wait_for(self.both_have_runs)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        base, candidate, folder = self.sides()
        self.assertEqual(len(base["runs"]), len(candidate["runs"]))
        self.assertGreater(len(base["runs"]), 0)
        self.assertRegex(errors, r"interrupted by SIGTERM after \d+ of 100 runs of each side, "
                         rf"which are kept in \S+{re.escape(os.path.basename(folder))}\n\Z")

    def both_have_runs(self):
        try:
            return len([True for result in self.results().values() if result["runs"]]) == 2
        except ValueError:
            return False

    def test_wrong_usage(self):
        for words, message in (
                (("work100", "--ab", self.folder), "argument --ab: expected 2 arguments"),
                (("work100", "--ab", "/nowhere", self.folder),
                 "argument --ab: '/nowhere': a folder of programs is needed"),
                (("work100", "--ab", self.folder, self.folder),
                 f"no testcase's program in {self.folder}"),
                (("work100", "--ab-env", "X=1"),
                 "argument --ab-env: '1': two different values, A,B, are needed"),
                (("work100", "--ab-env", "X=1,1"), "argument --ab-env: '1,1': two different"),
                (("work100", "--ab-env", "1,2"), "argument --ab-env: '1,2': NAME=VALUE is needed"),
                (("work100", "--ab-testcase", "work100,work103"),
                 "'work100': --ab-testcase names the testcases"),
                (("--ab-testcase", "work100,work104"), "no testcase is called 'work104': did you"),
                (("work100", "--ab-setting", "no.such=1,2"),
                 "--ab-setting no.such: this machine has no /proc/sys/no/such; a sysctl, "),
                (("work100", "--ab-env", "X=1,2", "--ab-setting", "thp=1,2"), "argument --ab-"),
                (("work100", "1", "both", "0", "0", "1", "--ab-env", "X=1,2"),
                 "--ab-env cannot be given beside TESTCASE SECONDS MODE ..."),
                (("--list", "--ab-env", "X=1,2"), "--ab-env cannot be given with --list")):
            with self.subTest(words):
                done = self.runtest(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertTrue(done.stderr.startswith(f"runtest.py: {message}"), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_one_side_cannot_be_resumed(self):
        self.runtest("clockrate", "--ab-env", "X=1,2", *QUICK, "--rounds", "1")
        (path, _), *_ = self.results().items()
        done = self.runtest("--resume", os.path.join("results", path))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("is one side of two", done.stderr)


@unittest.skipUnless(changeable(), "no setting of this system can be changed")
class Setting(ContestTestCase):
    def setUp(self):
        super().setUp()
        self.before = setting()
        self.notes = os.path.join(self.folder, "notes")
        self.words = ("notes", "--ab-setting", "vm.swappiness=41,43", *ONE, "--duration", "0.05",
                      "--option", f"from={SWAPPINESS}", "--option", f"into={self.notes}")

    def test_whole_runs_alternate(self):
        done = self.runtest(*self.words, "--rounds", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(setting(), self.before)
        with open(self.notes, encoding="ascii") as file:
            self.assertEqual(file.read().split(), ["41", "43", "43", "41", "41", "43"])
        self.assertIn("candidate: vm.swappiness=43, ", done.stdout)

    def test_set_back_whatever_happens(self):
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(signum.name):
                process = self.start(*self.words, "--rounds", "1000")
                self.wait_for(lambda: setting() in ("41", "43"))
                process.send_signal(signum)
                process.communicate(timeout=60)
                self.assertEqual(process.returncode, -signum)
                self.wait_for(lambda: setting() == self.before)

    def test_a_value_that_the_kernel_does_not_take(self):
        done = self.runtest("notes", "--ab-setting", "vm.swappiness=41,much", *QUICK)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "runtest.py: --ab-setting vm.swappiness: "
                         f"{SWAPPINESS} does not take 'much': Invalid argument\n")
        self.assertEqual(setting(), self.before)


if __name__ == "__main__":
    tap.main()
