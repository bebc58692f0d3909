# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the runs of one sweep and keeps what they say."""

from dataclasses import dataclass, field
from typing import List, Optional

from sweep import plan, program, progress, result as results, table
from sweep.knob import Knob
from sweep.settings import Settings
from sweep.sides import Side


@dataclass
class Record:
    """What one side's runs of a testcase are written into. path: the result file, None where none
    can be kept.
    """

    side: Side
    testcase: program.Testcase
    result: dict
    path: Optional[str]


@dataclass
class Sweep:
    """All that the runs of a testcase need.

    name: of the testcase, for people. records: one, or those of two sides. csv: of one side; None
    for two. in_turns: two sides are run at the same time, in turns. knob: a setting that differs
    between the sides. lost: something could not be written.
    """

    name: str
    settings: Settings
    records: List[Record]
    csv: Optional[table.Csv]
    screen: progress.Screen
    in_turns: bool = False
    knob: Optional[Knob] = None
    lost: bool = field(default=False, init=False)

    @property
    def left(self):
        """The steps that are yet to be made; the sides are always in step."""
        return plan.remaining(self.settings, self.records[0].result["runs"])

    def is_skipped(self, point):
        """Whether the machine cannot run this point."""
        return any(run["status"] == "skipped" for run in self.records[0].result["runs"]
                   if (run["mode"], run["tasks"]) == tuple(point))

    def expected_seconds(self, step):
        return len(self.records) * plan.expected_seconds(step.point, self.settings)

    def add(self, records, found):
        """Take what results.run() has made of a step, for each side; what went wrong is told."""
        if len(found) == 2:
            results.match(*(run for run, _ in found))
        for record, (run, read) in zip(records, found):
            results.add(record.result, run, read)
            if run["status"] != "ok":
                self._tell(record, run)
            elif read.events:
                self._tell_events(read.events)

    def complete(self):
        """All runs have been tried."""
        for record in self.records:
            record.result.update(complete=True, finished=results.now())

    def save(self):
        """Write what there is into the result files."""
        for record in self.records:
            if record.path is None:
                continue
            try:
                results.save(record.result, record.path)
            except OSError as error:
                self.lost = True
                message = f"cannot write {record.path}: {error.strerror}"
                self.screen.say_once(message, message)

    def _tell(self, record, run):
        name = " ".join(filter(None, [record.testcase.name, record.side.name]))
        self.screen.say_once(
            f"{name}: {run['mode']} {run['tasks']} {run['status']}: {run['reason']}",
            (name, results.without_numbers(run["reason"])))

    def _tell_events(self, events):
        """Each obstacle, and each event that had no counter all the time, is told once."""
        by_reason = {}
        for name, reason in events.lacking.items():
            by_reason.setdefault(reason, []).append(name)
        for reason, names in by_reason.items():
            self.screen.say_once(f"not counted: {', '.join(names)}: {reason}", reason)
        if events.shares:
            names = ", ".join(f"{name} {share:.0%}" for name, share in events.shares.items())
            self.screen.say_once("more events than the CPUs have counters: these were counted for "
                                 f"a part of the time and scaled: {names}", "scaled events")


def measure(sweep):
    """Make the runs that the result lacks: round after round, with a row of the CSV as soon as it
    is final. A run that fails is recorded, told, and does not stop the rest.

    Raises child.Interrupted with the result saved.
    """
    clock = progress.Clock()
    left = sweep.left
    _print_rows(sweep, left)
    try:
        while left:
            step = left[0]
            sweep.screen.show(_progress(sweep, left, clock))
            for record in sweep.records:
                record.side.place.begin_round(step.round)
            skipped = _make(sweep, step)
            clock.finish(sweep.expected_seconds(step))
            left = [other for other in left[1:] if not (skipped and other.point == step.point)]
            _print_rows(sweep, left)
            if left and left[0].round != step.round:
                sweep.save()
    finally:
        sweep.screen.clear()
        sweep.save()


def _make(sweep, step):
    """Make the runs of a step; whether the machine cannot run it.

    The sides change their roles from round to round, so that it is none's advantage to be first.
    """
    order = sweep.records if step.round % 2 == 0 else sweep.records[::-1]
    together = [order] if sweep.in_turns else [[record] for record in order]
    found = []
    for records in together:
        if sweep.knob:
            sweep.knob.set(records[0].side.value)
        found += _run(sweep, step, records)
    sweep.add(order, found)
    return found[0][0]["status"] == "skipped"


def _run(sweep, step, records):
    """Run one program, or two that take turns; what results.run() makes of them."""
    limit = plan.limit_seconds(step.point, sweep.settings)
    started = results.now()
    outcomes = records[0].side.place.run(
        # What two programs in turns do to the system cannot be told apart.
        [program.command(record.testcase, step.point, sweep.settings,
                         () if sweep.in_turns else record.side.observed) for record in records],
        limit, [record.side.environment for record in records])
    return [results.run(step, started, outcome, record.testcase.programs[step.point.mode], limit)
            for record, outcome in zip(records, outcomes)]


def _progress(sweep, left, clock):
    expected = sum(map(sweep.expected_seconds, left))
    step = left[0]
    return (f"{sweep.name}: round {step.round + 1} of {sweep.settings.rounds}, "
            f"{step.point.mode} {step.point.tasks}, {clock.percent(expected):.0f} %, "
            f"{progress.duration(clock.left(expected))} left")


def _print_rows(sweep, left):
    sweep.screen.clear()
    if sweep.csv is None:
        return
    sweep.csv.advance(sweep.records[0].result["runs"], {step.point.tasks for step in left})
    if sweep.csv.broken:
        sweep.lost = True
        message = f"cannot write the table: {sweep.csv.broken.strerror}"
        sweep.screen.say_once(message, message)
