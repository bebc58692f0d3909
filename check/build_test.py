#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Building, installing and removing the suite, in a copy of its sources; opscale-cc."""

import contextlib
import os
import re
import shutil
import stat
import tempfile
import unittest

import suite
import tap

# Fixtures: two written as will-it-scale's testcases are, without our header, and one with it.
FOREIGN = ("foreign1", "foreign2", "clockrate")

EMPTY_LOOP = """\
char *testcase_description = "an empty loop";
void testcase(unsigned long long *iterations, unsigned long nr)
{
    while (1) {
        __asm__ volatile ("" : : : "memory");
        (*iterations)++;
    }
}
"""


def tree(folder):
    """Paths of all files and links below a folder."""
    return sorted(os.path.relpath(os.path.join(top, name), folder)
                  for top, folders, names in os.walk(folder)
                  for name in names + [each for each in folders
                                       if os.path.islink(os.path.join(top, each))])


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def compiler():
    """The words of the command that the suite was built with."""
    with open(os.path.join(suite.BUILD, "Makefile"), encoding="utf-8") as file:
        return re.search("^CC = (.*)", file.read(), re.MULTILINE)[1].split()


class ProgramsTest(suite.TestCase):
    def assert_clean(self, result, stdout=""):
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, stdout, ""))

    def assert_runs(self, path):
        result = suite.run(path, "-s", "0.1", "--warmup", "0", cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"(?m)^average:[1-9]\d*$")

    def assert_both_run(self, path):
        for mode in suite.MODES:
            self.assert_runs(f"{path}_{mode}")

    def assert_builds_foreign(self, compiler):
        for name in FOREIGN:
            with self.subTest(name):
                source = os.path.join(suite.SOURCE, "check", "testcases", f"{name}.c")
                shutil.copy(source, self.folder)
                self.assert_clean(suite.run(compiler, f"{name}.c", cwd=self.folder))
                self.assert_both_run(os.path.join(self.folder, name))


class CopyTest(ProgramsTest):
    """One copy of the sources with a build of its own; a test puts back what it changes there."""

    source = None

    @classmethod
    def setUpClass(cls):
        if not cls.source:
            top = tempfile.mkdtemp(prefix="opscale-check-")
            unittest.addModuleCleanup(shutil.rmtree, top)
            CopyTest.source, CopyTest.built, CopyTest.prefix = (
                os.path.join(top, name) for name in ("source", "built", "prefix"))
            suite.copy_source(cls.source)
            cls.build(suite.configure, cls.source, cls.built, f"--prefix={cls.prefix}")
            cls.build(suite.make, cls.built, "getppid1_threads")
            CopyTest.built_by_name = os.listdir(os.path.join(cls.built, "programs"))
            cls.build(suite.make, cls.built)

    @staticmethod
    def build(step, *arguments):
        result = step(*arguments)
        if result.returncode:
            raise AssertionError(f"{step.__name__}{arguments} failed:\n{result.stderr}")

    def make(self, *arguments):
        self.build(suite.make, self.built, *arguments)

    @contextlib.contextmanager
    def added(self, path):
        """With one more testcase in the source tree."""
        path = os.path.join(self.source, path)
        write(path, '#include "testcase.h"\n' + EMPTY_LOOP)
        try:
            yield
        finally:
            os.unlink(path)

    def changes(self):
        """A function that tells which of the built files have been made anew since."""
        def times():
            return {name: os.stat(os.path.join(self.built, name)).st_mtime_ns
                    for name in tree(self.built)}

        before = times()
        return lambda: {name for name, time in times().items() if time != before.get(name)}

    def touch(self, path):
        """A change, as far as make can tell."""
        os.utime(os.path.join(self.source, path))

    def program(self, name):
        return os.path.join(self.built, "programs", name)


class MakeTest(CopyTest):
    def test_one_program_by_name(self):
        self.assertEqual(self.built_by_name, ["getppid1_threads"])
        self.assert_runs(self.program("getppid1_threads"))

    def test_nothing_to_do(self):
        changes = self.changes()
        self.make()
        self.assertEqual(changes(), set())

    def test_new_testcase(self):
        with self.added("tests/new.c"), self.added("tests/group/other-new.c"):
            self.make()
        self.assert_both_run(self.program("new"))
        self.assert_both_run(self.program("other-new"))
        listed = suite.run(self.program("runtest.py"), "--list").stdout
        self.assertRegex(listed, "(?m)^  new +an empty loop$")
        described = suite.run(self.program("other-new_threads"), "--describe").stdout
        self.assertIn("\nsource:tests/group/other-new.c\n", described)
        # Gone again, it is in nobody's way.
        self.make()

    def test_repeated_name(self):
        for path, name in (("tests/userspace/getppid1.c", "getppid1"), ("tests/ramp.c", "ramp")):
            with self.added(path):
                result = suite.make(self.built)
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, f"two testcases have the same file name: {name}[. ]")

    def test_changed_testcase(self):
        changes = self.changes()
        self.touch("tests/tasks/getppid1.c")
        self.make()
        self.assertEqual(changes() - {"tests/tasks/getppid1.d"},
                         {"tests/tasks/getppid1.o",
                          *(f"programs/getppid1_{mode}" for mode in suite.MODES)})

    def test_changed_contract(self):
        changes = self.changes()
        self.touch("runtime/testcase.h")
        self.make()
        self.assertLessEqual({"tests/tasks/getppid1.o", "tests/memory/malloc1.o",
                              "runtime/helpers.o"}, changes())

    def test_changed_runtime(self):
        """Programs are linked anew, but no testcase is compiled."""
        changes = self.changes()
        self.touch("runtime/threads.c")
        self.make()
        self.assertEqual({name for name in changes() if name.startswith(("tests", "programs"))},
                         {name for name in tree(self.built) if name.endswith("_threads")})

    def test_changed_sweep(self):
        changes = self.changes()
        self.touch("sweep/plan.py")
        self.make()
        self.assertEqual(changes(), {"programs/runtest.py", "programs/runalltests"})


class InstallTest(CopyTest):
    FOLDER = "libexec/opscale"
    OTHERS = {"bin/opscale-cc", "bin/opscale-compare", "bin/opscale-runalltests",
              "bin/opscale-report", "bin/opscale-runtest", "bin/opscale-scalability",
              "include/opscale/testcase.h", "lib/opscale/layout.o",
              "lib/opscale/libprocesses.a", "lib/opscale/libthreads.a"}

    def setUp(self):
        super().setUp()
        self.make("install")
        self.addCleanup(shutil.rmtree, self.prefix)

    def installed(self, path):
        return os.path.join(self.prefix, path)

    def hide(self, *folders):
        """Nothing may refer to these any more."""
        for folder in folders:
            os.rename(folder, folder + ".hidden")
            self.addCleanup(os.rename, folder + ".hidden", folder)

    def assert_sweeps(self, command, cwd):
        """One short run of each mode, its result below this test's folder."""
        result = suite.run(command, "getppid1", "--tasks=1", "--rounds=1", "--duration=0.1",
                           "--warmup=0", f"--output={self.folder}/results", cwd=cwd)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"\Atasks,processes,processes_idle,threads,threads_idle,"
                         r"linear\n0,0,100,0,100,0\n1(,[1-9]\d*,[\d.]+){2},[1-9]\d*\n\Z")

    def test_what_is_installed(self):
        testcases = {name[:-2] for _, _, names in os.walk(os.path.join(self.source, "tests"))
                     for name in names if name.endswith(".c")}
        programs = {f"{name}_{mode}" for name in testcases for mode in suite.MODES}
        programs |= {"opscale-child", "runalltests", "runtest.py"}
        # Where virtual machines can be had.
        programs |= {name for name in ("opscale-init", "opscale-count.so")
                     if os.path.exists(os.path.join(suite.PROGRAMS, name))}
        self.assertIn("writeseek1_threads", programs)
        analysis = {f"share/opscale/postprocess/{name}" for name in
                    tree(os.path.join(self.source, "postprocess")) if "__pycache__" not in name}
        self.assertEqual(set(tree(self.prefix)), self.OTHERS | analysis |
                         {f"{self.FOLDER}/{name}" for name in programs})
        # One user packs only what is a regular, executable file at the top of the folder.
        for name in programs:
            mode = os.lstat(self.installed(f"{self.FOLDER}/{name}")).st_mode
            self.assertTrue(stat.S_ISREG(mode) and mode & 0o111 == 0o111, name)

    def test_folder_works_alone(self):
        alone = os.path.join(self.folder, "alone")
        shutil.copytree(self.installed(self.FOLDER), alone)
        self.hide(self.prefix, self.source, self.built)
        self.assert_runs(os.path.join(alone, "getppid1_threads"))
        self.assert_sweeps("./runtest.py", cwd=alone)
        self.assert_sweeps(os.path.join(alone, "runtest.py"), cwd=self.folder)
        result = suite.run("./runalltests", "--dry-run", cwd=alone)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("\nwriteseek1: ", result.stdout)

    def test_commands(self):
        self.hide(self.source, self.built)
        self.assert_sweeps(self.installed("bin/opscale-runtest"), cwd=self.folder)
        result = suite.run(self.installed("bin/opscale-runalltests"), "--list", cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, "(?m)^  writeseek1 ")
        self.assert_builds_foreign(self.installed("bin/opscale-cc"))

    def test_commands_of_the_analysis(self):
        """They reach their front doors, which want a file, or else modules that are not here."""
        self.hide(self.source, self.built)
        for name, arguments in (("compare", ("nowhere", "either")), ("scalability", ("nowhere",))):
            result = suite.run(self.installed(f"bin/opscale-{name}"), *arguments, cwd=self.folder)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertRegex(result.stderr, rf"\A{name}\.py: .*(nowhere: there is no such file or "
                             r"folder|has no module .*)\n\Z")
        self.assertEqual([path for path in tree(self.prefix) if "__pycache__" in path], [])

    def test_destdir_and_uninstall(self):
        staged = os.path.join(self.folder, "staged")
        self.make("install", f"DESTDIR={staged}")
        self.assertEqual(tree(staged + self.prefix), tree(self.prefix))
        self.make("uninstall", f"DESTDIR={staged}")
        self.assertEqual(tree(staged), [])
        self.assertFalse(os.path.exists(staged + self.installed(self.FOLDER)))


class CompilerTest(ProgramsTest):
    """opscale-cc of the build under test, used where it was built."""

    COMPILER = os.path.join(suite.BUILD, "opscale-cc")

    # Arguments, the one line that they are refused with.
    WRONG = (
        ((), "no C file is given; --help tells more"),
        (("-O3",), "no C file is given; --help tells more"),
        (("loop.o",), "no C file is given; --help tells more"),
        (("missing.c",), "missing.c: no such file"),
        (("loop.c", "missing.o"), "missing.o: no such file"),
        (("folder.c",), "folder.c: no such file"),
        (("loop.txt",), "loop.txt: neither a .c, .o nor .a file"),
        (("loop.c", "-o"), "-o: needs a value"),
        (("loop.c", "-o", ""), "-o: needs a value"),
        (("loop.c", "-I"), "-I: needs a value"),
        (("-c", "loop.c"), "-c: only programs can be built"),
        (("helper.c", "loop.c"), "helper.c: does not define testcase"),
        (("nameless.c",), "nameless.c: does not define testcase_description"),
    )

    def setUp(self):
        super().setUp()
        self.here = os.path.join(self.folder, "here")
        self.temporary = os.path.join(self.folder, "temporary")
        os.mkdir(self.temporary)
        self.write("loop.c", EMPTY_LOOP)
        self.write("helper.c", "int help(void) { return 1; }\n")

    def tearDown(self):
        self.assertEqual(os.listdir(self.temporary), [])

    def write(self, name, text):
        write(os.path.join(self.here, name), text)

    def compile(self, *arguments, compiler=COMPILER):
        return suite.run(compiler, *arguments, cwd=self.here,
                         env={**os.environ, "TMPDIR": self.temporary})

    def assert_refused(self, status, *arguments):
        before = tree(self.here)
        result = self.compile(*arguments)
        self.assertEqual((result.returncode, result.stdout), (status, ""))
        self.assertEqual(tree(self.here), before)
        return result.stderr

    def test_help(self):
        result = self.compile("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("Usage: opscale-cc", result.stdout)

    def test_foreign_testcases(self):
        self.assert_builds_foreign(self.COMPILER)

    def test_only_programs_are_made(self):
        self.assert_clean(self.compile("loop.c"))
        self.assertEqual(tree(self.here), ["helper.c", "loop.c", "loop_processes", "loop_threads"])

    def test_name(self):
        self.assert_clean(self.compile("-o", "other", "loop.c"))
        self.assert_clean(self.compile("loop.c", "-o../another"))
        self.assert_both_run(os.path.join(self.here, "other"))
        self.assert_both_run(os.path.join(self.folder, "another"))

    def test_called_through_a_link(self):
        link = os.path.join(self.folder, "link")
        os.symlink(self.COMPILER, link)
        self.assert_clean(self.compile("loop.c", compiler=link))

    def test_files_and_options(self):
        """What goes to the compiler and what to the linker, and words that a shell would split."""
        self.write("it's a loop.c", EMPTY_LOOP + "#include <help er.h>\n#include <math.h>\n"
                   "double (*volatile function)(double) = gamma;\n"
                   "char *text = TEXT; int help(void);\n"
                   "void testcase_prepare(unsigned long tasks) { if (help()) puts(text); }\n")
        self.write("an include/help er.h", "#include <stdio.h>\n")
        suite.run(*compiler(), "-c", "helper.c", cwd=self.here)
        suite.run("ar", "rc", "helper.a", "helper.o", cwd=self.here)
        for helper in ("helper.c", "helper.o", "helper.a"):
            for options in (("-I", "an include"), ("-Ian include",)):
                self.assert_clean(self.compile(
                    "-O3", "it's a loop.c", *options, '-DTEXT="it\'s  \\"text\\""', "-lm", helper,
                    "-Wl,-z,now", "-L", ".", "-Xlinker", "--no-undefined"))
                result = suite.run(os.path.join(self.here, "it's a loop_threads"), "-s", "0.1",
                                   "--warmup", "0")
                self.assertIn('\nit\'s  "text"\n', result.stdout)
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_wrong_use(self):
        os.mkdir(os.path.join(self.here, "folder.c"))
        self.write("loop.txt", EMPTY_LOOP)
        self.write("nameless.c", "void testcase(unsigned long long *iterations) { }\n")
        self.write("loop.o", "")
        for arguments, message in self.WRONG:
            with self.subTest(arguments):
                self.assertEqual(self.assert_refused(2, *arguments), f"opscale-cc: {message}\n")

    def test_failure_leaves_nothing(self):
        self.write("broken.c", EMPTY_LOOP + "int broken(void) { return missing; }\n")
        self.write("unlinked.c", EMPTY_LOOP + "void testcase_cleanup(void) { missing(); }\n")
        for name in ("broken.c", "unlinked.c"):
            self.assertIn("missing", self.assert_refused(1, name))
        # Nor does it touch what an earlier call has left.
        self.assert_clean(self.compile("loop.c"))
        self.write("loop.c", EMPTY_LOOP + "void testcase_cleanup(void) { missing(); }\n")
        self.assert_refused(1, "loop.c")
        self.assert_both_run(os.path.join(self.here, "loop"))

    def test_warnings_are_only_shown(self):
        self.write("careless.c", EMPTY_LOOP + "static int unused;\n")
        result = self.compile("careless.c")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertIn("unused", result.stderr)


if __name__ == "__main__":
    tap.main()
