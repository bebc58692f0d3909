#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints docs/testcases.md, from the programs in the folder that the argument names."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ["OPSCALE_PROGRAMS"] = sys.argv[1]

from sweep import listing, program  # noqa: E402  the path must be set first
from sweep.places.local import Local  # noqa: E402

testcases = list(program.all_testcases().values())
program.describe(Local(), testcases)
print(*listing.markdown(testcases), sep="\n")
