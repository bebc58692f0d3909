# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles of a result file: shares by symbol, named as LKP's reports have them, and chains of
calls.
"""

from dataclasses import dataclass

# Unit of the shares: percent of the samples, compared by their difference.
POINTS = "percent of samples"

# Percent of the samples on one side, from which a symbol is compared: rarer ones are chance.
LEAST_SHARE = 0.5


@dataclass
class Profile:
    """shares: {name: percent}, of what was executed when samples were taken (self), and of what was
    on the way there (children); chains: {functions from the outermost to the innermost, joined by
    ";": samples}; samples: all there were.
    """

    shares: dict
    chains: dict
    samples: int


def of_entry(entry):
    """The Profile of an object of a result's `profiles`. Raises ValueError, TypeError and
    LookupError for what is damaged.
    """
    event = entry["event"]
    found = {}
    for name, _, own, _, within, _ in entry["symbols"]:
        for kind, share in (("self", own), ("children", within)):
            if not 0 <= share <= 1:
                raise ValueError(f"a share of {share!r}")
            if share:
                key = f"perf-profile.{kind}.{event}.{name}"
                found[key] = found.get(key, 0) + 100 * share
    chains = {str(chain): int(count) for chain, count in entry.get("chains", [])}
    return Profile(found, chains, int(entry.get("samples", 0)))
