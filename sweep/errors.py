# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors that end a call with one line."""


class UsageError(Exception):
    """Wrong input. Its text is one line that names the value and what would be right; status 2."""


class RecorderError(Exception):
    """Runs cannot be recorded by perf or the kernel; the text is one line that tells why."""


class PlaceError(Exception):
    """Runs cannot be made where they were to be; the text is one line that tells why. Status 1."""
