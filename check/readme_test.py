#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The README's example commands do what it says, and what it shows has the form of what they print.

Each line of a `sh` block is run in a folder that looks like the built checkout. Installing and the
whole test suite are left to the ones who read them; measurements are shortened by options that the
line does not use itself.
"""

import os
import re
import shutil
import unittest

import suite
import tap

SHORT = {"--rounds": "1", "--duration": "0.05", "--warmup": "0"}
LEFT_OUT = ("./setup", "make check", "make install", "make bench", "git ")


def blocks(language):
    """Texts of the README's fenced blocks of a language."""
    with open(os.path.join(suite.SOURCE, "README.md"), encoding="utf-8") as file:
        return re.findall(rf"^```{language}\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)


def commands():
    for block in blocks("sh"):
        for line in block.splitlines():
            if line and not line.startswith(("#",) + LEFT_OUT):
                yield line


def shortened(command):
    words = command.split()
    if "./runtest.py" not in words or "--list" in words or "--check-machine" in words:
        return command
    if re.search(r"runtest.py \w+ [0-9]", command):
        return re.sub(r"(runtest.py \w+) [0-9.]+", r"\1 0.05", command)
    return " ".join(words + [word for option, value in SHORT.items() if option not in words
                             for word in (option, value)])


class Readme(suite.TestCase):
    def setUp(self):
        super().setUp()
        # Copied, since it looks for the programs where it is itself.
        shutil.copy(os.path.join(suite.SOURCE, "runtest.py"), self.folder)
        shutil.copytree(os.path.join(suite.SOURCE, "sweep"), os.path.join(self.folder, "sweep"))
        for top, name in ((suite.BUILD, "programs"), (suite.BUILD, "opscale-cc"),
                          (suite.SOURCE, "postprocess")):
            os.symlink(os.path.join(top, name), os.path.join(self.folder, name))

    def test_commands_work(self):
        ran = 0
        with open(os.path.join(self.folder, "my.c"), "w", encoding="utf-8") as file:
            file.write(next(block for block in blocks("c") if "testcase.h" in block))
        for command in commands():
            with self.subTest(command=command):
                done = suite.run("sh", "-c", shortened(command), cwd=self.folder)
                if "has no module" in done.stderr:
                    self.skipTest(done.stderr.strip())
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            ran += 1
        self.assertGreater(ran, 5)

    def test_shown_table_has_the_form_of_a_real_one(self):
        shown = next(block for block in blocks("text") if block.startswith("tasks,"))
        done = suite.run("./runtest.py", "writeseek1", "--tasks", "1,2", "--rounds", "1",
                         "--duration", "0.05", "--warmup", "0", cwd=self.folder)
        form = [re.sub("[0-9]+", "9", line) for line in shown.splitlines()]
        self.assertEqual(form, [re.sub("[0-9]+", "9", line) for line in done.stdout.splitlines()])

    def test_links_lead_somewhere(self):
        with open(os.path.join(suite.SOURCE, "README.md"), encoding="utf-8") as file:
            targets = re.findall(r"\]\(([^)#:]+)\)", file.read())
        self.assertTrue(targets)
        for target in targets:
            self.assertTrue(os.path.exists(os.path.join(suite.SOURCE, target)), target)


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    tap.main()
