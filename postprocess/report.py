#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes result files as one HTML page that shows whether testcases scale, and what changed: the
first label is the base, others are compared with it. Or one plot of a testcase as a picture.
"""

import argparse
import os
import sys

import needs
import figures
import gathering
import loading
from commandline import BAD_INPUT, Parser, add_evidence, add_only, chosen
from comparison import Settings

# What writes a format, beyond what all of the analysis needs.
MODULES = {"html": "plotly", "png": "matplotlib", "svg": "matplotlib"}

CHANGE = "change"

EPILOG = """
Exit status: 0 it is written, 2 bad input.
"""


def parser():
    made = Parser(prog="report.py", description=__doc__, epilog=EPILOG, allow_abbrev=False,
                  formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("results", metavar="RESULTS", nargs="+",
                      help="result files or folders, as results/LABEL; or folders of X.csv files, "
                      "as those of will-it-scale")
    made.add_argument("-o", "--output", metavar="FILE",
                      help="default: report.html, or TESTCASE-PLOT.png")
    made.add_argument("--title", default="Opscale report", help="of the page")
    made.add_argument("--format", choices=MODULES, default="html", help="default: html")
    made.add_argument("--plot", choices=[*figures.OF_SIDES, CHANGE],
                      help="of a png or svg: which one (default: total)")
    add_evidence(made, "changes")
    add_only(made)
    return made


def write(path, content):
    """Puts a file in its place wholly or not at all; content: text or bytes. Raises OSError."""
    beside = f"{path}.tmp"
    with open(beside, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    os.replace(beside, path)


def page_of(paths, title, settings, only=None):
    """The page's text, and lines about files that could not be used. Raises loading.InputError."""
    import page

    sides, found = _gathered(paths, settings, only)
    problems = [problem for side in sides.values() for problem in side.problems]
    return page.html(title, found, sides, settings), problems


def _gathered(paths, settings, only):
    sides = gathering.by_label(paths)
    for side in sides.values():
        side.points = {key: point for key, point in side.points.items()
                       if chosen(point.testcase, only)}
    found = gathering.testcases(sides, settings)
    if not found:
        raise loading.InputError(f"{' '.join(paths)}: no testcase matches {' or '.join(only)}"
                                 if only else f"{' '.join(paths)}: no run was tried")
    return sides, found


def _picture(arguments, settings):
    """A picture's bytes, the name that it has by itself, and lines as page_of()."""
    import picture

    sides, found = _gathered(arguments.results, settings, arguments.only)
    problems = [problem for side in sides.values() for problem in side.problems]
    if len(found) > 1:
        names = sorted({one.name for one in found})
        raise loading.InputError(f"--format {arguments.format} draws one testcase of one place: "
                                 f"--only chooses it, here of {', '.join(names)}")
    (one,) = found
    plot = arguments.plot or "total"
    if plot == CHANGE:
        compared = [*one.compared.values()]
        if not compared:
            raise loading.InputError(f"--plot {CHANGE} needs two labels, and there is only "
                                     f"{', '.join(sides)}")
        figure = figures.change(compared[0], settings)
    else:
        figure = figures.OF_SIDES[plot](one, settings)
    if not figure["data"]:
        raise loading.InputError(f"{one.name}: there is nothing to be drawn in --plot {plot}")
    title = f"{one.name}: {one.description}" if one.description else one.name
    return picture.draw(figure, title, arguments.format), f"{one.name}-{plot}", problems


def main():
    made = parser()
    arguments = made.parse_args()
    if arguments.plot and arguments.format == "html":
        made.error(f"--plot {arguments.plot}: a page has all plots; --format png or svg draws one")
    needs.ensure(MODULES[arguments.format])
    settings = Settings(arguments.noise, arguments.confidence)
    try:
        if arguments.format == "html":
            content, problems = page_of(arguments.results, arguments.title, settings,
                                        arguments.only)
            name = "report"
        else:
            content, name, problems = _picture(arguments, settings)
    except loading.InputError as error:
        print(f"report.py: {error}", file=sys.stderr)
        return BAD_INPUT
    for problem in problems:
        print(f"report.py: {problem}", file=sys.stderr)
    path = arguments.output or f"{name.replace(os.sep, '_')}.{arguments.format}"
    try:
        write(path, content)
    except OSError as error:
        print(f"report.py: cannot write {path}: {error.strerror}", file=sys.stderr)
        return BAD_INPUT
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
