#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The distribution archive, and builds with both compilers and every switch of configure: gcc with
all of them, clang with none, as each further build takes minutes.
"""

import glob
import os
import shutil
import tarfile
import tempfile

import suite
import tap

SANITIZERS = "-fsanitize=address,undefined"

# What a process holds until its end is no leak, and killed tasks cannot be asked.
SANITIZER_OPTIONS = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}

OVERRUN = """\
#include <stdlib.h>

char *testcase_description = "writes past the end of its memory";

void testcase(unsigned long long *iterations, unsigned long nr)
{
    volatile char *memory = malloc(10 + nr);

    while (1)
        memory[(*iterations)++] = 0;
}
"""


class CopyTest(suite.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.mkdtemp(prefix="opscale-check-")
        cls.addClassCleanup(shutil.rmtree, cls.top)
        cls.source = os.path.join(cls.top, "source")
        suite.copy_source(cls.source)

    def succeed(self, step, *arguments):
        result = step(*arguments)
        self.assertEqual(result.returncode, 0, result.stdout[-5000:] + result.stderr[-5000:])
        return result


class ArchiveTest(CopyTest):
    def setUp(self):
        super().setUp()
        self.build = os.path.join(self.folder, "build")
        self.succeed(suite.configure, self.source, self.build)
        # distcheck takes away its own rights, and where it fails it does not give them back.
        self.addCleanup(suite.run, "chmod", "-R", "u+w", self.build)

    def test_holds_every_source(self):
        self.succeed(suite.make, self.build, "dist")
        archive, = glob.glob(os.path.join(self.build, "opscale-*.tar.gz"))
        with tarfile.open(archive) as file:
            held = {name.partition("/")[2] for name in file.getnames()}
        sources = {os.path.relpath(os.path.join(top, name), self.source)
                   for top, _, names in os.walk(self.source) for name in names}
        # Hidden files belong to the checkout: they configure git and the linters.
        self.assertEqual({name for name in sources - held if not name.startswith(".")}, set())

    def test_distcheck(self):
        """From the archive, in a folder that cannot be written to: builds, installs, cleans up."""
        self.succeed(suite.make, self.build, "distcheck",
                     "TESTS=check/placement_test.py check/plan_test.py")


class Switches:
    """What each compiler has to pass. Every warning is an error, in the check programs too."""

    def setUp(self):
        super().setUp()
        if not shutil.which(self.compiler):
            self.skipTest(f"there is no {self.compiler}")
        self.build = os.path.join(self.folder, "build")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def built(self, *switches):
        """Builds with switches of configure; the words that a program's --version tells."""
        self.succeed(suite.configure, self.source, self.build, f"CC={self.compiler}",
                     "--enable-werror", *switches)
        self.succeed(suite.make, self.build)
        self.succeed(suite.make, self.build, "check", "TESTS=")
        version = suite.run(os.path.join(self.build, "programs", "spin1_threads"), "--version")
        self.assertIn(self.compiler, version.stdout.splitlines()[1])
        return version.stdout.split()

    def run_briefly(self, path):
        return suite.run(path, "-t", "2", "-s", "0.5", "--warmup", "0.2",
                         env={**os.environ, **SANITIZER_OPTIONS})

    def assert_overrun_is_seen(self):
        """Else the runs after it would prove nothing."""
        self.write("overrun.c", OVERRUN)
        suite.run(os.path.join(self.build, "opscale-cc"), "overrun.c", cwd=self.folder)
        for mode in suite.MODES:
            result = self.run_briefly(os.path.join(self.folder, f"overrun_{mode}"))
            self.assertEqual(result.returncode, 1)
            self.assertIn("AddressSanitizer: heap-buffer-overflow", result.stderr)


class GccTest(Switches, CopyTest):
    compiler = "gcc"

    def test_fortify_and_sanitizers(self):
        """The sanitizers watch all testcases run."""
        self.write("main.c", "int main(void) { return 0; }\n")
        if suite.run(self.compiler, SANITIZERS, "main.c", cwd=self.folder).returncode:
            self.skipTest(f"{self.compiler} {SANITIZERS} does not work")
        words = self.built("--enable-fortify", "--enable-sanitizers")
        self.assertIn("-D_FORTIFY_SOURCE=2", words)
        self.assertIn(SANITIZERS, words)
        self.assert_overrun_is_seen()
        self.succeed(suite.make, self.build, "check", "TESTS=check/catalogue_test.py",
                     *(f"{name}={value}" for name, value in SANITIZER_OPTIONS.items()))


class ClangTest(Switches, CopyTest):
    compiler = "clang"

    def test_plain(self):
        words = self.built("--disable-fortify")
        self.assertNotIn("-D_FORTIFY_SOURCE=2", words)
        self.assertNotIn(SANITIZERS, words)


if __name__ == "__main__":
    tap.main()
