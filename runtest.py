#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures testcases over task counts; --help tells how."""

from sweep import cli

if __name__ == "__main__":
    cli.runtest()
