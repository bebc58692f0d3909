# SPDX-License-Identifier: GPL-2.0-or-later
"""A setting of the system that is switched for a while, and set back whatever happens."""

import contextlib
import glob
import os
import re
import signal
from dataclasses import dataclass
from typing import List

from sweep.errors import UsageError

SHORT = {
    "thp": "/sys/kernel/mm/transparent_hugepage/enabled",
    "governor": "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
}


@dataclass
class Knob:
    """name: as it was asked for. paths: the files that hold it, as one for each CPU."""

    name: str
    paths: List[str]

    @classmethod
    def named(cls, name):
        """By a short name, a sysctl's (vm.swappiness) or a path. Raises UsageError where this
        process cannot change it.
        """
        paths = sorted(glob.glob(_pattern(name)))
        if not paths:
            raise UsageError(f"--ab-setting {name}: this machine has no {_pattern(name)}; a "
                             f"sysctl, a path in /sys or /proc/sys, {' or '.join(SHORT)} is needed")
        for path in paths:
            if not os.access(path, os.W_OK):
                raise UsageError(f"--ab-setting {name}: {path} cannot be written: root can, where "
                                 "the file system is not read-only")
        return cls(name, paths)

    def get(self):
        """The text of each file, the chosen word only where it lists all: always [madvise] never.
        """
        return [_read(path) for path in self.paths]

    def set(self, value):
        """Raises UsageError where the kernel does not take it."""
        for path in self.paths:
            try:
                _write(path, value)
            except OSError as error:
                raise UsageError(f"--ab-setting {self.name}: {path} does not take '{value}': "
                                 f"{error.strerror}") from error
            if _read(path).split() != value.split():
                raise UsageError(f"--ab-setting {self.name}: {path} was given '{value}' and holds "
                                 f"'{_read(path)}'")

    @contextlib.contextmanager
    def guarded(self, screen):
        """Inside, the setting may be changed. It is set back by a process that waits for nothing
        but the end of this one's interest, by whatever way: a signal that cannot be caught too.
        """
        before = self.get()
        reading, writing = os.pipe()
        guard = os.fork()
        if not guard:
            os.close(writing)
            os._exit(_guard(reading, self.paths, before))
        os.close(reading)
        try:
            yield
        finally:
            os.close(writing)
            _, status = os.waitpid(guard, 0)
            if status:
                screen.say(f"{self.name} could not be set back to '{before[0]}'")


def _pattern(name):
    if name in SHORT:
        return SHORT[name]
    return name if name.startswith("/") else "/proc/sys/" + name.replace(".", "/")


def _read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read().strip()
    chosen = re.search(r"\[([^]]*)\]", text)
    return chosen.group(1) if chosen else text


def _write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        file.write(value)


def _guard(reading, paths, before):
    """The guard's life; its exit status."""
    # Ctrl-C and a closed terminal are for the process that it guards.
    os.setsid()
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(signum, signal.SIG_IGN)
    status = 0
    with contextlib.suppress(OSError):
        os.read(reading, 1)
    for path, value in zip(paths, before):
        try:
            _write(path, value)
        except OSError:
            status = 1
    return status
