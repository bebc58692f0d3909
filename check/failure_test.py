# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs that cannot come to their proper end: each fails with its reason, and leaves nothing."""

import os
import resource
import signal
import time

import suite
import tap

CHECK_FAILED = r"\S*check/testcases/{}\.c:\d+: Assertion `close\(-1\) == 0' failed: " \
    r"Bad file descriptor \(errno 9\)"
STOPPED = r"task 1 stopped counting after 100000 operations, none in the last \d+\.\d s"
HOST = "the process of all tasks "

# How task 1 ends, and what is said about it: as a process, as a thread.
DEATHS = (
    ("segv", r"task 1 was killed by signal 11 \(Segmentation fault\)",
     r"task 1, and all tasks with it, was killed by signal 11 \(Segmentation fault\)"),
    ("abort", r"task 1 was killed by signal 6 \(Aborted\)",
     r"task 1, and all tasks with it, was killed by signal 6 \(Aborted\)"),
    ("kill", r"task 1 was killed by signal 9 \(Killed\)",
     HOST + r"was killed by signal 9 \(Killed\)"),
    ("exit0", r"task 1 exited with status 0",
     r"task 1, and all tasks with it, exited with status 0"),
    ("exit3", r"task 1 exited with status 3", HOST + "exited with status 3"),
    ("return", r"task 1: testcase\(\) returned after 100000 operations, its loop must not end",
     r"task 1: testcase\(\) returned after 100000 operations, its loop must not end"),
    ("check", "task 1: " + CHECK_FAILED.format("dies"), "task 1: " + CHECK_FAILED.format("dies")),
    ("pthread_exit", r"task 1 exited with status 0", STOPPED),
    ("block", STOPPED, STOPPED),
    ("spin", STOPPED, STOPPED),
)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def dying(how, *options):
    return ("-t", 2, "--warmup", 0, "--interval", 0.1, "--option", f"how={how}",
            "--option", "task=1", "--option", "after=100000", *options)


class FailureTestCase(suite.ProgramTestCase):
    def assert_end_record(self, word, reason="", samples=None):
        """The samples file's last record; the reason is a regular expression."""
        records = suite.records(samples or self.samples)
        self.assertEqual([record[0] for record in records].count("end"), 1)
        self.assertRegex(" ".join(records[-1]), rf"\Aend {word}{' ' if reason else ''}{reason}\Z")


class Tasks(FailureTestCase):
    def test_a_task_that_ends_fails_the_run(self):
        """All at once: those that stop counting are waited for."""
        started = []
        for how, *messages in DEATHS:
            for mode, message in zip(suite.MODES, messages):
                samples = os.path.join(self.folder, f"{how}-{mode}")
                options = dying(how, "-s", 60, "--samples", samples)
                started.append((how, mode, message, samples, self.start("dies", mode, *options)))
        ended = [(*rest, self.finish(process)) for *rest, process in started]
        for how, mode, message, samples, done in ended:
            with self.subTest(how=how, mode=mode):
                self.assert_failed(done, message)
                self.assertRegex(done.stdout,
                                 r"\Atestcase:.*\nwarmup\n(measurement\n(min:.*\n)*)?\Z")
                self.assert_end_record("failed", message, samples)

    def test_a_task_killed_from_outside_is_named(self):
        for mode in suite.MODES:
            with self.subTest(mode):
                process = self.start("spin1", mode, "-t", 3)
                self.read_until(process, "warmup")
                task = next(pid for pid in self.living() if pid != process.pid)
                os.kill(task, signal.SIGKILL)
                who = r"task \d " if mode == "processes" else HOST
                message = rf"{who}was killed by signal 9 \(Killed\)"
                self.assert_failed(self.finish(process), message)
                self.assert_end_record("failed", message)

    def test_a_stop_shows_in_a_short_measurement(self):
        """Shorter than the silence that is waited for, in one sample and in many."""
        for mode in suite.MODES:
            for interval in (0.1, 1):
                with self.subTest(mode=mode, interval=interval):
                    options = dying("block", "-s", 0.8, "--interval", interval)
                    self.assert_failed(self.run_program("dies", mode, *options), STOPPED)

    def test_a_task_that_never_counted(self):
        """The measurement does not begin without it."""
        for mode in suite.MODES:
            for how in ("block", "spin"):
                with self.subTest(mode=mode, how=how):
                    options = dying(how, "-s", 0.2, "--option", "after=0")
                    done = self.run_program("dies", mode, *options)
                    message = r"task 1 counted 0 operations, none in the last \d+\.\d s"
                    self.assert_failed(done, message)
                    self.assert_end_record("failed", message)
                    self.assertNotIn("measurement", done.stdout)

    def test_skips(self):
        """A stub for another platform returns at once."""
        cases = (("skips", ("--option", "where=prepare"), "this machine has no flux capacitor"),
                 ("skips", ("--option", "where=task"), r"task \d finds no flux capacitor"),
                 ("dies", dying("return", "--option", "after=0"),
                  r"testcase\(\) returned at once: it does nothing on this platform"))
        for mode in suite.MODES:
            for name, options, reason in cases:
                with self.subTest(mode=mode, reason=reason):
                    done = self.run_program(name, mode, "-t", 3, "-s", 60, *options)
                    self.assert_failed(done, f"skipped: {reason}", status=77)
                    self.assert_end_record("skipped", reason)

    def test_threads_in_malloc_always_end(self):
        options = ("-t", 4, "-s", 0.03, "--warmup", 0, "--interval", 0.01)
        for number in range(100):
            done = self.run_program("malloc1", "threads", *options)
            self.assertEqual((number, done.returncode, done.stderr), (number, 0, ""))
        self.assert_nothing_left()


class Hooks(FailureTestCase):
    def test_prepare_that_fails(self):
        for mode in suite.MODES:
            for how, message in (("check", CHECK_FAILED.format("dies")),
                                 ("exit0", r"testcase_prepare\(\) .*exit.*")):
                with self.subTest(mode=mode, how=how):
                    done = self.run_program("dies", mode, *dying("prepare-" + how, "-s", 60))
                    self.assert_failed(done, message)
                    self.assert_end_record("failed", message)

    def test_prepare_that_crashes(self):
        for mode in suite.MODES:
            for how, number in (("segv", signal.SIGSEGV), ("abort", signal.SIGABRT)):
                with self.subTest(mode=mode, how=how):
                    done = self.run_program("dies", mode, *dying("prepare-" + how, "-s", 60))
                    self.assertEqual(done.returncode, -number)
                    self.assertNotIn("average:", done.stdout)
                    self.assert_nothing_left()
                    self.assert_end_record("failed", ".+")

    def test_hooks_that_hang_are_limited(self):
        """The limit is two minutes; the test sends the signal that its timer would send."""
        for mode in suite.MODES:
            for name, options, hook in (
                    ("dies", dying("prepare-block"), "prepare"),
                    ("cleans", ("-s", 0.01, "--warmup", 0, "--option", "how=block"), "cleanup")):
                with self.subTest(mode=mode, hook=hook):
                    process = self.start(name, mode, *options)
                    if hook == "prepare":
                        self.read_until(process, "testcase:")
                        time.sleep(0.1)
                    else:
                        self.assertEqual(process.stderr.readline(), "cleaning up\n")
                    os.kill(process.pid, signal.SIGRTMAX)
                    message = rf"testcase_{hook}\(\) did not end in time \(120 s\)"
                    self.assert_failed(self.finish(process), message)
                    self.assert_end_record("failed", message)

    def test_cleanup_follows_good_and_bad_runs(self):
        for mode in suite.MODES:
            name = f"cleans_{mode}"
            returned = rf"{name}: task 0: testcase\(\) returned after 9 operations, its loop " \
                r"must not end\n"
            failed = rf"{name}: {CHECK_FAILED.format('cleans')}\n"
            exited = rf"{name}: testcase_cleanup\(\) .*exit.*\n"
            for options, status, message in ((("how=well",), 0, ""), (("after=9",), 1, returned),
                                             (("how=check",), 1, failed),
                                             (("how=exit0",), 1, exited),
                                             (("how=segv",), -signal.SIGSEGV, "(.*\n)?")):
                with self.subTest(mode=mode, options=options):
                    words = [word for option in options for word in ("--option", option)]
                    done = self.run_program("cleans", mode, "-s", 0.1, "--warmup", 0, *words)
                    self.assertEqual(done.returncode, status)
                    self.assertRegex(done.stderr, rf"\Acleaning up\n{message}\Z")
                    self.assertEqual("average:" in done.stdout, status == 0)
                    self.assert_nothing_left()
                    self.assert_end_record(*(("failed", ".+") if status else ("completed",)))


class Signals(FailureTestCase):
    def assert_died(self, done, number):
        self.assertEqual(done.returncode, -number)
        self.assertNotIn("average:", done.stdout)
        self.assert_nothing_left()

    def test_each_ends_the_run_at_any_stage(self):
        stages = (("testcase:", "dies", dying("prepare-block")), ("warmup", "spin1", ("-t", 3)),
                  ("measurement", "context_switch1", ("-t", 3, "--warmup", 0)))
        for mode in suite.MODES:
            for line, name, options in stages:
                for number in SIGNALS:
                    with self.subTest(mode=mode, stage=line, signal=number.name):
                        process = self.start(name, mode, *options)
                        self.read_until(process, line)
                        os.kill(process.pid, number)
                        done = self.finish(process)
                        self.assert_died(done, number)
                        reason = rf"by signal {int(number)} \({signal.strsignal(number)}\)"
                        self.assertRegex(done.stderr, rf"\A{name}_{mode}: interrupted {reason}\n\Z")
                        self.assert_end_record("interrupted", reason)

    def test_while_starting(self):
        """At moments from before main() to long after the gate has opened."""
        for mode in suite.MODES:
            for delay in (0, 0.001, 0.002, 0.003, 0.005, 0.008, 0.012, 0.02, 0.04, 0.1):
                with self.subTest(mode=mode, delay=delay):
                    process = self.start("context_switch1", mode, "-t", 50)
                    time.sleep(delay)
                    os.kill(process.pid, signal.SIGTERM)
                    self.assert_died(self.finish(process), signal.SIGTERM)

    def test_ignored_ones_stay_ignored(self):
        """As nohup, or a shell that starts it in the background, has it."""
        def ignore():
            for number in (signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)

        for mode in suite.MODES:
            with self.subTest(mode):
                process = self.start("spin1", mode, "-s", 0.5, "--warmup", 0, preexec_fn=ignore)
                self.read_until(process, "measurement")
                os.kill(process.pid, signal.SIGINT)
                os.kill(process.pid, signal.SIGHUP)
                done = self.finish(process)
                self.assert_measured(done)
                self.assert_end_record("completed")


class Killed(suite.ProgramTestCase):
    """The parent by SIGKILL: it cannot do anything about it."""

    def test_all_tasks_and_partners_die(self):
        for mode, processes in (("processes", 1 + 2 * 3), ("threads", 2)):
            for name in ("context_switch1", "foreign1"):
                with self.subTest(mode=mode, name=name):
                    process = self.start(name, mode, "-t", 3, "--warmup", 0.1, "--interval", 0.1)
                    self.read_until(process, "measurement")
                    self.wait_for(lambda: len(self.living()) == processes, "all partners")
                    process.kill()
                    self.wait_until_gone()

    def test_while_starting(self):
        for mode in suite.MODES:
            for delay in (0.001, 0.002, 0.003, 0.005, 0.008, 0.012, 0.02, 0.04, 0.1):
                with self.subTest(mode=mode, delay=delay):
                    process = self.start("context_switch1", mode, "-t", 50)
                    time.sleep(delay)
                    process.kill()
                    self.wait_until_gone()
                    self.wait_until_next_run_leaves(mode, [])

    def test_the_next_run_removes_what_a_dead_one_left(self):
        for mode in suite.MODES:
            with self.subTest(mode):
                alive = self.start("litters", mode, "-t", 2)
                self.wait_for(lambda: self.litter() == 2, "a file of each task")
                scratch = os.listdir(self.scratch)
                files = self.scratch_files()
                processes = self.living()

                dead = self.start("litters", mode, "-t", 2)
                self.wait_for(lambda: self.litter() == 4, "a file of each task")
                dead.kill()
                self.wait_for(lambda: self.living() == processes, "the end of its tasks")
                self.assertEqual(self.litter(), 4)

                self.wait_until_next_run_leaves(mode, scratch)
                self.assertEqual(self.scratch_files(), files)
                alive.terminate()
                self.finish(alive)
                self.assert_nothing_left()

    def wait_until_next_run_leaves(self, mode, scratch):
        """Not always the very next: the kernel may still be closing the files of the last task."""
        def run():
            done = self.run_program("skips", mode)
            self.assertEqual(done.returncode, 77)
            return os.listdir(self.scratch) == scratch
        self.wait_for(run, "a run that removes the scratch directory of a dead one")

    def scratch_files(self):
        return sorted(os.path.join(folder, file) for folder, _, files in os.walk(self.scratch)
                      for file in files)

    def litter(self):
        return sum("of-task-" in path for path in self.scratch_files())

    def test_only_directories_of_runs_are_removed(self):
        """A user may keep other things there, with names that begin alike."""
        kept = []
        for name in ("opscale-master", "opscale-0.1", "opscale", "results"):
            os.mkdir(os.path.join(self.scratch, name))
            kept.append(os.path.join(self.scratch, name, "file"))
        kept.append(os.path.join(self.scratch, "opscale-note"))
        for path in kept:
            with open(path, "w", encoding="utf-8"):
                pass
        for mode in suite.MODES:
            self.assertEqual(self.run_program("skips", mode).returncode, 77)
            self.assertEqual(self.scratch_files(), sorted(kept))


class Limits(suite.ProgramTestCase):
    def run_limited(self, mode, tasks, soft, hard):
        return self.run_program(
            "context_switch1", mode, "-t", tasks, "-s", 0.1, "--warmup", 0,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))

    def test_too_many_open_files_are_refused(self):
        done = self.run_limited("threads", 100, 64, 64)
        self.assert_failed(done, r"skipped: 100 tasks need 4\d\d open files in a process, "
                           r"and there are 64: .*", status=77)
        self.assertEqual(done.stdout, "")

    def test_a_scratch_folder_without_room_is_refused(self):
        """A file system of its own, which takes 1 MiB and few files."""
        shell = f"mount -t tmpfs -o size=1m,nr_inodes=100 none {self.scratch} && exec \"$@\""
        mounted = ("unshare", *(["-r"] if os.geteuid() else []), "-m", "sh", "-c", shell, "-")
        if suite.run(*mounted, "true").returncode:
            self.skipTest("no file system can be mounted here")
        for name, tasks, message in (
                ("writeseek1", 200, "cannot make a file in .*: No space left on device"),
                ("page_fault3", 1, "scratch files need 134217728 bytes, and there is room for "),
                ("read1", 3, "scratch files need 3145728 bytes, and there is room for "),
                ("create1", 1, r"1025 scratch files are needed, and there is room for \d\d")):
            for mode in suite.MODES:
                with self.subTest(name, mode=mode):
                    path = suite.program(name, mode)
                    done = suite.run(*mounted, path, "--dir", self.scratch, "-s", 0.1, "-t", tasks)
                    self.assertRegex(done.stderr, rf"\A{name}_{mode}: skipped: {message}.*\n\Z")
                    self.assertEqual(done.returncode, 77)

    def test_what_fits_runs(self):
        """Each task has four: as a process of its own, of the same process as a thread."""
        for mode, tasks in (("threads", 10), ("processes", 100)):
            with self.subTest(mode):
                self.assert_measured(self.run_limited(mode, tasks, 64, 64))

    def test_a_soft_limit_is_raised(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if 0 <= hard < 500:
            self.skipTest(f"the hard limit of open files is {hard}")
        self.assert_measured(self.run_limited("threads", 100, 64, hard))


if __name__ == "__main__":
    tap.main()
