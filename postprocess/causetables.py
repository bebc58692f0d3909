# SPDX-License-Identifier: GPL-2.0-or-later
"""What has changed with a point, as lines for people and as objects for programs."""

import dataclasses
import math

# Of a point's lines; what is left out is said.
MOST = 40


def number(value):
    """In ten columns, four significant digits or whole."""
    return f"{value:10.0f}" if abs(value) >= 10000 else f"{value:10.4g}"


def _spread(spread):
    """As in LKP's reports, but said where there is none: a blank reads as 0."""
    return " n/a" if spread is None else f"{min(spread, 999):3.0f}%"


def _change(one):
    if one.in_points:
        return f"{one.change:+8.1f} "
    if math.isinf(one.change):
        return f"{'new':>8} "
    return f"{100 * one.change:+8.1f}%"


def line(one):
    """A statistic in the form of LKP's reports: base, change, candidate, name."""
    mark = " (*)" if one.significant else ""
    unit = f" {one.unit}" if one.unit and not one.in_points else ""
    return (f"{number(one.base)} ±{_spread(one.base_spread)}  {_change(one)} "
            f"{number(one.candidate)} ±{_spread(one.candidate_spread)}  {one.name}{unit}{mark}")


def legend(settings):
    """How to read the lines of all points."""
    yield ("What else changed with these points: what was recorded of the system, events and "
           "profiles over the measurements.")
    yield ("Left: base. Right: candidate. Each the mean over runs, beside it the standard "
           "deviation in percent of it (n/a: of a single run, or of 0).")
    yield ("A plus means that the candidate has more of it; whether that is good depends on what "
           "it is. 'new': base has none.")
    yield ("Values of a perf-profile are percent of the samples, their change is in points. A "
           "value without a unit is a level (pages, kB, bytes):")
    yield ("it drifts with whatever else the machine does, and says little of sides that were "
           "measured one after the other.")
    yield (f"(*): significant ({100 * settings.confidence:g} %, corrected for all lines), and "
           f"beyond {100 * settings.noise:g} % or 0.1 points.")


def shown(one, every):
    """The Causes of a point that are told."""
    return [each for each in one.causes if every or each.significant]


def table(compared, settings, every):
    """The section of all points that have something to tell."""
    explained = [one for one in compared if one.causes]
    if not explained:
        return
    yield ""
    yield from legend(settings)
    for one in explained:
        causes = shown(one, every)
        yield ""
        yield (f"{one.testcase} {one.mode} {one.tasks}: {one.words}, {100 * one.change:+.1f} %"
               f"{'' if causes else ': nothing else that was recorded changed significantly'}")
        yield from map(line, causes if every else causes[:MOST])
        if not every and len(causes) > MOST:
            yield f"  and {len(causes) - MOST} more: --all-statistics shows them"


def whole(one):
    """The Causes of a point as objects of JSON, of which none is infinite."""
    return [{**dataclasses.asdict(each),
             "change": None if math.isinf(each.change) else each.change} for each in one.causes]
