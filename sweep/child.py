# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs child processes, one or several that belong together, asleep until all have ended, and stops
them when it must.
"""

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass, field
from typing import Any, Dict, List

# Seconds that a child has to clean up once it was asked to end.
GRACE = 30

# Who waits for input looks this often, in seconds, whether it was asked to end.
LOOK = 0.2

PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None)


class Interrupted(Exception):
    """A signal asked this process to end."""

    def __init__(self, signum):
        super().__init__(signal.Signals(signum).name)
        self.signum = signum


@dataclass
class Child:
    """A command, what subprocess.Popen() is told besides, and open files of this process that are
    only for the child: they are closed here once it has them.
    """

    command: List[str]
    keywords: Dict[str, Any]
    given: List[Any] = field(default_factory=list)


def _interrupts():
    """The signals that ask to end, without those that the caller had ignored, as nohup does."""
    return {signum for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
            if signal.getsignal(signum) is not signal.SIG_IGN}


@contextlib.contextmanager
def interrupts_held():
    """Inside, signals that ask to end are only taken by run(); those that are left kill after it.

    So results are never saved by halves.
    """
    # With SIGCHLD ignored, as some callers leave it, the kernel would drop the children's status.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for signum in _interrupts():
        signal.signal(signum, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _interrupts() | {signal.SIGCHLD})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def die_by(signum):
    """End this process by a signal, so that its caller sees why."""
    signal.signal(signum, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signum})
    os.kill(os.getpid(), signum)


def run(children, limit):
    """Run children at the same time, for at most `limit` seconds: of each its status, and whether
    the limit ended it.

    The status is as subprocess counts it: negative for a signal. To be called with
    interrupts_held(); raises Interrupted with the children gone, and OSError where one cannot
    start.
    """
    processes = []
    try:
        for each in children:
            processes.append(start(each))
    except OSError:
        _end(processes)
        raise
    first = then = _wait(processes, limit)
    exceeded = [first is None and process.returncode is None for process in processes]
    if first != signal.SIGCHLD:
        then = _end(processes)
    for event in (first, then):
        if event not in (None, signal.SIGCHLD):
            raise Interrupted(event)
    return [(process.returncode, late) for process, late in zip(processes, exceeded)]


def start(each):
    """A child's process, for the caller to end. Raises OSError."""
    unheld = signal.pthread_sigmask(signal.SIG_BLOCK, ()) - _interrupts() - {signal.SIGCHLD}
    parent = os.getpid()

    def prepare():
        signal.pthread_sigmask(signal.SIG_SETMASK, unheld)
        # The child must not go on, and disturb the next measurement, when this process is killed.
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    # A session of its own: Ctrl-C reaches only this process, which then asks the child to end.
    try:
        return subprocess.Popen(each.command, stdin=subprocess.DEVNULL, start_new_session=True,
                                preexec_fn=prepare, **each.keywords)
    finally:
        for file in each.given:
            file.close()


def end(process):
    """Let a process that was started be gone; its status."""
    process.terminate()
    try:
        return process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def await_input(file, until):
    """Sleep until something can be read: True; False where the time, of time.monotonic(), comes
    first. Raises Interrupted.
    """
    while True:
        asked = signal.sigpending() & _interrupts()
        if asked:
            raise Interrupted(signal.sigwait(asked))
        left = until - time.monotonic()
        if select.select([file], [], [], max(0, min(left, LOOK)))[0]:
            return True
        if left <= 0:
            return False


def _end(processes):
    """Ask processes to end, and end those that do not; what _wait() has told meanwhile."""
    for process in processes:
        process.terminate()
    told = _wait(processes, GRACE)
    if told != signal.SIGCHLD:
        for process in processes:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    return told


def _wait(processes, seconds):
    """Sleep until all processes have ended (SIGCHLD), another signal came, or time is over (None).
    """
    end = time.monotonic() + seconds
    while any([process.poll() is None for process in processes]):
        event = signal.sigtimedwait(_interrupts() | {signal.SIGCHLD},
                                    max(0, end - time.monotonic()))
        if event is None:
            return None
        if event.si_signo != signal.SIGCHLD:
            return event.si_signo
    return signal.SIGCHLD
