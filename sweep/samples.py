# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the samples file that a program writes; docs/formats.md describes it."""

from dataclasses import dataclass, field
from typing import Dict, List, NamedTuple, Optional, Tuple, Union

FIRST_LINE = "opscale-samples 1"
EVENT_RECORDS = ("operations", "event", "uncounted")
FILE_RECORDS = ("file", "line", "unread")
WHEN = ("before", "after")

TICKS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


class Sample(NamedTuple):
    """Nanoseconds since the gate opened, and the operations of each task in between."""

    start: int
    end: int
    counts: List[int]


@dataclass
class Events:
    """What perf counted in all tasks. operations: theirs meanwhile; counts by name, scaled where an
    event had a counter only a part of the time, which is its share; lacking: why one has no count.
    """

    operations: int = 0
    counts: Dict[str, int] = field(default_factory=dict)
    shares: Dict[str, float] = field(default_factory=dict)
    lacking: Dict[str, str] = field(default_factory=dict)


@dataclass
class Samples:
    """What one run left behind; the samples are those of the measurement, and apart from them those
    of the warm-up. events: None where none were asked for. files: by path the texts before and
    after, or why there is none.
    """

    tasks: int = 0
    scratch: Optional[Tuple[str, str]] = None
    start: int = 0
    warmup: List[Sample] = field(default_factory=list)
    samples: List[Sample] = field(default_factory=list)
    ticks: Optional[Dict[str, int]] = None
    events: Optional[Events] = None
    files: Dict[str, List[Union[str, OSError]]] = field(default_factory=dict)
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
            if word in EVENT_RECORDS:
                _take_event(samples, word, rest)
            elif word in FILE_RECORDS:
                _take_file(samples, word, rest)
            else:
                _take(samples, word, rest)
        except ValueError as error:
            raise ValueError(f"line {number} of the samples file: {error}") from error
    if not lines[-1].startswith("end "):
        raise ValueError("the samples file does not end with 'end'")
    for texts in samples.files.values():
        texts[:] = ["\n".join(text) if isinstance(text, list) else text for text in texts]
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
        numbers = _numbers(samples, counts)
        kept = samples.samples if phase == "measure" else samples.warmup
        kept.append(Sample(int(start), int(end), numbers))
    elif word == "cpu":
        samples.ticks = dict(zip(TICKS, [int(ticks) for ticks in rest.split(" ")]))
        if len(samples.ticks) != len(TICKS):
            raise ValueError(f"{len(samples.ticks)} fields instead of {len(TICKS)}")
    elif word == "end":
        samples.end, _, samples.reason = rest.partition(" ")


def _numbers(samples, words):
    """A number for each task."""
    if len(words) != samples.tasks:
        raise ValueError(f"{len(words)} counts of {samples.tasks} tasks")
    return [int(word) for word in words]


def _take_event(samples, word, rest):
    if word == "operations":
        samples.events = Events(operations=sum(_numbers(samples, rest.split(" "))))
        return
    if samples.events is None:
        raise ValueError("events without the tasks' operations")
    name, _, told = rest.partition(" ")
    if word == "uncounted":
        samples.events.lacking[name] = told
        return
    share, *counts = told.split(" ")
    samples.events.counts[name] = sum(_numbers(samples, counts))
    if float(share) < 1:
        samples.events.shares[name] = float(share)


def _take_file(samples, word, rest):
    """The text of a file comes line by line; in `files` it is a list until all is read."""
    if word == "file":
        when, _, path = rest.partition(" ")
        texts = samples.files.setdefault(path, [])
        if when not in WHEN or len(texts) != WHEN.index(when):
            raise ValueError(f"the text '{when}' of {path}")
        # What comes next belongs to the last one.
        samples.files[path] = samples.files.pop(path)
        texts.append([])
        return
    if not samples.files:
        raise ValueError("a text without a file")
    texts = next(reversed(samples.files.values()))
    if word == "unread":
        texts[-1] = OSError(rest)
    else:
        texts[-1].append(rest)
