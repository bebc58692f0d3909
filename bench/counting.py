#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How long it takes to boot a virtual machine, and to compare two kernels by instructions.

Seconds of a whole command, from its call to its end, with nothing kept from an earlier one but the
kernel's symbols: of Debian's kernel for clouds, which is compared with itself, and of the two small
ones of check/guests.py, which are built where they are not there yet.
"""

import os
import subprocess
import sys
import tempfile
import time
import unittest

import measure

sys.path.insert(0, os.path.join(measure.ROOT, "check"))

WIDTHS = (-32, -8, 9, 9)

ONE_RUN = ("getppid1", "--mode", "processes", "--tasks", "1", "--rounds", "1", "--duration", "0.05",
           "--warmup", "0")
COMMANDS = (("boot and one run", ONE_RUN, 1, (20, 60)),
            ("count one testcase, two kernels", ("getppid1", "--instructions"), 2, (20, 60)),
            ("count @procfs, two kernels", ("@procfs", "--instructions", "--mode", "processes"), 2,
             (180, 180)))


def pairs(guests, folder):
    """Of each kind of kernel the paths of two images."""
    debian = guests.debian(guests.CLOUD)
    other = os.path.join(folder, "other")
    os.symlink(debian, other)
    return {"small": guests.lean(), "Debian": (debian, other)}


def seconds(arguments, words, kernels, folder):
    """Of a call of runtest.py. That a small kernel lacks what some testcases need is no failure.
    Raises CalledProcessError.
    """
    chosen = [word for kernel in kernels for word in ("--kernel", kernel)]
    environment = {**os.environ, "OPSCALE_PROGRAMS": os.path.join(arguments.build, "programs")}
    began = time.monotonic()
    done = subprocess.run([os.path.join(measure.ROOT, "runtest.py"), *words, *chosen], cwd=folder,
                          env=environment, check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    if done.returncode not in (0, 1):
        done.check_returncode()
    return time.monotonic() - began


def story(arguments):
    arguments.build = os.environ["top_builddir"] = os.path.abspath(arguments.build)
    import guests
    with tempfile.TemporaryDirectory() as folder:
        try:
            guests.need_qemu()
            found = pairs(guests, folder)
        except unittest.SkipTest as reason:
            measure.say(f"left out: {reason}")
            return
        measure.row(("what", "kernel", "seconds", "aim"), WIDTHS)
        for number, (kind, kernels) in enumerate(found.items()):
            # What is made once, of a kernel and of its symbols, is made here.
            seconds(arguments, ("getppid1", "--instructions", "--rounds", "1"), kernels, folder)
            for what, words, count, aims in COMMANDS[:2 if arguments.quick else None]:
                took = seconds(arguments, words, kernels[:count], folder)
                measure.row((what, kind, f"{took:.1f}", f"{aims[number]}"), WIDTHS)


if __name__ == "__main__":
    measure.main(__doc__, story)
