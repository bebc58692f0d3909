#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each testcase asks the kernel for what check/catalogue.txt says, on what it says, and for nothing
else. The variable TESTCASES restricts it to the testcases that it names.
"""

import os
import resource
import shutil
import unittest

import catalogue
import suite
import systemcalls
import tap

TASKS = 2
# Cycles a task that are needed to tell; how long to try for them, in seconds.
CYCLES = 10
DURATIONS = (0.05, 0.5, 5)
# Share by which calls may differ from what was counted, beyond a cycle begun and one ended.
TOLERANCE = 0.03
# Page faults before the loop, of tasks and parent, at most.
SET_UP = 5000


def chosen():
    known = catalogue.rows()
    return [known[name] for name in os.environ.get("TESTCASES", "").split() or sorted(known)]


class CallsTest(suite.ProgramTestCase):
    LIMIT = 1200

    def trace(self, row, mode, seconds):
        """The trace of a run and the operations that it counted; None where it was skipped."""
        log = os.path.join(self.folder, "strace")
        done = suite.run(
            "strace", "-f", "-y", "-s", "4096", "-o", log, suite.program(row.name, mode), "-t",
            TASKS, "-s", seconds, "--interval", seconds, "--warmup", "0.02", "--dir", self.scratch,
            "--samples", self.samples, *(f"--option={setting}" for setting in row.settings),
            cwd=self.folder, env=self.environment)
        if done.returncode == 77:
            print(f"# {row.name}, {mode}: {done.stderr.strip()}", flush=True)
            return None
        if " counted nothing " in done.stderr and seconds < DURATIONS[-1]:
            return systemcalls.Trace(log, mode, self.scratch), 0
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return systemcalls.Trace(log, mode, self.scratch), suite.measured(self.samples)[0]

    def assert_calls(self, row, calls, cycles):
        for call, number in row.calls.items():
            if number is not None:
                with self.subTest(row.name, call=call):
                    self.assertAlmostEqual(
                        calls[call] / cycles, number,
                        delta=number * (TOLERANCE + 2 * TASKS / cycles) + 2 / cycles)
        others = {call: number for call, number in calls.items()
                  if call not in row.calls and number > 0.02 * cycles}
        self.assertEqual(others, {}, "calls that the table does not know")

    def assert_objects(self, row, objects):
        if row.objects == "-":
            return
        self.assertEqual(len(objects), TASKS, objects)
        one, other = objects.values()
        if row.objects == "own":
            self.assertTrue(one and other and not one & other, objects)
        else:
            self.assertTrue(one & other, objects)

    def check(self, row, mode):
        """False where this machine cannot run the testcase."""
        for seconds in DURATIONS:
            traced = self.trace(row, mode, seconds)
            if traced is None:
                return False
            trace, operations = traced
            cycles = operations / row.operations
            if cycles >= CYCLES * TASKS:
                break
        self.assertGreater(cycles, 0)
        self.assert_calls(row, trace.calls, cycles)
        self.assert_objects(row, trace.objects)
        return True

    def assert_faults(self, row, mode):
        """Page faults of the whole run, from its start, against the operations counted."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
        done = self.run_program(row.name, mode, "-t", TASKS, "-s", "0.5", "--warmup", "0",
                                *(f"--option={setting}" for setting in row.settings))
        faults = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before
        self.assert_measured(done)
        cycles = suite.measured(self.samples)[0] / row.operations
        self.assertAlmostEqual(faults / cycles, row.faults,
                               delta=(TOLERANCE + TASKS / cycles) * row.faults + SET_UP / cycles)

    def each(self, mode):
        for row in chosen():
            with self.subTest(row.name):
                measured = self.check(row, mode)
                if measured and row.faults is not None:
                    self.assert_faults(row, mode)

    @unittest.skipUnless(shutil.which("strace"), "strace is missing")
    def test_calls_of_processes(self):
        self.each("processes")

    @unittest.skipUnless(shutil.which("strace"), "strace is missing")
    def test_calls_of_threads(self):
        self.each("threads")


if __name__ == "__main__":
    tap.main()
