# SPDX-License-Identifier: GPL-2.0-or-later
"""Every X.csv of the current folder, a table of will-it-scale or of this suite, becomes X.html."""

import argparse
import glob
import os
import sys

import needs
import loading
import report
from commandline import BAD_INPUT, NOISE, Parser
from comparison import Settings


def main():
    Parser(prog="postprocess.py", description=__doc__, allow_abbrev=False,
           formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    needs.ensure(report.MODULES["html"])
    tables = sorted(glob.glob("*.csv"))
    if not tables:
        print(f"postprocess.py: there is no X.csv in {os.getcwd()}: runalltests writes them",
              file=sys.stderr)
        return BAD_INPUT
    status = 0
    for table in tables:
        name = os.path.splitext(table)[0]
        try:
            text, _ = report.page_of([table], name, Settings(NOISE))
            report.write(f"{name}.html", text)
        except loading.InputError as error:
            print(f"postprocess.py: {error}", file=sys.stderr)
            status = BAD_INPUT
        except OSError as error:
            print(f"postprocess.py: cannot write {name}.html: {error.strerror}", file=sys.stderr)
            return BAD_INPUT
    return status
