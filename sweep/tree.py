# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the files of /proc and /sys under a root, which may be a recorded copy."""

import gzip
import os
import re
import zlib


class Tree:
    """The files under a root. Every reader returns None for what it cannot make sense of."""

    def __init__(self, root="/"):
        self.root = os.path.realpath(root)

    @property
    def here(self):
        """Whether these are the files of the machine that this process runs on."""
        return self.root == "/"

    def _path(self, name):
        return os.path.join(self.root, name)

    def listing(self, folder):
        """Names in a folder. Raises OSError."""
        return os.listdir(self._path(folder))

    def content(self, name):
        """The bytes of a file. Raises OSError, and ValueError for a name that none can have."""
        with open(self._path(name), "rb") as file:
            return file.read()

    def exists(self, name):
        return os.path.exists(self._path(name))

    def real(self, path):
        """An absolute path without symbolic links."""
        real = os.path.realpath(self._path(path.lstrip("/")))
        return "/" + os.path.relpath(real, self.root)

    def config(self, release):
        """The text of the kernel's configuration, None where it is not to be found."""
        try:
            return gzip.decompress(self.content("proc/config.gz")).decode(errors="replace")
        except (OSError, EOFError, zlib.error):
            return (self.text(f"boot/config-{release}")
                    or self.text(f"lib/modules/{release}/config"))

    def names(self, folder, pattern):
        """Names in a folder that match wholly, numbered ones by their numbers; [] if none."""
        try:
            found = [name for name in self.listing(folder) if re.fullmatch(pattern, name)]
        except OSError:
            return []
        return sorted(found, key=lambda name: [int(part) if part.isdigit() else part
                                               for part in re.split(r"(\d+)", name)])

    def text(self, name):
        try:
            # Texts of a device tree end with a zero byte.
            return self.content(name).decode(errors="replace").strip(" \t\n\0") or None
        except (OSError, ValueError):  # a damaged file may have named one that cannot be
            return None

    def number(self, name):
        return integer(self.text(name))

    def switch(self, name):
        return {0: False, 1: True}.get(self.number(name))

    def choice(self, name):
        """The word in brackets of a file such as "always [madvise] never"."""
        found = re.search(r"\[([\w+-]+)\]", self.text(name) or "")
        return found.group(1) if found else None

    def cpus(self, name):
        """A list of CPUs such as "0-3,8" as it stands."""
        return self.text(name) if count_cpus(self.text(name)) else None

    def words(self, name):
        return (self.text(name) or "").split()

    def fields(self, name):
        """{name: text} of a file of "name: text" lines."""
        pairs = (line.partition(":") for line in (self.text(name) or "").splitlines())
        return {key.strip(): value.strip() for key, colon, value in pairs if colon}


def integer(text):
    return int(text) if re.fullmatch(r"-?\d{1,20}", text or "") else None


def count_cpus(cpus):
    """Number of CPUs in a list such as "0-3,8"; None where it is not one."""
    if not re.fullmatch(r"\d{1,9}(-\d{1,9})?(,\d{1,9}(-\d{1,9})?)*", cpus or ""):
        return None
    ranges = (part.split("-") for part in cpus.split(","))
    return sum(int(part[-1]) - int(part[0]) + 1 for part in ranges)
