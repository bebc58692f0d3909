# SPDX-License-Identifier: GPL-2.0-or-later
"""Result files as runtest.py writes them, with rates of a test's choice."""

import copy
import json
import os

import suite


class ResultsTestCase(suite.TestCase):
    def write(self, side, rates, name="spin1", **changes):
        """A file with one point for each (mode, tasks), a total rate for each run; its path.
        side: folder, label and kernel; changes: other values of the file's keys.
        """
        runs = [{"round": number, "mode": mode, "tasks": tasks, "status": "ok", "reason": None,
                 "started": f"2026-12-01T10:00:{number:02}+00:00", "seconds": 0.5,
                 "operations": round(rate / 2), "warmup_seconds": 0.4, "start_seconds": 0.001,
                 "task_operations": [round(rate / 2 / tasks)] * tasks,
                 "samples": {key: [1] for key in ("seconds", "operations", "least", "greatest")},
                 "cpu_ticks": {"user": 50, "idle": 50, "iowait": 0, "steal": 0}}
                for (mode, tasks), point in rates.items() for number, rate in enumerate(point)]
        result = {"format": "opscale-result", "schema": 1, "testcase": name, "label": side,
                  "started": "2026-12-01T10:00:00+00:00", "place": {"type": "local"},
                  "settings": {"policy": "cores"}, "machine": {
                      "kernel": {"release": side}, "thp": {"enabled": "madvise"}}, "runs": runs}
        result = {**copy.deepcopy(result), **changes}
        path = os.path.join(self.folder, side, f"{name}.json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        return path
