# SPDX-License-Identifier: GPL-2.0-or-later
"""The initramfs of a virtual machine: programs with the shared libraries that they need, in the
kernel's cpio format (Documentation/driver-api/early-userspace/buffer-format.rst).
"""

import os
import re
import stat
import subprocess

from sweep.errors import UsageError

# The same bytes whenever it is made of the same files: times are 0, owners root, and the folders
# are in order.
HEADER = "070701" + "{:08x}" * 13

# Where programs are in the guest.
PROGRAMS = "/programs"

FOLDERS = ("/dev", "/proc", "/sys", "/run", "/tmp", "/etc", "/dev/shm", PROGRAMS)

# Major and minor numbers (Documentation/admin-guide/devices.txt). The kernel opens the console
# before the first process can make it, and small ones have no devtmpfs, which brings the others.
DEVICES = {"console": (5, 1), "null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8),
           "urandom": (1, 9), "tty": (5, 0), "ttyS0": (4, 64), "ttyS1": (4, 65)}

# Programs of this machine that testcases run.
TOOLS = ("/usr/bin/ps", "/bin/ps", "/usr/bin/cat", "/bin/cat")


class Initramfs:
    """Collects files and is written as one archive."""

    def __init__(self):
        self.files = {}
        for folder in FOLDERS:
            self._add_folder(folder)
        for name, device in DEVICES.items():
            self.files[f"/dev/{name}"] = (stat.S_IFCHR | 0o666, b"", device)

    def _add_folder(self, path):
        while path not in ("", "/"):
            self.files.setdefault(path, (stat.S_IFDIR | 0o755, b"", (0, 0)))
            path = os.path.dirname(path)

    def add(self, path, content, executable=False):
        """A file of these bytes at an absolute path."""
        self._add_folder(os.path.dirname(path))
        self.files[path] = (stat.S_IFREG | (0o755 if executable else 0o644), content, (0, 0))

    def add_file(self, path, source):
        """A copy of this machine's file. Raises UsageError where it cannot be read."""
        try:
            with open(source, "rb") as file:
                self.add(path, file.read(), os.access(source, os.X_OK))
        except OSError as error:
            raise UsageError(f"{source}: {error.strerror}: the virtual machine needs it") from None

    def add_program(self, path, source):
        """A program, with the libraries that the loader finds for it here."""
        self.add_file(path, source)
        for library in libraries(source):
            if library not in self.files:
                self.add_file(library, library)

    def add_tools(self):
        """Those of this machine that testcases run, where it has them."""
        for tool in TOOLS:
            if os.path.exists(tool):
                self.add_program(tool, tool)

    def archive(self):
        """The bytes of the archive; uncompressed, as a guest would spend long on that."""
        parts = []
        for number, (path, (mode, content, device)) in enumerate(sorted(self.files.items()), 1):
            parts += _entry(number, path[1:], mode, content, device)
        parts += _entry(0, "TRAILER!!!", 0, b"", (0, 0))
        return b"".join(parts)


def _entry(number, name, mode, content, device):
    name = name.encode() + b"\0"
    links = 2 if stat.S_ISDIR(mode) else 1
    header = HEADER.format(number, mode, 0, 0, links, 0, len(content), 0, 0, *device, len(name), 0)
    for part in (header.encode() + name, content):
        yield part + bytes(-len(part) % 4)


def libraries(program):
    """Paths of the shared libraries of a program, and of its loader; [] for a static one. The
    loader itself tells them.
    """
    told = subprocess.run([program], env={"LD_TRACE_LOADED_OBJECTS": "1"}, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout if _dynamic(program) else ""
    missing = re.findall(r"^\s*(\S+) => not found", told, re.MULTILINE)
    if missing:
        raise UsageError(f"{program}: its library {missing[0]} is missing on this machine")
    return re.findall(r"^\s*(?:\S+ => )?(/\S+) \(0x", told, re.MULTILINE)


def _dynamic(program):
    """Whether a loader takes part; a static program would simply run."""
    with open(program, "rb") as file:
        return b"/ld-" in file.read(4096)
