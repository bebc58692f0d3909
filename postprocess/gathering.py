# SPDX-License-Identifier: GPL-2.0-or-later
"""All that is known of each testcase over the sides of a report."""

import collections
from dataclasses import dataclass, field

import causes
import counted
import loading
import scaling
from comparison import Verdict, compare, obstacle


@dataclass
class Testcase:
    """A testcase in one kind of place. sides: by name {(mode, tasks): loading.Point}, the base
    first; results: by name the result objects; scaling: by name a scaling.Scaling, without those
    that were not timed; compared and counted: for each side after the base its Comparisons to it,
    of times and of instructions. placement and steps: of a tiers.Topology.
    """

    name: str
    place: str
    sides: dict
    results: dict
    scaling: dict = field(default_factory=dict)
    compared: dict = field(default_factory=dict)
    counted: dict = field(default_factory=dict)

    # Whether it was measured in other kinds of place too.
    several: bool = False

    @property
    def title(self):
        """Its name, and its place where that is needed to tell it from others."""
        return f"{self.name} ({self.place or 'the usual place'})" if self.several else self.name

    @property
    def first_result(self):
        return next(results[0] for results in self.results.values() if results)

    @property
    def description(self):
        return str(self.first_result.get("description") or "")

    @property
    def group(self):
        """The folder in tests/ of its source; "other" for one from elsewhere."""
        parts = str(self.first_result.get("source") or "").split("/")
        return parts[1] if len(parts) == 3 and parts[0] == "tests" else "other"

    @property
    def placement(self):
        """Of the side with the most tasks, as steps."""
        return max((one.topology.placement for one in self.scaling.values()), key=len, default=[])

    @property
    def steps(self):
        """Of the side with the most: on all of them a count stands for as many tasks."""
        return max((one.topology.steps for one in self.scaling.values()), key=len, default=[])

    @property
    def failures(self):
        """(side, Point) of those that were not measured once."""
        return [(name, point) for name, points in self.sides.items()
                for _, point in sorted(points.items()) if point.failures and not point.runs]


def by_label(paths):
    """{name: loading.Side} of all labels in files and folders; the name is the label, with its path
    where another has the same. Raises loading.InputError.
    """
    found = [(label, side) for path in paths
             for label, side in loading.load_labels(path).items()]
    labels = [label for label, _ in found]
    return {label if labels.count(label) == 1 else f"{label} ({side.path})": side
            for label, side in found}


def testcases(sides, settings):
    """A Testcase for each name and kind of place, sorted; sides: {name: loading.Side}, base first.
    """
    keys = sorted({(point.testcase, point.place) for side in sides.values()
                   for point in side.points.values()})
    found = {key: Testcase(*key, {name: {} for name in sides}, {name: [] for name in sides})
             for key in keys}
    named = collections.Counter(name for name, _ in keys)
    for one in found.values():
        one.several = named[one.name] > 1
    for name, side in sides.items():
        for point in side.points.values():
            found[point.testcase, point.place].sides[name][point.mode, point.tasks] = point
        for result in side.results:
            key = loading.name_of(result), loading.place_of(result)
            if key in found:
                found[key].results[name].append(result)
        for one in scaling.analyse(side, settings):
            found[one.testcase, one.place].scaling[name] = one
    base, *others = sides
    for name in others:
        _compare(found, sides[base], sides[name], name, settings)
    return [*found.values()]


def _compare(found, base, candidate, name, settings):
    timed = compare(base, candidate, settings)
    changed = [one for one in timed if one.verdict in (Verdict.SLOWER, Verdict.FASTER)]
    points = [[side.points[one.testcase, one.mode, one.tasks, one.place]
               for side in (base, candidate)] for one in changed]
    for one, what in zip(changed, causes.compare(points, settings)):
        one.causes = [each for each in what if each.significant]
    for one in timed:
        found[one.testcase, one.place].compared.setdefault(name, []).append(one)
    for one in counted.compare(base, candidate, lambda key: obstacle(base, candidate, key), 0):
        found[one.testcase, one.place].counted.setdefault(name, []).append(one)
