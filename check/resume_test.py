#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs and sweeps that are stopped: what is kept, and that --resume makes the rest."""

import glob
import json
import os
import re
import shlex
import signal
import subprocess
import time
import unittest

import suite
import tap
from sweep import child

ENVIRONMENT = {**os.environ, "OPSCALE_PROGRAMS": suite.FIXTURES}
# A duration of its own marks the programs of this test in the list of processes.
DURATION = "0.1234"
SWEEP = ("clockrate", "ramp", "--tasks", "1,2", "--rounds", "3", "--warmup", "0", "--duration",
         DURATION)
POINTS = {(number, mode, tasks)
          for number in range(3) for mode in suite.MODES for tasks in (1, 2)}


def programs_left():
    """Process numbers of this test's programs."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if DURATION.encode() in words and words[0].startswith(suite.FIXTURES.encode()):
            found.append(int(path.split("/")[2]))
    return found


def made(result):
    return [(run["round"], run["mode"], run["tasks"]) for run in result["runs"]]


class ResumeTest(suite.TestCase):
    def load(self, testcase="clockrate"):
        """The only result file of a testcase: its path, seen from the folder, and its content."""
        (path,) = glob.glob(os.path.join(self.folder, f"results/*/{testcase}-*.json"))
        with open(path, encoding="utf-8") as file:
            return os.path.relpath(path, self.folder), json.load(file)

    def interrupt(self, signum):
        """Start a sweep, send a signal in its second round; (status, standard error)."""
        process = subprocess.Popen([suite.RUNTEST, *SWEEP], cwd=self.folder, env=ENVIRONMENT,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        limit = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < limit:
            time.sleep(0.02)
            try:
                if len(self.load()[1]["runs"]) >= 4:
                    break
            except ValueError:
                continue
        time.sleep(0.15)
        process.send_signal(signum)
        _, errors = process.communicate(timeout=30)
        return process.returncode, errors

    def go_on(self, path):
        return suite.run(suite.RUNTEST, "--resume", path, cwd=self.folder, env=ENVIRONMENT)

    def check_whole(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        row = r"\d+,[1-9]\d*,\d+\.\d\d,[1-9]\d*,\d+\.\d\d,\d+\n"
        self.assertRegex(done.stdout, f"\\A# clockrate\ntasks,.*\n0,.*\n({row}){{2}}"
                                      f"# ramp\ntasks,.*\n0,.*\n({row}){{2}}\\Z")
        for testcase in ("clockrate", "ramp"):
            _, result = self.load(testcase)
            self.assertEqual(len(result["runs"]), len(POINTS))
            self.assertEqual(set(made(result)), POINTS)
            self.assertTrue(result["complete"])
            self.assertEqual(result["command"], list(SWEEP))


class Children(unittest.TestCase):
    def run_child(self, script, limit):
        with child.interrupts_held():
            return child.run([child.Child(["sh", "-c", script], {})], limit)[0]

    def test_status(self):
        self.assertEqual(self.run_child("exit 77", 10), (77, False))
        self.assertEqual(self.run_child("kill -9 $$", 10), (-signal.SIGKILL, False))

    def test_limit(self):
        began = time.monotonic()
        self.assertEqual(self.run_child("exec sleep 60", 0.2), (-signal.SIGTERM, True))
        self.assertLess(time.monotonic() - began, 10)

    def test_a_child_that_ignores_the_limit_is_killed(self):
        grace, child.GRACE = child.GRACE, 0.2
        try:
            status, exceeded = self.run_child("trap '' TERM; sleep 60 & wait; wait", 0.2)
        finally:
            child.GRACE = grace
        self.assertEqual((status, exceeded), (-signal.SIGKILL, True))

    def test_signals_are_as_before_in_the_child(self):
        with child.interrupts_held():
            command = ["grep", "-q", "^SigBlk:.*0000$", "/proc/self/status"]
            (status, _), = child.run([child.Child(command, {})], 10)
        self.assertEqual(status, 0)


class Interrupted(ResumeTest):
    def check(self, signum):
        status, errors = self.interrupt(signum)
        self.assertEqual(status, -signum)
        path, before = self.load()
        self.assertFalse(before["complete"])
        self.assertIsNone(before["finished"])
        self.assertTrue(4 <= len(before["runs"]) < len(POINTS))
        self.assertIn(f"interrupted by {signum.name} after {len(before['runs'])} of 12 runs, "
                      "which are kept.", errors)
        self.assertEqual(programs_left(), [])
        command = shlex.split(re.search(r"To go on: (.*)\n\Z", errors).group(1))
        self.assertEqual(command[-3:], [suite.RUNTEST, "--resume", path])
        done = suite.run("env", *command, cwd=self.folder)
        self.check_whole(done)
        self.assertEqual(self.load()[1]["runs"][:len(before["runs"])], before["runs"])

    def test_sigint(self):
        self.check(signal.SIGINT)

    def test_sigterm(self):
        self.check(signal.SIGTERM)

    def test_sigkill_loses_one_round_at_most(self):
        self.assertEqual(self.interrupt(signal.SIGKILL)[0], -signal.SIGKILL)
        path, before = self.load()
        self.assertGreaterEqual(len(before["runs"]), 4)
        limit = time.monotonic() + 10
        while programs_left() and time.monotonic() < limit:
            time.sleep(0.02)
        self.assertEqual(programs_left(), [])
        self.check_whole(self.go_on(path))

    def test_an_ignored_signal_stays_ignored(self):
        done = suite.run("sh", "-c", 'trap "" HUP; "$@" & sleep 0.5; kill -HUP $!; wait $!', "sh",
                         suite.RUNTEST, "clockrate", "--tasks", "1", "--rounds", "3", "--warmup",
                         "0", "--duration", "0.2", cwd=self.folder, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)


class Refused(ResumeTest):
    """--resume with the file of a whole sweep that was then changed."""

    whole = None

    def setUp(self):
        super().setUp()
        if Refused.whole is None:
            done = suite.run(suite.RUNTEST, "clockrate", *SWEEP[2:], cwd=self.folder,
                             env=ENVIRONMENT)
            self.assertEqual(done.returncode, 0, done.stderr)
            Refused.whole = json.dumps(self.load()[1])
        self.path = os.path.join("results", "clockrate.json")
        os.makedirs(os.path.join(self.folder, "results"), exist_ok=True)
        self.result = json.loads(Refused.whole)
        self.result["complete"] = False
        self.result["runs"].pop()

    def refused(self, *named, text=None):
        with open(os.path.join(self.folder, self.path), "w", encoding="utf-8") as file:
            file.write(json.dumps(self.result) if text is None else text)
        done = self.go_on(self.path)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Aruntest.py: [^\n]+\n\Z")
        for word in (self.path, *named):
            self.assertIn(word, done.stderr)

    def test_another_kernel(self):
        self.result["machine"]["kernel"]["release"] = "5.4.0-old"
        self.refused("kernel release", "5.4.0-old", os.uname().release)

    def test_another_processor(self):
        self.result["machine"]["cpu"]["model_name"] = "Another CPU"
        self.refused("cpu model name", "Another CPU")

    def test_another_place(self):
        self.result["place"] = {"type": "elsewhere"}
        self.refused("elsewhere")

    def test_complete(self):
        self.result["complete"] = True
        self.refused("complete")

    def test_foreign(self):
        self.result["schema"] = 2
        self.refused("schema 2")
        self.result["format"] = "something else"
        self.refused("opscale-result")
        self.refused("opscale-result", text="[]")

    def test_damaged(self):
        whole = json.dumps(self.result)
        self.refused("damaged", text="")
        self.refused("damaged", text=whole[:-1])
        self.refused("damaged", text="\udc80".encode("utf-8", "surrogateescape").decode("latin-1"))
        for key in ("testcase", "settings", "machine", "runs", "testcases", "label", "place"):
            changed = {**self.result, key: 7}
            self.refused("damaged", text=json.dumps(changed))
            del changed[key]
            self.refused("damaged", text=json.dumps(changed))
        for run in ({}, 7, {"round": 0, "mode": "threads", "tasks": 1, "status": "ok"}):
            self.refused("damaged", text=json.dumps({**self.result, "runs": [run]}))
        settings = {**self.result["settings"], "rounds": "many"}
        self.refused("damaged", text=json.dumps({**self.result, "settings": settings}))

    def test_what_is_not_changed_is_accepted(self):
        path = os.path.join(self.folder, self.path)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.result, file)
        done = suite.run(suite.RUNTEST, "--resume", self.path, "--dry-run", cwd=self.folder,
                         env=ENVIRONMENT)
        self.assertEqual(re.findall(r"(?m)^ +\d  \w+ +(\d)", done.stdout), ["0", "0", "0", "1"])
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file), self.result)
        done = suite.run(suite.RUNALLTESTS, "--resume", self.path,
                         cwd=self.folder, env=ENVIRONMENT)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(set(made(json.load(file))), POINTS)
        with open(os.path.join(self.folder, "clockrate.csv"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 4)


if __name__ == "__main__":
    tap.main()
