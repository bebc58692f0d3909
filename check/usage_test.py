#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""runtest.py where it measures nothing: lists, plans, and refusals of every wrong value."""

import os
import re

import suite
import sweep_test
import tap


class WithoutMeasuring(sweep_test.SweepTest):
    def test_the_scripts_of_the_checkout(self):
        for script in ("runtest.py", "runalltests"):
            done = self.call(os.path.join(suite.SOURCE, script), "--list")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"(?m)^  clockrate +\w")

    def test_list(self):
        done = self.runtest("--list", programs=suite.PROGRAMS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        groups = re.findall(r"(?m)^@(\w+)$", done.stdout)
        self.assertEqual(groups, sorted(groups))
        self.assertEqual(set(groups), set(os.listdir(f"{suite.SOURCE}/tests")))
        for group in groups:
            self.assertRegex(done.stdout, rf"@{group}\n" + "".join(
                rf"  {re.escape(name)} +[^ ].+\n" for name in self.names_of(group)))

    @staticmethod
    def names_of(group):
        """By its sources; a build in the source tree puts its objects beside them."""
        return sorted(name[:-2] for name in os.listdir(f"{suite.SOURCE}/tests/{group}")
                      if name.endswith(".c"))

    def test_list_of_some(self):
        done = self.runtest("--list", "@tasks", "open1", "writeseek[12]", programs=suite.PROGRAMS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\A@files\n  open1 .*\n  writeseek1 .*\n  writeseek2 .*\n"
                                      r"@tasks\n(  .*\n)+\Z")

    def test_groups_and_patterns(self):
        done = self.runtest("writeseek2", "@files", "write*[12]", "--dry-run",
                            programs=suite.PROGRAMS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        names = re.findall(r"(?m)^([\w-]+): ", done.stdout)
        self.assertEqual(names[0], "writeseek2")
        self.assertEqual(sorted(names), self.names_of("files"))

    def test_testcases_from_elsewhere_are_a_group(self):
        done = self.runtest("@other", "--dry-run")
        self.assertIn("clockrate: ", done.stdout)

    def test_dry_run(self):
        done = self.runtest("clockrate", "--dry-run", "--tasks", "1,2", "--rounds", "5",
                            "--warmup", "1", "--duration", "0.5")
        self.assertRegex(done.stdout, r"(?m)^ +2  threads +5 +1\.6$")
        self.assertRegex(done.stdout, r"in all about 3\d s\n\Z")
        self.assertEqual((done.returncode, done.stderr, os.listdir(self.folder)), (0, "", []))

    def test_default_counts_follow_the_topology(self):
        done = self.runtest("clockrate", "--dry-run", "--mode", "threads", HWLOC_SYNTHETIC=(
            "package:2 numa:2 l3:2 core:7 pu:2"))
        counts = [int(count) for count in re.findall(r"(?m)^ +(\d+)  threads", done.stdout)]
        self.assertEqual(counts, [*range(1, 17), 28, 32, 56, 64, 112])

    def test_check_machine(self):
        done = self.runtest("--check-machine", "--dir", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("scratch", done.stdout)

    def test_installed_folder_works_alone_and_through_links(self):
        link = os.path.join(self.folder, "link")
        os.symlink(suite.RUNTEST, link)
        for command in (suite.RUNTEST, link, "./link"):
            done = suite.run(command, "--list", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"(?m)^  writeseek1 +\w")


class WrongUsage(sweep_test.SweepTest):
    def refused(self, *arguments, named, **keywords):
        with self.subTest(arguments):
            done = self.runtest(*arguments, **keywords)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertRegex(done.stderr, r"\Aruntest.py: [^\n]+\n\Z")
            self.assertIn(named, done.stderr)
            self.assertEqual(self.results(), {})

    def test_values_of_options(self):
        for option, values in {
                "--tasks": ("0", "x", "1,,2", "8-4", "0%", "4194305"),
                "--mode": ("process", "all"), "--rounds": ("0", "x", "1.5", "10001"),
                "--duration": ("0", "x", "nan", "inf", "2e9"), "--warmup": ("x", "nan", "Auto"),
                "--policy": ("core", "pu"), "--cpus": ("x", "9999"), "--dir": ("/nowhere",),
                "--option": ("how", "=x", "nothing=1"), "--label": ("a/b", "..", "a\nb"),
                "--resume": ("/nowhere.json",)}.items():
            for value in values:
                testcase = [] if option == "--resume" else ["clockrate"]
                self.refused(*testcase, option, value,
                             named=value.partition("=")[0].partition("\n")[0])

    def test_negative_values(self):
        for option in ("--tasks", "--rounds", "--duration", "--warmup"):
            self.refused("clockrate", f"{option}=-1", named="-1")

    def test_options(self):
        self.refused("clockrate", "--round", "2", named="--round")
        self.refused("clockrate", "--rounds", named="--rounds")
        self.refused("clockrate", "--smt", "--policy", "scatter", named="--policy scatter")
        self.refused("clockrate", "--smt", "--no-affinity", named="--no-affinity")
        self.refused("--check-machine", "clockrate", named="clockrate")
        self.refused("--resume", "x.json", "--rounds", "2", named="--rounds")
        self.refused("--resume", "x.json", "clockrate", named="clockrate")
        self.refused("clockrate", "clockrate", named="clockrate")
        self.refused(named="testcase")

    def test_testcases(self):
        self.refused("clockrat", named="'clockrat': did you mean clockrate?")
        self.refused("clockrate", "nothing-like-it", named="'nothing-like-it'")
        self.refused("--list", "clockrat", named="'clockrat': did you mean clockrate?")
        self.refused("clockrat[x]", named="'clockrat[x]'")
        self.refused("@nothing", named="'@nothing': there are @other")
        only = self.programs("clockrate_threads")
        self.refused("clockrate", named="clockrate_processes", programs=only)
        self.refused("clockrate", named="/nowhere", programs="/nowhere")
        done = self.runtest("clockrate", "--mode", "threads", "--tasks", "1", "--rounds", "1",
                            *sweep_test.QUICK, programs=only)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    tap.main()
