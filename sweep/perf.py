# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles of the whole machine by `perf record`, as shares of samples by symbol and as folded call
chains: docs/formats.md, section 4.
"""

import collections
import math
import os
import re
import shutil
import subprocess

from sweep import child
from sweep.errors import RecorderError
from sweep.places.local import memory_file

# Samples a second of each CPU: not in step with anything that happens every so many milliseconds;
# on many CPUs fewer, so that the text of all samples stays readable in seconds.
FREQUENCY = 1999
LEAST_FREQUENCY = 99
MOST_SAMPLES = 200000

# What is kept: shares from here on, and so many chains, the most frequent ones.
LEAST_SHARE = 0.001
MOST_CHAINS = 300

PARANOID = "/proc/sys/kernel/perf_event_paranoid"

# What a compiler appends to the name of a function that it has cloned or split.
SUFFIXES = re.compile(r"(\.(isra|constprop|part|cold|llvm)(\.\d+)?)+$")


class Profiler:
    """Records one run after the other; for each start(), end() and read(), then close()."""

    key = "profiles"

    def __init__(self, duration):
        """duration: seconds of a measurement. Raises RecorderError."""
        self._perf = shutil.which("perf")
        if not self._perf:
            raise RecorderError("perf is not installed (Debian's package linux-perf)")
        wanted = MOST_SAMPLES / (os.cpu_count() * duration)
        self._frequency = int(min(FREQUENCY, max(LEAST_FREQUENCY, wanted)))
        self._file = self._errors = self._process = None

    def start(self, end):
        """Start perf, which is told over this end of a socket when to record. Raises RecorderError.
        """
        self._file, self._errors = memory_file(), memory_file()
        # Without the cache of the user's that perf would fill with copies of all programs.
        command = [self._perf, "record", "-a", "-g", "-F", str(self._frequency), "-B", "-N", "-D",
                   "-1", "--control", f"fd:{end.fileno()},{end.fileno()}", "-o", self._path()]
        try:
            self._process = child.start(child.Child(
                command, {"stdout": subprocess.DEVNULL, "stderr": self._errors,
                          "pass_fds": [end.fileno()]}, given=[end]))
        except OSError as error:
            raise RecorderError(f"{self._perf}: {error.strerror}") from None

    def end(self):
        """The run is over."""
        child.end(self._process)

    def read(self):
        """What was recorded, as keys of the entry. Raises RecorderError."""
        try:
            if not os.fstat(self._file.fileno()).st_size:
                raise RecorderError(self._failure())
            event = self._ask("evlist").split("\n")[0].replace(":", "-")
            return {"event": event, "frequency": self._frequency,
                    **profile(self._ask("script", "-F", "pid,ip,sym,dso"))}
        finally:
            self._file.close()
            self._errors.close()

    def close(self):
        """Nothing is left between runs."""

    def _path(self):
        return f"/proc/{os.getpid()}/fd/{self._file.fileno()}"

    def _ask(self, verb, *words):
        done = subprocess.run([self._perf, verb, "-i", self._path(), *words], check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode:
            raise RecorderError(f"perf {verb}: {_first_line(done.stderr)}")
        return done.stdout

    def _failure(self):
        self._errors.seek(0)
        told = self._errors.read().decode(errors="replace")
        if "perf_event_paranoid" in told:
            with open(PARANOID, encoding="ascii") as file:
                return (f"not permitted, as kernel.perf_event_paranoid is {file.read().strip()}: "
                        "root may, or after sysctl kernel.perf_event_paranoid=-1 everybody")
        return f"perf record: {_first_line(told)}"


def _first_line(text):
    """The first one that says something."""
    lines = [line.strip() for line in text.splitlines()]
    return next((line for line in lines if line and line != "Error:"), "it told nothing")


def profile(text):
    """Keys of a profile's entry from the text of `perf script`: for each sample a line with the
    process's number, a line for each function of its chain, innermost first, and an empty line.

    Samples of idle CPUs, whose process is number 0, are counted, and are not part of the shares.
    Raises RecorderError where there is no other.
    """
    own, within, chains = collections.Counter(), collections.Counter(), collections.Counter()
    samples = idle = 0
    for block in text.split("\n\n"):
        pid, *lines = block.strip("\n").split("\n")
        frames = [frame for frame in map(_frame, lines) if frame]
        if not frames:
            continue
        if pid.strip() == "0":
            idle += 1
            continue
        samples += 1
        own[frames[0]] += 1
        within.update(set(frames))
        chains[";".join(name for name, _ in reversed(frames))] += 1
    if not samples:
        raise RecorderError("the profile holds no sample: nothing ran")
    kept = [[name, where, *_share(own[name, where], samples), *_share(count, samples)]
            for (name, where), count in within.most_common() if count >= LEAST_SHARE * samples]
    told = chains.most_common(MOST_CHAINS)
    return {"samples": samples, "idle_samples": idle, "symbols": kept,
            "chains": [list(pair) for pair in told],
            "chains_left_out": samples - sum(count for _, count in told)}


def _frame(line):
    """(name, "kernel" or "user") of a line as "ffffffff8179e955 vfs_read ([kernel.kallsyms])"."""
    found = re.match(r"\s*([0-9a-f]+) (.*) \((.*)\)$", line)
    if not found:
        return None
    address, name, holder = found.groups()
    if name == "[unknown]":
        name = f"[{os.path.basename(holder).strip('[]')}]"
    # The upper half of the addresses is the kernel's.
    kernel = len(address) == 16 and address[0] in "89abcdef"
    return SUFFIXES.sub("", name).replace(";", ":"), "kernel" if kernel else "user"


def _share(count, samples):
    """A share, and its standard error by the binomial distribution."""
    share = count / samples
    return round(share, 6), round(math.sqrt(share * (1 - share) / samples), 6)
