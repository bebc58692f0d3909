# SPDX-License-Identifier: GPL-2.0-or-later
"""What the programs record beside their counters: perf events of the tasks, files of the system,
and a recorder that is switched on for the measurement.
"""

import os
import re
import resource
import socket
import threading
import time

import suite
import tap

QUICK = ("-s", "0.3", "--warmup", "0.1")
UNSUPPORTED = "this machine cannot count it"


class Events(suite.ProgramTestCase):
    def counted(self, name, mode, events, *options, **keywords):
        """The run; {event: counts of the tasks}, {event: why it is not counted}, and the tasks'
        operations meanwhile.
        """
        done = self.run_program(name, mode, "--events", events, *QUICK, *options, **keywords)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts, lacking, operations = {}, {}, []
        for word, rest in suite.records(self.samples):
            if word == "operations":
                operations = [int(number) for number in rest.split(" ")]
            elif word == "event":
                event, share, *numbers = rest.split(" ")
                self.assertEqual(share, "1.0000")
                counts[event] = [int(number) for number in numbers]
            elif word == "uncounted":
                event, _, lacking[event] = rest.partition(" ")
        return done, counts, lacking, operations

    def test_faults_of_an_operation_that_is_one(self):
        for mode in suite.MODES:
            for tasks in (1, 2):
                with self.subTest(mode=mode, tasks=tasks):
                    _, counts, lacking, operations = self.counted(
                        "page_fault1", mode, "page-faults,task-clock", "-t", tasks)
                    self.assertEqual((set(counts), lacking),
                                     ({"page-faults:u", "page-faults:k", "task-clock"}, {}))
                    self.assertEqual(len(operations), tasks)
                    for task, faults in enumerate(counts["page-faults:u"]):
                        # The kernel maps several pages at once where it makes larger ones.
                        self.assertAlmostEqual(faults / operations[task], 1, delta=0.05)
                        self.assertLess(counts["page-faults:k"][task], faults / 100)
                        # Of 0.3 s: a task has no more time than there is.
                        self.assertGreater(counts["task-clock"][task], 50e6)
                        self.assertLess(counts["task-clock"][task], 400e6)

    def test_what_a_task_makes_is_counted(self):
        """Children of a task, and a partner: of a ping-pong each is switched away once."""
        _, counts, _, operations = self.counted("fork1", "processes", "page-faults")
        self.assertGreater(counts["page-faults:u"][0] / operations[0], 2)
        for mode in suite.MODES:
            with self.subTest(mode):
                _, counts, _, operations = self.counted("context_switch1", mode,
                                                        "context-switches", "--cpus", "0")
                # An operation is a message one way, which the other one has to be switched to for.
                self.assertAlmostEqual(counts["context-switches"][0] / operations[0], 1, delta=0.1)

    def test_the_default_and_names_beside_it(self):
        _, counts, lacking, _ = self.counted("getppid1", "processes",
                                             "default,minor-faults,page-faults")
        names = {*counts, *lacking}
        self.assertLessEqual({"task-clock", "context-switches", "cpu-migrations", "page-faults:u",
                              "minor-faults:k"}, set(counts))
        for name in ("cycles", "instructions", "branch-misses", "cache-misses", "dTLB-load-misses"):
            self.assertLessEqual({f"{name}:u", f"{name}:k"}, names)
        self.assertEqual(set(counts) & set(lacking), set())
        told = [rest for word, rest in suite.records(self.samples)
                if word == "event" and rest.startswith("page-faults:u ")]
        self.assertEqual(len(told), 1, "named twice, counted twice")

    def test_one_mode_only(self):
        _, counts, _, operations = self.counted("page_fault1", "threads",
                                                "page-faults:u,page-faults:k")
        self.assertGreater(counts["page-faults:u"][0] / operations[0], 0.9)
        _, counts, _, _ = self.counted("page_fault1", "threads", "page-faults:k")
        self.assertEqual(set(counts), {"page-faults:k"})

    def test_what_cannot_be_counted_is_told_once(self):
        done, counts, lacking, _ = self.counted(
            "getppid1", "threads", "nonsense,page-faults,rffff,context-switches:u", "-t", 2)
        self.assertEqual(set(counts) - {"rffff:u", "rffff:k"}, {"page-faults:u", "page-faults:k"})
        self.assertRegex(lacking["nonsense"], "there is no such event|one of perf's own names")
        self.assertRegex(lacking["context-switches:u"], "has no :u and :k")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), len(set(lacking.values())))
        for line in lines:
            self.assertRegex(line, r"\Agetppid1_threads: not counted: [\w:, -]+: \w")
        if "rffff:u" in lacking:
            self.assertIn(f"not counted: rffff:u, rffff:k: {UNSUPPORTED}", done.stderr)

    def test_names_of_the_library(self):
        _, counts, lacking, operations = self.counted(
            "page_fault1", "processes", "perf::PERF_COUNT_SW_PAGE_FAULTS:u")
        if lacking:
            self.skipTest(*lacking.values())
        faults = counts["perf::PERF_COUNT_SW_PAGE_FAULTS:u"][0]
        self.assertAlmostEqual(faults / operations[0], 1, delta=0.05)

    def test_without_permission(self):
        user = self.as_ordinary_user()
        with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
            level = int(file.read())
        if level < 2:
            self.skipTest(f"kernel.perf_event_paranoid is {level}: everybody may count")
        done, counts, lacking, _ = self.counted(
            "page_fault1", "processes", "page-faults,task-clock,context-switches", **user)
        self.assertIn("page-faults:u", counts)
        self.assertGreater(counts["task-clock"][0], 0)
        for name in ("page-faults:k", "context-switches"):
            self.assertIn(f"kernel.perf_event_paranoid is {level}", lacking[name])
        self.assertIn("not counted: page-faults:k, context-switches: not permitted", done.stderr)

    def test_more_files_than_the_limit(self):
        done = self.run_program("getppid1", "threads", "-t", 40, "--events", "page-faults", *QUICK,
                                preexec_fn=lambda: limit_files(64))
        self.assert_failed(done, r"skipped: 40 tasks need \d+ open files in a process, and there "
                           r"are 64: raise the hard limit \(ulimit -Hn\)", status=77)

    def test_bad_lists(self):
        for text in ("", "a,,b", ",a", "a,", "a b"):
            with self.subTest(text):
                done = self.run_program("getppid1", "processes", "--events", text, *QUICK)
                self.assert_failed(done, f"--events {text}: must be names of events, separated by "
                                   "commas", status=2)


def limit_files(number):
    resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))


class Observed(suite.ProgramTestCase):
    def texts(self):
        """{path: {before or after: lines, or why there are none}} of the samples file."""
        found, last = {}, None
        for word, *rest in suite.records(self.samples):
            if word == "file":
                when, _, path = rest[0].partition(" ")
                last = found.setdefault(path, {}).setdefault(when, [])
            elif word in ("line", "unread"):
                last.append(rest[0] if word == "line" else OSError(rest[0]))
        return found

    def test_texts_before_and_after(self):
        for mode in suite.MODES:
            with self.subTest(mode):
                done = self.run_program("page_fault1", mode, "--observe", "/proc/vmstat",
                                        "--observe", "/proc/self/mounts", *QUICK)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                texts = self.texts()
                self.assertEqual(list(texts), ["/proc/vmstat", "/proc/self/mounts"])
                faults = [int(dict(map(str.split, texts["/proc/vmstat"][when]))["pgfault"])
                          for when in ("before", "after")]
                operations, _ = suite.measured(self.samples)
                self.assertGreater(faults[1] - faults[0], operations * 0.9)
                with open("/proc/self/mounts", encoding="utf-8") as file:
                    self.assertEqual(texts["/proc/self/mounts"]["before"], file.read().splitlines())

    def test_a_file_that_is_not_there(self):
        done = self.run_program("getppid1", "processes", "--observe", "/nowhere", "--observe",
                                self.folder, *QUICK)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        texts = self.texts()
        self.assertEqual([str(text) for text in texts["/nowhere"]["after"]],
                         ["No such file or directory"])
        self.assertEqual([str(text) for text in texts[self.folder]["before"]], ["Is a directory"])

    def test_one_that_vanishes(self):
        path = os.path.join(self.folder, "there for a while")
        with open(path, "w", encoding="ascii") as file:
            file.write("one\ntwo")
        process = self.start("getppid1", "processes", "-s", "0.5", "--warmup", "0", "--interval",
                             "0.1", "--observe", path)
        self.read_until(process, "min:")
        os.unlink(path)
        self.assertEqual(self.finish(process).returncode, 0)
        texts = self.texts()[path]
        self.assertEqual(texts["before"], ["one", "two"])
        self.assertEqual(str(texts["after"][0]), "No such file or directory")

    def test_a_bad_path(self):
        done = self.run_program("getppid1", "processes", "--observe", "proc/stat", *QUICK)
        self.assert_failed(done, "--observe proc/stat: must be an absolute path", status=2)


class Recorder(suite.ProgramTestCase):
    def record(self, end, answers, delay=0):
        """Plays the recorder: appends (time, word) of all that is said to `answers`."""
        for line in end.makefile("r", encoding="ascii"):
            answers.append((time.monotonic_ns(), line.strip()))
            time.sleep(delay)
            end.sendall(b"ack\n\0")

    def run_with(self, play):
        mine, its = socket.socketpair()
        with mine, its:
            process = self.start("getppid1", "processes", *QUICK, "--recorder", its.fileno(),
                                 pass_fds=[its.fileno()])
            its.close()
            play(mine)
            return self.finish(process)

    def test_it_is_on_for_the_measurement(self):
        said = []

        def play(mine):
            thread = threading.Thread(target=self.record, args=(mine, said, 0.2))
            thread.start()
            self.addCleanup(thread.join)

        done = self.run_with(play)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([word for _, word in said], ["enable", "disable"])
        # The measurement waits for the first answer, which takes 0.2 s, and lasts 0.3 s.
        self.assertGreater(said[1][0] - said[0][0], 0.5e9)
        self.assert_nothing_left()

    def test_one_that_has_ended(self):
        done = self.run_with(lambda mine: mine.close())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^average:[1-9]")

    def test_no_socket(self):
        for text, message in (("0", "--recorder 0: the number of the descriptor must be a whole "
                               "number, 1 or more"),
                              ("1", "--recorder 1: must be the number of a socket's descriptor")):
            with self.subTest(text):
                done = self.run_program("getppid1", "processes", "--recorder", text, *QUICK)
                self.assert_failed(done, re.escape(message), status=2)


if __name__ == "__main__":
    tap.main()
