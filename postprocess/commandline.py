# SPDX-License-Identifier: GPL-2.0-or-later
"""What the front doors' command lines have in common."""

import argparse
import fnmatch
import math
import signal
import sys

# Exit status of wrong usage, and of results that cannot be used.
BAD_INPUT = 2

# A share: changes of a rate up to this are not called unless the user says otherwise.
NOISE = 0.01


class Parser(argparse.ArgumentParser):
    """Tells wrong usage in one line."""

    def error(self, message):
        print(f"{self.prog}: {message}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def share(low, high, what):
    """The type of a percentage between two numbers, as a share."""
    def parse(text):
        try:
            value = float(text.rstrip("%"))
        except ValueError:
            value = math.nan
        if not low <= value < high:
            raise argparse.ArgumentTypeError(f"'{text}': {what} is needed")
        return value / 100
    return parse


def add_evidence(made, what):
    """Adds the options that say what counts as evidence; what: the word for what is called."""
    made.add_argument("--noise", metavar="PERCENT", default=NOISE,
                      type=share(0, 100, "a percentage from 0 to below 100"),
                      help=f"{what} up to this are not called (default: 1)")
    made.add_argument("--confidence", metavar="PERCENT", default=0.95,
                      type=share(50, 100, "a percentage from 50 to below 100"),
                      help="of intervals and verdicts (default: 95)")


def add_only(made):
    made.add_argument("--only", metavar="PATTERN", action="append",
                      help="only testcases that match, as 'pread*'; can be repeated")


def chosen(testcase, only):
    """Whether --only lets a testcase through."""
    return not only or any(fnmatch.fnmatch(testcase, pattern) for pattern in only)


def show(lines):
    """Prints lines; a reader that has seen enough ends the program as it ends any other."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    print(*lines, sep="\n")
