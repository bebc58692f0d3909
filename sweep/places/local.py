# SPDX-License-Identifier: GPL-2.0-or-later
"""This machine as a place of runs."""

import contextlib
import os
import socket
import subprocess
import tempfile

from sweep import child, machine, observed
from sweep.places import Outcome
from sweep.tree import Tree

QUERY_LIMIT = 60


def scratch(folder=None):
    """The folder that scratch directories go to, found as the programs find it."""
    for choice in (folder, "/dev/shm", os.environ.get("TMPDIR")):
        if choice and os.access(choice, os.W_OK | os.X_OK):
            return choice
    return folder or "/tmp"


def memory_file():
    """An open file in memory, so that nothing is written back to a disk during the next
    measurement, and without a name, so that nothing stays when this process is killed.
    """
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None
    return tempfile.TemporaryFile(dir=memory)


class Local:
    """Runs programs as children of this process."""

    def describe(self):
        return {"type": "local"}

    def release(self):
        return os.uname().release

    def machine(self, folder):
        return machine.describe(scratch=scratch(folder))

    def observed(self):
        return observed.paths(Tree())

    def query(self, command):
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, errors="replace",
                                  timeout=QUERY_LIMIT, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return Outcome(status=1, errors=str(error))
        return Outcome(done.returncode, done.stdout, done.stderr)

    def begin_round(self, number):
        """Each run is a program of its own."""

    def close(self):
        """Each run has an end of its own."""

    def run(self, commands, limit, environments):
        with contextlib.ExitStack() as opened:
            runs = [_Run(command, _environment(changes), opened)
                    for command, changes in zip(commands, environments)]
            if len(runs) == 2:
                ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                for run, role, end in zip(runs, ("first", "second"), ends):
                    run.take_turns(role, opened.enter_context(end))
            return _outcomes(runs, limit)

    def record(self, command, limit, environment, recorder):
        """As run() of one program, which is recorded meanwhile. Raises RecorderError."""
        with contextlib.ExitStack() as opened:
            run = _Run(command, _environment(environment), opened)
            mine, its = socket.socketpair()
            # Held open here: perf 6.1 fails where the other end is closed before it has ended.
            opened.enter_context(its.dup())
            run.use_recorder(opened.enter_context(its))
            recorder.start(opened.enter_context(mine))
            try:
                return _outcomes([run], limit)[0]
            finally:
                recorder.end()


class _Run:
    """A program that is to be run, and the files that it writes."""

    def __init__(self, command, environment, opened):
        self.samples, self.errors = (opened.enter_context(memory_file()) for _ in range(2))
        path = f"/proc/{os.getpid()}/fd/{self.samples.fileno()}"
        self.command = [*command, "--samples", path]
        self.environment = environment
        self.sockets = []

    def take_turns(self, role, end):
        """role: first or second; end: of the socket between the two programs."""
        self.command += ["--turns", f"{role}:{end.fileno()}"]
        self.sockets.append(end)

    def use_recorder(self, end):
        """end: of the socket over which it is switched on and off."""
        self.command += ["--recorder", str(end.fileno())]
        self.sockets.append(end)

    def child(self):
        numbers = [end.fileno() for end in self.sockets]
        # A program whose partner has ended sees it only where nobody else holds that end.
        return child.Child(self.command, {"stdout": subprocess.DEVNULL, "stderr": self.errors,
                                          "env": self.environment, "pass_fds": numbers},
                           given=self.sockets)


def _outcomes(runs, limit):
    try:
        ends = child.run([run.child() for run in runs], limit)
    except OSError as error:
        return [Outcome(status=1, errors=str(error)) for _ in runs]
    return [Outcome(status, errors=_text(run.errors), samples=_text(run.samples),
                    exceeded=exceeded)
            for run, (status, exceeded) in zip(runs, ends)]


def _environment(changes):
    changed = {**os.environ, **changes}
    return {name: value for name, value in changed.items() if value is not None}


def _text(file):
    file.seek(0)
    return file.read().decode(errors="replace")
