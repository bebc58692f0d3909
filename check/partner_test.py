# SPDX-License-Identifier: GPL-2.0-or-later
"""Partners, made by new_task(): where they run, and that they share their maker's fate."""

import collections
import os
import re
import resource
import signal
import unittest

import suite
import tap

PROCESS = "a partner of (a task|task 1) "
THREAD = "a partner of task 1, and all tasks with it, "
HOST = "the process of all tasks "
CHECK_FAILED = r"partner of task 1: .*Assertion `close\(-1\) == 0' failed: .*"

# How task 1's partner ends, and what is said about it: as a process, as a thread.
DEATHS = (
    ("segv", PROCESS + r"was killed by signal 11 \(Segmentation fault\)",
     THREAD + r"was killed by signal 11 \(Segmentation fault\)"),
    ("abort", PROCESS + r"was killed by signal 6 \(Aborted\)",
     THREAD + r"was killed by signal 6 \(Aborted\)"),
    ("exit3", PROCESS + "exited with status 3", HOST + "exited with status 3"),
    ("check", CHECK_FAILED, CHECK_FAILED),
)


def cpus_allowed(status):
    """CPUs of a process or thread, from its file in /proc."""
    with open(status, encoding="ascii") as file:
        return re.search(r"^Cpus_allowed_list:\s*(\S+)$", file.read(), re.M).group(1)


class Partners(suite.ProgramTestCase):
    def bindings(self, parent):
        """How many tasks and partners are bound to each CPU, or list of CPUs."""
        bound = collections.Counter()
        for pid in self.living():
            try:
                threads = [] if pid == parent else os.listdir(f"/proc/{pid}/task")
                bound.update(cpus_allowed(f"/proc/{pid}/task/{thread}/status")
                             for thread in threads)
            except OSError:
                pass    # one that only makes another and ends
        return bound

    def tasks_on(self):
        """The CPU of each task, from the samples file."""
        return [re.search(r"cpu=(\S+)", rest).group(1)
                for word, rest in suite.records(self.samples) if word == "task"]

    def assert_bound(self, name, mode, options, expected):
        """Compares what is bound where with what a function of the tasks' CPUs expects."""
        process = self.start(name, mode, *options)
        self.read_until(process, "warmup")
        bound = expected(self.tasks_on())
        if mode == "threads":
            bound[cpus_allowed("/proc/self/status")] += 1    # the process that holds the threads
        self.wait_for(lambda: self.bindings(process.pid) == bound, f"{bound}")
        process.terminate()
        self.finish(process)
        self.assert_nothing_left()

    def asleep(self, parent):
        """Processes of which the first thread sleeps, as a task that counts never does."""
        found = []
        for pid in self.living():
            try:
                with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                    if pid != parent and file.read().rsplit(")", 1)[1].split()[0] == "S":
                        found.append(pid)
            except OSError:
                pass
        return found

    def test_each_is_bound_as_its_maker_is(self):
        """Also where more tasks than CPUs wrap around, and in a source without our header."""
        for mode in suite.MODES:
            for name in ("context_switch1", "foreign1"):
                for tasks in (1, 2, 5):
                    with self.subTest(mode=mode, name=name, tasks=tasks):
                        self.assert_bound(name, mode, ("-t", tasks),
                                          lambda cpus: collections.Counter(cpus * 2))

    def test_the_only_one_is_bound_to_its_maker(self):
        """Task 1 alone has a partner, which just waits."""
        options = ("-t", 2, "--option", "how=partner-block", "--option", "task=1")
        for mode in suite.MODES:
            with self.subTest(mode):
                self.assert_bound("dies", mode, options,
                                  lambda cpus: collections.Counter([*cpus, cpus[1]]))

    def test_without_affinity_none_is_bound(self):
        everywhere = cpus_allowed("/proc/self/status")
        for mode in suite.MODES:
            with self.subTest(mode):
                self.assert_bound("context_switch1", mode, ("-t", 2, "-n"),
                                  lambda cpus: collections.Counter([everywhere] * 4))

    def test_they_end_with_the_run(self):
        for mode in suite.MODES:
            for name in ("context_switch1", "foreign1"):
                with self.subTest(mode=mode, name=name):
                    self.measure(name, mode, "-t", 3, "-s", 0.3, "--warmup", 0)

    def test_a_death_fails_the_run(self):
        for how, *messages in DEATHS:
            for mode, message in zip(suite.MODES, messages):
                with self.subTest(how=how, mode=mode):
                    done = self.run_program("dies", mode, "-t", 2, "-s", 60, "--warmup", 0,
                                            "--option", f"how=partner-{how}", "--option", "task=1")
                    self.assert_failed(done, message)

    def test_one_killed_from_outside_fails_the_run(self):
        """The partner is known by its sleeping, once the task that made it counts. A thread takes
        all others along.
        """
        for mode, who in zip(suite.MODES, (PROCESS, HOST)):
            with self.subTest(mode):
                process = self.start("dies", mode, "-t", 2, "--option", "how=partner-block",
                                     "--option", "task=1")
                self.read_until(process, "min:")
                self.wait_for(lambda: len(self.asleep(process.pid)) == 1, "the partner")
                victim, = self.asleep(process.pid)
                os.kill(victim, signal.SIGKILL)
                self.assert_failed(self.finish(process), who + r"was killed by signal 9 \(Killed\)")

    def test_one_may_end_when_its_work_is_done(self):
        for mode in suite.MODES:
            with self.subTest(mode):
                self.measure("dies", mode, "-t", 2, "-s", 0.5, "--warmup", 0,
                             "--option", "how=partner-return", "--option", "task=1")

    def test_they_count_as_the_testcase_declares(self):
        for mode in suite.MODES:
            for name, partners in (("context_switch1", 1), ("getppid1", 0), ("foreign1", 0)):
                done = suite.run(suite.program(name, mode), "--describe")
                self.assertIn(f"\npartners_per_task:{partners}\n", done.stdout)

    @unittest.skipIf(os.geteuid(), "needs root, to be a user without any process")
    def test_they_count_against_the_limit_of_processes(self):
        """10 tasks: 12 processes or threads are fewer than 20, with their partners they are not."""
        user = self.as_ordinary_user()
        user["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_NPROC, (20, 20))
        options = ("-t", 10, "-s", 0.1, "--warmup", 0)
        for mode in suite.MODES:
            with self.subTest(mode):
                done = self.run_program("context_switch1", mode, *options, **user)
                self.assert_failed(done, "skipped: 10 tasks need 22 processes or threads of this "
                                   "user, and there are 20: .*", status=77)
                self.measure("getppid1", mode, *options, **user)


if __name__ == "__main__":
    tap.main()
