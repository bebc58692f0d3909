# SPDX-License-Identifier: GPL-2.0-or-later
"""Thousands of tasks on whatever machine this is, and numbers that fit on none."""

import os
import resource
import time

import suite
import tap

ABSURD = 100000000


class ScaleTestCase(suite.ProgramTestCase):
    def assert_counted(self, mode, tasks, **keywords):
        """A valid run, of which the samples file counts all tasks."""
        done = self.run_program("getppid1", mode, "-t", tasks, "-s", 0.5, "--warmup", 0,
                                **keywords)
        if done.returncode == 77:
            self.skipTest(done.stderr)
        self.assert_measured(done)
        self.assertEqual(done.stdout.splitlines(), suite.expected_output(self.samples))
        records = suite.records(self.samples)
        self.assertIn(("tasks", str(tasks)), records)
        self.assertEqual([rest.split()[0] for word, rest in records if word == "task"],
                         [str(task) for task in range(tasks)])
        sample, = suite.samples_of(self.samples, "measure")
        self.assertEqual(len(sample.counts), tasks)
        self.assertTrue(any(sample.counts))


class Scale(ScaleTestCase):
    def test_1000_processes(self):
        self.assert_counted("processes", 1000)

    def test_1000_threads(self):
        self.assert_counted("threads", 1000)

    def test_500_tasks_of_an_ordinary_user(self):
        """Their parent cannot be a real-time one, which the kernel lets come first."""
        user = self.as_ordinary_user()
        for mode in suite.MODES:
            with self.subTest(mode):
                self.assert_counted(mode, 500, **user)

    def test_a_short_run_waits_for_the_last_task(self):
        """Which gives up at its first turn on a CPU that it shares with hundreds."""
        for mode in suite.MODES:
            with self.subTest(mode):
                done = self.run_program("dies", mode, "-t", 1000, "-s", 0.05, "--warmup", 0,
                                        "--option", "how=return", "--option", "after=0",
                                        "--option", "task=999")
                self.assert_failed(done, r"skipped: testcase\(\) returned at once.*", status=77)

    def test_a_killed_parent_takes_a_thousand_along(self):
        for mode in suite.MODES:
            for stage in ("starting", "running"):
                with self.subTest(mode=mode, stage=stage):
                    process = self.start("getppid1", mode, "-t", 1000)
                    if stage == "starting":
                        time.sleep(0.05)
                    else:
                        self.read_until(process, "warmup")
                    process.kill()
                    self.wait_until_gone()

    def test_an_absurd_number_is_refused_before_anything_starts(self):
        """Not even the counters would fit into the address space that it gets."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        for mode in suite.MODES:
            for name in ("getppid1", "context_switch1", "page_fault1"):
                with self.subTest(mode=mode, name=name):
                    done = self.run_program(name, mode, "-t", ABSURD, "-s", 1, preexec_fn=limit)
                    self.assert_failed(done, rf"skipped: {ABSURD} tasks need [1-9]\d{{8,}} .*, and "
                                       r"there are \d+: .*", status=77)
                    self.assertEqual(done.stdout, "")
                    self.assertFalse(os.path.exists(self.samples))


if __name__ == "__main__":
    tap.main()
