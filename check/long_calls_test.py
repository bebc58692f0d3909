#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each testcase asks the kernel for what check/catalogue.txt says, on what it says, and for nothing
else. The variable TESTCASES restricts it to the testcases that it names.
"""

import os
import re
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
DURATIONS = (0.05, 0.5, 3)
# Share by which calls may differ from what was counted, beyond a cycle begun and one ended.
TOLERANCE = 0.03
# What a run ends with when strace, which handles one call at a time, leaves a task none of its own.
STARVED = re.compile(" counted | stopped counting ")
# Page faults before the loop, of tasks and parent, at most.
SET_UP = 5000


def chosen():
    known = catalogue.rows()
    return [known[name] for name in os.environ.get("TESTCASES", "").split() or sorted(known)]


class CallsTest(suite.ProgramTestCase):
    LIMIT = 1200

    def trace(self, row, mode, seconds):
        """The trace of a run and the operations that it counted, none where a task was starved;
        None where it was skipped.
        """
        log = os.path.join(self.folder, "strace")
        done = suite.run(
            "strace", "-f", "-y", "-s", "4096", "-o", log, suite.program(row.name, mode), "-t",
            TASKS, "-s", seconds, "--interval", seconds, "--warmup", seconds, "--dir",
            self.scratch, "--samples", self.samples,
            *(f"--option={setting}" for setting in row.settings), cwd=self.folder,
            env=self.environment)
        if done.returncode == 77:
            print(f"# {row.name}, {mode}: {done.stderr.strip()}", flush=True)
            return None
        if STARVED.search(done.stderr):
            return None, 0
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return systemcalls.Trace(log, mode, self.scratch), suite.measured(self.samples)[0]

    @staticmethod
    def differences(row, trace, cycles):
        """Lines about what the trace shows and the table does not say."""
        if cycles < CYCLES * TASKS:
            yield f"{cycles} cycles are too few to tell"
            return
        for call, number in row.calls.items():
            if number is not None and abs(trace.calls[call] - number * cycles) > (
                    number * (TOLERANCE * cycles + 2 * TASKS) + 2):
                yield f"{trace.calls[call] / cycles:.3f} {call} in a cycle instead of {number}"
        for call, number in trace.calls.items():
            if call not in row.calls and not row.others and number > 0.02 * cycles:
                yield f"{number / cycles:.3f} {call} in a cycle, which the table does not have"
        if row.objects == "-":
            return
        if len(trace.objects) != TASKS:
            yield f"calls of {len(trace.objects)} tasks"
            return
        one, other = trace.objects.values()
        if row.objects == "own" and (one & other or not one or not other):
            yield f"objects are not own: {one} and {other}"
        if row.objects == "same" and not one & other:
            yield f"no object is the same: {one} and {other}"

    def check(self, row, mode):
        """False where this machine cannot run the testcase, or not under strace."""
        for seconds in DURATIONS:
            traced = self.trace(row, mode, seconds)
            if traced is None:
                return False
            trace, operations = traced
            # At first a short run: all of it may have been setting up.
            found = list(self.differences(row, trace, operations / row.operations))
            if not found:
                return True
        if trace is None:
            self.starved.append(row.name)
            return False
        self.fail("; ".join(found))

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
        self.starved = []
        for row in chosen():
            with self.subTest(row.name):
                measured = self.check(row, mode)
                if measured and row.faults is not None:
                    self.assert_faults(row, mode)
        if self.starved:
            print(f"# starved under strace: {' '.join(self.starved)}", flush=True)
        self.assertLessEqual(len(self.starved), 0.05 * len(catalogue.rows()))

    @unittest.skipUnless(shutil.which("strace"), "strace is missing")
    def test_calls_of_processes(self):
        self.each("processes")

    @unittest.skipUnless(shutil.which("strace"), "strace is missing")
    def test_calls_of_threads(self):
        self.each("threads")


if __name__ == "__main__":
    tap.main()
