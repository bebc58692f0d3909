# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tasks of a run asked the kernel for, by strace: the calls within the measurement."""

import collections
import re

# One event: process, call, and what strace printed of arguments and result.
Event = collections.namedtuple("Event", "pid call text")

LINE = re.compile(r"^(\d+)\s+(.*)$")
CALL = re.compile(r"^(\w+)\((.*)$", re.DOTALL)
RESUMED = re.compile(r"^<\.\.\. (\w+) resumed>(.*)$", re.DOTALL)
RESULT = re.compile(r"\)\s+= (-?\w+)(?: ([A-Z][A-Z0-9_]+) \()?[^=]*$")
CREATORS = ("fork", "vfork", "clone", "clone3")


def events(path):
    """The completed calls of a log of `strace -f -o`, in order of their completion."""
    begun = {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            pid, rest = LINE.match(line.rstrip("\n")).groups()
            if rest.endswith("<unfinished ...>"):
                begun[pid] = rest[:-len("<unfinished ...>")]
                continue
            resumed = RESUMED.match(rest)
            if resumed:
                rest = begun.pop(pid, resumed[1] + "(") + resumed[2]
            call = CALL.match(rest)
            # A call that a signal interrupts, if only for strace, is seen again when it goes on.
            if call and " = ? ERESTART" not in rest:
                yield Event(int(pid), call[1], call[2])


class Trace:
    """The calls between the line `measurement` and the last sample's line of a program's output.

    calls: Counter of "call", or "call!ERROR" for one that failed; objects: per task, the set of
    files and other objects that its calls named; children: number of each process's creator.
    """

    def __init__(self, path, mode, scratch):
        self.calls = collections.Counter()
        self.objects = collections.defaultdict(set)
        self.parents = {}
        self.scratch = scratch
        self.depth = {"processes": 1, "threads": 2}[mode]
        self.first = None
        self._read(list(events(path)))

    def _read(self, found):
        self.first = found[0].pid
        marks = [number for number, event in enumerate(found)
                 if event.pid == self.first and event.call == "write"
                 and re.search(r'^1(<[^"]*>)?, "(measurement|min:)', event.text)]
        names = ["measurement" in found[number].text for number in marks]
        begin, end = marks[names.index(True)], marks[-1]
        for number, event in enumerate(found):
            result = RESULT.search(event.text)
            if event.call in CREATORS and result and result[1].isdigit():
                self.parents[int(result[1])] = event.pid
            if not begin < number < end or event.pid == self.first:
                continue
            error = f"!{result[2]}" if result and result[2] else ""
            self.calls[event.call + error] += 1
            task = self._task(event.pid)
            if task is not None:
                self.objects[task] |= set(self._named(event.text))

    def _task(self, pid):
        """The task that a process or thread is, or belongs to as a partner or child."""
        line = [pid]
        while line[-1] in self.parents:
            line.append(self.parents[line[-1]])
        place = len(line) - 1 - self.depth
        return line[place] if line[-1] == self.first and place >= 0 else None

    def _named(self, text):
        """Objects that the arguments name: of descriptors (strace -y) and of paths."""
        for found in re.findall(r"<((?:[^<>]|<[^<>]*>)+)>", text.split('"', 1)[0]):
            # An anonymous inode has no number of its own: all of a kind would pass for the same.
            if found.startswith(self.scratch) or re.match(r"(socket|pipe):\[", found):
                yield re.sub(r"<char [^>]*>", "", found)
        for found in re.findall(r'"((?:[^"\\]|\\.)*)"', text):
            if found.startswith(self.scratch):
                yield found
