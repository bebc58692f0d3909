# SPDX-License-Identifier: GPL-2.0-or-later
"""Where runs happen. A place is an object with these methods:

describe() -> dict          the result file's `place`
machine(folder) -> dict     the result file's `machine`; folder: of the scratch directories, None
                            where the programs choose it
query(command) -> Outcome   a program's short answer: --describe, --version, --show-placement
run(command, limit) -> Outcome
                            one measurement, alone on the machine and not watched while it runs;
                            limit in seconds. The place adds --samples and brings the file's text
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
