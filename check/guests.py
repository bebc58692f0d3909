# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels for the tests to boot: Debian's, and small ones that are built here. Both are kept in a
cache, which OPSCALE_KERNELS may name.
"""

import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import suite

LEAN = os.path.join(suite.SOURCE, "check", "kernels", "lean.config")
CHANGE = os.path.join(suite.SOURCE, "check", "kernels", "plain_division.py")
SOURCES = "linux-source-6.1"

# Flavours of Debian's kernel: their images are compressed in different ways.
CLOUD, REALTIME = "linux-image-cloud-amd64", "linux-image-rt-amd64"


def cache():
    path = os.environ.get("OPSCALE_KERNELS") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "opscale-check")
    os.makedirs(path, exist_ok=True)
    return path


def _run(*command, **keywords):
    """What a command says. Raises CalledProcessError, and OSError where there is no such command.
    """
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=True, **keywords).stdout


def _fetched(*command, **keywords):
    """As _run() for what brings a package: a test is skipped where it is not to be had."""
    try:
        return _run(*command, **keywords)
    except OSError as error:
        raise unittest.SkipTest(f"{command[0]}: {error.strerror}") from None
    except subprocess.CalledProcessError as error:
        last = error.stdout.strip().splitlines()[-1:] or ["no message"]
        raise unittest.SkipTest(f"{' '.join(command[:3])} failed: {last[0]}") from None


def _unpacked(package):
    """Folder with what a package of Debian brings, which is not installed."""
    folder = os.path.join(cache(), package)
    if not os.path.isdir(folder):
        with tempfile.TemporaryDirectory(dir=cache()) as scratch:
            _fetched("apt-get", "download", package, cwd=scratch)
            (file,) = os.listdir(scratch)
            _run("dpkg-deb", "-x", os.path.join(scratch, file), os.path.join(scratch, "files"))
            os.rename(os.path.join(scratch, "files"), folder)
    return folder


@functools.lru_cache(maxsize=None)
def debian(flavour):
    """Path of the image of a flavour of Debian's kernel, with its modules in ../lib/modules."""
    told = _fetched("apt-cache", "depends", flavour)
    needed = re.findall(r"Depends: (linux-image-\S+)", told)
    if not needed:
        raise unittest.SkipTest(f"there is no package {flavour}")
    folder = os.path.join(_unpacked(needed[0]), "boot")
    (image,) = (name for name in os.listdir(folder) if name.startswith("vmlinuz-"))
    return os.path.join(folder, image)


def need_qemu():
    """Skips where there is nothing to boot a kernel with."""
    if not shutil.which("qemu-system-x86_64"):
        raise unittest.SkipTest("qemu-system-x86_64 is not installed")
    if not os.path.exists(os.path.join(suite.PROGRAMS, "opscale-init")):
        raise unittest.SkipTest("configure found that virtual machines cannot be had")


def _digest(*paths):
    content = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            content.update(file.read())
    return content.hexdigest()[:16]


@functools.lru_cache(maxsize=None)
def lean():
    """Paths of two small kernels, of which the second has other decimal conversion. It takes
    minutes to build them, once.
    """
    archive = os.path.join(_unpacked(SOURCES), "usr", "src", f"{SOURCES}.tar.xz")
    size = str(os.path.getsize(archive))
    folder = os.path.join(cache(), f"lean-{size}-{_digest(LEAN, CHANGE)}")
    if not os.path.isdir(folder):
        with tempfile.TemporaryDirectory(dir=cache()) as scratch:
            _run("tar", "-xf", archive, "-C", scratch)
            tree = os.path.join(scratch, SOURCES)
            _configure(tree)
            for name in ("base", "division"):
                if name == "division":
                    _run("python3", CHANGE, os.path.join(tree, "lib", "vsprintf.c"))
                _build(tree, os.path.join(scratch, "built", name))
            os.rename(os.path.join(scratch, "built"), folder)
    return tuple(os.path.join(folder, name, "bzImage") for name in ("base", "division"))


def _make(tree, *targets):
    _run("make", "-s", f"-j{len(os.sched_getaffinity(0))}", *targets, cwd=tree)


def _configure(tree):
    _make(tree, "tinyconfig")
    _run("scripts/kconfig/merge_config.sh", "-m", ".config", LEAN, cwd=tree)
    _make(tree, "olddefconfig")


def _build(tree, folder):
    _make(tree, "bzImage")
    os.makedirs(folder)
    for path in ("arch/x86/boot/bzImage", ".config", "System.map"):
        shutil.copy(os.path.join(tree, path), folder)
