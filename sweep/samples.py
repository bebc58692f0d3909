# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the samples file that a program writes; docs/formats.md describes it."""

from dataclasses import dataclass, field
from typing import Dict, List, NamedTuple, Optional, Tuple

FIRST_LINE = "opscale-samples 1"
TICKS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


class Sample(NamedTuple):
    """Nanoseconds since the gate opened, and the operations of each task in between."""

    start: int
    end: int
    counts: List[int]


@dataclass
class Samples:
    """What one run left behind; the samples are those of the measurement."""

    tasks: int = 0
    scratch: Optional[Tuple[str, str]] = None
    start: int = 0
    samples: List[Sample] = field(default_factory=list)
    ticks: Optional[Dict[str, int]] = None
    end: str = ""
    reason: str = ""

    @property
    def nanoseconds(self):
        """Measured time: the lengths of the samples, which do not adjoin where two programs take
        turns.
        """
        return sum(sample.end - sample.start for sample in self.samples)


def parse(text):
    """Samples from the file's text. Raises ValueError, which says what is wrong with it."""
    lines = text.rstrip("\n").split("\n")
    if lines[0] != FIRST_LINE:
        raise ValueError(f"the samples file does not begin with '{FIRST_LINE}'")
    samples = Samples()
    for number, line in enumerate(lines[1:], 2):
        word, _, rest = line.partition(" ")
        try:
            _take(samples, word, rest)
        except ValueError as error:
            raise ValueError(f"line {number} of the samples file: {error}") from error
    if not lines[-1].startswith("end "):
        raise ValueError("the samples file does not end with 'end'")
    return samples


def _take(samples, word, rest):
    if word == "tasks":
        samples.tasks = int(rest)
    elif word == "scratch":
        filesystem, _, path = rest.partition(" ")
        samples.scratch = filesystem, path
    elif word == "start":
        samples.start = int(rest)
    elif word == "sample":
        phase, start, end, *counts = rest.split(" ")
        if len(counts) != samples.tasks:
            raise ValueError(f"{len(counts)} counts of {samples.tasks} tasks")
        if phase == "measure":
            samples.samples.append(Sample(int(start), int(end), [int(count) for count in counts]))
    elif word == "cpu":
        samples.ticks = dict(zip(TICKS, [int(ticks) for ticks in rest.split(" ")]))
        if len(samples.ticks) != len(TICKS):
            raise ValueError(f"{len(samples.ticks)} fields instead of {len(TICKS)}")
    elif word == "end":
        samples.end, _, samples.reason = rest.partition(" ")
