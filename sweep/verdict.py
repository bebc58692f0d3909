# SPDX-License-Identifier: GPL-2.0-or-later
"""The comparison of two sides, by the analysis where it is installed."""

import os
import shutil
import subprocess

COMMAND = "opscale-compare"


def show(folders, screen):
    """Print how base and candidate compare, or the command that tells it elsewhere: the sweep
    itself must run where Python has no more than its standard library.
    """
    above = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    beside = os.path.join(above, "postprocess", "compare.py")
    command = beside if os.path.isfile(beside) else shutil.which(COMMAND)
    done = command and subprocess.run([command, *folders], check=False, stdin=subprocess.DEVNULL)
    # A verdict is no failure of the measurement, whichever it is.
    if not done or done.returncode not in (0, 1, 3):
        screen.say(f"the comparison: {command or COMMAND} {' '.join(folders)}")
