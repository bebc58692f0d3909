# SPDX-License-Identifier: GPL-2.0-or-later
"""A setting of the system that is switched for a while, and set back whatever happens."""

import glob
import os
import re
from dataclasses import dataclass
from typing import List

from sweep import guard
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

    def guarded(self, screen):
        """A context, inside of which the setting may be changed: it is set back whatever happens.
        """
        before = self.get()
        return guard.restored(
            lambda: self._set_back(before),
            lambda: screen.say(f"{self.name} could not be set back to '{before[0]}'"))

    def _set_back(self, values):
        done = True
        for path, value in zip(self.paths, values):
            try:
                _write(path, value)
            except OSError:
                done = False
        return done


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
