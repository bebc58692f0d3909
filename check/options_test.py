# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs' options: every wrong value is told in one line, and nothing is started."""

import os

import suite
import tap

HUGE = "99999999999999999999"

# Testcase, option, wrong values of it.
WRONG_VALUES = (
    ("getppid1", "-t", ("0", "-1", "+1", "1.5", "x", "2x", "", "1e3", " 1", "0x10", HUGE)),
    ("getppid1", "-s", ("-1", "x", "1x", "", "nan", "inf", "-inf", "1e999", "1e10", "0.1.2")),
    ("getppid1", "--warmup", ("-1", "x", "", "nan", "inf", "1e10", "Auto", "automatic")),
    ("getppid1", "--interval", ("0", "-1", "0.0001", "x", "", "nan", "inf", "1e10")),
    ("getppid1", "--policy", ("", "core", "Cores", "cores ", "pus,cores", "all")),
    ("getppid1", "--cpus", ("", "x", ",", "0,", ",0", "0,,0", "0-", "-1", "1-0", "0-0-0", "0 ",
                            "all", "1048575", "99999999", HUGE)),
    ("getppid1", "--option", ("how=segv",)),
    ("dies", "--option", ("", "how", "=1", "nosuch=1", "ho=segv", "howl=segv", "task=", "task=x",
                          "task=-1", "task=1.5", "task=1x", "task= 1", f"task={HUGE}")),
)

# Words on the command line, and which of them the message names.
WRONG_WORDS = (
    (("--nosuch",), "--nosuch"), (("--nosuch=1",), "--nosuch=1"), (("-x",), "-x"),
    (("-vx",), "-x"), (("--describe=1",), "--describe=1"), (("--help=1",), "--help"),
    (("--s", "1"), "--s"), (("extra",), "extra"), (("--", "extra"), "extra"), (("-t",), "-t"),
    (("-vs",), "-vs"), (("--dir",), "--dir"), (("--option",), "--option"),
    (("-m", "--policy", "pus"), "pus"), (("--policy", "none", "-n"), "none"),
)

# Which policy they ask for.
POLICIES = (
    ((), "cores"), (("-m",), "pus"), (("-n",), "none"), (("-m", "-n"), "none"),
    (("-n", "-m"), "none"), (("-nm",), "none"), (("--policy", "cores"), "cores"),
    (("--policy", "pus"), "pus"), (("--policy", "scatter"), "scatter"),
    (("--policy=compact",), "compact"), (("--policy", "none"), "none"),
    (("--policy", "pus", "--policy", "scatter"), "scatter"),
)

# A measurement to which it would come if the option were accepted.
SHORT = ("-s", 0.1, "--warmup", 0, "--interval", 0.1)


class Options(suite.ProgramTestCase):
    LIMIT = 15

    def assert_refused(self, done, *said):
        self.assert_failed(done, ".*", status=2)
        for word in said:
            self.assertIn(word, done.stderr)
        self.assertEqual(done.stdout, "")
        if os.path.exists(self.samples):
            os.remove(self.samples)
            self.fail("a samples file was written")

    def assert_value_refused(self, name, option, value, **keywords):
        for mode in suite.MODES:
            with self.subTest(mode=mode, option=option, value=value[:100]):
                done = self.run_program(name, mode, *SHORT, option, value, **keywords)
                self.assert_refused(done, option, value.split("=")[0])


class WrongUsage(Options):
    def test_values(self):
        for name, option, values in WRONG_VALUES:
            for value in values:
                self.assert_value_refused(name, option, value)

    def test_a_span_too_short_to_count_in(self):
        """Not taken for 0, which would mean: until interrupted."""
        self.assert_value_refused("getppid1", "-s", "1e-10")

    def test_words(self):
        for words, named in WRONG_WORDS:
            for mode in suite.MODES:
                with self.subTest(mode=mode, words=words):
                    self.assert_refused(self.run_program("getppid1", mode, *SHORT, *words), named)

    def test_an_option_that_is_not_there_names_those_that_are(self):
        for mode in suite.MODES:
            done = self.run_program("dies", mode, "--option", "nosuch=1")
            self.assert_refused(done, "how, task, after")

    def test_folders_and_files(self):
        missing = os.path.join(self.folder, "missing")
        file = os.path.join(self.folder, "file")
        with open(file, "w", encoding="utf-8"):
            pass
        long = os.path.join(self.folder, "x" * 5000)
        for option, values in (("--dir", ("", missing, file, long)),
                               ("--samples", ("", self.folder, os.path.join(missing, "file"),
                                              os.path.join(file, "file"), long))):
            for value in values:
                self.assert_value_refused("getppid1", option, value)

    def test_a_folder_without_permission(self):
        user = self.as_ordinary_user()
        closed = os.path.join(self.folder, "closed")
        os.mkdir(closed, 0o555)
        self.assert_value_refused("getppid1", "--dir", closed, **user)
        self.assert_value_refused("getppid1", "--samples", os.path.join(closed, "file"), **user)
        self.assertEqual(os.listdir(closed), [])

    def test_an_older_samples_file_stays(self):
        for mode in suite.MODES:
            for words in (("--dir", "missing"), ("-t", "x"), ("--cpus", "x")):
                with self.subTest(mode=mode, words=words):
                    with open(self.samples, "w", encoding="utf-8") as file:
                        file.write("older\n")
                    done = self.run_program("getppid1", mode, *SHORT, *words)
                    self.assert_failed(done, ".*", status=2)
                    with open(self.samples, encoding="utf-8") as file:
                        self.assertEqual(file.read(), "older\n")


class RightUsage(Options):
    def test_policies(self):
        for words, policy in POLICIES:
            for mode in suite.MODES:
                with self.subTest(mode=mode, words=words):
                    self.measure("getppid1", mode, *SHORT, *words)
                    self.assertIn(("policy", policy), suite.records(self.samples))

    def test_the_least_values(self):
        for words in (("-t", "1"), ("-s", "0.1"), ("-s", "1e-1"), ("--warmup", "0.0"),
                      ("--warmup", "auto"), ("--interval", "0.001"), ("-s.1", "-t2", "-v")):
            for mode in suite.MODES:
                with self.subTest(mode=mode, words=words):
                    self.measure("spin1", mode, *SHORT, *words)

    def test_the_last_one_of_two_counts(self):
        for mode in suite.MODES:
            done = self.run_program("dies", mode, *SHORT, "-t", "3", "--option", "how=segv",
                                    "--option", "how=return", "--option", "after=9", "-t", "1")
            self.assert_failed(done, r"task 0: testcase\(\) returned after 9 operations, .*")
            self.assertIn(("tasks", "1"), suite.records(self.samples))


if __name__ == "__main__":
    tap.main()
