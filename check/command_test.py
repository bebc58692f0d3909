# SPDX-License-Identifier: GPL-2.0-or-later
"""Whole programs as testcases: runtest.py --command."""

import glob
import json
import os
import re
import signal
import subprocess
import time

import suite
import tap

QUICK = ("--tasks", "1", "--rounds", "2", "--duration", "0.1", "--warmup", "0.05")


class CommandTest(suite.TestCase):
    def runtest(self, *words):
        return suite.run(suite.RUNTEST, *words, cwd=self.folder)

    def result(self):
        """The only result file, and its path."""
        (label,) = os.listdir(os.path.join(self.folder, "results"))
        (name,) = os.listdir(os.path.join(self.folder, "results", label))
        path = os.path.join("results", label, name)
        with open(os.path.join(self.folder, path), encoding="utf-8") as file:
            return json.load(file), path

    def script(self, text):
        path = os.path.join(self.folder, "a script")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
        return path

    def test_it_is_run_as_often_as_is_said(self):
        log = os.path.join(self.folder, "log")
        command = f"'{self.script(f'echo $# $2 >> {log}; echo out; echo err >&2')}' a 'b c' d"
        done = self.runtest("--command", command, *QUICK, "--mode", "processes", "--rounds", "1",
                            "--events", "page-faults")
        self.assertEqual(done.returncode, 0, done.stderr)
        result, path = self.result()
        self.assertEqual((result["testcase"], result["testcases"]), (command, [command]))
        self.assertEqual(result["settings"]["options"], {"command": command})
        self.assertRegex(os.path.basename(path), r"\A[\w.+-]+\.json\Z")
        (run,) = result["runs"]
        with open(log, encoding="ascii") as file:
            lines = file.read().splitlines()
        self.assertEqual(set(lines), {"3 b c"})
        # Beside the measurement: once before it, during warm-up, and what was cut off at the end.
        self.assertGreater(len(lines), run["operations"])
        self.assertLess(len(lines), 4 * run["operations"] + 100)
        # Of the shell, not of the task.
        self.assertGreater(run["events"]["counts"]["page-faults:u"] / run["operations"], 20)
        self.assertNotIn("out\n", done.stdout)
        self.assertNotIn("err\n", done.stderr)

    def test_table_and_summary(self):
        done = self.runtest("--command", "sh -c 'exit 0'", *QUICK)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\Atasks,.*\n0,0,100,0,100,0\n1,[1-9]\d*,\S+,[1-9]")
        self.assertIn("\nsh -c 'exit 0': ", done.stderr)

    def test_one_that_fails(self):
        for command, reason in (
                ("false", "`false' ended with status 1"),
                ("sh -c 'kill -9 $$'", "`sh -c 'kill -9 $$'' was killed by signal 9"),
                ("ls | cat", "`ls | cat' is no single command: sh -c '...' runs what only a shell "
                 "can")):
            with self.subTest(command):
                done = self.runtest("--command", command, *QUICK, "--output", command[:2])
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stdout, r"\n1,0,0\.00,0,0\.00,0\n\Z")
                self.assertIn(f"runtest.py: {command}: ", done.stderr)
                self.assertIn(f" failed: {reason}\n", done.stderr)

    def test_one_that_fails_later(self):
        counter = os.path.join(self.folder, "counter")
        path = self.script(f"echo x >> {counter}; [ $(wc -l < {counter}) -lt 10 ]")
        done = self.runtest("--command", f"'{path}'", *QUICK, "--mode", "threads")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"failed: (task 0: )?`'.*a script'' ended with status 1")
        self.assertTrue(all(run["status"] == "failed" for run in self.result()[0]["runs"]))

    def test_it_can_be_gone_on_with(self):
        process = subprocess.Popen(
            [suite.RUNTEST, "--command", "true", "--rounds", "30", *QUICK[:2], *QUICK[4:]],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not glob.glob(f"{self.folder}/results/*/*.json"):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT, told)
        _, path = self.result()
        self.assertIn(f"--resume {path}", told)
        done = self.runtest("--resume", path, "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\n     1  threads  ", done.stdout)
        self.assertTrue(done.stdout.startswith("true: "), done.stdout)

    def test_two_environments(self):
        done = self.runtest("--command", "sh -c 'test -z \"$SLOW\" || sleep 0.02'", "--ab-env",
                            "SLOW=,1", "--tasks", "1", "--mode", "processes", "--rounds", "5",
                            "--duration", "0.2", "--warmup", "0.05")
        self.assertEqual(done.returncode, 0, done.stderr)
        folders = re.findall(r"result file: (\S+)", done.stderr)
        self.assertEqual(len(folders), 2)
        rates = []
        for path in folders:
            with open(os.path.join(self.folder, path), encoding="utf-8") as file:
                rates.append(sum(run["operations"] for run in json.load(file)["runs"]))
        self.assertGreater(rates[0], 2 * rates[1])

    def test_wrong_usage(self):
        for words, message in (
                (("--command", "no-such-program x"),
                 "argument --command: 'no-such-program x': there is no program no-such-program"),
                (("--command", "ls '"), "argument --command: 'ls '': No closing quotation"),
                (("--command", ""), "argument --command: '': a program and its arguments are"),
                (("getppid1", "--command", "ls"), "'getppid1': --command takes no testcase"),
                (("--command", "ls", "--option", "command=ps"), "--option command: --command says"),
                (("--command", "ls", "--list"), "--command cannot be given with --ab-testcase"),
                (("--command", "ls", "--resume", "x"), "--command cannot be given with --resume")):
            with self.subTest(words):
                done = self.runtest(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertTrue(done.stderr.startswith(f"runtest.py: {message}"), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    tap.main()
