# SPDX-License-Identifier: GPL-2.0-or-later
"""Events of system calls out of the kernel's ring buffer, in the binary form of trace_pipe_raw: its
text has microseconds only. events/header_page and events/header_event in tracefs describe the form.
"""

import mmap
import os
import struct
import sys

LONG_SIZE = struct.calcsize("P")
_LONG = "Q" if LONG_SIZE == 8 else "I"

# A page's time in ns, and how many bytes of it are in use, in the lower bits.
_PAGE = struct.Struct("=Q" + _LONG)
_USED = (1 << 20) - 1

# Kinds of entries; those below are events of so many words, 0 one that tells its length itself.
_PADDING, _TIME_EXTEND, _TIME_STAMP = 29, 30, 31
_DELTA_BITS = 27

# Of an event: its number and its thread's; of the end of a call also what it returned.
_EVENT = struct.Struct("=HBBi")
_RESULT_AT = 16
_RESULT = struct.Struct("=" + _LONG)


def read(path):
    """The events() of all pages of a CPU's trace_pipe_raw, which are taken out of it."""
    found = []
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        while True:
            page = os.read(file, mmap.PAGESIZE)
            if not page:
                return found
            found += events(page)
    except BlockingIOError:
        return found
    finally:
        os.close(file)


def events(page):
    """The events of a page: (time in ns, number of the event, thread, what a call returned as an
    unsigned number or None).
    """
    time, used = _PAGE.unpack_from(page)
    at, end = _PAGE.size, _PAGE.size + (used & _USED)
    while at < end:
        kind, delta = _split(_word(page, at))
        at += 4
        if kind in (_TIME_EXTEND, _TIME_STAMP):
            far = _word(page, at) << _DELTA_BITS | delta
            # A stamp has all but the uppermost bits.
            time = time + far if kind == _TIME_EXTEND else time >> 59 << 59 | far
            at += 4
            continue
        if kind == _PADDING and not delta:
            return
        time += delta
        if kind in (0, _PADDING):
            length, start = _word(page, at), at + 4
        else:
            length, start = 4 * kind, at
        at += length
        if kind != _PADDING and at - start >= _EVENT.size:
            number, _, _, thread = _EVENT.unpack_from(page, start)
            whole = at - start >= _RESULT_AT + _RESULT.size
            yield (time, number, thread,
                   _RESULT.unpack_from(page, start + _RESULT_AT)[0] if whole else None)


def _word(page, at):
    return int.from_bytes(page[at:at + 4], sys.byteorder)


def _split(word):
    """Bit fields stand in the order of the bytes."""
    if sys.byteorder == "little":
        return word & 31, word >> 5
    return word >> _DELTA_BITS, word & ((1 << _DELTA_BITS) - 1)
