# SPDX-License-Identifier: GPL-2.0-or-later
"""What perf has counted and recorded, for people: events, where time goes, how long system calls
take.
"""

import statistics

from sweep import columns

# Of a profile's functions, and of system calls.
MOST = 10


def lines(result):
    """Aligned lines of text, of recordings those of the points with most tasks; none where nothing
    was asked for.
    """
    found = _events(result)
    for mode in result["settings"]["modes"]:
        for key, told in (("profiles", _profile), ("latencies", _latency)):
            entries = [entry for entry in result[key]
                       if entry["mode"] == mode and entry["status"] == "ok"]
            most = max((entry["tasks"] for entry in entries), default=None)
            if most:
                found += told(f"{mode}, {most} task{'s' * (most > 1)}",
                              [entry for entry in entries if entry["tasks"] == most])
    return found


def _events(result):
    """What perf counted in one operation, as aligned lines of text; none where nothing was."""
    found = {}
    for run in result["runs"]:
        if run["status"] == "ok" and run["events"]:
            found.setdefault((run["tasks"], run["mode"]), []).append(run["events"])
    names = list(dict.fromkeys(name for runs in found.values() for events in runs
                               for name in events["counts"]))
    if not names:
        return []
    rows = [["tasks", "mode", *names]]
    for (tasks, mode), runs in sorted(found.items()):
        rows.append([str(tasks), mode, *(_per_operation(runs, name) for name in names)])
    return ["events of one operation, clocks in nanoseconds, mean of the rounds",
            *columns.aligned(rows)]


def _per_operation(runs, name):
    """The mean over runs that have counted the event."""
    counted = [events for events in runs if name in events["counts"]]
    operations = sum(events["operations"] for events in counted)
    if not operations:
        return "-"
    return f"{sum(events['counts'][name] for events in counted) / operations:.4g}"


def _profile(what, entries):
    """Means over runs of the shares of samples."""
    shares = {}
    for number, entry in enumerate(entries):
        for name, where, own, _, within, _ in entry["symbols"]:
            row = shares.setdefault((name, where), [[0.0] * len(entries) for _ in range(2)])
            row[0][number], row[1][number] = own, within
    means = sorted(((statistics.mean(own), statistics.mean(within), *key)
                    for key, (own, within) in shares.items()), reverse=True)
    rows = [["self", "children", "", "function"]]
    rows += [[f"{own:.1%}", f"{within:.1%}", where, name]
             for own, within, name, where in means[:MOST]]
    return [f"profile of {what}: where time goes, percent of {entries[0]['event']} samples of "
            f"{len(entries)} runs", *columns.aligned(rows, left=(2, 3))]


def _latency(what, entries):
    (entry,) = entries[-1:]
    rows = [["calls", "errors", "mean", "maximum", "deviation", "system call"]]
    rows += [[str(calls), str(errors), f"{mean:.3f}", f"{most:.3f}", f"{deviation:.3f}", name]
             for name, calls, errors, mean, most, deviation in entry["calls"][:MOST]]
    lost = f"; {entry['lost']} events found no room" if entry["lost"] else ""
    return [f"system calls of {what}, while they were traced, in microseconds{lost}",
            *columns.aligned(rows, left=(5,))]
