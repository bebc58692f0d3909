# SPDX-License-Identifier: GPL-2.0-or-later
"""The sides of a call: one, or base and candidate that are measured against each other."""

import dataclasses
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Dict, List, Optional

from sweep import program
from sweep.knob import Knob

NAMES = ("base", "candidate")


@dataclass
class Side:
    """What makes a side's runs its own.

    name: base or candidate, empty where there is but one side. told: for people, what it is.
    folder: of its programs, None for the usual one. chosen: the testcase instead of the named ones.
    environment: of its programs, None for a variable that they must not have. value: of the knob.
    kernel: image of the virtual machine that it runs in, None for none. place: where it runs.
    observed: paths of the files there that tell of the system.
    """

    name: str = ""
    told: str = ""
    folder: Optional[str] = None
    chosen: Optional[str] = None
    environment: Dict[str, Optional[str]] = field(default_factory=dict)
    value: Optional[str] = None
    kernel: Optional[str] = None
    place: Any = None
    observed: List[str] = field(default_factory=list)
    testcases: List[program.Testcase] = field(default_factory=list)
    build: Dict[str, Optional[str]] = field(default_factory=dict)


@dataclass
class Contest:
    """Two sides on one machine.

    kind: what differs: programs, env, testcase, setting or kernel. knob: of a setting, else None.
    identity: tells this contest from all others, and sorts by time.
    """

    kind: str
    sides: List[Side]
    knob: Optional[Knob] = None
    identity: str = field(default_factory=lambda: f"{datetime.now():%Y%m%dT%H%M%S}-{uuid.uuid4()}")

    def in_turns(self, match):
        """Whether these testcases of the sides can be run in turns: at once, but for a setting of
        the whole system or its kernel, and unless one must not be stopped.
        """
        alike = not self.knob and self.sides[0].kernel == self.sides[1].kernel
        return alike and all(testcase.in_turns for testcase in match)


def contest(asked):
    """The Contest that parsed arguments ask for, None for none. Raises UsageError."""
    if len(asked.kernel or ()) == 2:
        return _made("kernel", [{"told": each, "kernel": each} for each in asked.kernel])
    if asked.ab:
        return _made("programs", [{"told": f"programs of {each}", "folder": each}
                                  for each in asked.ab])
    if asked.ab_testcase:
        return _made("testcase", [{"told": each, "chosen": each} for each in asked.ab_testcase])
    if asked.ab_env:
        name, values = asked.ab_env
        return _made("env", [{"told": f"{name}={each}" if each else f"without {name}",
                              "environment": {name: each or None}} for each in values])
    if asked.ab_setting:
        name, values = asked.ab_setting
        knob = Knob.named(name)
        return dataclasses.replace(
            _made("setting", [{"told": f"{name}={each}", "value": each} for each in values]),
            knob=knob)
    return None


def _made(kind, differences):
    return Contest(kind, [Side(name, **each) for name, each in zip(NAMES, differences)])
