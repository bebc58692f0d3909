# SPDX-License-Identifier: GPL-2.0-or-later
"""A Linux kernel's image as files hold it: vmlinuz (a bzImage), or vmlinux (ELF)."""

import bz2
import hashlib
import lzma
import os
import shutil
import struct
import subprocess
import tempfile
import zlib
from dataclasses import dataclass

from sweep.errors import UsageError

# A bzImage's header: Documentation/arch/x86/boot.rst of the kernel's sources.
SETUP_SECTORS, MAGIC, KERNEL_VERSION, PAYLOAD = 0x1f1, 0x202, 0x20e, 0x248

# Where in its tree the kernel's build leaves a bzImage.
BUILT_IN = "/arch/x86/boot"

# What a payload begins with, and who unpacks it; the names of commands where Python cannot.
UNPACKERS = ((b"\x1f\x8b", "gzip"), (b"\xfd7zXZ\0", "xz"), (b"]\0\0", "lzma"), (b"BZh", "bzip2"),
             (b"\x02\x21\x4c\x18", "lz4"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"\x89LZO", "lzop"))

READERS = {"gzip": lambda: zlib.decompressobj(zlib.MAX_WBITS | 16), "xz": lzma.LZMADecompressor,
           "lzma": lzma.LZMADecompressor, "bzip2": bz2.BZ2Decompressor}

# An ELF note by which a kernel tells a virtual machine where to enter it: Xen's PVH.
PT_NOTE, XEN_PHYS32_ENTRY = 4, 18


@dataclass
class Image:
    """path: as the user named it. sha256: of the file. kind: vmlinuz or vmlinux. release: as the
    image tells it, None where only the booted kernel can.
    """

    path: str
    sha256: str
    kind: str
    release: str = None

    def beside(self, name):
        """The text of a file of the same build, as config or System.map, that lies beside the image
        with its release in the name, or atop of the tree that it was built in; else None.
        """
        folder, own = os.path.split(os.path.realpath(self.path))
        release = own.partition("-")[2]
        top = folder[:-len(BUILT_IN)] if folder.endswith(BUILT_IN) else folder
        for path in (f"{folder}/{name}-{release}", f"{top}/.{name}", f"{top}/{name}"):
            if os.path.isfile(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    return file.read()
        return None


def load(path):
    """The Image in a file. Raises UsageError where it is none that a PC can boot."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise UsageError(f"--kernel {path}: {error.strerror}: a kernel's image is needed") from None
    path, sha256 = os.path.abspath(path), hashlib.sha256(content).hexdigest()
    if content[MAGIC:MAGIC + 4] == b"HdrS":
        return Image(path, sha256, "vmlinuz", _release(content))
    # 64 bits, little endian, an executable for x86-64.
    if content[:6] == b"\x7fELF\x02\x01" and content[16:20] == b"\x02\0\x3e\0":
        if not _has_entry(content):
            raise UsageError(f"--kernel {path}: a vmlinux boots only with CONFIG_PVH=y; the "
                             "bzImage of the same build boots without")
        return Image(path, sha256, "vmlinux")
    raise UsageError(f"--kernel {path}: neither a bzImage (vmlinuz) nor a vmlinux for x86-64")


def _release(content):
    at = struct.unpack_from("<H", content, KERNEL_VERSION)[0] + 0x200
    return content[at:at + 256].split(b"\0")[0].split(b" ")[0].decode(errors="replace") or None


def bootable(image):
    """The path of what boots fastest: the kernel itself, unpacked once and kept, so that no guest
    spends its time on that; else the image as it is.
    """
    if image.kind == "vmlinux":
        return image.path
    kept = os.path.join(cache("kernels"), f"{image.sha256}.vmlinux")
    if not os.path.exists(kept):
        with open(image.path, "rb") as file:
            kernel = _unpack(file.read())
        if kernel is None or not _has_entry(kernel):
            return image.path
        keep(kept, kernel)
    return kept


def cache(folder):
    """A folder of what is made once and used by later calls; it is made where it is missing."""
    above = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = os.path.join(above, "opscale", folder)
    os.makedirs(path, exist_ok=True)
    return path


def keep(path, content):
    """Write a file of the cache, wholly or not at all."""
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(path), delete=False) as file:
        file.write(content)
    os.replace(file.name, path)


def _unpack(content):
    """The kernel within a bzImage, None where nothing here can unpack it."""
    setup = ((content[SETUP_SECTORS] or 4) + 1) * 512
    offset, length = struct.unpack_from("<II", content, PAYLOAD)
    payload = content[setup + offset:setup + offset + length]
    kind = next((kind for start, kind in UNPACKERS if payload.startswith(start)), None)
    reader = READERS.get(kind)
    if reader:
        # Of one stream: the size that the build appends is no second one.
        stream = reader()
        try:
            kernel = stream.decompress(payload)
        except (zlib.error, lzma.LZMAError, OSError):
            return None
        return kernel if stream.eof else None
    command = kind and shutil.which(kind)
    done = command and subprocess.run([command, "-dc"], input=payload[:-4], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, check=False)
    return done.stdout if done and done.returncode == 0 else None


def _has_entry(kernel):
    """Whether an ELF file has the note that lets a virtual machine start it as it is."""
    try:
        table, = struct.unpack_from("<Q", kernel, 32)
        size, count = struct.unpack_from("<HH", kernel, 54)
        for number in range(count):
            kind, _, start, _, _, length = struct.unpack_from("<IIQQQQ", kernel,
                                                              table + number * size)
            if kind == PT_NOTE and _note(kernel[start:start + length]):
                return True
    except struct.error:
        pass
    return False


def _note(notes):
    at = 0
    while at + 12 <= len(notes):
        name, length, kind = struct.unpack_from("<III", notes, at)
        if kind == XEN_PHYS32_ENTRY and notes[at + 12:at + 15] == b"Xen":
            return True
        at += 12 + (name + 3 & ~3) + (length + 3 & ~3)
    return False
