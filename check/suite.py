# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests share: where the built suite is, and how to run a part of it."""

import collections
import contextlib
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

# automake sets both; a test run by hand from the checkout finds the same places.
SOURCE = os.path.abspath(os.environ.get("top_srcdir", f"{os.path.dirname(__file__)}/.."))
BUILD = os.path.abspath(os.environ.get("top_builddir", SOURCE))
PROGRAMS = os.path.join(BUILD, "programs")
FIXTURES = os.path.join(BUILD, "check", "programs")
RUNTEST = os.path.join(PROGRAMS, "runtest.py")
RUNALLTESTS = os.path.join(PROGRAMS, "runalltests")
MODES = ("processes", "threads")

# For the tests that import parts of sweep/ after this module.
sys.path.insert(0, SOURCE)


def program(name, mode):
    """Path of a built testcase, of the catalogue or of check/testcases."""
    for folder in (PROGRAMS, FIXTURES):
        path = os.path.join(folder, f"{name}_{mode}")
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f"{name}_{mode} is not built")


def run(*command, timeout=120, **keywords):
    """Run a command to its end; CompletedProcess with text output, whatever its status."""
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=timeout, check=False, **keywords)


class TestCase(unittest.TestCase):
    """A test with a scratch folder of its own, removed afterwards."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="opscale-check-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)


# --- Programs that run for a while, and what they leave behind. ---

class ProgramTestCase(TestCase):
    """Runs testcases' programs in its own folder, sees what they leave, lets none outlive it."""

    LIMIT = 120

    def setUp(self):
        super().setUp()
        self.scratch = os.path.join(self.folder, "scratch")
        self.samples = os.path.join(self.folder, "samples")
        os.mkdir(self.scratch)
        self.environment = {**os.environ, "OPSCALE_CHECK": self.folder}
        self.addCleanup(self.kill_living)
        # Again and again: a test goes on after a part of it that has failed.
        signal.signal(signal.SIGALRM, self.give_up)
        signal.setitimer(signal.ITIMER_REAL, self.LIMIT, self.LIMIT)
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)

    @contextlib.contextmanager
    def subTest(self, *message, **parameters):
        with super().subTest(*message, **parameters):
            try:
                yield
            except BaseException:
                self.kill_living()    # else they would be in the way of the next part
                raise

    def give_up(self, _signal, _frame):
        self.kill_living()
        raise TimeoutError(f"the test takes more than {self.LIMIT} s")

    def start(self, name, mode, *options, **keywords):
        """A testcase's program in the background. A core would be dumped in the test's folder."""
        command = [program(name, mode), "--dir", self.scratch, "--samples", self.samples, *options]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                   text=True, cwd=self.folder, env=self.environment,
                                   **{**pipes, **keywords})
        for stream in (process.stdout, process.stderr):
            if stream:
                self.addCleanup(stream.close)
        return process

    def finish(self, process):
        """Waits for the end of a program that was started; with the output not read so far."""
        stdout, stderr = (stream.read() if stream else "" for stream in
                          (process.stdout, process.stderr))
        return subprocess.CompletedProcess(process.args, process.wait(), stdout, stderr)

    def run_program(self, name, mode, *options, **keywords):
        return self.finish(self.start(name, mode, *options, **keywords))

    def read_until(self, process, line):
        """Reads a program's output up to a line that starts so."""
        for printed in process.stdout:
            if printed.startswith(line):
                return
        self.fail(f"{process.args} ended before it printed {line}: {process.stderr.read()}")

    def as_ordinary_user(self):
        """Keywords for start(): a user without processes of its own; none needed where not root."""
        if os.geteuid():
            return {}
        os.chmod(self.folder, 0o777)
        os.chmod(self.scratch, 0o777)
        user = {"user": 64321, "group": 64321, "extra_groups": []}
        try:
            self.run_program("getppid1", "processes", "--version", **user)
        except PermissionError:
            self.skipTest("the programs lie where an ordinary user cannot reach them")
        return user

    def living(self):
        """Processes of this test, known by the environment that they inherit; no zombies."""
        mark = f"OPSCALE_CHECK={self.folder}\0".encode()
        found = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/environ", "rb") as file:
                    if mark in file.read():
                        found.append(int(number))
            except OSError:
                pass
        return sorted(found)

    def kill_living(self):
        for pid in self.living():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def wait_for(self, condition, what):
        deadline = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), deadline, f"waited in vain for {what}")
            time.sleep(0.01)

    def wait_until_gone(self):
        """For processes that the kernel ends, not the program."""
        self.wait_for(lambda: not self.living(), "the end of all processes")

    def assert_nothing_left(self):
        self.assertEqual(self.living(), [], "processes left")
        self.assertEqual(os.listdir(self.scratch), [], "scratch files left")

    def assert_measured(self, done):
        """A run that came to its proper end."""
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^average:[1-9]\d*$")
        self.assert_nothing_left()

    def measure(self, name, mode, *options, **keywords):
        """A run that comes to its proper end; not on trial is that the machine is a quiet one."""
        for _ in range(3):
            done = self.run_program(name, mode, *options, **keywords)
            if "got no CPU" not in done.stderr:
                break
        self.assert_measured(done)
        return done

    def assert_failed(self, done, message, status=1):
        """A run that failed with this one message, a regular expression, and left nothing."""
        name = os.path.basename(done.args[0])
        self.assertRegex(done.stderr, rf"\A{re.escape(name)}: {message}\n\Z")
        self.assertEqual(done.returncode, status)
        self.assertNotIn("average:", done.stdout)
        self.assert_nothing_left()


# --- The samples file; docs/formats.md, section 2. ---

Sample = collections.namedtuple("Sample", "phase start end counts")


def records(path):
    """The file's records in their order: first word, rest of the line."""
    with open(path, encoding="utf-8") as file:
        return [tuple(line.rstrip("\n").split(" ", 1)) for line in file]


def samples_of(path, phase):
    """The samples of the warm-up or of the measurement."""
    found = []
    for word, rest in records(path):
        fields = rest.split(" ")
        if word == "sample" and fields[0] == phase:
            start, end, *counts = map(int, fields[1:])
            found.append(Sample(phase, start, end, counts))
    return found


def measured(path):
    """Operations and nanoseconds of the whole measurement."""
    samples = samples_of(path, "measure")
    return (sum(sum(sample.counts) for sample in samples),
            sum(sample.end - sample.start for sample in samples))


def expected_output(path, verbose=False):
    """The lines that a completed run has to print, from what it wrote into its samples file."""
    fields = dict(records(path))
    lines = [f"testcase:{fields['description']}"]
    totals = []
    for heading, phase in (("warmup", "warmup"), ("measurement", "measure")):
        lines.append(heading)
        totals = []
        for sample in samples_of(path, phase):
            rates = [count * 1e9 / (sample.end - sample.start) for count in sample.counts]
            totals.append(sum(sample.counts) * 1e9 / (sample.end - sample.start))
            if verbose:
                lines += [f"{task:4d} -> {rate:.0f}" for task, rate in enumerate(rates)]
            lines.append(f"min:{min(rates):.0f} max:{max(rates):.0f} total:{totals[-1]:.0f}")
    operations, duration = measured(path)
    average = operations * 1e9 / duration
    each = average / int(fields["tasks"])
    kind = {"processes": "per_process_ops", "threads": "per_thread_ops"}[fields["mode"]]
    spread = "-"
    if len(totals) > 1:
        spread = f"{100 * statistics.stdev(totals) / statistics.mean(totals):.2f}%"
    return lines + [f"average:{average:.0f}", f"{kind}:{each:.{2 if each < 1000 else 0}f}",
                    f"spread:{spread} samples:{len(totals)} min:{min(totals):.0f} "
                    f"max:{max(totals):.0f}"]


# --- Builds of the suite, for tests that change sources or install. ---

# What a build leaves in the source tree, where it is done there; and what belongs to no build.
NO_SOURCES = ("*~", "*.a", "*.d", "*.log", "*.o", "*.tar.gz", "*.trs", ".deps", ".dirstamp", ".git",
              "Makefile", "__pycache__", "autom4te.cache", "build", "config.h", "config.status",
              "opscale-[0-9]*", "opscale-cc", "opscale-compare", "opscale-report", "opscale-run*",
              "opscale-scalability", "programs", "results", "stamp-h1")


def copy_source(folder):
    """Copies the source tree into a new folder, where it can be written to."""
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns(*NO_SOURCES))
    for top, _, names in os.walk(folder):
        for path in (top, *(os.path.join(top, name) for name in names)):
            os.chmod(path, os.stat(path).st_mode | 0o200)


def make(folder, *arguments, **keywords):
    """Runs make as if by hand: what a make around this test was told is not meant for it."""
    inherited = {key: value for key, value in os.environ.items()
                 if not key.startswith(("MAKE", "MFLAGS", "GNUMAKE")) and key != "DESTDIR"}
    return run("make", "-C", folder, f"-j{len(os.sched_getaffinity(0))}", *arguments,
               env=inherited, timeout=1200, **keywords)


def configure(source, build, *arguments):
    """Configures in a new folder, with the switches that the suite under test was given."""
    given = shlex.split(run(os.path.join(BUILD, "config.status"), "--config").stdout)
    chosen = [word for word in given
              if not re.match(r"--([a-z-]*prefix|[a-z]*dir|cache-file)=", word)]
    os.makedirs(build)
    return run(os.path.join(source, "configure"), *chosen, *arguments, cwd=build, timeout=600)
