# SPDX-License-Identifier: GPL-2.0-or-later
"""How long system calls of the tasks take, by `perf trace --summary`: docs/formats.md, section 4.
"""

import contextlib
import math
import os
import re
import shutil
import signal
import socket
import threading

from sweep import child
from sweep.errors import RecorderError
from sweep.places.local import memory_file

# Pages for each CPU, a power of two: the tasks make millions of calls a second.
BUFFER = "1024"

ROW = re.compile(r"\s*(\w+) +(\d+) +(\d+)" + r" +(\d+\.\d+)" * 4 + r" +(\d+\.\d+)%\s*$")
LOST = re.compile(r"LOST (\d+) events")


class LatencyTracer:
    """Traces one run after the other; for each start(), end() and read().

    It plays the recorder itself: told that the measurement begins, it has perf trace the tasks that
    there are, and told that it ends, it has it stop.
    """

    key = "latencies"

    def __init__(self, _duration):
        """Raises RecorderError."""
        self._perf = shutil.which("perf")
        if not self._perf:
            raise RecorderError("perf is not installed (Debian's package linux-perf)")
        self._thread = self._end = self._text = self._failed = None

    def start(self, end):
        """Wait for what is said over this end of a socket."""
        self._text = self._failed = None
        self._end = end
        self._thread = threading.Thread(target=self._serve, args=(end,), daemon=True)
        self._thread.start()

    def end(self):
        """The run is over."""
        with contextlib.suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def read(self):
        """What was traced, as keys of the entry. Raises RecorderError."""
        if self._failed:
            raise RecorderError(self._failed)
        if self._text is None:
            raise RecorderError("the measurement did not begin")
        calls = summary(self._text)
        if not calls and "Summary of events" not in self._text:
            lines = [line.strip() for line in self._text.splitlines() if line.strip()]
            raise RecorderError(f"perf trace: {lines[0] if lines else 'it told nothing'}")
        return {"calls": calls, "lost": sum(map(int, LOST.findall(self._text)))}

    def _serve(self, end):
        process = output = None
        with end.makefile("r", encoding="ascii") as words:
            for word in words:
                if word == "enable\n":
                    output = memory_file()
                    try:
                        process = self._trace(members(os.getpid()), output)
                    except OSError as error:
                        self._failed = f"{self._perf}: {error.strerror}"
                elif process:
                    process.send_signal(signal.SIGINT)
                    process.wait()
                    output.seek(0)
                    self._text = output.read().decode(errors="replace")
                    process = None
                end.sendall(b"ack\n")
        if process:
            child.end(process)
        if output:
            output.close()

    def _trace(self, pids, output):
        command = [self._perf, "trace", "--summary", "-m", BUFFER, "-p", ",".join(map(str, pids))]
        return child.start(child.Child(command, {"stdout": output, "stderr": output}))


def members(parent):
    """Processes whose parent's parent this is: those of the tasks."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
    return sorted(pid for pid, above in parents.items() if parents.get(above) == parent)


def summary(text):
    """Rows of all threads together: name, calls, errors, mean, maximum and standard deviation of a
    call in microseconds; those with the most time first.

    perf tells the mean and, in percent of it, its standard error; of n calls the sum of squares is
    n mean^2 + n (n - 1) error^2.
    """
    sums = {}
    for row in filter(None, map(ROW.match, text.splitlines())):
        name, (calls, errors) = row.group(1), map(int, row.group(2, 3))
        total, _, mean, most, percent = map(float, row.group(4, 5, 6, 7, 8))
        # Times are rounded to microseconds; of the total, that is of no consequence.
        mean = total / calls if calls else mean
        error = mean * percent / 100
        squares = calls * mean ** 2 + calls * (calls - 1) * error ** 2
        old = sums.get(name, (0, 0, 0.0, 0.0, 0.0))
        sums[name] = (old[0] + calls, old[1] + errors, old[2] + total, max(old[3], most),
                      old[4] + squares)
    return [_row(name, *values) for name, values in
            sorted(sums.items(), key=lambda item: -item[1][2])]


def _row(name, calls, errors, total, most, squares):
    mean = total / calls
    variance = (squares - calls * mean ** 2) / (calls - 1) if calls > 1 else 0.0
    return [name, calls, errors, *(round(1000 * value, 3)
                                   for value in (mean, most, math.sqrt(max(0.0, variance))))]
