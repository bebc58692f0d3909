#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A pass of each testcase is the same work for ever: nothing grows while it runs. The variable
SOAK_SECONDS sets how long each runs; from 5 on, the last second's rate is compared with that of
the second one too (`make check-soak`, over an hour). TESTCASES restricts it to those that it names.
"""

import os
import time

import catalogue
import suite
import tap

SECONDS = float(os.environ.get("SOAK_SECONDS", "0.5"))
RATES_FROM = 5
TASKS = 2
READINGS = 8    # in each half of a run
TRIES = 3

# What may be there more at one time than at another, beyond a twentieth: tasks may have got just so
# far in a cycle that one of them holds a batch of files, a child or a mapping and before held none.
SLACK = {"processes": 2 * TASKS, "descriptors": 4 * TASKS, "mappings": 8 * TASKS,
         "virtual kB": TASKS * (129 << 10), "resident kB": 4 << 10, "files": TASKS * 1100,
         "file bytes": TASKS << 20, "sockets": 100, "SysV objects": 0}

# The rate of a second may differ from another's by so much on a machine that others use.
RATE_TOLERANCE = 0.3


def count_sockets():
    """Sockets of the machine, those that wait for their end included."""
    with open("/proc/net/sockstat", encoding="ascii") as file:
        words = file.read().split()
    return sum(int(number) for key, number in zip(words, words[1:])
               if key in ("used", "tw", "orphan"))


def count_lines(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return sum(1 for _ in file)
    except OSError:
        return 0


class ConstancyTest(suite.ProgramTestCase):
    LIMIT = 4 * 3600

    def reading(self):
        """What the run has of each kind of object now."""
        found = dict.fromkeys(SLACK, 0)
        for pid in self.living():
            try:
                found["processes"] += len(os.listdir(f"/proc/{pid}/task"))
                found["descriptors"] += len(os.listdir(f"/proc/{pid}/fd"))
                with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                    status = dict(line.split(":", 1) for line in file)
                found["virtual kB"] += int(status["VmSize"].split()[0])
                found["resident kB"] += int(status["RssAnon"].split()[0])
            except (OSError, KeyError):
                continue
            found["mappings"] += count_lines(f"/proc/{pid}/maps")
        for folder, folders, names in os.walk(self.scratch):
            found["files"] += len(folders) + len(names)
            for name in names:
                try:
                    found["file bytes"] += os.lstat(os.path.join(folder, name)).st_size
                except OSError:
                    pass
        found["sockets"] = count_sockets()
        found["SysV objects"] = sum(count_lines(f"/proc/sysvipc/{kind}")
                                    for kind in ("msg", "sem", "shm"))
        return found

    def least(self, seconds):
        """The least of several readings, by kind: what is there at any time."""
        readings = []
        for _ in range(READINGS):
            readings.append(self.reading())
            time.sleep(seconds / READINGS)
        return {kind: min(reading[kind] for reading in readings) for kind in SLACK}

    def growth(self, row, mode):
        """What has grown in a run, by kind; None where it was skipped."""
        for _ in range(TRIES):
            early, late, done = self.watched_run(row, mode)
            # Not on trial is that the machine is a quiet one.
            if " counted " not in done.stderr:
                break
        if done.returncode == 77:
            return None
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_nothing_left()
        slack = {**SLACK, "resident kB": SLACK["resident kB"] + self.declared_memory(row, mode)}
        return {kind: (early[kind], late[kind]) for kind in SLACK
                if late[kind] > 1.05 * early[kind] + slack[kind]}

    def watched_run(self, row, mode):
        """What there was at any time in the first half of a run and in the second, and its end."""
        process = self.start(row.name, mode, "-t", TASKS, "-s", SECONDS, "--warmup", 0,
                             "--interval", min(1, SECONDS),
                             *(f"--option={setting}" for setting in row.settings))
        self.read_until_or_end(process, "measurement")
        # The tasks may still be about to make their partners.
        time.sleep(0.05)
        early, late = self.least(0.4 * SECONDS), self.least(0.4 * SECONDS)
        return early, late, self.finish(process)

    @staticmethod
    def declared_memory(row, mode):
        """What all tasks may touch, in kB; how much they have of it varies within a cycle."""
        described = suite.run(suite.program(row.name, mode), "--describe").stdout
        told = dict(line.split(":", 1) for line in described.splitlines())
        return TASKS * int(told["memory_per_task"]) >> 10

    def read_until_or_end(self, process, line):
        for printed in process.stdout:
            if printed.startswith(line):
                break

    def slowdown(self):
        """The rate of the last second over that of the second one."""
        rates = [sum(sample.counts) / (sample.end - sample.start)
                 for sample in suite.samples_of(self.samples, "measure")]
        return rates[-1] / rates[1]

    def check(self, row, mode):
        growth = self.growth(row, mode)
        if growth is None:
            return
        self.assertEqual(growth, {})
        if SECONDS < RATES_FROM:
            return
        ratios = [self.slowdown()]
        while abs(ratios[-1] - 1) > RATE_TOLERANCE and len(ratios) < TRIES:
            self.growth(row, mode)
            ratios.append(self.slowdown())
        print(f"# {row.name}, {mode}: last second / second one {ratios[-1]:.3f}", flush=True)
        self.assertLessEqual(abs(ratios[-1] - 1), RATE_TOLERANCE, ratios)

    def each(self, mode):
        known = catalogue.rows()
        for name in os.environ.get("TESTCASES", "").split() or sorted(known):
            with self.subTest(name):
                self.check(known[name], mode)

    def test_processes(self):
        self.each("processes")

    def test_threads(self):
        self.each("threads")


if __name__ == "__main__":
    tap.main()
