# SPDX-License-Identifier: GPL-2.0-or-later
"""What a report shows of one testcase: a title and sections, each of which is a figure, a table or
a text. Plain objects, fit for JSON; all text is as it is to be read, none is markup. A figure
without data is the one before it by the task, as figures.per_task(): the page divides.
"""

import causetables
import comparison
import counted
import countedtables
import figures
import inference
import repeating
import tables
from loading import MODES

# Rows of tables that have no natural end.
MOST_FUNCTIONS = 30
MOST_CALLS = 20

IN_WORDS = ("More is better: operations per second, the median over runs. Dots are runs, the band "
            "is the {confidence:g} % interval of the median.")
OF_TOTALS = (" Dashed: linear scaling from 1 task. Dotted, on the right axis: how much of the "
             "machine was idle. A thin line of dashes and dots: the fit of the Universal "
             "Scalability Law.")


def view(one, settings):
    """The view of a gathering.Testcase."""
    return {"title": one.title, "place": one.place, "group": one.group,
            "description": one.description, "sentences": [*_sentences(one)],
            "text": "\n".join(_mail(one, settings)),
            "sections": [section for section in _sections(one, settings) if section]}


def _sentences(one):
    several = len(one.scaling) > 1
    for side, scaling in one.scaling.items():
        yield f"{side + ': ' if several else ''}{scaling.sentence}."
    for side, points in one.counted.items():
        for each in points:
            yield f"{side}, {each.mode}: {each.words}."
    for side, point in one.failures:
        yield f"{side}, {point.mode}, {point.tasks} tasks: not measured: {point.failures[0]}"


def _sections(one, settings):
    of_all = figures.total(one, settings)
    if of_all["data"]:
        words = IN_WORDS.format(confidence=100 * settings.confidence)
        yield _figure("Operations per second of all tasks", of_all, words + OF_TOTALS)
        yield {"kind": "figure", "title": "Operations per second of one task", "note": words,
               "figure": {"layout": figures.per_task_layout(one)}}
    for side, compared in one.compared.items():
        yield _figure(f"Change from {next(iter(one.sides))} to {side}",
                      figures.change(compared, settings),
                      "Below 0: slower. Bars are intervals of the change; the grey band is what "
                      f"is not called a change ({100 * settings.noise:g} %).")
    yield _points(one, settings)
    for side, compared in one.compared.items():
        yield _table(f"Verdicts on {side}", tables.header(settings)[1:],
                     [tables.cells(each)[1:] for each in compared], (0, 8))
        yield _causes(side, compared, settings)
    yield from _instructions(one)
    if one.scaling:
        yield _figure("Which CPU is slow", figures.by_cpu(one, settings),
                      "The largest count of each mode: each task's rate against the median of all "
                      "tasks of its run. Marks are medians over runs, bars reach from the least to "
                      "the greatest.")
        yield _figure("Samples over time", figures.over_time(one, settings),
                      "The largest count of each mode: the slowest, the middle and the fastest "
                      "run. Shaded: the warm-up, which is not measured.")
    yield from _profiles(one)
    yield from _latencies(one)
    yield _commands(one)


def _figure(title, figure, note):
    return {"kind": "figure", "title": title, "note": note, "figure": figure} \
        if figure["data"] else None


def _table(title, header, rows, left, note=""):
    return {"kind": "table", "title": title, "note": note, "header": list(header),
            "rows": [list(row) for row in rows], "left": list(left)} if rows else None


def _text(title, lines, note=""):
    return {"kind": "text", "title": title, "note": note, "text": "\n".join(lines)}


POINTS = ("side", "mode", "tasks", "runs", "per task", "interval", "+-", "all tasks", "idle",
          "not measured")
POINTS_LEFT = (0, 1, 9)


def _rows(one, settings):
    """Rows of the table of points."""
    for mode in MODES:
        for side, points in one.sides.items():
            for (of, tasks), point in sorted(points.items()):
                if of == mode and not point.counted:
                    yield (side, mode, str(tasks), str(len(point.runs)),
                           *_values(point, settings), _reasons(point))


def _values(point, settings):
    value = comparison.value(point, settings)
    if value is None:
        return "not measured", "", "", "", ""
    interval = "" if value.low is None else \
        f"{tables.number(value.low)} to {tables.number(value.high)}"
    idle = [run.idle for run in point.runs if run.idle is not None]
    spread = "-" if value.spread is None else f"{value.spread:.1f} %"
    return (tables.number(value.median), interval, spread,
            tables.number(inference.median([run.rate for run in point.runs])),
            f"{100 * inference.median(idle):.1f} %" if idle else "")


def _reasons(point):
    if not point.failures:
        return ""
    several = f"{len(point.failures)} runs: " if len(point.failures) > 1 else ""
    return several + point.failures[0]


def _points(one, settings):
    return _table("All points", POINTS, [*_rows(one, settings)], POINTS_LEFT,
                  "Operations per second, the median over runs; +- is the standard deviation of "
                  "the runs in percent of their mean. More is better.")


def _causes(side, compared, settings):
    lines = []
    for each in compared:
        if each.causes:
            lines += ["", f"{each.testcase} {each.mode} {each.tasks}: {each.words}, "
                          f"{100 * each.change:+.1f} %", *map(causetables.line, each.causes)]
    return _text(f"What else changed with {side}", [*causetables.legend(settings), *lines]) \
        if lines else None


def _instructions(one):
    for side, points in one.counted.items():
        yield _table(f"Instructions of an operation, to {side}", countedtables.HEADER[1:],
                     [countedtables.cells(each)[1:] for each in points], (0, 5),
                     " ".join(countedtables.head()))
        for each in points:
            rows = [countedtables.function_cells(function)
                    for function in each.functions[:MOST_FUNCTIONS]]
            yield _table(f"Functions of the kernel that changed with {side}: {each.mode}",
                         countedtables.FUNCTIONS, rows, (3,))
    for name, points in one.sides.items():
        for (mode, _), point in sorted(points.items()):
            if point.counted and point.runs:
                yield _functions(name, mode, point)


def _functions(name, mode, point):
    medians = [(inference.median(values), function)
               for function, (values, _) in counted.by_name(point).items()]
    every = sum(value for value, _ in medians)
    rows = [(countedtables.number(value), f"{value / every:.1%}".replace("%", " %"), function)
            for value, function in sorted(medians, key=lambda row: (-row[0], row[1]))
            if value][:MOST_FUNCTIONS]
    return _table(f"Functions of the kernel by instructions: {name}, {mode}",
                  ("instructions", "share", "function"), rows, (2,),
                  "Of one operation, the median over windows; shares are of what the kernel "
                  f"executes. The {len(rows)} longest of {len(medians)}.")


def _fullest(points, mode, what):
    """The point with the most tasks that has some of it."""
    return next((point for (of, _), point in sorted(points.items(), reverse=True)
                 if of == mode and getattr(point, what)), None)


def _profiles(one):
    for name, points in one.sides.items():
        for mode in MODES:
            point = _fullest(points, mode, "profiles")
            if point:
                yield _figure(
                    f"Profile: {name}, {mode}, {point.tasks} tasks",
                    figures.flame(point.profiles),
                    "What was executed when samples were taken, callers below what they call, as "
                    "wide as their share of the samples; the colours tell nothing. A click "
                    "enlarges a function.")


CALLS = ("system call", "calls", "failed", "mean", "maximum", "deviation")


def _latencies(one):
    for name, points in one.sides.items():
        for mode in MODES:
            point = _fullest(points, mode, "latencies")
            if point:
                rows = [(call, f"{calls:,}", f"{failed:,}", *(f"{time:,.3f}" for time in times))
                        for call, calls, failed, *times in point.latencies[0][:MOST_CALLS]]
                yield _table(f"System calls: {name}, {mode}, {point.tasks} tasks", CALLS, rows,
                             (0,), "Traced by the kernel, in microseconds.")


def _commands(one):
    lines = []
    for name, results in one.results.items():
        for result in results:
            again, whole = repeating.command(result), repeating.whole(result)
            if not again:
                continue
            lines += [f"# {name}, as on {result['started'][:16].replace('T', ' ')}", again]
            if whole != again:
                lines += ["# then it was a part of", f"# {whole}"]
    if not lines:
        return _text("How to repeat it", ["A table does not say how it was measured."])
    return _text("How to repeat it", lines)


def _mail(one, settings):
    """The testcase's numbers as lines for a mail."""
    yield f"{one.name}{f' ({one.place})' if one.place else ''}: {one.description}"
    yield from _sentences(one)
    for compared in one.compared.values():
        yield ""
        yield from tables.head(compared, settings)
        yield ""
        yield from tables.table(compared, settings)
        yield from tables.tail(compared, settings)
    for points in one.counted.values():
        yield ""
        yield from countedtables.head()
        yield ""
        yield from countedtables.table(points)
        yield from countedtables.tail(points)
    rows = [*_rows(one, settings)]
    if rows and not one.compared:
        yield ""
        yield from tables.aligned([POINTS, *rows], POINTS_LEFT)
