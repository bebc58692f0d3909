#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pure functions of a sweep: task counts, order of runs, times, samples, statistics."""

import itertools
import math
import random

import suite
import tap
from sweep import plan, samples, summary, table
from sweep.errors import UsageError
from sweep.settings import Settings, interval_of


def settings(**changes):
    values = {"modes": ["processes", "threads"], "tasks": [1, 2, 4], "rounds": 3, "duration": 0.5,
              "warmup": "auto", "interval": 0.05, "policy": "cores", "cpus": None, "dir": None,
              "aslr": False, "options": {}}
    return Settings(**{**values, **changes})


def machine(packages, nodes, caches, cores, threads):
    """Rows of a machine with so many nodes a package, caches a node, cores a cache, threads a
    core; and its cores."""
    rows = []
    for core in range(packages * nodes * caches * cores):
        cache = core // cores
        rows += [{"core": core, "cache": cache, "node": cache // caches,
                  "package": cache // caches // nodes}] * threads
    return rows, packages * nodes * caches * cores


def run(step, status="ok", **rest):
    return {"round": step.round, "mode": step.point.mode, "tasks": step.point.tasks,
            "status": status, **rest}


class TaskLists(suite.TestCase):
    def test_counts_ranges_and_words(self):
        for text, cpus, counts in (
                ("1", 4, [1]), ("4,2,2,1", 4, [1, 2, 4]), ("1,4-8", 4, [1, 4, 5, 6, 7, 8]),
                ("3-3", 4, [3]), ("all", 448, [448]), ("1, 2", 4, [1, 2]), ("9", 4, [9]),
                ("1,2,4-8,50%,all", 32, [1, 2, 4, 5, 6, 7, 8, 16, 32]),
                (str(plan.MOST_TASKS), 4, [plan.MOST_TASKS])):
            with self.subTest(text):
                self.assertEqual(plan.parse_tasks(text, cpus), counts)

    def test_percentages_are_rounded_and_at_least_one_task(self):
        for text, cpus, count in (("50%", 2, 1), ("50%", 5, 3), ("25%", 6, 2), ("1%", 4, 1),
                                  ("0.1%", 4, 1), ("100%", 7, 7), ("12.5%", 64, 8), ("200%", 8, 16),
                                  ("33%", 448, 148)):
            with self.subTest(text, cpus=cpus):
                self.assertEqual(plan.parse_tasks(text, cpus), [count])

    def test_wrong_items_are_named(self):
        for text, item in (("", ""), ("0", "0"), ("-1", "-1"), ("1,,2", ""), ("1,", ""),
                           ("x", "x"), ("1,2x", "2x"), ("1.5", "1.5"), ("8-4", "8-4"),
                           ("0-3", "0-3"), ("1-", "1-"), ("-", "-"), ("1-2-3", "1-2-3"),
                           ("0%", "0%"), ("%", "%"), ("-5%", "-5%"), ("50%%", "50%%"),
                           ("ALL", "ALL"), ("1;2", "1;2"), ("1 2", "1 2"), ("٣", "٣"), ("²", "²"),
                           ("4194305", "4194305"), ("1-4194305", "1-4194305"), ("1e3", "1e3"),
                           ("99999999999999999999%", "99999999999999999999%")):
            with self.subTest(text), self.assertRaises(UsageError) as caught:
                plan.parse_tasks(text, 4)
            with self.subTest(text):
                self.assertIn(f"--tasks: '{item}'", str(caught.exception))
                self.assertNotIn("\n", str(caught.exception))


class DefaultCounts(suite.TestCase):
    def counts(self, *shape):
        rows, cores = machine(*shape)
        return plan.default_tasks(len(rows), plan.topology_steps(rows, cores))

    def test_small_machines_are_measured_whole(self):
        self.assertEqual(self.counts(1, 1, 1, 1, 1), [1])
        self.assertEqual(self.counts(1, 1, 1, 2, 1), [1, 2])
        self.assertEqual(self.counts(1, 1, 1, 4, 2), list(range(1, 9)))
        self.assertEqual(self.counts(1, 1, 1, 8, 2), list(range(1, 17)))

    def test_large_machines_have_powers_of_two_and_steps(self):
        small = list(range(1, 17))
        for shape, larger in (
                ((2, 1, 1, 28, 2), [28, 32, 56, 64, 112]),
                ((2, 4, 2, 8, 2), [32, 64, 128, 256]),
                ((1, 1, 12, 8, 2), [32, 64, 96, 128, 192]),
                ((4, 1, 1, 56, 2), [32, 56, 64, 128, 224, 256, 448]),
                ((1, 4, 3, 7, 1), [21, 32, 64, 84]),
                ((2, 1, 24, 4, 4), [32, 64, 96, 128, 192, 256, 512, 768]),
                ((8, 8, 4, 16, 2), [32, 64, 128, 256, 512, 1024, 2048, 4096, 8192])):
            with self.subTest(shape):
                self.assertEqual(self.counts(*shape), small + larger)

    def test_machines_without_some_tiers(self):
        rows = [{"core": None, "cache": None, "node": None, "package": None}] * 24
        steps = plan.topology_steps(rows, 0)
        self.assertEqual(plan.default_tasks(24, steps), [*range(1, 17), 24])

    def test_nothing_above_the_hardware_threads(self):
        for cpus in range(1, 300):
            counts = plan.default_tasks(cpus, {cpus + 1, 7, 1000})
            self.assertEqual((counts[0], counts[-1]), (1, cpus))
            self.assertEqual(counts, sorted(set(counts)))


class Order(suite.TestCase):
    def test_rounds_alternate_and_the_last_goes_up(self):
        for rounds in (1, 2, 3, 10):
            steps = plan.steps(settings(rounds=rounds))
            for number, group in itertools.groupby(steps, lambda step: step.round):
                tasks = [step.point.tasks for step in group]
                upwards = (rounds - 1 - number) % 2 == 0
                self.assertEqual(tasks, sorted(tasks, reverse=not upwards))

    def test_every_point_is_in_every_round_once(self):
        some = settings()
        steps = plan.steps(some)
        self.assertEqual(len(steps), len(set(steps)))
        self.assertEqual(set(steps), {plan.Step(number, plan.Point(mode, tasks))
                                      for number in range(3) for mode in some.modes
                                      for tasks in some.tasks})
        self.assertEqual([step.round for step in steps], sorted(step.round for step in steps))

    def test_given_order_is_kept(self):
        steps = plan.steps(settings(tasks=[4, 1, 2], rounds=1, modes=["threads"]))
        self.assertEqual([step.point.tasks for step in steps], [4, 1, 2])

    def test_remaining_goes_on_where_the_runs_end(self):
        some = settings()
        steps = plan.steps(some)
        for made in range(len(steps) + 1):
            runs = [run(step, random.Random(made).choice(["ok", "failed"]))
                    for step in steps[:made]]
            self.assertEqual(plan.remaining(some, runs), steps[made:])

    def test_a_skipped_point_is_not_tried_again(self):
        some = settings()
        steps = plan.steps(some)
        left = plan.remaining(some, [run(steps[0], "skipped")])
        self.assertEqual(left, [step for step in steps if step.point != steps[0].point])


class Times(suite.TestCase):
    def test_expected_time_counts_warmup_measurement_and_making(self):
        point = plan.Point("processes", 1000)
        short = plan.expected_seconds(point, settings(warmup=0.0, duration=1.0))
        self.assertAlmostEqual(plan.expected_seconds(point, settings(warmup=5.0, duration=1.0)),
                               short + 5)
        self.assertGreater(short, plan.expected_seconds(plan.Point("threads", 1000),
                                                        settings(warmup=0.0, duration=1.0)))
        self.assertGreater(short, 1)

    def test_limit_leaves_room_for_hooks_and_warmup(self):
        point = plan.Point("threads", 1)
        self.assertGreater(plan.limit_seconds(point, settings(duration=60.0)), 240 + 5 + 60)
        self.assertGreater(plan.limit_seconds(point, settings(warmup=900.0)), 240 + 900)

    def test_interval(self):
        for duration, interval in ((0.5, 0.05), (0.02, 0.01), (5, 0.5), (10, 1), (300, 1)):
            self.assertEqual(interval_of(duration), interval)


class SamplesFile(suite.TestCase):
    def test_what_is_damaged_is_refused(self):
        start = ("opscale-samples 1\ntasks 2\nscratch tmpfs /dev/shm/x y\nstart 5\n"
                 "sample warmup 0 10 1 2\nsample measure 10 20 3 4\n")
        whole = start + "cpu 1 2 3 4 5 6 7 8\nend completed\n"
        read = samples.parse(whole)
        self.assertEqual((read.scratch, read.end), (("tmpfs", "/dev/shm/x y"), "completed"))
        self.assertEqual(read.samples, [samples.Sample(10, 20, [3, 4])])
        self.assertEqual(read.ticks["steal"], 8)
        self.assertEqual(samples.parse(start + "end failed a reason\n").reason, "a reason")
        for damaged in ("", "x", start, whole[:40], whole.replace(" 1\n", " 2\n", 1),
                        whole.replace("3 4\n", "3\n"), whole.replace("3 4\n", "3 x\n"),
                        whole.replace("cpu 1 ", "cpu "), whole.replace("measure 10 20", "measure")):
            with self.subTest(damaged), self.assertRaises(ValueError):
                samples.parse(damaged)


class Intervals(suite.TestCase):
    def test_widths_are_those_of_the_binomial_tables(self):
        # Ranks of the 95 % interval of a median, as tables of the sign test give them.
        for count, rank in ((6, 1), (8, 1), (9, 2), (10, 2), (12, 3), (15, 4), (20, 6), (25, 8),
                            (50, 18), (100, 40)):
            with self.subTest(count):
                values = list(range(1, count + 1))
                random.Random(count).shuffle(values)
                self.assertEqual(summary.median_interval(values), (rank, count + 1 - rank))

    def test_few_values_have_none(self):
        for count in range(6):
            self.assertIsNone(summary.median_interval([1.0] * count))

    def test_it_covers_the_median_and_no_narrower_one_does(self):
        for count in range(6, 60):
            low, high = summary.median_interval(range(1, count + 1))
            self.assertEqual(low + high, count + 1)

            def outside(rank):
                return 2 * sum(math.comb(count, below) for below in range(rank)) / 2 ** count
            self.assertLessEqual(outside(low), 0.05)
            self.assertGreater(outside(low + 1), 0.05)

    def test_simulated_coverage(self):
        random.seed(1)
        hits = 0
        for _ in range(4000):
            low, high = summary.median_interval([random.expovariate(1) for _ in range(10)])
            hits += low <= math.log(2) <= high
        self.assertAlmostEqual(hits / 4000, 0.9785, delta=0.01)


class Values(suite.TestCase):
    def setUp(self):
        point = plan.Point("processes", 2)
        ticks = dict.fromkeys(("user", "nice", "system", "irq", "softirq", "steal"), 10)
        self.point = point
        self.runs = [run(plan.Step(number, point), operations=operations, seconds=2.0,
                         cpu_ticks={**ticks, "idle": idle, "iowait": 10})
                     for number, (operations, idle) in enumerate(((201, 30), (100, 30), (999, 70)))]

    def test_value_is_the_median_of_valid_runs(self):
        self.assertEqual(table.value(self.runs, self.point), 100.5)
        self.runs.append(run(plan.Step(3, self.point), "failed", operations=None, seconds=None,
                             cpu_ticks=None))
        self.assertEqual(table.value(self.runs, self.point), 100.5)
        self.assertEqual(table.value(self.runs[3:], self.point), 0)

    def test_idle_is_of_all_ticks_together(self):
        self.assertAlmostEqual(table.idle(self.runs, self.point), 100 * 160 / (160 + 180))
        self.assertEqual(table.idle([], self.point), 0)

    def test_rows_are_rounded_down(self):
        self.assertEqual(table.row(self.runs, 2), "2,100,47.06,0,0.00,0")
        one = run(plan.Step(0, plan.Point("threads", 1)), operations=119, seconds=2, cpu_ticks=None)
        self.assertEqual(table.row([*self.runs, one], 2), "2,100,47.06,0,0.00,118")
        self.assertEqual(table.row([*self.runs, one], 1), "1,0,0.00,59,0.00,59")


if __name__ == "__main__":
    tap.main()
