# SPDX-License-Identifier: GPL-2.0-or-later
"""What the programs print and write; docs/formats.md, sections 1 and 2."""

import os
import re
import signal
import subprocess

import suite
import tap

RATE = {"processes": "per_process_ops", "threads": "per_thread_ops"}
SAMPLE = r"min:\d+ max:\d+ total:\d+\n"
SHORT = ("-s", 0.2, "--warmup", 0.2, "--interval", 0.1)


class Lines(suite.ProgramTestCase):
    def assert_consistent(self, done, verbose=False):
        """The lines are exactly those that follow from the samples file."""
        self.assertEqual(done.stdout.split("\n"),
                         [*suite.expected_output(self.samples, verbose), ""])

    def test_the_classic_call(self):
        """Six seconds of warm-up and two of measurement, one line each; both modes at once."""
        started = []
        for mode in suite.MODES:
            samples = os.path.join(self.folder, mode)
            started.append((mode, samples, self.start("getppid1", mode, "-s", 2, "-t", 2,
                                                      "--samples", samples)))
        ended = [(*rest, self.finish(process)) for *rest, process in started]
        for mode, self.samples, done in ended:
            with self.subTest(mode):
                self.assert_measured(done)
                self.assert_consistent(done)
                self.assertRegex(
                    done.stdout, rf"\Atestcase:[^\n]+\nwarmup\n({SAMPLE}){{6}}measurement\n"
                    rf"({SAMPLE}){{2}}average:\d+\n{RATE[mode]}:\d+(\.\d\d)?\n"
                    r"spread:\d+\.\d\d% samples:2 min:\d+ max:\d+\n\Z")
                for phase in ("warmup", "measure"):
                    for sample in suite.samples_of(self.samples, phase):
                        self.assertGreaterEqual(sample.end - sample.start, 10**9)

    def test_numbers_fit_together(self):
        for mode in suite.MODES:
            with self.subTest(mode):
                done = self.measure("spin1", mode, "-t", 3, "-s", 0.5, "--warmup", 0.1,
                                    "--interval", 0.1)
                self.assert_consistent(done)
                measurement = done.stdout.split("measurement\n")[1]
                samples = [[int(number) for number in found] for found in
                           re.findall(r"min:(\d+) max:(\d+) total:(\d+)", measurement)]
                totals = [total for _, _, total in samples]
                for least, greatest, total in samples:
                    self.assertLessEqual(least, greatest)
                    self.assertLessEqual(3 * least - 3, total)
                    self.assertLessEqual(total, 3 * greatest + 3)
                average = int(re.search(r"average:(\d+)", measurement).group(1))
                self.assertLessEqual(min(totals) - 1, average)
                self.assertLessEqual(average, max(totals) + 1)
                operations, nanoseconds = suite.measured(self.samples)
                self.assertAlmostEqual(average, operations / nanoseconds * 1e9, delta=1)

    def test_verbose(self):
        for mode in suite.MODES:
            with self.subTest(mode):
                done = self.measure("getppid1", mode, "-v", "-t", 2, *SHORT)
                self.assert_consistent(done, verbose=True)
                sample = rf"   0 -> \d+\n   1 -> \d+\n{SAMPLE}"
                self.assertRegex(done.stdout, rf"\A.*\nwarmup\n({sample}){{2}}measurement\n"
                                 rf"({sample}){{2}}average:")

    def test_fractions(self):
        """The last sample is cut to fit; one alone has no spread."""
        for mode in suite.MODES:
            for seconds, interval, samples in ((0.2, 1, 1), (0.25, 0.1, 3), (0.3, 0.1, 3)):
                with self.subTest(mode=mode, seconds=seconds, interval=interval):
                    done = self.measure("getppid1", mode, "-s", seconds, "--warmup", 0,
                                        "--interval", interval)
                    self.assert_consistent(done)
                    spread = r"-" if samples == 1 else r"\d+\.\d\d%"
                    self.assertRegex(done.stdout, rf"\A.*\nwarmup\nmeasurement\n"
                                     rf"({SAMPLE}){{{samples}}}average:.*\n.*\n"
                                     rf"spread:{spread} samples:{samples} min:\d+ max:\d+\n\Z")
                    self.assertGreaterEqual(suite.measured(self.samples)[1], seconds * 1e9 - 1e6)

    def test_automatic_warm_up(self):
        for mode in suite.MODES:
            with self.subTest(mode):
                done = self.measure("spin1", mode, "--warmup", "auto", "-s", 0.1)
                self.assert_consistent(done)
                for sample in suite.samples_of(self.samples, "warmup"):
                    self.assertGreaterEqual(sample.end - sample.start, 25000000)

    def test_each_line_leaves_at_once_until_interrupted(self):
        """A pipe in packet mode gives back each write by itself, and this run has no end."""
        for mode in suite.MODES:
            with self.subTest(mode):
                reading, writing = os.pipe2(os.O_DIRECT | os.O_CLOEXEC)
                self.addCleanup(os.close, reading)
                process = self.start("getppid1", mode, "-s", 0, "--warmup", 0.1,
                                     "--interval", 0.1, stdout=writing)
                os.close(writing)
                packets = [os.read(reading, 65536).decode() for _ in range(7)]
                self.assertRegex(packets[0], r"\Atestcase:.*\n\Z")
                self.assertEqual((packets[1], packets[3]), ("warmup\n", "measurement\n"))
                for packet in (packets[2], *packets[4:]):
                    self.assertRegex(packet, rf"\A{SAMPLE}\Z")
                os.kill(process.pid, signal.SIGINT)
                done = self.finish(process)
                self.assertEqual(done.returncode, -signal.SIGINT)
                self.assertNotIn(b"average", os.read(reading, 65536))
                self.assert_nothing_left()
                self.assertEqual(len(suite.samples_of(self.samples, "warmup")), 1)
                self.assertGreaterEqual(len(suite.samples_of(self.samples, "measure")), 3)
                self.assertEqual(suite.records(self.samples)[-1],
                                 ("end", "interrupted by signal 2 (Interrupt)"))

    def test_a_reader_that_counts_lines(self):
        """As an existing user reads: without the first 8 lines, the third field of the samples."""
        readers = [subprocess.Popen(
            f"./getppid1_{mode} -t 2 -s 2 | sed 1,8d | awk '/total:/ {{ print $3 }}'",
            shell=True, cwd=suite.PROGRAMS, stdout=subprocess.PIPE, text=True)
            for mode in suite.MODES]
        for reader in readers:
            self.assertRegex(reader.communicate()[0], r"\A(total:[1-9]\d*\n){2}\Z")


class Outlets(suite.ProgramTestCase):
    """Standard output that takes nothing more."""

    def test_a_reader_that_has_gone(self):
        message = "cannot write to standard output: Broken pipe"
        for mode in suite.MODES:
            for line in ("testcase:", "min:"):
                with self.subTest(mode=mode, line=line):
                    process = self.start("spin1", mode, "-t", 2, "--interval", 0.1)
                    self.read_until(process, line)
                    process.stdout.close()
                    errors = process.stderr.read()
                    self.assertEqual((process.wait(), errors), (1, f"spin1_{mode}: {message}\n"))
                    self.assert_nothing_left()
                    self.assertEqual(suite.records(self.samples)[-1], ("end", f"failed {message}"))

    def test_a_full_disk(self):
        for mode in suite.MODES:
            for options in (("-s", 60), ("--describe",), ("--version",), ("--show-placement",),
                            ("--help",)):
                with self.subTest(mode=mode, options=options):
                    with open("/dev/full", "w", encoding="utf-8") as full:
                        process = self.start("spin1", mode, *options, stdout=full)
                    errors = process.stderr.read()
                    self.assertEqual((process.wait(), errors), (
                        1, f"spin1_{mode}: cannot write to standard output: "
                        "No space left on device\n"))
                    self.assert_nothing_left()

    def test_a_full_disk_for_the_samples(self):
        for mode in suite.MODES:
            with self.subTest(mode):
                done = self.run_program("spin1", mode, *SHORT, "--samples", "/dev/full")
                self.assertEqual((done.returncode, done.stderr), (
                    1, f"spin1_{mode}: cannot write the samples file /dev/full\n"))
                self.assert_nothing_left()

    def test_closed_streams(self):
        """The run's own files must not take the place of one that is closed."""
        known = {"opscale-samples", "testcase", "mode", "description", "tasks", "policy",
                 "topology", "scratch", "task", "start", "sample", "cpu", "end"}
        good, bad = ("how=block",), ("how=return", "after=9")
        for mode in suite.MODES:
            for stream, options, status in ((0, good, 0), (1, good, 1), (2, good, 0),
                                            (0, bad, 1), (1, bad, 1), (2, bad, 1)):
                with self.subTest(mode=mode, stream=stream, options=options):
                    words = [word for option in options for word in ("--option", option)]
                    process = self.start("dies", mode, *SHORT, "--option", f"after={2**63}",
                                         *words, preexec_fn=lambda: os.close(stream))
                    self.assertEqual(self.finish(process).returncode, status)
                    self.assert_nothing_left()
                    if os.path.exists(self.samples):
                        found = [record[0] for record in suite.records(self.samples)]
                        self.assertLessEqual(set(found), known)
                        self.assertEqual(found.index("end"), len(found) - 1)


class Samples(suite.ProgramTestCase):
    def test_every_record(self):
        for mode in suite.MODES:
            with self.subTest(mode):
                self.measure("getppid1", mode, "-t", 2, *SHORT)
                described = self.run_program("getppid1", mode, "--describe").stdout
                placement = self.run_program("getppid1", mode, "-t", 2, "--show-placement").stdout
                topology, header, *rows = placement.splitlines()
                names = header.split()
                tasks = [" ".join(["task", number] + [f"{name}={value}" for name, value in
                                                      zip(names[1:], values)])
                         for number, *values in (row.split() for row in rows)]
                expected = [
                    "opscale-samples 1", "testcase getppid1", f"mode {mode}",
                    "description " + re.search("testcase:(.*)", described).group(1),
                    "tasks 2", "policy cores", topology.replace(":", " ", 1)]
                patterns = [re.escape(line) for line in expected]
                patterns.append(rf"scratch \S+ {re.escape(self.scratch)}/[^/]+")
                patterns += [re.escape(task) for task in tasks]
                patterns += [r"start [1-9]\d*"]
                patterns += [r"sample warmup \d+ \d+ \d+ \d+"] * 2
                patterns += [r"sample measure \d+ \d+ \d+ \d+"] * 2
                patterns += [r"cpu( \d+){8}", "end completed"]
                with open(self.samples, encoding="utf-8") as file:
                    self.assertRegex(file.read(), "\\A" + "\n".join(patterns) + "\n\\Z")
                self.assertGreater(sum(map(int, suite.records(self.samples)[-2][1].split())), 0)

    def test_samples_follow_each_other(self):
        for mode in suite.MODES:
            with self.subTest(mode):
                self.measure("spin1", mode, "-t", 2, *SHORT)
                warmup = suite.samples_of(self.samples, "warmup")
                measure = suite.samples_of(self.samples, "measure")
                self.assertGreater(warmup[0].start, 0)
                self.assertGreaterEqual(measure[0].start, warmup[-1].end)
                for before, after in (warmup, measure):
                    self.assertEqual(before.end, after.start)
                for sample in warmup + measure:
                    self.assertGreaterEqual(sample.end - sample.start, 100000000)
                    self.assertTrue(all(sample.counts))

    def test_the_scratch_file_system(self):
        with open("/proc/self/mounts", encoding="utf-8") as file:
            if not any(line.split()[1:3] == ["/dev/shm", "tmpfs"] for line in file):
                self.skipTest("/dev/shm is no tmpfs here")
        for mode in suite.MODES:
            self.measure("litters", mode, *SHORT, "--dir", "/dev/shm")
            kind, path = dict(suite.records(self.samples))["scratch"].split(" ", 1)
            self.assertEqual((kind, os.path.dirname(path)), ("tmpfs", "/dev/shm"))
            self.assertFalse(os.path.exists(path))


class Descriptions(suite.ProgramTestCase):
    def test_describe(self):
        for mode in suite.MODES:
            for name, source, needs, options in (
                    ("context_switch1", "tests/waiting/context_switch1.c", (4, 1), []),
                    ("foreign2", None, (0, 0), []),
                    ("skips", "check/testcases/skips.c", (0, 0),
                     ["option:where=prepare prepare or task"])):
                with self.subTest(mode=mode, name=name):
                    done = self.run_program(name, mode, "--describe")
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    description, *lines = done.stdout.splitlines()
                    self.assertRegex(description, r"\Atestcase:.+")
                    self.assertEqual(lines, [
                        f"name:{name}", f"mode:{mode}", *([f"source:{source}"] if source else []),
                        f"files_per_task:{needs[0]}", f"partners_per_task:{needs[1]}",
                        "memory_per_task:0", "in_turns:yes", *options])

    def test_version(self):
        for mode in suite.MODES:
            done = self.run_program("getppid1", mode, "--version")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"\Aopscale:\d\S*\ncompiler:.+\nflags:.*\nlibc:.+\n"
                             r"hwloc:\d\S*\n\Z")

    def test_help(self):
        for mode in suite.MODES:
            for option in ("-h", "--help"):
                done = self.run_program("skips", mode, option)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                for named in ("-t ", "-s ", "-m ", "-n ", "-v ", "-h", "--warmup ", "--interval ",
                              "--policy ", "--cpus ", "--dir ", "--option ", "--samples ",
                              "--show-placement ", "--describe ", "--version ", "where=prepare"):
                    self.assertRegex(done.stdout, rf"(?m)(^  |^.*){re.escape(named)}")


if __name__ == "__main__":
    tap.main()
