#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every testcase counts, or says why this machine cannot run it; none leaves anything behind."""

import os

import catalogue
import suite
import tap

TASKS = 2
# Seconds to try with: a pass of some takes longer than the first.
DURATIONS = (0.02, 1)

SYSTEM_WIDE = ("/proc/sysvipc/msg", "/proc/sysvipc/sem", "/proc/sysvipc/shm")


def system_objects():
    """What processes can leave in the system beyond their end: SysV objects, files in /dev/shm."""
    found = set(os.listdir("/dev/shm") if os.path.isdir("/dev/shm") else [])
    for path in SYSTEM_WIDE:
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                # Key, identifier, permissions: the rest changes with use.
                found.update((path, *line.split()[:3]) for line in file)
    return found


class SmokeTest(suite.ProgramTestCase):
    LIMIT = 900

    def run_shortly(self, name, mode, settings, user):
        options = [f"--option={setting}" for setting in settings]
        for seconds in DURATIONS:
            done = self.run_program(name, mode, "-t", TASKS, "-s", seconds, "--warmup", 0,
                                    *options, **user)
            if " counted " not in done.stderr:
                break
        return done

    def run_all(self, user=None):
        before = system_objects()
        skipped = []
        for name, row in sorted(catalogue.rows().items()):
            for mode in suite.MODES:
                with self.subTest(name, mode=mode):
                    done = self.run_shortly(name, mode, row.settings, user or {})
                    if done.returncode == 77:
                        self.assertRegex(done.stderr, rf"\A{name}_{mode}: skipped: .+\n\Z")
                        self.assert_nothing_left()
                        skipped.append(done.stderr.strip())
                    else:
                        self.assert_measured(done)
        for line in skipped:
            print(f"# {line}", flush=True)
        self.assertLess(len(skipped), len(suite.MODES) * len(catalogue.rows()) / 4)
        self.assertEqual(system_objects() - before, set(), "left in the system")

    def test_as_this_user(self):
        self.run_all()

    def test_as_an_ordinary_user(self):
        if os.geteuid():
            self.skipTest("this user is one")
        self.run_all(self.as_ordinary_user())


class PageTest(suite.TestCase):
    def test_every_testcase_has_a_row_in_the_table(self):
        built = {name.rpartition("_")[0] for name in os.listdir(suite.PROGRAMS)
                 if name.endswith("_threads")}
        self.assertEqual(built, set(catalogue.rows()))

    def test_page_is_what_the_programs_say(self):
        with open(os.path.join(suite.SOURCE, "docs", "testcases.md"), encoding="utf-8") as file:
            page = file.read()
        made = suite.run(os.path.join(suite.SOURCE, "docs", "generate.py"), suite.PROGRAMS)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertEqual(made.stdout, page, "make docs brings it up to date")


if __name__ == "__main__":
    tap.main()
