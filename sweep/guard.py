# SPDX-License-Identifier: GPL-2.0-or-later
"""What must be set back in the system whatever happens to this process."""

import contextlib
import os
import signal


@contextlib.contextmanager
def restored(restore, failed):
    """Inside, the system may be changed. restore(), which returns whether it could set it back, is
    called by a process that waits for nothing but the end of this one's interest, by whatever way:
    a signal that cannot be caught too. failed() is called here where it could not.
    """
    reading, writing = os.pipe()
    guard = os.fork()
    if not guard:
        os.close(writing)
        os._exit(_wait(reading, restore))
    os.close(reading)
    try:
        yield
    finally:
        os.close(writing)
        _, status = os.waitpid(guard, 0)
        if status:
            failed()


def _wait(reading, restore):
    """The guard's life; its exit status."""
    # Ctrl-C and a closed terminal are for the process that it guards.
    os.setsid()
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(signum, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.read(reading, 1)
    return 0 if restore() else 1
