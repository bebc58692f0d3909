# SPDX-License-Identifier: GPL-2.0-or-later
"""How long system calls of the tasks take, by the kernel's own tracing: docs/formats.md, section 4.

It takes a fraction of a microsecond from a call, where a tracer in user space takes ten.
"""

import collections
import contextlib
import glob
import math
import os
import re
import socket
import tempfile
import threading

from sweep import guard, tracing
from sweep.errors import RecorderError

PLACES = ("/sys/kernel/tracing", "/sys/kernel/debug/tracing")

FORBIDDEN = "not permitted: root may trace the kernel"
NOT_BEGUN = "the measurement did not begin"

# How the instance's name begins; the number of the process that has made it follows.
PREFIX = "opscale-"

# Kilobytes of a CPU's buffer, and of all together: more events than this take long to be read. When
# it is full, no more are recorded.
MOST_BUFFER, ALL_BUFFERS = 4096, 32768
LEAST_BUFFER = 64

# Results of calls that failed: -1 to -4095, as an unsigned number of a register.
LONG = 8 * tracing.LONG_SIZE
FAILED = range((1 << LONG) - 4095, 1 << LONG)


class LatencyTracer:
    """Traces one run after the other; for each start(), end() and read(), then close().

    It plays the recorder itself: told that the measurement begins, it has the tasks that there are
    traced, and all that they make.
    """

    key = "latencies"

    def __init__(self, _duration):
        """Raises RecorderError."""
        root = next((place for place in PLACES if os.path.isdir(f"{place}/instances")), None)
        if root is None and os.geteuid():
            raise RecorderError(FORBIDDEN)
        if root is None:
            raise RecorderError(f"tracefs is not there: mount -t tracefs nodev {PLACES[0]}")
        self._thread = self._end = None
        self._failure = NOT_BEGUN
        self._opened = contextlib.ExitStack()
        try:
            # Containers share the kernel, and may have processes of the same number.
            self._folder = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-",
                                            dir=f"{root}/instances")
            # While the instance is there, every system call of the machine takes longer.
            self._opened.enter_context(guard.restored(self._remove, lambda: None))
            self._names = _syscalls(root)
            for name, value in (("tracing_on", 0), ("trace_clock", "mono"),
                                ("options/overwrite", 0), ("options/event-fork", 1),
                                ("buffer_size_kb", _buffer()), ("events/syscalls/enable", 1)):
                self._write(name, value)
        except PermissionError:
            self.close()
            raise RecorderError(FORBIDDEN) from None
        except OSError as error:
            self.close()
            raise RecorderError(f"the kernel cannot trace system calls: {error}") from None

    def close(self):
        """Nothing of it is left in the kernel."""
        self._opened.close()

    def _remove(self):
        try:
            os.rmdir(self._folder)
        except OSError:
            return False
        return True

    def start(self, end):
        """Wait for what is said over this end of a socket."""
        self._end, self._failure = end, NOT_BEGUN
        self._thread = threading.Thread(target=self._serve, args=(end,), daemon=True)
        self._thread.start()

    def end(self):
        """The run is over."""
        with contextlib.suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def read(self):
        """What was traced, as keys of the entry. Raises RecorderError."""
        if self._failure:
            raise RecorderError(self._failure)
        buffers = sorted(glob.glob(f"{self._folder}/per_cpu/cpu*"))
        lost = sum(_lost(f"{path}/stats") for path in buffers)
        found = sorted((event for path in buffers
                        for event in tracing.read(f"{path}/trace_pipe_raw")), key=_in_order)
        return {"calls": rows(found, self._names), "lost": lost}

    def _serve(self, end):
        try:
            with end.makefile("r", encoding="ascii") as words:
                for word in words:
                    if word == "enable\n":
                        self._write("set_event_pid", " ".join(map(str, threads(os.getpid()))))
                        # Empties it.
                        self._write("trace", "")
                        self._write("tracing_on", 1)
                        self._failure = None
                    else:
                        self._write("tracing_on", 0)
                    end.sendall(b"ack\n")
        except OSError as error:
            self._failure = f"the kernel's tracing: {error}"
            # Else the program would wait for an answer.
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self._write("tracing_on", 0)

    def _write(self, name, value):
        with open(f"{self._folder}/{name}", "w", encoding="ascii") as file:
            file.write(f"{value}\n")


def _in_order(event):
    """By time; what happened at the same time to one thread stays in its order."""
    return event[0]


def _buffer():
    return max(LEAST_BUFFER, min(MOST_BUFFER, ALL_BUFFERS // os.cpu_count()))


def _syscalls(root):
    """{number of an event: (whether a call begins, name of the call)}. Raises OSError."""
    found = {}
    for name in os.listdir(f"{root}/events/syscalls"):
        kind = re.match(r"sys_(enter|exit)_(\w+)$", name)
        if kind:
            with open(f"{root}/events/syscalls/{name}/id", encoding="ascii") as file:
                found[int(file.read())] = kind.group(1) == "enter", kind.group(2)
    return found


def _lost(path):
    with open(path, encoding="ascii") as file:
        return sum(int(number) for number in
                   re.findall(r"^(?:overrun|dropped events): (\d+)", file.read(), re.MULTILINE))


def threads(parent):
    """All threads of the processes whose parent's parent this is: those of the tasks."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
    found = []
    for pid, above in parents.items():
        if parents.get(above) == parent:
            with contextlib.suppress(OSError):
                found += map(int, os.listdir(f"/proc/{pid}/task"))
    return sorted(found)


def rows(events, names):
    """Rows of the calls that begin and end among the events, which are in their order: name, calls,
    errors, mean, maximum and standard deviation in microseconds; those with the most time first.
    """
    begun, took, errors = {}, collections.defaultdict(list), collections.Counter()
    for time, number, thread, result in events:
        enters, name = names.get(number, (True, None))
        if enters:
            begun[thread] = name, time
            continue
        began, since = begun.pop(thread, (None, 0))
        if name == began:
            took[name].append(time - since)
            errors[name] += result in FAILED
    found = [(name, len(times), errors[name], sum(times), max(times),
              sum(time * time for time in times)) for name, times in took.items()]
    return [[name, calls, failed, round(total / calls / 1000, 3), most / 1000,
             _deviation(calls, total, squares)]
            for name, calls, failed, total, most, squares in
            sorted(found, key=lambda row: -row[3])]


def _deviation(calls, total, squares):
    """Of whole nanoseconds, in microseconds; 0 for a single call."""
    if calls < 2:
        return 0.0
    return round(math.sqrt((calls * squares - total * total) / (calls * (calls - 1))) / 1000, 3)
