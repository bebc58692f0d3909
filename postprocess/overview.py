# SPDX-License-Identifier: GPL-2.0-or-later
"""A report's table of testcases: a row for each, as HTML, readable without a script."""

import urllib.parse
from html import escape

import inference
import scaling
from comparison import Verdict
from figures import COLOURS
from loading import MODES

# A curve's picture, in pixels; within it a margin for the width of its line.
WIDTH, HEIGHT, MARGIN = 110, 32, 2

NOT_MEASURED = "not measured"

# Changes that matter most come first.
SEVERITY = ("slower", "more instructions", "faster", "fewer instructions")


def address(one):
    """What stands after # in the address of a testcase's view."""
    return urllib.parse.quote(one.title, safe="")


def table(found, sides):
    """HTML of the table of gathering.Testcases; sides: their names, base first."""
    columns = ["testcase", "group", *MODES, "efficiency", "does it scale?",
               *(f"change to {side}" for side in sides[1:])]
    head = "".join(f'<th scope="col" aria-sort="none"><button type="button">{escape(column)}'
                   "</button></th>" for column in columns)
    rows = "\n".join(_row(one, sides) for one in found)
    return (f'<table id="testcases"><thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{rows}\n</tbody></table>")


def groups(found):
    return sorted({one.group for one in found})


def verdicts(found):
    """All that is said of any testcase, sorted."""
    return sorted(set().union(*(said(one) for one in found)))


def said(one):
    """Verdicts on a testcase, of its curves and of its changes, by which it can be chosen."""
    words = {f"{mode}: {scaling.course(curve)[0]}" for each in one.scaling.values()
             for mode, curve in each.curves.items()}
    words |= {each.verdict.value for compared in (*one.compared.values(), *one.counted.values())
              for each in compared}
    return words | ({NOT_MEASURED} if one.failures else set())


def _row(one, sides):
    cells = [
        (one.name, f'<a href="#{address(one)}">{escape(one.title)}</a>'
                   f"<small>{escape(one.description)}</small>"),
        (one.group, escape(one.group)),
        *(_curve(one, mode) for mode in MODES),
        _efficiency(one),
        _course(one),
        *(_change(one, side) for side in sides[1:]),
    ]
    words = "".join(f'<td data-sort="{escape(str(key))}">{content}</td>' for key, content in cells)
    chosen = escape("|".join(sorted(said(one))))
    return f'<tr data-group="{escape(one.group)}" data-verdicts="{chosen}">{words}</tr>'


def _medians(one, mode):
    """{side: [(tasks, rate of all)]} of what was timed."""
    return {side: [(point.tasks, point.rate) for point in each.curves[mode].points]
            for side, each in one.scaling.items() if mode in each.curves}


def _curve(one, mode):
    """Sorts by the rate at the largest count of the first side."""
    medians = _medians(one, mode)
    if not medians:
        failed = any(point.mode == mode for _, point in one.failures)
        return -1, f'<span class="none">{NOT_MEASURED if failed else "-"}</span>'
    rates = next(iter(medians.values()))
    told = "; ".join(f"{side}: " + ", ".join(f"{rate:,.0f} at {tasks}" for tasks, rate in
                                             dict.fromkeys((points[0], points[-1])))
                     for side, points in medians.items())
    lines = []
    most_tasks = max(tasks for points in medians.values() for tasks, _ in points)
    top = max(rate for each in MODES for points in _medians(one, each).values()
              for _, rate in points)
    for number, points in enumerate(medians.values()):
        family = COLOURS[mode]
        at = [(MARGIN + (WIDTH - 2 * MARGIN) * tasks / most_tasks,
               HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * rate / top) for tasks, rate in points]
        colour, dash = family[number % len(family)], ' stroke-dasharray="4 2"' * (number > 0)
        if len(at) == 1:
            lines.append(f'<circle cx="{at[0][0]:.1f}" cy="{at[0][1]:.1f}" r="2" '
                         f'fill="{colour}"/>')
        else:
            lines.append(f'<polyline points="{" ".join(f"{x:.0f},{y:.1f}" for x, y in at)}" '
                         f'stroke="{colour}"{dash}/>')
    return rates[-1][1], (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<title>{escape(mode)}, operations per second of all tasks: {escape(told)}</title>"
        f'{"".join(lines)}</svg>')


def _efficiency(one):
    """Of the last side, at the largest count that leaves each task a CPU of its own."""
    if not one.scaling:
        return -1, "-"
    each = [*one.scaling.values()][-1]
    told, least = [], []
    for mode, curve in each.curves.items():
        most = each.topology.most
        within = [point for point in curve.points if most is None or point.tasks <= most]
        point = (within or curve.points)[-1]
        if point.tasks > curve.points[0].tasks:
            least.append(point.efficiency)
            told.append(f"{mode} {100 * point.efficiency:.0f} % at {point.tasks}")
    return f"{min(least):.4f}" if least else -1, escape("; ".join(told) or "one count only")


def _course(one):
    """Sorts by where the first mode stops gaining."""
    if not one.scaling:
        return -1, "-"
    each = [*one.scaling.values()][-1]
    fits = [curve.fit.peak for curve in each.curves.values() if curve.holds]
    return f"{min(fits):.3f}" if fits else -1, escape(each.sentence)


def _change(one, side):
    """Sorts by the change that matters most, the worst first."""
    timed, counts = one.compared.get(side, []), one.counted.get(side, [])
    changed = [(SEVERITY.index(each.verdict.value), -abs(share), share, each)
               for compared, key in ((timed, "change"), (counts, "share")) for each in compared
               if each.verdict.value in SEVERITY
               for share in [getattr(each, key)]]
    if not changed:
        return 0, escape(_unchanged(timed, counts))
    _, _, share, each = min(changed, key=lambda row: row[:2])
    more = f"; {len(changed)} of {len(timed) + len(counts)} points" if len(changed) > 1 else ""
    words = f"{each.verdict.value}, {100 * share:+.1f} % ({each.mode} {each.tasks}){more}"
    good = each.verdict.value in ("faster", "fewer instructions")
    key = share if each.verdict in (Verdict.SLOWER, Verdict.FASTER) else -share
    return f"{key:.6f}", f'<b class="{"better" if good else "worse"}">{escape(words)}</b>'


def _unchanged(timed, counts):
    """What is said where nothing changed."""
    bounds = [each.bound for each in timed if each.verdict == Verdict.NO_CHANGE]
    if bounds:
        return f"no change larger than {100 * max(bounds):.1f} %"
    return next((each.words for each in (*counts, *timed)), NOT_MEASURED)


def means(found, side):
    """Geometric means of a side's changes by mode, as words; empty where there are none."""
    said_of = []
    for mode in MODES:
        ratios = [1 + each.change for one in found for each in one.compared.get(side, [])
                  if each.mode == mode and each.low is not None]
        if ratios:
            mean = inference.geometric_mean(ratios) - 1
            said_of.append(f"{mode} {100 * mean:+.2f} % over {len(ratios)} points")
    return "; ".join(said_of)
