#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Archives of will-it-scale's tables in the analysis."""

import json
import os

import results
import suite
import tap

import analysis  # before what it finds

HEADER = "tasks,processes,processes_idle,threads,threads_idle,linear\n0,0,100,0,100,0\n"
SCALABILITY = os.path.join(suite.SOURCE, "postprocess", "scalability.py")


class ClassicTest(results.ResultsTestCase):
    def table(self, path, rows, name="getppid1", header=HEADER):
        """A file X.csv of rows (tasks, processes, threads); its folder."""
        folder = os.path.join(self.folder, path)
        os.makedirs(folder, exist_ok=True)
        text = header + "".join(f"{tasks},{processes},{50 / tasks:.2f},{threads},0.25,"
                                f"{rows[0][1] * tasks}\n" for tasks, processes, threads in rows)
        with open(os.path.join(folder, f"{name}.csv"), "w", encoding="utf-8") as file:
            file.write(text)
        return folder

    def compare(self, *arguments):
        return suite.run(analysis.COMPARE, "base", "candidate", *arguments, cwd=self.folder)

    def test_archives_of_several_runs(self):
        for number, noise in enumerate((0, 3000, -2000, 1000, -4000)):
            self.table(f"base/{number}", [(1, 1000000 + noise, 900000 - noise),
                                          (2, 2000000 + noise, 1700000)])
            self.table(f"candidate/{number}", [(1, 900000 + noise, 900000 + noise),
                                               (2, 2000000 - noise, 1700000)])
        done = self.compare()
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertRegex(done.stdout, r"(?m)^getppid1 +processes +1 +1,000,000 .* -\d+\.\d % .*  "
                         "slower$")
        self.assertRegex(done.stdout,
                         r"(?m)^getppid1 +threads +1 .* no change larger than \d\.\d %$")
        self.assertRegex(done.stdout,
                         r"\Abase: +kernel not known, label 0, 1, 2, 3, 4: 20 runs in 5 files")
        for name in ("base", "candidate"):
            self.assertIn(f"Warning: {name}: a table says nothing of the machine", done.stdout)
        self.assertNotIn("differ", done.stdout.replace("can differ from", ""))

    def test_one_run_each_is_too_few(self):
        for side in ("base", "candidate"):
            self.table(side, [(1, 1000000, 900000)])
        done = self.compare()
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stdout.count("too few runs: 4 of each side are needed"), 2)

    def test_against_results_of_ours(self):
        self.table("base", [(1, 1000000, 900000)], name="spin1")
        self.write("candidate", {("processes", 1): [1e6] * 10})
        done = self.compare()
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stdout, r"spin1 +processes +1 .* too few runs")
        self.assertIn("candidate has no such run", done.stdout)
        self.assertNotIn("the machines differ", done.stdout)

    def test_what_was_not_measured(self):
        self.table("base", [(1, 1000000, 0), (2, 0, 0), (3, 3000000, 0)])
        self.table("candidate", [(1, 1000000, 0), (2, 2000000, 0), (3, 3000000, 0)])
        done = self.compare("--format", "json")
        points = json.loads(done.stdout)["points"]
        # Of threads there is no value at all: they were not asked for.
        self.assertEqual([(one["mode"], one["tasks"]) for one in points],
                         [("processes", 1), ("processes", 2), ("processes", 3)])
        self.assertEqual(points[1]["reason"],
                         "all runs of base failed: its table has 0: it was not measured")

    def test_tables_beside_result_files_only_repeat_them(self):
        for side in ("base", "candidate"):
            self.write(side, {("processes", 1): [1e6] * 10})
            self.table(side, [(1, 5, 5)], name="spin1")
        points = json.loads(self.compare("--format", "json").stdout)["points"]
        self.assertEqual([one["base_runs"] for one in points], [10])

    def test_scalability(self):
        self.table("archive", [(tasks, round(1e6 * tasks / (1 + 0.05 * (tasks - 1))),
                                round(1e6 * tasks)) for tasks in (1, 2, 4, 8, 16)])
        done = suite.run(SCALABILITY, "archive", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"processes +0\.05 ")

    def test_damaged_files_are_told(self):
        for text, message in (
                ("", "is empty"),
                ("\n1,2\n", f"is damaged: its first line is not '{HEADER.splitlines()[0]}'"),
                (HEADER + "1,2,3\n", "is damaged: line 3 is no row of such a table: '1,2,3'"),
                (HEADER + "1,x,0.00,1,0.00,1\n", "is damaged: line 3 is no row of such a table"),
                (HEADER + "1,-5,0.00,1,0.00,1\n", "is damaged: line 3 is no row of such a table")):
            with self.subTest(text):
                self.table("base", [(1, 1, 1)])
                self.table("candidate", [(1, 1, 1)])
                with open(os.path.join(self.folder, "base", "getppid1.csv"), "w",
                          encoding="utf-8") as file:
                    file.write(text)
                done = self.compare()
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr.startswith(
                    f"compare.py: base/getppid1.csv: {message}"), done.stderr)


if __name__ == "__main__":
    tap.main()
