#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What report.py and postprocess.py write: figures, pictures, commands that repeat a run, and what
they say of bad input. The page in a browser is page_test.py's.
"""

import glob
import importlib.util
import json
import os
import shlex
import sys
import xml.etree.ElementTree

import results
import suite
import tap

import analysis  # noqa: F401  before what it finds
import figures
import gathering
import numpy as np
import profiles
import repeating
import views
from comparison import Settings

REPORT = os.path.join(suite.SOURCE, "postprocess", "report.py")
CLASSIC = os.path.join(suite.SOURCE, "postprocess.py")
RUNTEST = os.path.join(suite.SOURCE, "runtest.py")

# Changes of less than 1 % are none.
SETTINGS = Settings(0.01)

MISSING = [module for module in ("plotly", "matplotlib") if not importlib.util.find_spec(module)]

PLACEMENT = {"columns": ["cpu", "core", "cache", "node", "package", "kind"],
             "tasks": [[0, 0, 0, 0, 0, None], [2, 1, 0, 0, 0, None], [1, 0, 0, 0, 0, None],
                       [3, 1, 0, 0, 0, None]]}


def of_kind(figure, kind):
    """The traces of a figure that show one kind of thing."""
    return [trace for trace in figure["data"] if trace["meta"] == kind]


class FiguresTest(results.ResultsTestCase):
    def one(self, *sides):
        (found,) = gathering.testcases(gathering.by_label(
            [os.path.join(self.folder, side) for side in sides]), SETTINGS)
        return found

    def valid(self, figure):
        """As plotly says it, which knows all names and kinds of values."""
        if "plotly" not in MISSING:
            import plotly.graph_objects
            plotly.graph_objects.Figure(figure)
        return figure

    def test_total_and_per_task(self):
        self.write("base", {("processes", 1): [100, 104, 102, 102, 106, 98],
                            ("processes", 2): [200, 190, 180, 210, 170, 220],
                            ("threads", 2): [50]})
        one = self.one("base")
        figure = self.valid(figures.total(one, SETTINGS))
        first, second = of_kind(figure, "median")
        self.assertEqual((first["name"], first["x"], first["y"]),
                         ("processes", [1, 2], [102, 195]))
        self.assertEqual((second["name"], second["x"], second["y"]), ("threads", [2], [50]))
        runs, _ = of_kind(figure, "runs")
        self.assertEqual(sorted(zip(runs["x"], runs["y"]))[-2:], [(2, 210), (2, 220)])
        self.assertEqual(len(runs["y"]), 12)
        # At 95 % the interval of the median of six is from the least to the greatest.
        (band,) = of_kind(figure, "interval")
        self.assertEqual((band["x"], band["y"]), ([1, 2, 2, 1], [98, 170, 220, 106]))
        (linear,) = of_kind(figure, "linear")
        self.assertEqual((linear["x"], linear["y"]), ([1, 2], [102, 204]))
        idle, _ = of_kind(figure, "idle")
        self.assertEqual((idle["x"], idle["y"], idle["yaxis"]), ([1, 2], [50, 50], "y2"))
        each = self.valid(figures.per_task(one, SETTINGS))
        self.assertEqual(of_kind(each, "median")[0]["y"], [102, 97.5])
        self.assertEqual(of_kind(each, "linear")[0]["y"], [102, 102])
        self.assertEqual(of_kind(each, "idle"), [])

    def test_the_fit_goes_through_what_it_was_fitted_to(self):
        rates = {tasks: 1e6 * tasks / (1 + 0.05 * (tasks - 1) + 0.002 * tasks * (tasks - 1))
                 for tasks in (1, 2, 4, 8, 16)}
        self.write("base", {("threads", tasks): [rate] * 5 for tasks, rate in rates.items()})
        (fit,) = of_kind(self.valid(figures.total(self.one("base"), SETTINGS)), "fit")
        self.assertEqual((fit["x"][0], fit["x"][-1]), (1, 16))
        self.assertTrue(np.allclose(np.interp(16, fit["x"], fit["y"]), rates[16], rtol=0.01))

    def test_steps_of_the_topology(self):
        self.write("base", {("threads", tasks): [1e6] for tasks in (1, 2, 4)}, placement=PLACEMENT)
        layout = self.valid(figures.total(self.one("base"), SETTINGS))["layout"]
        self.assertEqual([(note["x"], note["text"]) for note in layout["annotations"]],
                         [(3, "second hardware threads of cores")])
        self.assertEqual([shape["x0"] for shape in layout["shapes"]], [3])

    def test_points_that_were_not_measured_are_no_numbers(self):
        path = self.write("base", {("threads", tasks): [rate]
                                   for tasks, rate in ((1, 100), (2, 1), (3, 90))})
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        result["runs"][1].update(status="failed", reason="task 1 <b>ended</b>", operations=None)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        one = self.one("base")
        figure = self.valid(figures.total(one, SETTINGS))
        (failed,) = of_kind(figure, "failed")
        self.assertEqual((failed["x"], failed["text"]),
                         ([2], ["threads 2: task 1 &lt;b&gt;ended&lt;/b&gt;"]))
        (median,) = of_kind(figure, "median")
        self.assertEqual((median["x"], median["y"]), ([1, 3], [100, 90]))
        told = views.view(one, SETTINGS)
        (points,) = [section for section in told["sections"] if section["title"] == "All points"]
        self.assertEqual([row[4] for row in points["rows"]], ["100", "not measured", "30"])
        self.assertIn("base, threads, 2 tasks: not measured: task 1 <b>ended</b>",
                      told["sentences"])

    def test_which_cpu_is_slow(self):
        path = self.write("base", {("threads", 4): [4000] * 3}, placement=PLACEMENT)
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        for run, slow in zip(result["runs"], (250, 400, 300)):
            run["task_operations"] = [500, 500, slow, 510]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        figure = self.valid(figures.by_cpu(self.one("base"), SETTINGS))
        (trace,) = figure["data"]
        self.assertEqual(trace["y"], [0, 0, -40, 2])
        self.assertEqual((trace["error_y"]["array"][2], trace["error_y"]["arrayminus"][2]),
                         (20, 10))
        self.assertEqual(trace["text"][2], "task 2: cpu 1, core 0, cache 0, node 0, package 0")
        self.assertEqual(figure["layout"]["xaxis"]["ticktext"], ["0", "2", "1", "3"])

    def test_samples_over_time_with_the_warm_up(self):
        path = self.write("base", {("threads", 1): [100]})
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        result["runs"][0]["samples"] = {
            "seconds": [0.5, 0.25], "operations": [50, 30], "least": [1, 1], "greatest": [1, 1],
            "warmup_seconds": [0.1, 0.3], "warmup_operations": [1, 15]}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        figure = self.valid(figures.over_time(self.one("base"), SETTINGS))
        (trace,) = figure["data"]
        self.assertEqual((trace["x"], trace["y"]),
                         ([-0.35, -0.15, 0.25, 0.625], [10, 50, 100, 120]))
        (shade,) = figure["layout"]["shapes"]
        self.assertEqual((shade["x0"], shade["x1"]), (-0.4, 0))

    def test_changes(self):
        self.write("base", {("threads", 1): [1000, 1010, 990, 1000, 1020, 980]})
        self.write("next", {("threads", 1): [700, 710, 690, 700, 720, 680]})
        one = self.one("base", "next")
        (trace,) = self.valid(figures.change(one.compared["next"], SETTINGS))["data"]
        self.assertEqual(trace["x"], [1])
        self.assertAlmostEqual(trace["y"][0], -30, delta=0.1)
        self.assertGreater(trace["error_y"]["array"][0], 0)
        self.assertIn("slower", trace["text"][0])
        total = figures.total(one, SETTINGS)
        self.assertEqual([trace["name"] for trace in of_kind(total, "median")],
                         ["threads, base", "threads, next"])
        self.assertEqual(len({trace["line"]["color"] for trace in of_kind(total, "median")}), 2)

    def test_flame_graph(self):
        both = [profiles.Profile({}, {"a;b": 60, "a;c <i>": 20, "rare": 0}, 80),
                profiles.Profile({}, {"a;b": 20}, 20)]
        (trace,) = self.valid(figures.flame(both))["data"]
        boxes = dict(zip(trace["labels"], zip(trace["values"], trace["parents"], trace["ids"])))
        self.assertEqual({name: box[0] for name, box in boxes.items()},
                         {"all": 100, "a": 100, "b": 80, "c &lt;i&gt;": 20})
        self.assertEqual(boxes["b"][1], boxes["a"][2])
        self.assertEqual(figures.flame([])["data"], [])


class ViewsTest(results.ResultsTestCase):
    """What a testcase's view tells of that which was recorded beside its rates."""

    def changed(self, path, change):
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        change(result)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)

    def sections(self, *sides):
        (one,) = gathering.testcases(gathering.by_label(
            [os.path.join(self.folder, side) for side in sides]), SETTINGS)
        return {section["title"]: section for section in views.view(one, SETTINGS)["sections"]}

    def test_what_else_changed(self):
        for side, rate, faults in (("base", 1000, 100), ("next", 500, 4000)):
            def record(result, faults=faults):
                result["statistics"] = {"differences": ["proc-vmstat.pgfault"], "levels": [],
                                        "unread": {}}
                for run in result["runs"]:
                    run["statistics"] = {"differences": [faults + run["round"]], "levels": []}
            self.changed(self.write(side, {("threads", 1): [rate + run for run in range(8)]}),
                         record)
        text = self.sections("base", "next")["What else changed with next"]["text"]
        self.assertRegex(text, r"\nspin1 threads 1: slower, -49\.\d %\n[^\n]*proc-vmstat.pgfault")

    def test_profiles_and_system_calls(self):
        def record(result):
            entry = {"mode": "threads", "round": 0, "status": "ok"}
            result["profiles"] = [
                {**entry, "tasks": tasks, "event": "cpu-clock", "samples": 10, "symbols": [],
                 "chains": [["testcase;vfs_read", 10]]} for tasks in (1, 2)]
            result["latencies"] = [{**entry, "tasks": 2, "calls": [
                ["read", 12345, 1, 0.5, 99.25, 1.75]]}]
        self.changed(self.write("base", {("threads", 1): [6], ("threads", 2): [12]}), record)
        found = self.sections("base")
        (flame,) = found["Profile: base, threads, 2 tasks"]["figure"]["data"]
        self.assertEqual(flame["labels"], ["all", "testcase", "vfs_read"])
        self.assertEqual(found["System calls: base, threads, 2 tasks"]["rows"],
                         [["read", "12,345", "1", "0.500", "99.250", "1.750"]])

    def test_instructions(self):
        place = {"type": "vm", "accelerator": "tcg", "qemu": "7.2.22",
                 "icount": "shift=0,sleep=off", "cpus": 1, "memory": "2G", "append": "",
                 "modules": None}
        for side, length in (("base", 300), ("next", 100)):
            def count(result, length=length):
                for run in result["runs"]:
                    run["instructions"] = {
                        "per_operation": length + 200, "user": 100, "kernel": length + 100,
                        "exact": True, "undisturbed": 400,
                        "functions": [["vfs_read", 100, "00"], ["number", length, f"{length:x}"]]}
            self.changed(self.write(
                side, {("threads", 1): [6, 6]},
                settings={"policy": "cores", "instructions": True},
                place={**place, "kernel": side, "sha256": side}), count)
        found = self.sections("base", "next")
        ((_, base, candidate, *_),) = found["Instructions of an operation, to next"]["rows"]
        self.assertEqual((base, candidate), ("500", "300"))
        changed = found["Functions of the kernel that changed with next: threads"]["rows"]
        self.assertEqual([row[-1] for row in changed], ["number"])
        self.assertEqual(found["Functions of the kernel by instructions: base, threads"]["rows"],
                         [["300", "75.0 %", "number"], ["100", "25.0 %", "vfs_read"]])
        self.assertNotIn("Operations per second of all tasks", found)


class ReportTest(results.ResultsTestCase):
    def report(self, *arguments):
        return suite.run(REPORT, *arguments, cwd=self.folder)

    def assert_told(self, done, message):
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, rf"\Areport.py: {message}\n\Z")

    def two_sides(self):
        for side, rate in (("base", 100), ("next", 90)):
            self.write(side, {("threads", tasks): [rate * tasks + run for run in range(6)]
                              for tasks in (1, 2)}, placement=PLACEMENT, description="does $it")

    def test_pictures(self):
        """Each plot, in each format, with its name and description as text."""
        if "matplotlib" in MISSING:
            self.skipTest("Python's matplotlib is not installed")
        self.two_sides()
        for plot in (*figures.OF_SIDES, "change"):
            with self.subTest(plot):
                done = self.report("base", "next", "--format", "svg", "--plot", plot)
                self.assertEqual((done.returncode, done.stdout), (0, f"spin1-{plot}.svg\n"),
                                 done.stderr)
                tree = xml.etree.ElementTree.parse(os.path.join(self.folder, f"spin1-{plot}.svg"))
                words = ["".join(text.itertext()).strip()
                         for text in tree.iter("{http://www.w3.org/2000/svg}text")]
                self.assertIn("spin1: does $it", words)
        for name, mark in (("png", b"\x89PNG\r\n"), ("svg", b"<?xml")):
            made = []
            for again in range(2):
                done = self.report("base", "--format", name, "--output", f"plot{again}")
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(os.path.join(self.folder, f"plot{again}"), "rb") as file:
                    made.append(file.read())
            self.assertTrue(made[0].startswith(mark))
            self.assertEqual(made[0], made[1])

    def test_bad_input_is_told(self):
        self.two_sides()
        self.write("base", {("threads", 1): [5]}, name="spin2")
        for arguments, message in (
                (("none",), "none: there is no such file or folder"),
                (("base", "--only", "spin7"), "base: no testcase matches spin7"),
                (("base", "--plot", "total"),
                 "--plot total: a page has all plots; --format png or svg draws one"),
                (("base", "--format", "png"), "--format png draws one testcase of one place: "
                 "--only chooses it, here of spin1, spin2"),
                (("base", "--format", "png", "--only", "spin1", "--plot", "change"),
                 "--plot change needs two labels, and there is only base"),
                (("base", "--format", "png", "--only", "spin2", "--plot", "cpus"),
                 "spin2: there is nothing to be drawn in --plot cpus"),
                (("base", "--output", "none/report.html"),
                 "cannot write none/report.html: No such file or directory"),
                (("base", "--format", "pdf"), r".*invalid choice: 'pdf'.*")):
            with self.subTest(arguments):
                if MISSING:
                    self.skipTest(f"Python's {MISSING[0]} is not installed")
                self.assert_told(self.report(*arguments), message)
        self.assertEqual(sorted(os.listdir(self.folder)), ["base", "next"])

    def test_damaged_files_are_told_and_left_out(self):
        if MISSING:
            self.skipTest(f"Python's {MISSING[0]} is not installed")
        self.two_sides()
        with open(os.path.join(self.folder, "base", "half.json"), "w", encoding="utf-8") as file:
            file.write('{"format": "opscale-result", "runs"')
        done = self.report("base")
        self.assertEqual((done.returncode, done.stdout), (0, "report.html\n"))
        self.assertRegex(done.stderr, r"\Areport.py: base/half.json: .*\n\Z")

    def test_a_damaged_placement_is_told(self):
        if MISSING:
            self.skipTest(f"Python's {MISSING[0]} is not installed")
        for damage in (7, {"columns": ["cpu"], "tasks": [[0, 1]]}, {"tasks": 5}):
            with self.subTest(damage):
                self.write("base", {("threads", 1): [5], ("threads", 2): [6]}, placement=damage)
                done = self.report("base")
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn("base/spin1.json", done.stderr)

    def test_a_missing_module_is_told(self):
        done = suite.run(sys.executable, "-c", "import needs; needs.ensure('plotly_of_tomorrow')",
                         cwd=os.path.dirname(REPORT))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"has no module plotly_of_tomorrow: install the package "
                                      r"python3-plotly_of_tomorrow \(./setup --all does\)\n\Z")

    def test_the_groups_of_testcases(self):
        """Of one name in two kinds of place, and of sources within tests/ and elsewhere."""
        self.write("base", {("threads", 1): [5]}, source="tests/files/spin1.c")
        self.write("base", {("threads", 1): [6]}, name="mine", source="/somewhere/mine.c")
        os.rename(os.path.join(self.folder, "base", "spin1.json"),
                  os.path.join(self.folder, "base", "first.json"))
        self.write("base", {("threads", 1): [5]}, settings={"policy": "pus"},
                   source="tests/files/spin1.c")
        found = gathering.testcases(gathering.by_label([os.path.join(self.folder, "base")]),
                                    SETTINGS)
        self.assertEqual([(one.title, one.group) for one in found], [
            ("mine", "other"), ("spin1 (policy cores)", "files"), ("spin1 (policy pus)", "files")])

    def test_classic_pages(self):
        """Of the tables of a folder; those that cannot be read are told, and take none along."""
        if MISSING:
            self.skipTest(f"Python's {MISSING[0]} is not installed")
        rows = ("tasks,processes,processes_idle,threads,threads_idle,linear\n0,0,100,0,100,0\n"
                "1,1000,50.10,900,50.20,1000\n2,1900,0.30,0,0.40,2000\n")
        for name, text in (("open1", rows), ("read1", rows),
                           ("damaged", rows.replace("1900", "?"))):
            with open(os.path.join(self.folder, f"{name}.csv"), "w", encoding="utf-8") as file:
                file.write(text)
        done = suite.run(CLASSIC, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Apostprocess.py: damaged.csv: [^\n]*\n\Z")
        self.assertEqual(sorted(os.listdir(self.folder)), [
            "damaged.csv", "open1.csv", "open1.html", "read1.csv", "read1.html"])
        (one,) = gathering.testcases(gathering.by_label(
            [os.path.join(self.folder, "open1.csv")]), SETTINGS)
        first, second = of_kind(figures.total(one, SETTINGS), "median")
        self.assertEqual((first["y"], second["y"]), ([1000, 1900], [900]))
        (failed,) = of_kind(figures.total(one, SETTINGS), "failed")
        self.assertEqual(failed["text"], ["threads 2: its table has 0: it was not measured"])
        idle, _ = of_kind(figures.total(one, SETTINGS), "idle")
        self.assertEqual(idle["y"], [50.1, 0.3])
        for name in os.listdir(self.folder):
            os.unlink(os.path.join(self.folder, name))
        done = suite.run(CLASSIC, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Apostprocess.py: there is no X.csv in \S+: "
                                      r"runalltests writes them\n\Z")

    def test_an_archive_of_tables_is_one_side(self):
        for name in ("open1", "read1"):
            os.makedirs(os.path.join(self.folder, "linux-5.4"), exist_ok=True)
            with open(os.path.join(self.folder, "linux-5.4", f"{name}.csv"), "w",
                      encoding="utf-8") as file:
                file.write("tasks,processes,processes_idle,threads,threads_idle,linear\n"
                           "0,0,100,0,100,0\n1,1000,50.10,900,50.20,1000\n")
        sides = gathering.by_label([os.path.join(self.folder, "linux-5.4")])
        self.assertEqual([*sides], ["linux-5.4"])
        self.assertEqual([one.title for one in gathering.testcases(sides, SETTINGS)],
                         ["open1", "read1"])


class RealTest(suite.TestCase):
    def runtest(self, *arguments):
        done = suite.run(RUNTEST, *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def result(self, pattern="*"):
        (path,) = glob.glob(os.path.join(self.folder, "results", pattern, "*.json"))
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def test_the_command_repeats_the_run(self):
        quick = ("--rounds", "1", "--duration", "0.02", "--warmup", "0")
        for number, words in enumerate((
                ("getppid1", "--tasks", "1,2", "--mode", "threads", *quick, "--policy", "compact",
                 "--no-statistics"),
                ("create1", "--tasks", "1", *quick, "--option", "batch=16", "--events",
                 "task-clock", "--cpus", "0", "--dir", self.folder),
                ("--command", "echo 'a  b'", "--tasks", "1", "--mode", "processes", *quick))):
            with self.subTest(words):
                self.runtest(*words, "--label", f"label {number}")
                first = self.result(f"label {number}")
                command = shlex.split(repeating.command(first))
                self.assertEqual(command[0], "./runtest.py")
                self.runtest(*command[1:], "--output", f"again{number}")
                (path,) = glob.glob(os.path.join(self.folder, f"again{number}", "*", "*.json"))
                with open(path, encoding="utf-8") as file:
                    second = json.load(file)
                for key in ("testcase", "label", "settings"):
                    self.assertEqual(first[key], second[key])
                self.assertEqual(*([(run["mode"], run["tasks"], run["round"])
                                    for run in result["runs"]] for result in (first, second)))
                self.assertEqual(shlex.split(repeating.whole(first))[1:],
                                 [*words, "--label", f"label {number}"])

    def test_a_sweep_writes_it(self):
        if MISSING:
            self.skipTest(f"Python's {MISSING[0]} is not installed")
        done = self.runtest("getppid1", "--tasks", "1", "--rounds", "1", "--duration", "0.02",
                            "--warmup", "0", "--label", "one", "--report")
        self.assertIn("report: results/one/report.html\n", done.stderr)
        self.assertTrue(os.path.getsize(os.path.join(self.folder, "results", "one", "report.html")))
        self.assertNotIn("report", done.stdout)


if __name__ == "__main__":
    tap.main()
