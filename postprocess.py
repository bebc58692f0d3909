#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a page of each table in the current folder; --help tells how."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "postprocess"))
import classicpages  # noqa: E402  found by the line above

if __name__ == "__main__":
    sys.exit(classicpages.main())
