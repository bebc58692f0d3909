#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scalability.py on curves of known shape, on topologies of every kind, and on damaged files."""

import json
import os

import results
import suite
import tap

import analysis  # noqa: F401  before what it finds
import numpy as np
import scaling
import usl

SCALABILITY = os.path.join(suite.SOURCE, "postprocess", "scalability.py")

# SPEC SDM91 (scripts per hour by users), as the R package usl publishes it with its fit.
SDM91 = {1: 64.9, 18: 995.9, 36: 1652.4, 72: 1853.2, 108: 1828.9, 144: 1775.0, 216: 1702.2}

COLUMNS = ["cpu", "core", "cache", "node", "package", "kind"]


def placement(tasks, per_package, cpus=None):
    """Tasks one after another on CPUs with a core each; a package is a node and a cache too."""
    cpus = cpus or tasks
    rows = [[cpu, cpu, *3 * [cpu // per_package], None]
            for cpu in (task % cpus for task in range(tasks))]
    return {"columns": COLUMNS, "tasks": rows}


class ScalabilityTest(results.ResultsTestCase):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(3)

    def curve(self, mode, counts, *coefficients, runs=6, noise=0.001):
        return {(mode, tasks): list(float(usl.law(tasks, *coefficients)) *
                                    np.exp(self.random.normal(0, noise, runs)))
                for tasks in counts}

    def run_on(self, path, *arguments, status=0):
        done = suite.run(SCALABILITY, path, *arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        return done.stdout

    def read(self, path, *arguments, status=0):
        """The one testcase of the JSON."""
        one, = json.loads(self.run_on(path, "--format", "json", *arguments,
                                      status=status))["testcases"]
        return one

    def test_published_data(self):
        path = self.write("base", {("processes", tasks): [1000 * rate]
                                   for tasks, rate in SDM91.items()})
        one = self.read(path)
        found = one["modes"]["processes"]
        self.assertAlmostEqual(found["contention"], 0.02773, places=5)
        self.assertAlmostEqual(found["coherency"], 0.0001044, places=7)
        self.assertAlmostEqual(found["peak"], 96.5, delta=0.05)
        for name in ("contention", "coherency", "peak"):
            self.assertTrue(found[f"{name}_low"] < found[name] < found[f"{name}_high"])
        self.assertEqual(one["sentence"], "processes stop gaining at 97 tasks")
        efficiency = {point["tasks"]: point["efficiency"] for point in found["points"]}
        self.assertEqual(efficiency[1], 1)
        self.assertAlmostEqual(efficiency[216], 1702.2 / 64.9 / 216, places=4)
        table = self.run_on(path)
        self.assertRegex(table, r"(?m)^processes +0\.02773 .* 1 to 216 \(7 counts\)$")
        self.assertRegex(table, r"(?m)^ +72 +1,853,200 +40 % +1,8\d\d,\d{3}$")

    def test_which_mode_scales_better(self):
        """Threads start slower, which is no scaling, and fall behind as tasks are added."""
        counts = (1, 2, 4, 8, 16, 32, 64)
        path = self.write("base", {**self.curve("processes", counts, 1e6, 0.0, 0.0),
                                   **self.curve("threads", counts, 0.8e6, 0.0, 0.002)})
        one = self.read(path)
        self.assertEqual(one["scales_better"], "processes")
        self.assertEqual(one["scales_better_from"], 4)
        self.assertIsNone(one["modes"]["processes"]["peak_low"])
        self.assertRegex(one["sentence"], r"\Aprocesses gain up to 64 tasks, the most measured; "
                         r"threads stop gaining at 22 tasks; processes scale better from 4 tasks")

    def test_threads_that_scale_better(self):
        counts = (1, 2, 4, 8, 16)
        path = self.write("base", {**self.curve("processes", counts, 1e6, 0.05, 0.0),
                                   **self.curve("threads", counts, 0.5e6, 0.0, 0.0)})
        one = self.read(path)
        self.assertEqual((one["scales_better"], one["scales_better_from"]), ("threads", 2))
        path = self.write("base", {**self.curve("processes", counts, 1e6, 0.05, 0.0, noise=0.2),
                                   **self.curve("threads", counts, 1e6, 0.04, 0.0, noise=0.2)})
        self.assertIsNone(self.read(path)["scales_better"])

    def test_intervals_that_overlap_part_nothing(self):
        start = 1, 0.9, 1.1
        for ratio, sign in (((1.2, 1.11, 1.3), 1), ((1.2, 1.05, 1.3), 0), ((0.8, 0.7, 0.89), -1),
                            ((0.8, 0.7, 0.95), 0)):
            self.assertEqual(scaling.sign(start, ratio, 0.01), sign, ratio)
            self.assertEqual(scaling.sign(start, ratio, 0.5), 0)

    def test_modes_that_scale_alike(self):
        counts = (1, 2, 4, 8, 16)
        path = self.write("base", {**self.curve("processes", counts, 1e6, 0.1, 0.0),
                                   **self.curve("threads", counts, 0.7e6, 0.1, 0.0)})
        self.assertIn("; neither mode scales better", self.read(path)["sentence"])
        path = self.write("base", {**self.curve("processes", counts, 1e6, 0.1, 0.0, runs=2),
                                   **self.curve("threads", counts, 0.7e6, 0.1, 0.0, runs=2)})
        self.assertIn("too few runs to tell the modes apart: 4 are needed",
                      self.read(path)["sentence"])

    def test_too_few_counts(self):
        path = self.write("base", self.curve("threads", (1, 2, 4), 1e6, 0.1, 0.0))
        table = self.run_on(path, status=3)
        self.assertIn("threads cannot be judged: 3 task counts, and 4 are needed", table)
        self.assertRegex(table, r"(?m)^ +4 +\d,\d{3},\d{3} +77 % +-$")

    def test_a_law_that_does_not_hold(self):
        rates = self.curve("threads", (1, 2, 4, 8, 16, 32), 1e6, 0.0, 0.0)
        rates["threads", 8] = [rate / 4 for rate in rates["threads", 8]]
        rates["threads", 32] = [rate / 4 for rate in rates["threads", 32]]
        self.assertRegex(self.run_on(self.write("base", rates), status=3),
                         r"threads cannot be judged: the law does not hold: ")

    def test_one_tier_of_the_topology(self):
        """Beyond a package the rate collapses; the fit is of the first package and says so."""
        counts = (1, 2, 4, 8)
        rates = {**self.curve("threads", counts, 1e6, 0.02, 0.0), ("threads", 9): [1e6] * 6,
                 ("threads", 16): [1e6] * 6, ("threads", 17): [0.9e6] * 6}
        path = self.write("base", rates, placement=placement(17, 8, cpus=16))
        one = self.read(path)
        left_out = {point["tasks"]: point["left_out"]
                    for point in one["modes"]["threads"]["points"]}
        self.assertEqual(left_out, {1: "", 2: "", 4: "", 8: "", 9: "a second package",
                                    16: "a second package", 17: "more tasks than CPUs"})
        self.assertAlmostEqual(one["modes"]["threads"]["contention"], 0.02, delta=0.005)
        self.assertIn("gain up to 8 tasks, the most that the fit uses", one["sentence"])
        self.assertIn("threads: not in the fit: 9, 16 (a second package)\n", self.run_on(path))

    def test_each_kind_of_place_has_its_own_topology(self):
        """Spread over packages from the second task on, or one package after the other."""
        counts = (1, 2, 4, 8)
        for name, per_package in (("pus", 1), ("cores", 8)):
            path = self.write(name, self.curve("threads", counts, 1e6, 0.02, 0.0), label="both",
                              settings={"policy": name, "tasks": list(counts)},
                              placement=placement(8, per_package))
        found = json.loads(self.run_on(os.path.dirname(os.path.dirname(path)), "--format",
                                       "json"))["testcases"]
        self.assertEqual({one["place"]: one["modes"]["threads"]["crossed"] for one in found}, {
            "policy pus": [{"tasks": 2, "what": "a second package"}], "policy cores": []})

    def test_second_threads_of_cores_end_a_tier(self):
        rows = [[cpu, cpu % 8, 0, 0, 0, None] for cpu in range(16)]
        path = self.write("base", self.curve("threads", (1, 2, 4, 8, 9, 16), 1e6, 0.02, 0.0),
                          placement={"columns": COLUMNS, "tasks": rows})
        self.assertIn("threads: not in the fit: 9, 16 (second hardware threads of cores)\n",
                      self.run_on(path))

    def test_tasks_that_gain_nothing(self):
        counts = (1, 2, 4, 8, 16)
        path = self.write("base", self.curve("threads", counts, 1e6, 0.5, 0.6))
        self.assertIn("threads gain nothing from a second task", self.run_on(path))

    def test_a_peak_that_the_data_do_not_bound(self):
        rates = dict(zip((1, 2, 4, 8, 16), (1.0, 1.8, 2.4, 2.5, 2.5)))
        path = self.write("base", {("threads", tasks): [1e6 * rate]
                                   for tasks, rate in rates.items()})
        table = self.run_on(path)
        self.assertIn("threads may stop gaining at 9 tasks", table)
        self.assertIn("  8.9  not bounded  ", table)

    def test_tiers_too_small_for_a_fit(self):
        path = self.write("base", self.curve("threads", (1, 2, 4, 5), 1e6, 0.1, 0.0),
                          placement=placement(5, 4))
        self.assertIn("Warning: threads: the fit goes across a second package (from 5 tasks on)\n",
                      self.run_on(path))

    def test_csv_and_only(self):
        self.write("base", self.curve("threads", (1, 2, 4, 8), 1e6, 0.1, 0.0), name="spin1")
        self.write("base", self.curve("threads", (1, 2, 4, 8), 1e6, 0.1, 0.0), name="getppid1")
        header, *rows = self.run_on("base", "--format", "csv", "--only", "get*").splitlines()
        found = [dict(zip(header.split(","), row.split(","))) for row in rows]
        self.assertEqual([(row["testcase"], row["tasks"]) for row in found],
                         [("getppid1", tasks) for tasks in "1248"])

    def test_bad_input(self):
        curve = self.curve("threads", (1, 2, 4, 8), 1e6, 0.1, 0.0)
        self.write("base", curve, label="other", name="getppid1")
        self.write("base", curve, placement={"columns": COLUMNS, "tasks": [7 * [0]]})
        for arguments, status, message in (
                (("base",), 2, r"base: holds results of several labels \(base, other\): .*"),
                (("nowhere",), 2, r"nowhere: there is no such file or folder"),
                (("base/getppid1.json", "--only", "x*"), 2, r"no measured testcase matches x\*"),
                (("base/getppid1.json", "--noise", "-1"), 2, r".*'-1': a percentage from .*"),
                (("base/spin1.json",), 0, r"base/spin1\.json: is damaged: its placement.*")):
            with self.subTest(message):
                done = suite.run(SCALABILITY, *arguments, cwd=self.folder)
                self.assertEqual(done.returncode, status)
                self.assertRegex(done.stderr, rf"\Ascalability\.py: {message}\n\Z")


if __name__ == "__main__":
    tap.main()
