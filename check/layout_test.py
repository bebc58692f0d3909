#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A testcase's code, globals and locals have the same offsets in a page in both its programs."""

import glob
import math
import os
import resource
import shutil

import suite
import tap

PAGE = 4096
LINE = 64
COMPILE = os.path.join(suite.BUILD, "opscale-cc")

# Testcases that are built anew: with a global of each kind, with constants, with a hook, with none.
EXAMPLES = ("atomic2", "pthread_mutex1", "pthread_mutex5", "proc-scan", "tls1", "writeseek1")

# Moves all that the linker puts before a testcase or after it: code, data, strings, and the tables
# of imported functions and of constant addresses.
UNRELATED = """\
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

const char *const texts[] = { "a string", "another one", "and a third one" };
double numbers[] = { 1.5, 2.5, 3.5 }, zeros[701];

double unrelated(int n)
{
    if (getloadavg(zeros, n) == (int)wcslen(L"wide"))
        puts(texts[n]);
    return numbers[n] + zeros[n];
}

double (*volatile entry)(int) = unrelated;
"""


def symbols(path):
    """Address of all that an object or program defines, by name, without the assembler's labels. Of
    several static ones the testcase's comes first, as its object does.
    """
    found = {}
    for row in suite.run("nm", "-f", "posix", "--defined-only", path).stdout.splitlines():
        name, _, address = row.split()[:3]
        if not name.startswith(".L"):
            found[name] = min(int(address, 16), found.get(name, math.inf))
    return found


def objects():
    """The object of each testcase and fixture, by name."""
    paths = glob.glob(os.path.join(suite.BUILD, "tests", "**", "*.o"), recursive=True)
    paths += glob.glob(os.path.join(suite.BUILD, "check", "testcases", "*.o"))
    return {os.path.basename(path)[:-2]: path for path in sorted(paths)}


def source_of(name):
    path = os.path.relpath(objects()[name], suite.BUILD)[:-2] + ".c"
    return os.path.join(suite.SOURCE, path)


def offsets(name, path):
    """Where a program has what the testcase of this name defines, as offsets in a page."""
    present = symbols(path)
    return {symbol: present[symbol] % PAGE for symbol in symbols(objects()[name])}


def functions(path):
    """Offset of each function in an object's main code section, by name."""
    found = {}
    for row in suite.run("objdump", "-t", path).stdout.splitlines():
        # Address, seven flags, section, tab, size and name.
        address, flags, rest = row[:16], row[17:24], row[25:].split()
        if flags.endswith("F") and rest[0] == ".text":
            found[rest[-1]] = int(address, 16)
    return found


class GlobalsTest(suite.TestCase):
    def build(self, name, *arguments, compiler=COMPILE):
        """Both programs of a testcase, built here with something more in them."""
        result = suite.run(compiler, source_of(name), f"-ffile-prefix-map={suite.SOURCE}/=",
                           *arguments, cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return [os.path.join(self.folder, f"{name}_{mode}") for mode in suite.MODES]

    def write_unrelated(self):
        path = os.path.join(self.folder, "unrelated.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(UNRELATED)
        return path

    def test_same_in_both_modes(self):
        self.assertIn("pthread_mutex1", objects())
        for name in objects():
            with self.subTest(name):
                processes, threads = (offsets(name, suite.program(name, mode))
                                      for mode in suite.MODES)
                self.assertEqual(processes, threads)
                self.assertIn("testcase", processes)

    def test_functions_start_at_cache_lines(self):
        for name, path in objects().items():
            starts = functions(path)
            for mode in suite.MODES:
                present = symbols(suite.program(name, mode))
                for function in starts:
                    with self.subTest(name, mode=mode, function=function):
                        self.assertEqual(present[function] % LINE, 0)

    def test_testcase_starts_a_page(self):
        for mode in suite.MODES:
            present = symbols(suite.program("pthread_mutex1", mode))
            for symbol in ("testcase", "mutex"):
                self.assertEqual(present[symbol] % PAGE, 0)

    def test_unrelated_change_moves_nothing(self):
        unrelated = self.write_unrelated()
        for name in EXAMPLES:
            before = offsets(name, suite.program(name, "processes"))
            for path in self.build(name, unrelated, "-Wl,-z,now"):
                with self.subTest(os.path.basename(path)):
                    self.assertEqual(offsets(name, path), before)

    def test_layout_is_what_holds_it(self):
        """Without layout.o the same changes move the mutex: else this file would test nothing."""
        compiler = os.path.join(self.folder, "opscale-cc")
        shutil.copy(COMPILE, compiler)
        os.mkdir(os.path.join(self.folder, "runtime"))
        for mode in suite.MODES:
            os.symlink(os.path.join(suite.BUILD, "runtime", f"lib{mode}.a"),
                       os.path.join(self.folder, "runtime", f"lib{mode}.a"))
        with open(os.path.join(self.folder, "runtime", "layout.o"), "w", encoding="utf-8") as file:
            file.write("/* An empty linker script. */\n")
        places = set()
        for more in ([], [self.write_unrelated(), "-Wl,-z,now"]):
            for path in self.build("pthread_mutex1", *more, compiler=compiler):
                places.add(offsets("pthread_mutex1", path)["mutex"])
        self.assertGreater(len(places), 1)


class LocalsTest(suite.TestCase):
    """The fixture frame skips, with the offset of a local variable as its reason."""

    def offset(self, mode, *arguments, variable="", **keywords):
        path = suite.program("frame", mode)
        result = suite.run(path, *arguments, env={**os.environ, "VARIABLE": variable}, **keywords)
        self.assertRegex(result.stderr, r"\Aframe_\w+: skipped: offset \d+\n\Z")
        return int(result.stderr.split()[-1])

    def all_equal(self, *cases):
        """Arguments of offset(), as pairs of lists and dictionaries."""
        found = {mode: [self.offset(mode, *arguments, **keywords)
                        for arguments, keywords in ([(), {}], *cases)] for mode in suite.MODES}
        self.assertEqual(len(set(sum(found.values(), []))), 1, found)

    def test_any_environment(self):
        self.all_equal(*(((), {"variable": size * "x"}) for size in
                         (1, 15, 16, 17, 100, 1000, 2040, 4095, 4096, 50000)))

    def test_any_argument_list(self):
        self.all_equal(*((count * ("-s", "1"), {}) for count in (1, 2, 3, 10, 100, 1000)))

    def test_any_task(self):
        self.all_equal(*((("-t", tasks), {}) for tasks in (2, 3, 17)))

    def test_any_stack_limit(self):
        def limit(kib):
            _, hard = resource.getrlimit(resource.RLIMIT_STACK)
            return lambda: resource.setrlimit(resource.RLIMIT_STACK, (kib * 1024, hard))

        self.all_equal(*(((), {"preexec_fn": limit(kib)}) for kib in (96, 200, 1000, 65536)))


if __name__ == "__main__":
    tap.main()
