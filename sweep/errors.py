# SPDX-License-Identifier: GPL-2.0-or-later
"""The one error that the user can put right."""


class UsageError(Exception):
    """Wrong input. Its text is one line that names the value and what would be right; status 2."""
