# SPDX-License-Identifier: GPL-2.0-or-later
"""Import this before the analysis's modules: it finds them, in a Python that has what they need, or
skips the test.
"""

import os
import sys

import suite

sys.path.insert(0, os.path.join(suite.SOURCE, "postprocess"))
try:
    import needs  # noqa: F401
except SystemExit:
    print("1..0 # SKIP numpy or scipy is missing")
    sys.exit(0)

COMPARE = os.path.join(suite.SOURCE, "postprocess", "compare.py")
