# SPDX-License-Identifier: GPL-2.0-or-later
"""What is said to the first process of a virtual machine, and what it answers: docs/formats.md,
section 8.
"""

from sweep.places import Outcome

PROTOCOL = "1"

# Where it puts a program's samples file.
SAMPLES = "/run/samples"

# All that a program finds in its environment.
ENVIRONMENT = ("PATH=/usr/bin:/bin", "HOME=/", "TMPDIR=/tmp")


class Damaged(Exception):
    """The bytes are no message."""


def message(fields):
    """A message as bytes; fields are text or bytes."""
    parts = [b"%d\n" % len(fields)]
    for field in fields:
        content = field if isinstance(field, bytes) else field.encode()
        parts.append(b"%d:%s" % (len(content), content))
    return b"".join(parts)


def run(command):
    """The request to run a program, with its samples file."""
    return message(["run", *ENVIRONMENT, "--", *command])


def outcome(fields):
    """The answer to run()."""
    status, output, errors, samples = fields
    return Outcome(int(status), *(text.decode(errors="replace")
                                  for text in (output, errors, samples)))


def first_message(data):
    """The fields of the first message in the bytes, and how many bytes it took; None, 0 where it
    has not come to its end. Raises Damaged.
    """
    count, at = _number(data, 0, b"\n")
    fields = []
    while count is not None and len(fields) < count:
        length, start = _number(data, at, b":")
        if length is None or start + length > len(data):
            return None, 0
        at = start + length
        fields.append(bytes(data[start:at]))
    return (None, 0) if count is None else (fields, at)


def messages(data):
    """All whole messages in the bytes, up to what is none."""
    at = 0
    while True:
        try:
            fields, length = first_message(data[at:])
        except Damaged:
            return
        if fields is None:
            return
        yield fields
        at += length


def _number(data, at, end):
    stop = data.find(end, at, at + 21)
    digits = data[at:stop] if stop >= 0 else data[at:at + 21]
    if not digits.isdigit() and (stop >= 0 or digits):
        raise Damaged(f"'{bytes(digits[:20]).decode(errors='replace')}' instead of a number")
    if stop < 0:
        if len(digits) > 20:
            raise Damaged("a number without an end")
        return None, at
    return int(digits), stop + 1
