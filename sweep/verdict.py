# SPDX-License-Identifier: GPL-2.0-or-later
"""What the results say, by the analysis where it is installed: the sweep itself must run where
Python has no more than its standard library.
"""

import os
import shutil
import subprocess

REPORT = "report.html"


def show(folders, screen):
    """Print how base and candidate compare, or the command that tells it elsewhere."""
    # A verdict is no failure of the measurement, whichever it is.
    _run("compare", folders, (0, 1, 3), "the comparison", screen)


def report(folder, screen):
    """Write the page of a folder's results into it, or print the command that does elsewhere."""
    path = os.path.join(folder, REPORT)
    if _run("report", [folder, "--output", path], (0,), "the report", screen):
        screen.write(f"report: {path}")


def _run(tool, words, good, what, screen):
    """Whether a tool of the analysis was there and ended with one of the good statuses."""
    above = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    beside = os.path.join(above, "postprocess", f"{tool}.py")
    command = beside if os.path.isfile(beside) else shutil.which(f"opscale-{tool}")
    done = command and subprocess.run([command, *words], check=False, stdin=subprocess.DEVNULL,
                                      # The sweep's own output is a table that programs read.
                                      stdout=subprocess.DEVNULL if tool == "report" else None)
    if done and done.returncode in good:
        return True
    screen.say(f"{what}: {command or f'opscale-{tool}'} {' '.join(words)}")
    return False
