#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""runtest.py and runalltests on real programs: what they print, what they keep, how they fail."""

import json
import os
import pty
import re
import subprocess
import time
import unittest

import suite
import tap

QUICK = ("--warmup", "0", "--duration", "0.05")
HEAD = "tasks,processes,processes_idle,threads,threads_idle,linear\n0,0,100,0,100,0\n"
ROW = r"\d+,\d+,\d+\.\d\d,\d+,\d+\.\d\d,\d+\n"


class SweepTest(suite.TestCase):
    """Everything happens in the test's own folder."""

    def call(self, command, *arguments, programs=suite.FIXTURES, **variables):
        return suite.run(command, *arguments, cwd=self.folder,
                         env={**os.environ, "OPSCALE_PROGRAMS": programs, **variables})

    def runtest(self, *arguments, **keywords):
        return self.call(suite.RUNTEST, *arguments, **keywords)

    def results(self):
        """Every result file, by its path in results/."""
        found, top = {}, os.path.join(self.folder, "results")
        for folder, _, names in os.walk(top):
            for path in (os.path.join(folder, name) for name in names):
                with open(path, encoding="utf-8") as file:
                    found[os.path.relpath(path, top)] = json.load(file)
        return found

    def result(self):
        (result,) = self.results().values()
        return result

    def programs(self, *names):
        """A folder that holds only these programs."""
        folder = os.path.join(self.folder, "only")
        os.makedirs(folder, exist_ok=True)
        for name in names:
            testcase, _, mode = name.rpartition("_")
            os.symlink(suite.program(testcase, mode), os.path.join(folder, name))
        return folder


class Table(SweepTest):
    def test_one_testcase(self):
        done = self.runtest("clockrate", "--tasks", "1,2", "--rounds", "3", "--warmup", "0",
                            "--duration", "0.2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, f"\\A{HEAD}({ROW}){{2}}\\Z")
        for number, row in enumerate(done.stdout.splitlines()[2:], 1):
            tasks, processes, idle, threads, _, linear = map(float, row.split(","))
            self.assertEqual(tasks, number)
            self.assertAlmostEqual(processes, 1e6 * number, delta=2e5 * number)
            self.assertAlmostEqual(threads, 1e6 * number, delta=2e5 * number)
            self.assertTrue(0 <= idle <= 100)
            self.assertAlmostEqual(linear, 1e6 * number, delta=2e5 * number)

    def test_one_mode_and_no_single_task(self):
        done = self.runtest("clockrate", "--tasks", "2", "--rounds", "1", "--mode", "threads",
                            *QUICK)
        self.assertRegex(done.stdout, f"\\A{HEAD}2,0,0\\.00,[1-9]\\d+,\\d+\\.\\d\\d,0\n\\Z")

    def test_several_testcases(self):
        done = self.runtest("clockrate", "ramp", "--tasks", "1", "--rounds", "1", *QUICK)
        self.assertRegex(done.stdout, f"\\A# clockrate\n{HEAD}{ROW}# ramp\n{HEAD}{ROW}\\Z")
        self.assertEqual([result["testcases"] for result in self.results().values()],
                         [["clockrate", "ramp"]] * 2)

    def test_a_row_is_printed_as_soon_as_it_is_final(self):
        process = subprocess.Popen(
            [suite.RUNTEST, "clockrate", "--tasks", "1,2", "--rounds", "1", "--warmup", "0",
             "--duration", "0.4"], cwd=self.folder,
            env={**os.environ, "OPSCALE_PROGRAMS": suite.FIXTURES}, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        with process.stdout:
            rows = [process.stdout.readline() for _ in range(3)]
            began = time.monotonic()
            rows += process.stdout.readlines()
        self.assertEqual(process.wait(), 0)
        self.assertTrue(rows[2].startswith("1,"))
        self.assertGreater(time.monotonic() - began, 0.7)

    def test_a_reader_that_goes_away_costs_no_measurement(self):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(
            [suite.RUNTEST, "clockrate", "--tasks", "1", "--rounds", "1", *QUICK], cwd=self.folder,
            env={**os.environ, "OPSCALE_PROGRAMS": suite.FIXTURES}, stdout=write,
            stderr=subprocess.PIPE, text=True, check=False)
        os.close(write)
        self.assertEqual(done.returncode, 1)
        self.assertIn("runtest.py: cannot write the table: Broken pipe\n", done.stderr)
        self.assertNotIn("Exception", done.stderr)
        self.assertTrue(self.result()["complete"])


class Summary(SweepTest):
    def test_intervals_from_six_rounds(self):
        done = self.runtest("clockrate", "--tasks", "1", "--rounds", "6", *QUICK)
        self.assertRegex(done.stderr, r"(?m)^ +tasks +per_process_ops +95 % interval +"
                                      r"per_thread_ops +95 % interval$")
        value = r"\d{3},\d{3}|1,\d{3},\d{3}"
        self.assertRegex(done.stderr, f"(?m)^ +1( +({value}) +({value}) to ({value})){{2}}$")

    def test_nothing_in_it_looks_like_the_table(self):
        done = self.runtest("clockrate", "dies", "--tasks", "1,2", "--rounds", "1", *QUICK)
        for line in done.stderr.splitlines():
            self.assertNotRegex(line, r"^[0-9.,]+$")
            self.assertNotRegex(line, r"^[a-z_,]+$")

    def test_progress_is_for_terminals(self):
        terminal, stderr = pty.openpty()
        try:
            done = subprocess.run(
                [suite.RUNTEST, "clockrate", "--tasks", "1", "--rounds", "2", *QUICK],
                cwd=self.folder, env={**os.environ, "OPSCALE_PROGRAMS": suite.FIXTURES},
                stdout=subprocess.PIPE, stderr=stderr, text=True, check=False)
            seen = os.read(terminal, 65536).decode()
        finally:
            os.close(terminal)
            os.close(stderr)
        self.assertRegex(done.stdout, f"\\A{HEAD}{ROW}\\Z")
        self.assertRegex(seen, r"clockrate: round 2 of 2, processes 1, \d+ %, \d+ s left")
        self.assertNotIn("left", self.runtest("clockrate", "--tasks", "1", "--rounds", "1",
                                              *QUICK).stderr)


class ResultFile(SweepTest):
    @staticmethod
    def documented(heading):
        """The keys in the first column of the table that follows a line of docs/formats.md."""
        with open(os.path.join(suite.SOURCE, "docs", "formats.md"), encoding="utf-8") as file:
            table = file.read().partition(heading)[2].lstrip().partition("| --- |")[2]
        keys = []
        for line in table.splitlines()[1:]:
            if not line.startswith("|"):
                break
            keys += re.findall(r"`(\w+)`", line.split("|")[1])
        return keys

    def test_keys_are_the_documented_ones(self):
        self.runtest("clockrate", "--tasks", "1,2", "--rounds", "2", *QUICK)
        result = self.result()
        self.assertEqual(sorted(result), sorted(self.documented("## 4.")[:len(result)]))
        for run in result["runs"]:
            self.assertEqual(sorted(run), sorted(self.documented("\nA run:")))

    def test_values(self):
        arguments = ["clockrate", "--tasks", "2,1", "--rounds", "2", "--label", "some name",
                     "--policy", "compact", "--aslr", "--dir", self.folder, *QUICK]
        self.assertEqual(self.runtest(*arguments).returncode, 0)
        (name, result), = self.results().items()
        self.assertRegex(name, r"^some name/clockrate-\d{8}T\d{6}\.json$")
        self.assertEqual(result["settings"], {
            "modes": ["processes", "threads"], "tasks": [1, 2], "rounds": 2, "duration": 0.05,
            "warmup": 0.0, "interval": 0.01, "policy": "compact", "cpus": None,
            "dir": self.folder, "aslr": True, "options": {}, "instructions": False,
            "events": None, "statistics": True, "profile": False, "latency": False})
        self.assertEqual((result["format"], result["schema"]), ("opscale-result", 1))
        self.assertEqual((result["testcase"], result["label"]), ("clockrate", "some name"))
        self.assertEqual((result["command"], result["testcases"]), (arguments, ["clockrate"]))
        self.assertEqual(result["place"], {"type": "local"})
        self.assertEqual(result["scratch"]["path"], self.folder)
        self.assertEqual(len(result["placement"]["tasks"]), 2)
        self.assertEqual(result["machine"]["kernel"]["release"], os.uname().release)
        self.assertIn("compiler", result["machine"]["build"])
        self.assertTrue(result["complete"])
        self.assertLess(result["started"], result["finished"])
        self.assertEqual([(run["round"], run["tasks"]) for run in result["runs"]],
                         [(0, 2), (0, 2), (0, 1), (0, 1), (1, 1), (1, 1), (1, 2), (1, 2)])

    def test_runs_add_up(self):
        self.runtest("clockrate", "--tasks", "3", "--rounds", "1", *QUICK, "--warmup", "0.05")
        for run in self.result()["runs"]:
            parts = run["samples"]
            self.assertEqual((run["status"], run["reason"]), ("ok", None))
            self.assertEqual(run["operations"], sum(run["task_operations"]))
            self.assertEqual(run["operations"], sum(parts["operations"]))
            self.assertAlmostEqual(run["seconds"], sum(parts["seconds"]), places=6)
            self.assertEqual(len(run["task_operations"]), 3)
            self.assertTrue(all(low <= total / 3 <= high for low, total, high in zip(
                parts["least"], parts["operations"], parts["greatest"])))
            self.assertGreaterEqual(run["seconds"], 0.05)
            self.assertGreater(run["start_seconds"], 0)
            self.assertEqual(len(parts["warmup_seconds"]), len(parts["warmup_operations"]))
            self.assertGreater(sum(parts["warmup_operations"]), 0)
            self.assertLessEqual(sum(parts["warmup_seconds"]), run["warmup_seconds"])

    def test_none_is_overwritten(self):
        for _ in range(3):
            self.runtest("clockrate", "--tasks", "1", "--rounds", "1", "--mode", "threads",
                         "--warmup", "0", "--duration", "0.01")
        self.assertEqual(len(self.results()), 3)

    def test_a_folder_that_cannot_be_written_is_told_before_anything_starts(self):
        with open(os.path.join(self.folder, "results"), "w", encoding="utf-8"):
            pass
        done = self.runtest("clockrate", *QUICK)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Aruntest.py: cannot write results to results/[^\n]+: "
                                      r"[^\n]+: --output names another folder\n\Z")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_without_permission(self):
        os.chmod(self.folder, 0o500)
        done = self.runtest("clockrate", *QUICK)
        os.chmod(self.folder, 0o700)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Permission denied", done.stderr)


class Failures(SweepTest):
    def test_a_point_that_fails_stops_nothing(self):
        done = self.runtest("dies", "--tasks", "1,2", "--rounds", "2", "--option", "how=segv",
                            "--option", "task=1", "--option", "after=1000", *QUICK)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, f"\\A{HEAD}1,[1-9].*\n2,0,0\\.00,0,0\\.00,[1-9]\\d+\n\\Z")
        runs = self.result()["runs"]
        self.assertEqual([run["status"] for run in runs if run["tasks"] == 1], ["ok"] * 4)
        for run in runs:
            if run["tasks"] == 2:
                self.assertEqual(run["status"], "failed")
                self.assertIn("signal 11", run["reason"])
                self.assertIsNone(run["operations"])
        for mode in suite.MODES:
            self.assertRegex(done.stderr, f"(?m)^  {mode} 2: failed: task 1\\b.* signal 11")
            self.assertEqual(done.stderr.count(f"runtest.py: dies: {mode} 2 failed: task 1"), 1)
        self.assertIn("4 of 8 runs of dies brought no value:\n", done.stderr)
        self.assertTrue(self.result()["complete"])

    def test_a_skipped_point_is_tried_once(self):
        for where in ("prepare", "task"):
            done = self.runtest("skips", "--tasks", "1,2", "--rounds", "3", "--label", where,
                                "--option", f"where={where}", *QUICK)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout, f"{HEAD}1,0,0.00,0,0.00,0\n2,0,0.00,0,0.00,0\n")
            self.assertIn("flux capacitor", done.stderr)
        for result in self.results().values():
            self.assertEqual([run["status"] for run in result["runs"]], ["skipped"] * 4)
            self.assertTrue(result["complete"])

    def test_the_next_testcase_is_measured_all_the_same(self):
        done = self.runtest("skips", "clockrate", "--tasks", "1", "--rounds", "1", *QUICK)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, f"\\A# skips\n{HEAD}{ROW}# clockrate\n{HEAD}1,[1-9].*\n\\Z")


class ClassicForm(SweepTest):
    def test_one_run_a_point_with_five_seconds_of_warmup(self):
        done = self.runtest("clockrate", "0.2", "thread", "0", "0", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, f"\\A{HEAD}2,0,0\\.00,[1-9]\\d+,\\d+\\.\\d\\d,0\n\\Z")
        settings, (run,) = self.result()["settings"], self.result()["runs"]
        self.assertEqual((settings["warmup"], settings["rounds"], settings["duration"]),
                         (5.0, 1, 0.2))
        self.assertGreaterEqual(run["warmup_seconds"], 5)

    def test_rows_are_in_the_order_given(self):
        done = self.runtest("skips", "1", "both", "0", "0", "2", "1", "4", "2")
        self.assertEqual(done.stdout, HEAD + "".join(f"{tasks},0,0.00,0,0.00,0\n"
                                                     for tasks in (2, 1, 4)))

    def test_flags(self):
        for flags, policy in (("0 0", "cores"), ("0 1", "pus"), ("1 0", "none"), ("1 1", "none")):
            done = self.runtest("skips", "1", "process", *flags.split(), "1", "--label", policy)
            self.assertEqual(done.returncode, 1)
            self.assertIn(policy, [result["settings"]["policy"]
                                   for result in self.results().values()])

    def test_no_result_file_is_only_a_warning(self):
        with open(os.path.join(self.folder, "results"), "w", encoding="utf-8"):
            pass
        done = self.runtest("skips", "1", "both", "0", "0", "1")
        self.assertEqual(done.stdout, f"{HEAD}1,0,0.00,0,0.00,0\n")
        self.assertIn("cannot write results to results", done.stderr)

    def test_wrong_words_are_named(self):
        for words, named in (("1 processes 0 0 1", "'processes'"), ("1 both 2 0 1", "'2'"),
                             ("1 both 0 no 1", "'no'"), ("0 both 0 0 1", "'0'"),
                             ("inf both 0 0 1", "'inf'"), ("1 both 0 0 x", "'x'"),
                             ("1 both 0 0 1 0", "'0'"), ("1 both 0 0", "'clockrate 1 both 0 0'"),
                             ("1 both 0 0 1 --rounds 2", "--rounds"),
                             ("1 both 0 0 1 --smt", "--smt")):
            with self.subTest(words):
                done = self.runtest("clockrate", *words.split())
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, r"\Aruntest.py: [^\n]+\n\Z")
                self.assertIn(named, done.stderr)


class AllTestcases(SweepTest):
    def test_a_table_each_and_failures_at_the_end(self):
        only = self.programs(*(f"{name}_{mode}" for name in ("ramp", "skips", "clockrate")
                               for mode in suite.MODES))
        done = self.call(suite.RUNALLTESTS, "--tasks", "1", "--rounds", "1", *QUICK, programs=only)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        for name in ("ramp", "skips", "clockrate"):
            with open(os.path.join(self.folder, f"{name}.csv"), encoding="utf-8") as file:
                self.assertRegex(file.read(), f"\\A{HEAD}{ROW}\\Z")
        self.assertEqual(len(self.results()), 3)
        self.assertEqual(done.stderr.splitlines()[-1], "runalltests: not all was measured of skips")

    def test_names_are_refused(self):
        done = self.call(suite.RUNALLTESTS, "clockrate")
        self.assertEqual(done.returncode, 2)
        self.assertIn("clockrate", done.stderr)


if __name__ == "__main__":
    tap.main()
