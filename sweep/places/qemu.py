# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's command line, and its control of a machine that runs."""

import json
import os
import re
import select
import shutil
import subprocess

from sweep.errors import UsageError

PROGRAM = "qemu-system-x86_64"

KVM = "/dev/kvm"

# CPU by accelerator: all that it can do, so that a kernel takes the paths that it takes elsewhere.
MODEL = {"kvm": "host", "tcg": "max"}

# Seconds in which a machine's firmware must have said something.
PROBE_LIMIT = 5

# A guest that reboots, as one that panics does, ends.
COMMON = ("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot")

# Of the guest's command line. A guest that panics is to end; what it still says is on the console.
KERNEL_WORDS = ("console=ttyS0", "panic=-1", "quiet")


def program():
    """Path of QEMU. Raises UsageError where it is missing."""
    found = shutil.which(PROGRAM)
    if not found:
        raise UsageError(f"--kernel needs {PROGRAM}, which is not installed (Debian's package "
                         "qemu-system-x86)")
    return found


def version():
    """As the program tells it, as 7.2.22."""
    told = subprocess.run([program(), "--version"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True, check=False).stdout
    found = re.search(r"version (\S+)", told)
    return found.group(1) if found else None


def accelerator():
    """kvm where it works here, else tcg, QEMU's own translation, which is far slower."""
    return "kvm" if os.access(KVM, os.R_OK | os.W_OK) and _firmware_speaks() else "tcg"


def _firmware_speaks():
    """Whether a machine comes to life by KVM: within another virtual machine it may be there, and
    fail, or never get anywhere.
    """
    command = [program(), *COMMON, "-machine", "pc", "-m", "64", "-accel", "kvm",
               "-cpu", MODEL["kvm"], "-debugcon", "stdio", "-global", "isa-debugcon.iobase=0x402"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        spoken = select.select([process.stdout], [], [], PROBE_LIMIT)[0]
        speaks = bool(spoken) and bool(os.read(process.stdout.fileno(), 1))
        process.kill()
    return speaks


def escaped(path):
    """As part of an option, whose parts commas separate."""
    return path.replace(",", ",,")


def memory_bytes(text):
    """Bytes of a size as 512M or 2G."""
    found = re.fullmatch(r"(\d{1,9})([MG])", text)
    return int(found.group(1)) << {"M": 20, "G": 30}[found.group(2)] if found else None


class Control:
    """The machine protocol (QMP): stops a machine's CPUs and lets them go on."""

    def __init__(self, socket):
        self.file = socket.makefile("rwb", buffering=0)
        self.running = True
        self._greeted = False

    def stop(self):
        if self.running:
            self._do("stop")
            self.running = False

    def go_on(self):
        if not self.running:
            self._do("cont")
            self.running = True

    def close(self):
        self.file.close()

    def _do(self, command):
        if not self._greeted:
            self._ask("qmp_capabilities")
            self._greeted = True
        self._ask(command)

    def _ask(self, command):
        """Raises OSError where QEMU has ended."""
        self.file.write(json.dumps({"execute": command}).encode() + b"\n")
        while True:
            line = self.file.readline()
            if not line:
                raise ConnectionResetError("QEMU has ended")
            if "return" in json.loads(line):
                return
