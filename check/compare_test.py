#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare.py on result files of every kind."""

import json
import math
import os

import results
import suite
import tap

import analysis  # before what it finds
import numpy as np


class CompareTest(results.ResultsTestCase):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(2)

    def rates(self, middle, count=10):
        return list(middle * np.exp(self.random.normal(0, 0.005, count)))

    def compare(self, *arguments):
        return suite.run(analysis.COMPARE, "base", "candidate", *arguments, cwd=self.folder)

    def test_verdicts_and_statuses(self):
        modes = [("processes", 1), ("processes", 2), ("threads", 1), ("threads", 2)]
        self.write("base", {mode: self.rates(1e6, 3 if mode == modes[3] else 10) for mode in modes})
        self.write("candidate", dict(zip(modes, (
            self.rates(0.97e6), self.rates(1.04e6), self.rates(1e6), self.rates(1e6, 3)))))
        done = self.compare()
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        lines = done.stdout
        self.assertRegex(lines, r"\Abase: +kernel base, label base: 33 runs in 1 file, ")
        self.assertIn("a minus means that the candidate does fewer operations per second", lines)
        self.assertRegex(lines, r"spin1 +processes +1 .* -[23]\.\d % .*  slower\n")
        self.assertRegex(lines, r"spin1 +processes +2 .* \+[34]\.\d % .*  faster\n")
        self.assertRegex(lines, r"spin1 +threads +1 .*  no change larger than [01]\.\d %\n")
        self.assertRegex(lines, r"spin1 +threads +2 .*  too few runs: 4 of each side are needed\n")
        self.assertIn("\n1 slower, 1 faster, 1 no change, 1 too few runs\n", lines)
        self.assertEqual(self.compare("--bisect").returncode, 1)
        self.assertEqual(self.compare("--noise", "10").returncode, 0)

    def test_nothing_can_be_said(self):
        self.write("base", {("threads", 1): self.rates(1e6, 2)})
        self.write("candidate", {("threads", 1): self.rates(1e6, 2)})
        self.assertEqual(self.compare().returncode, 3)
        self.assertEqual(self.compare("--bisect").returncode, 125)

    def test_not_comparable(self):
        self.write("base", {("threads", 1): self.rates(1e6)})
        self.write("candidate", {("threads", 1): self.rates(1e6)}, settings={"policy": "pus"})
        done = self.compare()
        self.assertEqual(done.returncode, 3)
        self.assertIn("not comparable: policy pus in candidate, policy cores in the other",
                      done.stdout)

    def test_different_machines_are_warned_of(self):
        self.write("base", {("threads", 1): self.rates(1e6)})
        self.write("candidate", {("threads", 1): self.rates(1e6)}, machine={
            "kernel": {"release": "candidate"}, "thp": {"enabled": "always"}})
        self.assertIn("Warning: the machines differ: thp.enabled: madvise in base, always in "
                      "candidate\n", self.compare().stdout)

    def write_contest(self, side, turns, roles, **changes):
        """A file of one side: rates of the turns of each run, and whether it had the first turn."""
        path = self.write(side, {("threads", 1): [np.mean(rates) for rates in turns]}, contest={
            "id": "one", "side": side, "told": f"X={side}", "in_turns": True, "testcase": "spin1",
            **changes})
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        for run, rates, role in zip(result["runs"], turns, roles):
            run["role"] = role
            run["samples"] = {"seconds": [0.01] * len(rates),
                              "operations": [rate / 100 for rate in rates]}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)

    def write_pairs(self, change, count=8, disturbed=()):
        """Both sides of a contest on a machine that drifts by much."""
        roles = [("first", "second")[number % 2] for number in range(count)]
        sides = [], []
        for number, role in enumerate(roles):
            course = 1e6 * np.exp(number + np.linspace(0, 1, 17))
            turns = (course[::2], course[1::2])[::1 if role == "first" else -1]
            luck = math.exp(0.001 * (-1) ** (number // 2))
            sides[0].append(list(turns[0]))
            sides[1].append(list(turns[1] * change * luck))
            for turn in disturbed:
                sides[1][-1][turn] *= 0.5
        self.write_contest("base", sides[0], roles)
        self.write_contest("candidate", sides[1], [("second", "first")[number % 2]
                                                   for number in range(count)])

    def test_pairs(self):
        """What the machine does to both is not in their ratio; the roles change."""
        self.write_pairs(0.98)
        done = self.compare("--format", "json")
        point = json.loads(done.stdout)["points"][0]
        self.assertEqual((point["verdict"], point["pairs"]), ("slower", 8))
        self.assertAlmostEqual(point["change"], -0.02)
        self.assertTrue(-0.021 < point["change_low"] < -0.02 < point["change_high"] < -0.019)
        text = self.compare().stdout
        self.assertIn("candidate: X=candidate, kernel candidate, ", text)
        self.assertIn("(Student's t of the pairs, 95 %, corrected for 1 point)", text)
        self.assertNotIn("unlike the others", text)

    def test_too_few_pairs(self):
        self.write_pairs(0.98, 3)
        self.assertIn("too few runs: 4 of each side are needed", self.compare().stdout)

    def test_turns_that_are_unlike_the_others(self):
        self.write_pairs(1.0, disturbed=(3,))
        text = self.compare().stdout
        self.assertRegex(text, "no change larger than 0\\.[01] %")
        self.assertRegex(text, "some turns are unlike the others: by all operations in all time "
                         "the change is -[5-7]\\.")

    def test_runs_that_are_no_pairs(self):
        """Of two contests the runs of one and those of the other have nothing in common."""
        self.write_pairs(0.98)
        path = os.path.join(self.folder, "candidate", "spin1.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('"id": "one"', '"id": "two"'))
        point = json.loads(self.compare("--format", "json").stdout)["points"][0]
        self.assertIsNone(point["pairs"])

    def test_a_damaged_contest(self):
        self.write_pairs(0.98)
        self.write("candidate", {("threads", 1): self.rates(1e6)}, contest={"id": "one"})
        done = self.compare()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "compare.py: candidate/spin1.json: is damaged: its contest "
                         "is {'id': 'one'}\n")

    def test_bad_files(self):
        self.write("base", {("threads", 1): self.rates(1e6)})
        self.write("candidate", {("threads", 1): self.rates(1e6)})
        for name, text in {"empty": "", "cut": '{"format": "opscale-re', "foreign": "[1]",
                           "newer": '{"format": "opscale-result", "schema": 2}',
                           "hollow": '{"format": "opscale-result", "schema": 1}'}.items():
            with open(os.path.join(self.folder, "base", f"{name}.json"), "w",
                      encoding="utf-8") as file:
                file.write(text)
        done = self.compare()
        self.assertEqual(done.returncode, 0)
        self.assertEqual([line.split(":")[1] for line in done.stderr.splitlines()], [
            f" base/{name}.json" for name in ("cut", "empty", "foreign", "hollow", "newer")])
        self.assertIn("no change larger than", done.stdout)

    def test_nothing_to_load(self):
        self.write("base", {("threads", 1): self.rates(1e6)})
        done = self.compare()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "compare.py: candidate: there is no such file or folder\n")
        done = self.compare("--noise", "x")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("'x'", done.stderr)

    def test_formats(self):
        self.write("base", {("threads", 2): self.rates(2e6)})
        self.write("candidate", {("threads", 2): self.rates(1.9e6)})
        value = r"\d{6} ±  [01]% +-[45]\.\d% +\d{6} ±  [01]%  will-it-scale\.per_thread_ops \(\*\)"
        self.assertRegex(self.compare("--format", "lkp").stdout, value)
        self.assertRegex(self.compare("--format", "lkp-2014").stdout,
                         value.replace("±", "~").replace("  will", "  spin1/thread/2 will"))
        self.assertIn("| spin1 | threads | 2 |", self.compare("--format", "markdown").stdout)
        point = json.loads(self.compare("--format", "json").stdout)["points"][0]
        self.assertEqual((point["verdict"], point["base_runs"]), ("slower", 10))
        done = self.compare("--format", "lkp", "--metric", "total")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.count("\n"), 1)
        header, row = self.compare("--format", "csv").stdout.splitlines()
        self.assertEqual(dict(zip(header.split(","), row.split(",")))["verdict"], "slower")


if __name__ == "__main__":
    tap.main()
