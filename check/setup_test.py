#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""setup on a small stand-in tree, with a PATH that holds only the tools named here."""

import os
import shutil
import sys

import suite
import tap

CONFIGURE_AC = """\
AC_INIT([standin], [1])
AM_INIT_AUTOMAKE([foreign])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
"""
MAKEFILE_AM = """\
noinst_DATA = built
built: Makefile
\techo made > built
"""

# What setup asks for, then what it, autoreconf, configure and make run.
REQUIRED = ("autoreconf", "automake", "cc", "make", "pkg-config")
TOOLS = ("aclocal", "autoconf", "autoheader", "autom4te", "awk", "bash", "basename", "cat", "chmod",
         "cmp", "cp", "cut", "date", "diff", "dirname", "expr", "grep", "install", "ln", "ls",
         "mkdir", "mktemp", "mv", "nproc", "perl", "rm", "rmdir", "sed", "sh", "sort", "tail",
         "test", "touch", "tr", "uname")

INSTALL = {
    "apt-get": "apt-get install --yes --no-install-recommends",
    "dnf": "dnf install --assumeyes",
    "zypper": "zypper --non-interactive install",
}
# What is asked for where automake is missing and hwloc too old, and by --all in this PATH.
MAIN_PACKAGES = {
    "apt-get": "automake libhwloc-dev",
    "dnf": "automake hwloc-devel",
    "zypper": "automake hwloc-devel",
}
ALL_PACKAGES = {
    "apt-get": ("gcc libc6-dev clang libclang-rt-dev qemu-system-x86 lz4 flex bison bc{libelf}"
                " linux-perf{libpfm} strace shellcheck flake8 chromium chromium-driver"),
    "dnf": ("gcc libasan libubsan clang compiler-rt glibc-static qemu-system-x86 lz4 flex bison bc"
            "{libelf} perf{libpfm} strace ShellCheck python3-flake8 chromium chromedriver"),
    "zypper": ("gcc clang glibc-devel-static qemu-x86 lz4 flex bison bc{libelf} perf{libpfm} "
               "strace ShellCheck python3-flake8 chromium chromedriver"),
}
LIBPFM_PACKAGES = {"apt-get": " libpfm4-dev", "dnf": " libpfm-devel", "zypper": " libpfm-devel"}
LIBELF_PACKAGES = {"apt-get": " libelf-dev", "dnf": " elfutils-libelf-devel",
                   "zypper": " libelf-devel"}
MODULES = ("numpy", "scipy", "plotly", "matplotlib", "selenium")


def lacks_modules():
    """Whether no Python that setup looks at has the modules of the analysis."""
    return all(suite.run(python, "-c", f"import {', '.join(MODULES)}").returncode
               for python in (sys.executable, "/usr/bin/python3") if os.path.exists(python))


def lacks_header(name):
    """Whether the compiler does not find it."""
    return suite.run("cc", "-E", "-include", name, "-x", "c", "/dev/null").returncode != 0


def snapshot(folder):
    """Every file below a folder with its time of change and size."""
    paths = [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names]
    return {path: (os.stat(path).st_mtime_ns, os.stat(path).st_size) for path in paths}


class SetupTest(suite.TestCase):
    def setUp(self):
        super().setUp()
        self.tree = self.make_folder("tree")
        self.tools = self.make_folder("tools")
        self.scratch = self.make_folder("scratch")
        self.log = os.path.join(self.folder, "log")
        shutil.copy(os.path.join(suite.SOURCE, "setup"), self.tree)
        self.write("tree/configure.ac", CONFIGURE_AC)
        self.write("tree/Makefile.am", MAKEFILE_AM)
        os.symlink(sys.executable, os.path.join(self.tools, "python3"))
        for name in REQUIRED + TOOLS:
            self.bring(name)
        # configure waits a second for its files to be newer than itself, which they are anyhow.
        self.script("sleep", "")
        self.become(1000)
        self.environment = {"PATH": self.tools, "TMPDIR": self.scratch, "LC_ALL": "C"}

    def tearDown(self):
        self.assertEqual(os.listdir(self.scratch), [])

    def make_folder(self, name):
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        return path

    def write(self, path, text):
        with open(os.path.join(self.folder, path), "w", encoding="utf-8") as file:
            file.write(text)

    def script(self, name, text):
        self.write(f"tools/{name}", f"#!/bin/sh\n{text}\n")
        os.chmod(os.path.join(self.tools, name), 0o755)

    def bring(self, name):
        os.symlink(shutil.which(name), os.path.join(self.tools, name))

    def lose(self, name):
        os.unlink(os.path.join(self.tools, name))

    def age_hwloc(self):
        self.write("tools/hwloc.pc", "Name: hwloc\nDescription: old\nVersion: 1.11.13\n")
        self.environment["PKG_CONFIG_LIBDIR"] = self.tools

    def become(self, uid):
        self.script("id", f"echo {uid}")

    def manager(self, name, action=""):
        """A package manager that writes down how it was called."""
        self.script(name, f'echo "{name} $*" >> "{self.log}"\n{action}')

    def calls(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            return file.read().splitlines()

    def run_setup(self, *arguments):
        # From another folder: setup finds its tree by itself.
        return suite.run(os.path.join(self.tree, "setup"), *arguments, cwd=self.folder,
                         env=self.environment)

    def assert_built(self, result):
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.splitlines()[-1], "setup: ready")
        self.assertTrue(os.path.exists(os.path.join(self.tree, "built")))

    def assert_refused(self, result, status, *lines):
        self.assertEqual(result.stderr.splitlines(), list(lines))
        self.assertEqual((result.returncode, result.stdout), (status, ""))


class UsageTest(SetupTest):
    def test_unknown_option(self):
        self.assert_refused(self.run_setup("--al"), 2,
                            "setup: unknown argument '--al', see ./setup --help")

    def test_help(self):
        result = self.run_setup("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("--all", result.stdout)


class UserTest(SetupTest):
    """An ordinary user, who is told what to do and gets nothing installed."""

    def test_command_is_told(self):
        self.lose("automake")
        self.age_hwloc()
        before = snapshot(self.tree)
        for name in INSTALL:
            with self.subTest(name):
                self.manager(name)
                update = "sudo apt-get update && " if name == "apt-get" else ""
                self.assert_refused(self.run_setup(), 1,
                                    "setup: missing: automake, hwloc 2.0 or newer. To install it:",
                                    f"  {update}sudo {INSTALL[name]} {MAIN_PACKAGES[name]}")
                self.lose(name)
        self.assertEqual(self.calls(), [])
        self.assertEqual(snapshot(self.tree), before)

    def test_all_asks_for_more(self):
        for name in INSTALL:
            with self.subTest(name):
                self.manager(name)
                result = self.run_setup("--all")
                self.assertEqual(result.returncode, 1)
                packages = ALL_PACKAGES[name].format(
                    libelf=LIBELF_PACKAGES[name] * lacks_header("libelf.h"),
                    libpfm=LIBPFM_PACKAGES[name] * lacks_header("perfmon/pfmlib_perf_event.h"))
                if lacks_modules():
                    packages += "".join(f" python3-{module}" for module in MODULES)
                self.assertTrue(result.stderr.endswith(f" {INSTALL[name]} {packages}\n"),
                                result.stderr)
                self.lose(name)

    def test_without_a_known_manager(self):
        self.lose("automake")
        self.assert_refused(self.run_setup(), 1, "setup: missing: automake. "
                            "Please install it: there is no apt-get, dnf or zypper here.")

    def test_failing_configure_is_shown(self):
        self.write("tree/configure.ac", CONFIGURE_AC.replace("AC_OUTPUT", "AC_MSG_ERROR([why])"))
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.splitlines()[-2:],
                         ["configure: error: why", "setup: failed: ./configure"])

    def test_old_python(self):
        self.lose("python3")
        self.script("python3", f"exec '{sys.executable}' -c 'import sys\n"
                    "sys.version_info = (3, 8, 20)\nsys.argv.pop(0)\nexec(sys.argv.pop(1))' \"$@\"")
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        self.assertIn("missing: Python 3.9 or newer.", result.stderr)


class RootTest(SetupTest):
    def setUp(self):
        super().setUp()
        self.become(0)
        self.lose("automake")

    def test_installs_and_builds(self):
        found = shutil.which("automake")
        for name in INSTALL:
            with self.subTest(name):
                self.manager(name, f'case "$*" in *install*) ln -s {found} {self.tools} ;; esac')
                result = self.run_setup()
                self.assert_built(result)
                self.assertEqual(result.stdout.splitlines()[0], "setup: installing automake")
                self.lose(name)
                self.lose("automake")
        self.assertEqual(self.calls(), ["apt-get update"] + [f"{command} automake"
                                                             for command in INSTALL.values()])

    def test_installing_fails(self):
        self.manager("apt-get", "echo no space left; exit 100")
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.splitlines()[-2:],
                         ["no space left", f"setup: failed: {INSTALL['apt-get']} automake"])
        self.assertEqual(self.calls(), ["apt-get update", f"{INSTALL['apt-get']} automake"])

    def test_too_old_after_installing(self):
        self.bring("automake")
        self.age_hwloc()
        self.manager("dnf")
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr,
                         "setup: installed all that, and still missing: hwloc 2.0 or newer\n")


class BuildTest(SetupTest):
    """An ordinary user on a machine that has everything."""

    def setUp(self):
        super().setUp()
        self.manager("apt-get")
        self.assert_built(self.run_setup())
        self.assertEqual(self.calls(), [])

    def test_second_run_changes_nothing(self):
        before = snapshot(self.tree)
        result = self.run_setup()
        self.assert_built(result)
        self.assertEqual(result.stdout, "setup: ready\n")
        self.assertEqual(snapshot(self.tree), before)

    def test_follows_a_change(self):
        suite.run("./configure", "--prefix=/elsewhere", cwd=self.tree, env=self.environment)
        self.write("tree/Makefile.am", MAKEFILE_AM.replace("built", "later"))
        self.assertEqual(self.run_setup().returncode, 0)
        self.write("tree/configure.ac", CONFIGURE_AC.replace("AC_OUTPUT",
                                                             "AC_MSG_NOTICE([changed])\nAC_OUTPUT"))
        self.assertEqual(self.run_setup().returncode, 0)
        self.assertEqual(self.run_setup().stdout, "setup: ready\n")
        with open(os.path.join(self.tree, "Makefile"), encoding="utf-8") as file:
            self.assertIn("\nprefix = /elsewhere\n", file.read())
        with open(os.path.join(self.tree, "config.log"), encoding="utf-8") as file:
            self.assertIn(": changed\n", file.read())
        self.assertTrue(os.path.exists(os.path.join(self.tree, "later")))


if __name__ == "__main__":
    tap.main()
