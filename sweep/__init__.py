# SPDX-License-Identifier: GPL-2.0-or-later
"""What runtest.py and runalltests do: plan a sweep, run its programs, keep and show the results."""
