# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables as will-it-scale's runtest.py prints them, and this one (docs/formats.md, section 3), as
result objects.
"""

import os
import re
from datetime import datetime

HEADER = "tasks,processes,processes_idle,threads,threads_idle,linear"
ROW = re.compile(r"(\d{1,9}),(\d{1,18}),(\d{1,3}\.\d\d),(\d{1,18}),(\d{1,3}\.\d\d),\d{1,20}$")
ORIGIN = "0,0,100,0,100,0"

# All that a table says of how it was measured is that its runs were bound as usual.
SETTINGS = {"policy": "cores"}


def parse(text, path):
    """The result object of a table's text, of one run for each row and mode. The testcase's name is
    the file's, the label its folder's, the time that of its last change. Raises ValueError.
    """
    lines = text.splitlines()
    if lines[:1] != [HEADER]:
        raise ValueError(f"its first line is not '{HEADER}'")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        found = ROW.match(line)
        if found:
            rows.append(found.groups())
        elif line not in ("", ORIGIN):
            raise ValueError(f"line {number} is no row of such a table: '{line[:60]}'")
    changed = datetime.fromtimestamp(os.path.getmtime(path)).astimezone().isoformat()
    name = os.path.splitext(os.path.basename(path))[0]
    return {"testcase": name, "label": os.path.basename(os.path.dirname(os.path.abspath(path))),
            "started": changed, "settings": SETTINGS, "machine": {}, "place": {"type": "local"},
            "runs": [*_runs("processes", [(row[0], *row[1:3]) for row in rows], changed),
                     *_runs("threads", [(row[0], *row[3:5]) for row in rows], changed)]}


def _runs(mode, cells, started):
    """Entries of a mode; none where no row has a value: it was not asked for."""
    if not any(int(rate) for _, rate, _ in cells):
        return
    for tasks, rate, idle in cells:
        run = {"round": 0, "mode": mode, "tasks": int(tasks), "role": None, "started": started}
        if not int(rate):
            yield {**run, "status": "failed", "reason": "its table has 0: it was not measured"}
            continue
        yield {**run, "status": "ok", "reason": None, "seconds": 1, "operations": int(rate),
               "task_operations": [], "samples": {"seconds": [], "operations": []},
               "cpu_ticks": {"user": 100 - float(idle), "idle": float(idle), "iowait": 0}}
