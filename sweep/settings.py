# SPDX-License-Identifier: GPL-2.0-or-later
"""How a sweep measures: what the result file records as its `settings`."""

from dataclasses import dataclass
from typing import Dict, List, Optional, Union

MODES = ("processes", "threads")
POLICIES = ("cores", "pus", "scatter", "compact", "none")


@dataclass(frozen=True)
class Settings:
    """Times are in seconds; `tasks` is in the order of the table's rows. instructions: they are
    counted, and a second is as many as a guest's clock takes for it. events: list of perf's that
    are counted. statistics: whether those of the system are kept. profile, latency: whether
    runs are made besides that are recorded.
    """

    modes: List[str]
    tasks: List[int]
    rounds: int
    duration: float
    warmup: Union[float, str]
    interval: float
    policy: str
    cpus: Optional[str]
    dir: Optional[str]
    aslr: bool
    options: Dict[str, str]
    instructions: bool = False
    events: Optional[str] = None
    statistics: bool = False
    profile: bool = False
    latency: bool = False


def interval_of(duration):
    """Seconds between samples: ten of them in a run, within what is useful and affordable."""
    return round(min(max(duration / 10, 0.01), 1.0), 6)
