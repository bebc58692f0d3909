# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds a Python that has the modules of the analysis; import it before them."""

import importlib.util
import os
import subprocess
import sys

# Those that all of the analysis needs, then those of a part of it.
COMMON = ("numpy", "scipy")
# Where distributions put their packages' Python; another one may come first in PATH.
SYSTEM_PYTHON = "/usr/bin/python3"


def _has_all(python, modules):
    code = "import " + ", ".join(modules)
    try:
        return subprocess.run([python, "-c", code], stderr=subprocess.DEVNULL,
                              check=False).returncode == 0
    except OSError:
        return False


def ensure(*modules):
    """Goes on in the system's Python where this one lacks a module; ends the process, saying which
    is missing, where that lacks it too. modules: what a part of the analysis needs besides.
    """
    wanted = (*COMMON, *modules)
    missing = [module for module in wanted if importlib.util.find_spec(module) is None]
    if not missing:
        return
    if _has_all(SYSTEM_PYTHON, wanted):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
    name = os.path.basename(sys.argv[0])
    packages = " ".join(f"python3-{module}" for module in missing)
    print(f"{name}: {sys.executable} has no module {' and '.join(missing)}: install the package "
          f"{packages} (./setup --all does)", file=sys.stderr)
    sys.exit(2)


ensure()
