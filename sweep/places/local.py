# SPDX-License-Identifier: GPL-2.0-or-later
"""This machine as a place of runs."""

import os
import subprocess
import tempfile

from sweep import child, machine
from sweep.places import Outcome

QUERY_LIMIT = 60


def scratch(folder=None):
    """The folder that scratch directories go to, found as the programs find it."""
    for choice in (folder, "/dev/shm", os.environ.get("TMPDIR")):
        if choice and os.access(choice, os.W_OK | os.X_OK):
            return choice
    return folder or "/tmp"


class Local:
    """Runs programs as children of this process."""

    def describe(self):
        return {"type": "local"}

    def machine(self, folder):
        return machine.describe(scratch=scratch(folder))

    def query(self, command):
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, errors="replace",
                                  timeout=QUERY_LIMIT, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return Outcome(status=1, errors=str(error))
        return Outcome(done.returncode, done.stdout, done.stderr)

    def run(self, command, limit):
        # In memory, so that nothing is written back to a disk during the next measurement, and
        # without a name, so that nothing stays when this process is killed.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None
        with tempfile.TemporaryFile(dir=memory) as samples, \
                tempfile.TemporaryFile(dir=memory) as errors:
            path = f"/proc/{os.getpid()}/fd/{samples.fileno()}"
            try:
                status, exceeded = child.run([*command, "--samples", path], limit,
                                             stdout=subprocess.DEVNULL, stderr=errors)
            except OSError as error:
                return Outcome(status=1, errors=str(error))
            return Outcome(status, errors=_text(errors), samples=_text(samples), exceeded=exceeded)


def _text(file):
    file.seek(0)
    return file.read().decode(errors="replace")
