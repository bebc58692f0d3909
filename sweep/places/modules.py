# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel modules for a virtual machine, in the order in which they can be loaded."""

import gzip
import lzma
import os
import re

from sweep.errors import UsageError

FOLDER = "/modules"

# How distributions compress them; the kernel itself takes only what is not.
READERS = {".ko": bytes, ".ko.gz": gzip.decompress, ".ko.xz": lzma.decompress}


def add(content, folder):
    """Add all modules in a folder, and in those below it, to an initramfs. Raises UsageError."""
    found = _find(folder)
    if not found:
        raise UsageError(f"--modules {folder}: no module (.ko, .ko.gz, .ko.xz) is in it")
    for number, name in enumerate(order({name: _needs(name, found) for name in found})):
        content.add(f"{FOLDER}/{number:04}-{name}.ko", found[name])


def _find(folder):
    """{name: bytes of the module}"""
    found = {}
    for above, folders, names in os.walk(folder):
        folders.sort()
        for file in sorted(names):
            stem, dot, end = file.partition(".")
            reader = READERS.get(dot + end)
            if reader is None:
                continue
            path = os.path.join(above, file)
            try:
                with open(path, "rb") as opened:
                    found[stem.replace("-", "_")] = reader(opened.read())
            except (OSError, EOFError, lzma.LZMAError) as error:
                raise UsageError(f"--modules: {path}: {error}") from None
    return found


def _needs(name, found):
    """Names of the modules that a module says it depends on; those that are not in the folder are
    taken to be in the kernel.
    """
    told = re.search(rb"(?:^|\0)depends=([^\0]*)\0", found[name])
    names = told.group(1).decode(errors="replace").split(",") if told else []
    return [each.replace("-", "_") for each in names if each.replace("-", "_") in found]


def order(needs):
    """Names such that each comes after those that it needs; else as they come."""
    ordered = []

    def take(name, above):
        if name in ordered or name in above:
            return
        for each in needs[name]:
            take(each, above + (name,))
        ordered.append(name)

    for name in needs:
        take(name, ())
    return ordered
