# SPDX-License-Identifier: GPL-2.0-or-later
"""Where runs happen. A place is an object with these methods:

describe() -> dict          the result file's `place`
release() -> str            of the kernel
machine(folder) -> dict     the result file's `machine`; folder: of the scratch directories, None
                            where the programs choose it
observed() -> list of str    paths of files that tell of the system: observed.paths()
query(command) -> Outcome   a program's short answer: --describe, --version, --show-placement
begin_round(number)         what follows is to be independent of the rounds before
run(commands, limit, environments) -> list of Outcome
                            one measurement, alone on the machine and not watched while it runs:
                            of one program, or of two that take turns, the first one first; limit
                            in seconds. The place adds --samples, and --turns for two, and brings
                            the files' texts. An environment is what changes of this one: names
                            and values, None for a variable that is taken away
close()                     nothing is left running

A place that cannot be used raises PlaceError, but for a run, whose Outcome tells why it failed.
"""

from dataclasses import dataclass


@dataclass
class Outcome:
    """How a program ended. The status is as subprocess counts it: negative for a signal."""

    status: int
    output: str = ""
    errors: str = ""
    samples: str = ""
    exceeded: bool = False
