#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What compare.py tells of statistics, events and profiles that changed with a point."""

import json
import re

import results
import suite
import tap

import analysis  # before what it finds
import causes
import comparison
import loading
import numpy as np
import readings

SECONDS = 0.5
POINT = ("processes", 1)


class CausesTest(results.ResultsTestCase):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(3)

    def noisy(self, middle, spread=0.005, count=10):
        return [middle * float(np.exp(self.random.normal(0, spread))) for _ in range(count)]

    def side(self, name, rate, *, differences=None, levels=None, events=None, profiles=(),
             testcase="spin1", points=(POINT,)):
        """A side's file; differences, levels, events: {name: value of a run, or one for each}."""
        rates = self.noisy(rate)
        path = self.write(name, {point: rates for point in points}, name=testcase)
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        differences, levels = differences or {}, levels or {}
        result["statistics"] = {"differences": list(differences), "levels": list(levels),
                                "unread": {}}
        result["profiles"] = list(profiles)
        for number, run in enumerate(result["runs"]):
            run["statistics"] = {kind: [self.value(value, number, run) for value in found.values()]
                                 for kind, found in (("differences", differences),
                                                     ("levels", levels))}
            run["events"] = events and {
                "operations": run["operations"], "shares": {},
                "counts": {event: self.value(value, number, run)
                           for event, value in events.items()}}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        return path

    @staticmethod
    def value(value, number, run):
        """A value of a run: a number for all runs, a list, or a function of the run."""
        if callable(value):
            return value(run)
        return value[number % 10] if isinstance(value, list) else value

    def compare(self, *arguments):
        done = suite.run(analysis.COMPARE, "base", "candidate", *arguments, cwd=self.folder)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def objects(self, *arguments):
        """{name and unit: object} of the first point's statistics in JSON."""
        point = json.loads(self.compare("--format", "json", *arguments))["points"][0]
        return {(one["name"], one["unit"]): one for one in point["statistics"]}

    def test_what_changed_is_told_the_largest_first(self):
        def sides(faults, allocations, fresh):
            return {"differences": {
                "proc-vmstat.pgfault": lambda run: faults * run["operations"],
                "proc-vmstat.pgalloc_normal": lambda run: allocations * run["operations"],
                "proc-vmstat.numa_hit": lambda run: run["operations"],
                "proc-vmstat.thp_split": fresh,
                "interrupts.LOC:Local_timer_interrupts": 500}}

        self.side("base", 1e6, **sides(1, 2, 0))
        self.side("candidate", 0.9e6, **sides(3, 2.5, 70000))
        text = self.compare()
        section = text.partition("What else changed with these points")[2]
        names = re.findall(r"±[ n/a\d]+%?  (\S+) per operation \(\*\)", section)
        self.assertEqual(names, ["proc-vmstat.thp_split", "proc-vmstat.pgfault",
                                 "proc-vmstat.pgalloc_normal"])
        self.assertRegex(section, r"\n +0 ± n/a +new +0\.15\d* ± +\d%  proc-vmstat\.thp_split")
        self.assertRegex(section, r"\n +1 ±  0% +\+200\.0% +3 ±  0%  proc-vmstat\.pgfault per")
        self.assertRegex(section, r"\nspin1 processes 1: slower, -(9|10)\.\d %\n")
        # Once a second on either side, whatever an operation takes.
        self.assertNotIn("Local_timer", section)
        self.assertNotIn("numa_hit", section)
        for form in ("lkp", "lkp-2014"):
            with self.subTest(form):
                self.assertRegex(self.compare("--format", form),
                                 r"per_process_ops \(\*\)\n.*thp_split.*\n +1 ±  0% +\+200\.0% +3 ±"
                                 r"  0%  proc-vmstat\.pgfault per operation \(\*\)\n")

    def test_units(self):
        both = {"differences": {"meminfo.Slab": -50000, "meminfo.Percpu": 100,
                                "pressure.cpu.some": 50, "cgroup.cpu.usage_usec": 5e5,
                                "cgroup.cpu.nr_throttled": 5, "proc-stat.ctxt": 1e5},
                "events": {"task-clock": 5e8, "cycles:u": 5e8}}
        self.side("base", 1e6, levels={"meminfo.Slab": 1000, "meminfo.Percpu": 10}, **both)
        self.side("candidate", 0.5e6, levels={"meminfo.Slab": 2000, "meminfo.Percpu": 10}, **both)
        found = self.objects()
        self.assertEqual(found["meminfo.Slab", ""]["change"], 1)
        # It shrank by a tenth of a kB for an operation, and by a fifth.
        self.assertAlmostEqual(found["meminfo.Slab", "growth per operation"]["change"], -1,
                               delta=.1)
        # By the clock, or so rarely that no operation brings it with it.
        for name, unit, value in (
                ("pressure.cpu.some", "per second", 100),
                ("cgroup.cpu.usage_usec", "per second", 1e6),
                ("cgroup.cpu.nr_throttled", "per second", 10),
                ("meminfo.Percpu", "growth per second", 200),
                ("perf-stat.task-clock", "per second", 1e9)):
            self.assertAlmostEqual(found[name, unit]["base"], value, delta=value / 1e6)
            self.assertAlmostEqual(found[name, unit]["change"], 0, delta=1e-6)
            self.assertFalse(found[name, unit]["significant"])
        for name in ("proc-stat.ctxt", "perf-stat.cycles:u"):
            self.assertTrue(found[name, "per operation"]["significant"])
            self.assertAlmostEqual(found[name, "per operation"]["change"], 1, delta=0.02)

    def test_a_level_that_is_new(self):
        """Its name was not known in the runs before: there it was 0, and no counter."""
        known = {"levels": ["meminfo.Slab", "meminfo.New"],
                 "differences": ["meminfo.New", "proc-vmstat.pgfault"]}
        found = readings.Recorded(known, np.array([-8, 20]), np.array([5]), {}, 4, 0.5).statistics()
        self.assertEqual(found, {
            ("meminfo.New", "growth per operation"): -2,
            ("proc-vmstat.pgfault", "per operation"): 5,
            ("meminfo.Slab", ""): 5, ("meminfo.New", ""): 0})

    def test_a_point_that_has_not_changed(self):
        for name, faults in (("base", 1), ("candidate", 2)):
            self.side(name, 1e6, differences={
                "proc-vmstat.pgfault": lambda run, each=faults: each * run["operations"]})
        self.assertNotIn("What else changed", self.compare())
        self.assertEqual(self.objects(), {})
        self.assertRegex(self.compare("--all-statistics"),
                         r"\+100\.0% +2 ±  0%  proc-vmstat\.pgfault per operation \(\*\)\n")

    def test_noise_is_no_cause(self):
        """Of 300 statistics without a change hardly any set of them has one that passes for one."""
        wrong = 0
        for _ in range(20):
            pair = [loading.Point("spin1", *POINT, "", runs=[
                loading.Run("", number, None, None, 1e6, [], [], None, None,
                            recorded=readings.Recorded(
                                {"levels": [f"meminfo.Noise{name}" for name in range(300)]},
                                np.array([]), self.random.normal(1000, 200, 300), {}, 1, 1))
                for number in range(10)]) for _ in range(2)]
            (found,) = causes.compare([pair], comparison.Settings())
            self.assertEqual(len(found), 300)
            wrong += any(one.significant for one in found)
        # 5 % of the sets at most are to have one: 4 or more of 20 would be had once in 60 times.
        self.assertLessEqual(wrong, 3)

    def test_nothing_else_has_changed(self):
        for name, rate in (("base", 1e6), ("candidate", 0.9e6)):
            self.side(name, rate, levels={"meminfo.Slab": self.noisy(1000, 0.2)})
        self.assertIn("slower, -10.0 %: nothing else that was recorded changed significantly\n",
                      re.sub(r"-\d+\.\d %: nothing", "-10.0 %: nothing", self.compare()))

    def test_an_event_that_one_side_lacks(self):
        self.side("base", 1e6, events={"page-faults:u": 10, "cycles:u": 1e9})
        self.side("candidate", 0.9e6, events={"page-faults:u": 1000})
        self.assertEqual(set(self.objects()), {("perf-stat.page-faults:u", "per second")})

    def test_sides_without_statistics(self):
        self.write("base", {POINT: self.noisy(1e6)})
        self.side("candidate", 0.9e6, levels={"meminfo.Slab": 5})
        self.assertNotIn("What else changed", self.compare())

    def profile(self, **symbols):
        return {"mode": "processes", "tasks": 1, "status": "ok", "reason": None,
                "event": "cpu-clock", "symbols": [
                    [name, "kernel", share * float(np.exp(self.random.normal(0, 0.02))), 0.01,
                     min(1, 2 * share), 0.01] for name, share in symbols.items()]}

    def profiles(self, **symbols):
        return [self.profile(**symbols) for _ in range(5)]

    def test_profiles_in_points(self):
        self.side("base", 1e6, profiles=self.profiles(put_dec=0.02, vsnprintf=0.3, rare=0.001))
        self.side("candidate", 0.9e6,
                  profiles=self.profiles(put_dec=0.10, vsnprintf=0.3, rare=0.003))
        found = self.objects()
        one = found["perf-profile.self.cpu-clock.put_dec", "percent of samples"]
        self.assertTrue(one["significant"])
        self.assertAlmostEqual(one["base"], 2, delta=0.2)
        self.assertAlmostEqual(one["change"], 8, delta=0.5)
        self.assertFalse(
            found["perf-profile.self.cpu-clock.vsnprintf", "percent of samples"]["significant"])
        self.assertFalse([name for name, _ in found if "self" in name and "rare" in name])
        self.assertRegex(self.compare(), r"\+8\.\d +\d+\.?\d* ± +\d%  "
                         r"perf-profile\.self\.cpu-clock\.put_dec \(\*\)\n")

    def test_counted_functions_take_the_profile_s_place(self):
        for name, rate, share, cost in (("base", 1e6, 0.02, 100), ("candidate", 0.9e6, 0.1, 150)):
            self.side(name, rate, profiles=self.profiles(put_dec=share),
                      differences={"proc-vmstat.pgfault": lambda run, each=share:
                                   each * run["operations"]})
            settings = {"policy": "cores", "instructions": True}
            path = self.write(name, {POINT: [1e6] * 4}, settings=settings)
            # Beside the timed result, under a name of its own.
            with open(path, encoding="utf-8") as file:
                counted = json.load(file)
            for run in counted["runs"]:
                run["instructions"] = {
                    "per_operation": cost, "user": 0, "kernel": cost, "exact": True,
                    "undisturbed": 400, "functions": [["put_dec", cost, "ab"]]}
            with open(path.replace("spin1", "counted"), "w", encoding="utf-8") as file:
                json.dump(counted, file)
            self.side(name, rate, profiles=self.profiles(put_dec=share),
                      differences={"proc-vmstat.pgfault": lambda run, each=share:
                                   each * run["operations"]})
        text = self.compare()
        self.assertIn("spin1 processes: functions of the kernel that came, went or changed", text)
        self.assertIn("proc-vmstat.pgfault per operation (*)", text)
        self.assertNotIn("perf-profile", text.replace("Values of a perf-profile", ""))

    def test_damaged_files_are_told(self):
        for damage in ({"differences": ["x"], "levels": []}, {"levels": []}, 5):
            with self.subTest(damage):
                self.side("base", 1e6, differences={"proc-vmstat.pgfault": 5})
                path = self.side("candidate", 0.9e6, differences={"proc-vmstat.pgfault": 5})
                with open(path, encoding="utf-8") as file:
                    result = json.load(file)
                result["runs"][0]["statistics"] = damage
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(result, file)
                done = suite.run(analysis.COMPARE, "base", "candidate", cwd=self.folder)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"\Acompare.py: candidate/spin1.json: is damaged: ")


if __name__ == "__main__":
    tap.main()
