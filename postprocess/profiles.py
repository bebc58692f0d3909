# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles of a result file as shares by symbol, named as LKP's reports have them."""

# Unit of the shares: percent of the samples, compared by their difference.
POINTS = "percent of samples"

# Percent of the samples on one side, from which a symbol is compared: rarer ones are chance.
LEAST_SHARE = 0.5


def of_entry(entry):
    """{name: percent} of an object of a result's `profiles`: what was executed when samples were
    taken (self), and what was on the way there (children).
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
    return found
