# SPDX-License-Identifier: GPL-2.0-or-later
"""A comparison in the forms in which the kernel's test robot reports: of 2014, and since 2015."""

import causetables
from comparison import Verdict

# The statistic's prefix in the robot's reports: scripts look for it.
SUITE = "will-it-scale"

MODE = {"processes": "process", "threads": "thread"}


def _percent(value):
    """Spread of a side, as the robot rounds it; said where there is none: a blank reads as 0."""
    return " n/a" if value is None or value.spread is None else f"{value.spread:3.0f}%"


def _comparable(compared):
    return [one for one in compared if one.change is not None]


def legend(settings):
    """What readers of such reports had to ask."""
    yield ("Left: base. Right: candidate. The middle is the change from base to candidate; a minus "
           "is fewer operations per second: slower.")
    yield ("The percentage beside a value is the standard deviation over independent runs, n/a for "
           f"a single one. (*): significant at {100 * settings.confidence:g} % after correction "
           f"for all points, and beyond {100 * settings.noise:g} %.")
    yield ("Below a changed point: what else changed with it, where the runs have recorded that; "
           "of a perf-profile, whose values are percent of the samples, the middle is in points.")


def _mark(one):
    return " (*)" if one.verdict in (Verdict.SLOWER, Verdict.FASTER) else ""


def lines_2014(compared, settings, every):
    """One line a statistic."""
    yield from legend(settings)
    yield ""
    for one in sorted(_comparable(compared), key=lambda one: one.statistic):
        yield (f"{one.base.median:10.0f} ~{_percent(one.base)}  {100 * one.change:+8.1f}% "
               f"{one.candidate.median:10.0f} ~{_percent(one.candidate)}  "
               f"{one.testcase}/{MODE[one.mode]}/{one.tasks} {SUITE}.{one.statistic}{_mark(one)}")
        yield from map(causetables.line, causetables.shown(one, every))


def _axes(one):
    return f"{MODE[one.mode]}/{one.tasks}/{one.testcase}/{SUITE}"


def lines(base, candidate, compared, settings, every):
    """A block for each point: its axes, the two kernels as headings, a line a statistic."""
    yield from legend(settings)
    for one in _comparable(compared):
        yield ""
        yield "=" * 89
        yield "mode/nr_task/test/testcase:"
        yield f"  {_axes(one)}"
        yield ""
        yield "commit: "
        yield f"  {_label(base)}"
        yield f"  {_label(candidate)}"
        yield ""
        yield f"{_label(base)[:16]:>16} {_label(candidate)[:27]:>27} "
        yield "---------------- --------------------------- "
        yield "         %stddev     %change         %stddev"
        yield "             \\          |                \\  "
        yield (f"{one.base.median:10.0f} ±{_percent(one.base)} {100 * one.change:+10.1f}% "
               f"{one.candidate.median:10.0f} ±{_percent(one.candidate)}  "
               f"{SUITE}.{one.statistic}{_mark(one)}")
        yield from map(causetables.line, causetables.shown(one, every))


def _label(side):
    return ", ".join(sorted({result["label"] for result in side.results}))
