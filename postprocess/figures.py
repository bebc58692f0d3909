# SPDX-License-Identifier: GPL-2.0-or-later
"""The plots of a testcase, as plain objects of plotly's JSON (traces and layout): pure functions of
loaded sides. Values in them are operations per second unless an axis says otherwise.

Lines of one mode have one family of colours, sides differ by colour, dash and symbol; the colours
are those of Okabe and Ito (Color Universal Design, 2008), which colour-blind readers tell apart.
"""

import html

import numpy as np

import inference
from loading import MODES

COLOURS = {"processes": ("#0072b2", "#56b4e9", "#009e73"),
           "threads": ("#d55e00", "#e69f00", "#cc79a7")}
DASHES = ("solid", "dash", "dot")
SYMBOLS = ("circle", "diamond", "square")
GREY = "#808080"

# Runs of a point whose samples are shown: the slowest, that in the middle, and the fastest.
SHOWN_RUNS = (0, 0.5, 1)

# On an axis of tasks; more would be drawn over each other.
MOST_LABELS = 16

# Of the line of a fit.
FIT_POINTS = 20

# Of all samples: boxes of a flame graph below this would be too small to be seen.
LEAST_FLAME = 0.003


def plain(text):
    """Text as plotly shows it unchanged: it takes a part of HTML for markup."""
    return html.escape(str(text), quote=False)


def _style(mode, number):
    """Colour, dash and symbol of a mode's lines on the side of this number."""
    family = COLOURS[mode]
    return (family[number % len(family)], DASHES[number % len(DASHES)],
            SYMBOLS[number % len(SYMBOLS)])


def _name(mode, side, several):
    return plain(f"{mode}, {side}" if several else mode)


def _rounded(values, digits=5):
    """Numbers with no more digits than they have meaning: they are most of a page's size."""
    return [None if value is None else float(f"{value:.{digits}g}") for value in values]


def _layout(x, y, **more):
    return {"xaxis": {"title": {"text": x}}, "yaxis": {"title": {"text": y}}, **more}


def _over_tasks(counts, y, **more):
    """The layout of a plot over task counts: there is nothing between two of them."""
    layout = _layout("tasks", y, **more)
    if len(counts) <= MOST_LABELS:
        layout["xaxis"].update(tickvals=counts, ticktext=[*map(str, counts)])
    return layout


def _curves(one):
    """(mode, number of the side, its name, {tasks: Point}) of all that was to be timed."""
    for mode in MODES:
        for number, (name, points) in enumerate(one.sides.items()):
            found = {tasks: point for (of, tasks), point in sorted(points.items())
                     if of == mode and not point.counted}
            if found:
                yield mode, number, name, found


def total(one, settings):
    """Operations per second of all tasks together against tasks, with the machine's idle time."""
    several = len(one.sides) > 1
    traces, first = [], []
    for mode, number, side, points in _curves(one):
        name, group = _name(mode, side, several), f"{mode}{number}"
        measured = {tasks: [run.rate for run in point.runs]
                    for tasks, point in points.items() if point.runs}
        traces += _band(measured, settings, mode, number, group)
        traces += _medians(measured, mode, number, group, name)
        traces += _failures(points, mode, number, group)
        traces += _fit(one, mode, side, number, group)
        traces += _idle(points, mode, number, group, name)
        if 1 in measured:
            first.append(inference.median(measured[1]))
    counts = _counts(one)
    if first:
        traces.append({
            "type": "scatter", "mode": "lines", "name": "linear", "meta": "linear", "x": counts,
            "y": _rounded([max(first) * tasks for tasks in counts]),
            "line": {"color": GREY, "dash": "dash", "width": 1}})
    layout = _rates("operations per second of all tasks", one)
    layout["yaxis2"] = {"title": {"text": "idle, % of the machine"}, "overlaying": "y",
                        "side": "right", "range": [0, 102], "showgrid": False}
    return {"data": traces, "layout": layout}


def per_task(one, settings):
    """Operations per second of one task against tasks: what total() has, by the task."""
    data = [{**trace, "y": _rounded(np.divide(trace["y"], trace["x"]))}
            for trace in total(one, settings)["data"] if trace.get("yaxis") != "y2"]
    return {"data": data, "layout": per_task_layout(one)}


def per_task_layout(one):
    return _rates("operations per second of one task", one)


def _counts(one):
    return sorted({tasks for _, _, _, points in _curves(one) for tasks in points})


def _rates(title, one):
    counts = _counts(one)
    layout = _over_tasks(counts, title, **_steps(one, counts))
    layout["yaxis"]["rangemode"] = "tozero"
    return layout


def _band(measured, settings, mode, number, group):
    """The interval of each median; none for counts with too few runs."""
    found = {tasks: inference.median_interval(rates, settings.confidence)
             for tasks, rates in measured.items()}
    found = {tasks: interval for tasks, interval in found.items() if interval}
    if not found:
        return []
    tasks = [*found]
    colour, _, _ = _style(mode, number)
    return [{"type": "scatter", "mode": "lines", "meta": "interval", "legendgroup": group,
             "showlegend": False, "hoverinfo": "skip", "fill": "toself", "opacity": 0.25,
             "line": {"width": 0}, "fillcolor": colour, "x": tasks + tasks[::-1],
             "y": _rounded([found[each][0] for each in tasks] +
                           [found[each][1] for each in tasks[::-1]])}]


def _medians(measured, mode, number, group, name):
    if not measured:
        return []
    colour, dash, symbol = _style(mode, number)
    medians = {"type": "scatter", "mode": "lines+markers", "meta": "median", "name": name,
               "legendgroup": group, "x": [*measured],
               "y": _rounded(map(inference.median, measured.values())),
               "line": {"color": colour, "dash": dash}, "marker": {"symbol": symbol, "size": 7}}
    dots = {"type": "scatter", "mode": "markers", "meta": "runs", "showlegend": False,
            "legendgroup": group, "name": name, "opacity": 0.45,
            "x": [tasks for tasks, rates in measured.items() for _ in rates],
            "y": _rounded(np.concatenate([*measured.values()])),
            "marker": {"color": colour, "symbol": symbol, "size": 4}}
    return [medians, dots]


def _failures(points, mode, number, group):
    """A cross on the axis where no run was measured: no number."""
    failed = [point for point in points.values() if not point.runs and point.failures]
    if not failed:
        return []
    return [{"type": "scatter", "mode": "markers", "meta": "failed", "legendgroup": group,
             "name": f"{mode}: not measured", "x": [point.tasks for point in failed],
             "y": [0] * len(failed), "hoverinfo": "text",
             "text": [plain(f"{mode} {point.tasks}: {point.failures[0]}") for point in failed],
             "marker": {"color": _style(mode, number)[0], "symbol": "x", "size": 9}}]


def _fit(one, mode, side, number, group):
    """The Universal Scalability Law over the counts that it was fitted to, where it holds."""
    scaling = one.scaling.get(side)
    curve = scaling and scaling.curves.get(mode)
    if not curve or not curve.holds:
        return []
    tasks = _rounded(np.linspace(curve.fitted[0].tasks, curve.fitted[-1].tasks, FIT_POINTS), 3)
    return [{"type": "scatter", "mode": "lines", "meta": "fit", "legendgroup": group,
             "name": f"fit of {mode}", "showlegend": False, "hoverinfo": "skip",
             "x": tasks, "y": _rounded(curve.fit.throughput(np.array(tasks))),
             "line": {"color": _style(mode, number)[0], "width": 1, "dash": "longdashdot"}}]


def _idle(points, mode, number, group, name):
    known = {tasks: [run.idle for run in point.runs if run.idle is not None]
             for tasks, point in points.items()}
    known = {tasks: 100 * inference.median(shares) for tasks, shares in known.items() if shares}
    if not known:
        return []
    colour, _, symbol = _style(mode, number)
    return [{"type": "scatter", "mode": "lines+markers", "meta": "idle", "yaxis": "y2",
             "name": f"idle: {name}", "legendgroup": group, "showlegend": False, "opacity": 0.6,
             "x": [*known], "y": _rounded(known.values(), 4),
             "line": {"color": colour, "dash": "dot", "width": 1},
             "marker": {"color": colour, "symbol": f"{symbol}-open", "size": 5}}]


def _steps(one, counts):
    """Vertical lines where a task is the first to use another part of the topology."""
    steps = [step for step in one.steps if counts and counts[0] < step[0] <= counts[-1]]
    return {
        "shapes": [{"type": "line", "x0": tasks, "x1": tasks, "yref": "paper", "y0": 0, "y1": 1,
                    "line": {"color": GREY, "width": 1, "dash": "dot"}} for tasks, _ in steps],
        "annotations": [{"x": tasks, "yref": "paper", "y": 1, "text": plain(what),
                         "textangle": -90, "showarrow": False, "xanchor": "right",
                         "yanchor": "top", "font": {"size": 11, "color": GREY}}
                        for tasks, what in steps]}


def change(compared, settings):
    """A side against the base: the change of each point with its interval, in percent."""
    traces = []
    for number, mode in enumerate(MODES):
        points = [one for one in compared if one.mode == mode and one.change is not None]
        if not points:
            continue
        colour, _, _ = _style(mode, 0)
        bounds = [(0, 0) if one.low is None else (one.change - one.low, one.high - one.change)
                  for one in points]
        traces.append({
            "type": "scatter", "mode": "markers", "name": mode, "meta": "change",
            "x": [one.tasks for one in points],
            "y": _rounded([100 * one.change for one in points]),
            "hoverinfo": "text", "text": [plain(f"{mode} {one.tasks}: {100 * one.change:+.2f} %, "
                                                f"{one.words}") for one in points],
            "error_y": {"type": "data", "symmetric": False, "thickness": 1.5,
                        "array": _rounded([100 * high for _, high in bounds]),
                        "arrayminus": _rounded([100 * low for low, _ in bounds])},
            "marker": {"color": colour, "size": 8, "symbol": SYMBOLS[number]}})
    noise = 100 * settings.noise
    counts = sorted({one.tasks for one in compared})
    layout = _over_tasks(counts, "change to candidate, %", shapes=[
        {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": -noise, "y1": noise,
         "fillcolor": GREY, "opacity": 0.15, "line": {"width": 0}},
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0, "y1": 0,
         "line": {"color": GREY, "width": 1}}])
    return {"data": traces, "layout": layout}


def _fullest(points):
    """The point with the most tasks that was measured, None where none was."""
    return next((points[tasks] for tasks in sorted(points, reverse=True) if points[tasks].runs),
                None)


def by_cpu(one, _settings):
    """Each task of the largest count against the median of all: over runs the median, the least
    and the greatest, in percent.
    """
    traces, most = [], 0
    several = len(one.sides) > 1
    for mode, number, side, points in _curves(one):
        point = _fullest(points)
        runs = [run.task_rates for run in point.runs if run.task_rates] if point else []
        if not runs or point.tasks < 2:
            continue
        shares = _shares(np.array(runs))
        middle = np.median(shares, axis=0)
        most = max(most, point.tasks)
        colour, _, symbol = _style(mode, number)
        traces.append({
            "type": "scatter", "mode": "markers", "meta": "cpus", "x": [*range(point.tasks)],
            "name": f"{_name(mode, side, several)}: {point.tasks} tasks",
            "y": _rounded(middle, 2), "text": [_place(one, task) for task in range(point.tasks)],
            "hovertemplate": "%{text}: %{y:+.2f} %",
            "error_y": {"type": "data", "symmetric": False, "thickness": 2, "width": 0,
                        "array": _rounded(shares.max(axis=0) - middle, 2),
                        "arrayminus": _rounded(middle - shares.min(axis=0), 2)},
            "marker": {"color": colour, "symbol": symbol, "size": 6}})
    layout = _layout("CPU of the task", "against the median of all tasks, %")
    ticks = [*range(0, most, -(-most // MOST_LABELS))] if most else []
    layout["xaxis"].update(tickvals=ticks, ticktext=[_cpu(one, task) for task in ticks])
    return {"data": traces, "layout": layout}


def _shares(rates):
    """Runs by tasks: percent above or below the median of the run's tasks."""
    middle = np.median(rates, axis=1, keepdims=True)
    return 100 * (rates / np.where(middle > 0, middle, 1) - 1)


def _cpu(one, task):
    cpu = one.placement[task].get("cpu") if task < len(one.placement) else None
    return "?" if cpu is None else str(cpu)


def _place(one, task):
    row = one.placement[task] if task < len(one.placement) else {}
    where = ", ".join(f"{what} {number}" for what, number in row.items() if number is not None)
    return f"task {task}{': ' if where else ''}{where}"


def over_time(one, _settings):
    """The samples of the largest count's runs over time; before 0 they were warming up."""
    traces, longest = [], 0
    several = len(one.sides) > 1
    for mode, number, side, points in _curves(one):
        point = _fullest(points)
        runs = sorted((run for run in point.runs if run.sample_seconds) if point else (),
                      key=lambda run: run.rate)
        for place in sorted({round(share * (len(runs) - 1)) for share in SHOWN_RUNS if runs}):
            run = runs[place]
            longest = max(longest, run.warmup_seconds)
            lengths = np.array([*run.warmup_lengths, *run.sample_seconds])
            middles = np.cumsum(lengths) - lengths / 2 - sum(run.warmup_lengths)
            colour, dash, symbol = _style(mode, number)
            traces.append({
                "type": "scatter", "mode": "lines+markers", "meta": "samples",
                "name": f"{_name(mode, side, several)}: {point.tasks} tasks, round {run.round}",
                "legendgroup": f"{mode}{number}", "x": _rounded(middles, 4),
                "y": _rounded([*run.warmup_rates, *run.sample_rates]),
                "line": {"color": colour, "dash": dash, "width": 1},
                "marker": {"symbol": symbol, "size": 4}})
    layout = _layout("seconds from the beginning of the measurement",
                     "operations per second of all tasks")
    if longest:
        layout["shapes"] = [{"type": "rect", "x0": -longest, "x1": 0, "yref": "paper", "y0": 0,
                             "y1": 1, "fillcolor": GREY, "opacity": 0.15, "line": {"width": 0}}]
        layout["annotations"] = [{"x": 0, "yref": "paper", "y": 1, "text": "warm-up",
                                  "xanchor": "right", "yanchor": "top", "showarrow": False,
                                  "font": {"size": 11, "color": GREY}}]
    return {"data": traces, "layout": layout}


def flame(profiles):
    """The chains of all profiles of a point as a flame graph: callers below what they call, as wide
    as their share of the samples.
    """
    samples = sum(profile.samples for profile in profiles)
    counts = {}
    for profile in profiles:
        for chain, count in profile.chains.items():
            names = chain.split(";")
            for depth in range(1, len(names) + 1):
                key = tuple(names[:depth])
                counts[key] = counts.get(key, 0) + count
    kept = {key: count for key, count in sorted(counts.items())
            if count >= LEAST_FLAME * samples}
    if not kept:
        return {"data": [], "layout": {}}
    numbers = {key: str(number) for number, key in enumerate(kept, 1)}
    return {"data": [{
        "type": "icicle", "meta": "flame", "branchvalues": "total", "sort": False,
        "ids": ["0", *numbers.values()], "labels": ["all", *(plain(key[-1]) for key in kept)],
        "parents": ["", *(numbers.get(key[:-1], "0") for key in kept)],
        "values": [samples, *kept.values()],
        "hovertemplate": "%{label}: %{value} samples, %{percentRoot:.1%}<extra></extra>",
        "tiling": {"orientation": "v", "flip": "y", "pad": 1}, "root": {"color": "#f0e0c0"},
        "marker": {"colors": ["#f0e0c0", *(_warm(key[-1]) for key in kept)]}}],
        "layout": {"margin": {"l": 5, "r": 5, "t": 5, "b": 5}}}


def _warm(name):
    """The colour tells nothing but where a function begins and ends."""
    number = sum(ord(letter) * (place + 1) for place, letter in enumerate(name))
    return f"hsl({20 + number % 35}, 85%, {62 + number % 14}%)"


# By the name that --plot has for them: those of a testcase's sides.
OF_SIDES = {"total": total, "per-task": per_task, "cpus": by_cpu, "samples": over_time}
