#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which task runs where: on synthetic and hand-made topologies, and on this machine."""

import collections
import contextlib
import os
import re
import signal
import time

import suite
import tap

POLICIES = ("cores", "pus", "scatter", "compact")
COLUMNS = ("cpu", "core", "cache", "node", "package", "kind")
COUNTS = "topology:packages={} nodes={} caches={} cores={} cpus={}"
Place = collections.namedtuple("Place", COLUMNS)

# Topology; packages, nodes, caches, cores and CPUs in it; the CPUs, a digit each, in the order of
# pus and compact (hwloc's), of cores, of scatter.
SMALL = (
    ("pu:1", (0, 1, 0, 0, 1), "0", "0", "0"),
    ("pu:4", (0, 1, 0, 0, 4), "0123", "0123", "0123"),
    ("core:2 pu:1", (0, 1, 0, 2, 2), "01", "01", "01"),
    ("core:2 pu:2", (0, 1, 0, 2, 4), "0123", "0213", "0213"),
    ("core:1 pu:8", (0, 1, 0, 1, 8), "01234567", "01234567", "01234567"),
    ("core:3 pu:3", (0, 1, 0, 3, 9), "012345678", "036147258", "036147258"),
    ("numa:2 pu:2", (0, 2, 0, 0, 4), "0123", "0123", "0213"),
    ("group:2 core:2 pu:1", (0, 1, 0, 4, 4), "0123", "0123", "0213"),
    ("l3:2 core:2 pu:2", (0, 1, 2, 4, 8), "01234567", "02461357", "04261537"),
    ("l3:1 l2:2 core:2 pu:1", (0, 1, 1, 4, 4), "0123", "0123", "0213"),
    ("pack:2 l3:2 core:2 pu:1", (2, 1, 4, 8, 8), "01234567", "01234567", "04261537"),
    ("pack:2 numa:2 core:1 pu:2", (2, 4, 0, 4, 8), "01234567", "02461357", "04261537"),
    ("pack:2 [numa] core:2 pu:2", (2, 2, 0, 4, 8), "01234567", "02461357", "04261537"),
    # Numbered as Linux does: packages in turn, then cores, siblings last.
    ("pack:2 core:2 pu:2(indexes=0,4,2,6,1,5,3,7)", (2, 1, 0, 4, 8),
     "04261537", "02134657", "01234567"),
)

# Each of them is symmetric: what holds for one package, node, cache or core holds for the others.
BIG = (
    ("core:192 pu:1", (0, 1, 0, 192, 192)),
    ("pu:448", (0, 1, 0, 0, 448)),
    ("pack:2 l3:8 core:8 pu:2", (2, 1, 16, 128, 256)),
    ("pack:2 [numa] l3:1 core:56 pu:2", (2, 2, 2, 112, 224)),
    ("numa:2 pack:2 l3:1 l2:4 l1:2 core:1 pu:4", (4, 2, 4, 32, 128)),
    ("pack:3 group:5 l3:3 core:2 pu:2", (3, 1, 45, 90, 180)),
    ("pack:4 numa:2 l3:2 core:8 pu:2(indexes=128*2:1*128)", (4, 8, 16, 128, 256)),
    ("pack:4 numa:4 l3:4 core:16 pu:8", (4, 16, 64, 1024, 8192)),
    ("pack:16 numa:4 core:64 pu:2", (16, 64, 0, 4096, 8192)),
)

# File of check/topologies, counts, and the CPUs in the order of each policy.
ASYMMETRIC = (
    ("hybrid", (1, 1, 1, 12, 16), {
        "cores": (0, 2, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 1, 3, 5, 7),
        "pus": range(16),
        "scatter": (0, 2, 4, 6, 8, 12, 9, 13, 10, 14, 11, 15, 1, 3, 5, 7),
        "compact": range(16)}),
    ("unequal", (3, 3, 3, 6, 9), {
        "cores": (0, 1, 2, 3, 7, 8, 4, 5, 6),
        "pus": (0, 4, 1, 5, 2, 3, 6, 7, 8),
        "scatter": (0, 2, 3, 1, 7, 8, 4, 5, 6),
        "compact": (0, 4, 1, 5, 2, 3, 6, 7, 8)}),
    ("memory-node", (2, 3, 2, 4, 8), {
        "cores": (0, 1, 4, 5, 2, 3, 6, 7),
        "pus": (0, 2, 1, 3, 4, 6, 5, 7),
        "scatter": (0, 4, 1, 5, 2, 6, 3, 7),
        "compact": (0, 2, 1, 3, 4, 6, 5, 7)}),
)


def topology_file(name):
    return os.path.join(suite.SOURCE, "check", "topologies", f"{name}.xml")


def show(*arguments, mode="processes", **topology):
    return suite.run(suite.program("spin1", mode), "--show-placement", *arguments,
                     env={**os.environ, **topology})


def places_of(text):
    _, header, *rows = [line.split() for line in text.splitlines()]
    places = [Place(*(None if word == "-" else int(word) for word in row[1:])) for row in rows]
    if header != ["task", *COLUMNS] or [int(row[0]) for row in rows] != list(range(len(rows))):
        raise ValueError(f"not a table of tasks: {text}")
    return places


class PlacementTest(suite.TestCase):
    def placed(self, *arguments, counts=None, **topology):
        result = show(*arguments, **topology)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        if counts:
            self.assertEqual(result.stdout.splitlines()[0], COUNTS.format(*counts))
        return places_of(result.stdout)

    def assert_same(self, found, expected):
        """assertEqual, whose explanation takes minutes where thousands of elements differ."""
        self.assertEqual(len(found), len(expected))
        wrong = [task for task, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]]
        if wrong:
            self.fail(f"task {wrong[0]} (and {len(wrong) - 1} others): {found[wrong[0]]} is not "
                      f"{expected[wrong[0]]}")

    def cpus(self, *arguments, counts=None, **topology):
        return [place.cpu for place in self.placed(*arguments, counts=counts, **topology)]


class OrderTest(PlacementTest):
    def test_text(self):
        result = show("-t", "3", HWLOC_SYNTHETIC="pack:3 l3:1 pu:1(indexes=0,10,4095)")
        self.assertEqual(result.stdout, "topology:packages=3 nodes=1 caches=3 cores=0 cpus=3\n"
                         "task cpu core cache node package kind\n"
                         "   0   0    -     0    0       0    -\n"
                         "   1  10    -     1    0       1    -\n"
                         "   2 4095    -     2    0       2    -\n")

    def test_small(self):
        for topology, counts, pus, cores, scatter in SMALL:
            orders = {"pus": pus, "compact": pus, "cores": cores, "scatter": scatter}
            for policy, order in orders.items():
                with self.subTest(topology=topology, policy=policy):
                    cpus = self.cpus("--policy", policy, "-t", counts[-1], counts=counts,
                                     HWLOC_SYNTHETIC=topology)
                    self.assertEqual(cpus, [int(digit) for digit in order])

    def test_asymmetric(self):
        for name, counts, orders in ASYMMETRIC:
            for policy, order in orders.items():
                with self.subTest(topology=name, policy=policy):
                    cpus = self.cpus("--policy", policy, "-t", counts[-1], counts=counts,
                                     HWLOC_XMLFILE=topology_file(name))
                    self.assertEqual(cpus, list(order))

    def test_both_modes_agree(self):
        for policy in POLICIES:
            one, other = (show("-t", "9", "--policy", policy, mode=mode,
                               HWLOC_SYNTHETIC="pack:2 core:2 pu:2") for mode in suite.MODES)
            self.assertEqual(one.stdout, other.stdout)

    def test_switches_are_policies(self):
        topology = {"HWLOC_SYNTHETIC": "pack:2 core:2 pu:2"}
        for switches, policy in (((), "cores"), (("-m",), "pus"), (("-n",), "none"),
                                 (("-m", "-n"), "none")):
            self.assertEqual(show("-t", "8", *switches, **topology).stdout,
                             show("-t", "8", "--policy", policy, **topology).stdout)

    def test_none_places_nowhere(self):
        self.assertEqual(self.placed("-n", "-t", "3", HWLOC_SYNTHETIC="core:2 pu:2"),
                         3 * [Place(*6 * [None])])


class ColumnsTest(PlacementTest):
    def test_without_packages_caches_and_cores(self):
        self.assertEqual(self.placed("-t", "2", HWLOC_SYNTHETIC="pu:2"),
                         [Place(0, None, None, 0, None, None), Place(1, None, None, 0, None, None)])

    def test_kinds(self):
        kinds = {place.cpu: place.kind for place in
                 self.placed("-t", "16", HWLOC_XMLFILE=topology_file("hybrid"))}
        self.assertEqual(kinds, {cpu: int(cpu < 8) for cpu in range(16)})

    def test_one_kind_is_none(self):
        with open(topology_file("hybrid"), encoding="utf-8") as file:
            text = file.read()
        path = os.path.join(self.folder, "one.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(re.sub('<cpukind cpuset="0x0000ff00".*?</cpukind>', "", text, flags=re.S)
                       .replace('<cpukind cpuset="0x000000ff"', '<cpukind cpuset="0x0000ffff"'))
        kinds = {place.kind for place in self.placed("-t", "16", HWLOC_XMLFILE=path)}
        self.assertEqual(kinds, {None})

    def test_node_without_cpus_of_its_own(self):
        places = self.placed("-t", "8", HWLOC_XMLFILE=topology_file("memory-node"))
        # The slower node is number 1 in hwloc's order, as it lies in the first package.
        self.assertEqual({(place.package, place.node) for place in places}, {(0, 0), (1, 2)})


class RulesTest(PlacementTest):
    """What holds for every machine, on those too big for a table."""

    @classmethod
    def setUpClass(cls):
        """Each topology's counts, a policy, and the places of more tasks than there are CPUs."""
        cls.placements = []
        for topology, counts, *_ in SMALL + BIG:
            for policy in POLICIES:
                result = show("--policy", policy, "-t", counts[-1] + counts[-1] // 3 + 1,
                              HWLOC_SYNTHETIC=topology)
                cls.placements.append((topology, counts, policy, places_of(result.stdout)))

    def each(self, *policies):
        for topology, counts, policy, places in self.placements:
            if policy in policies:
                yield f"{policy} on {topology}", counts, places

    def test_each_cpu_once_then_around(self):
        for name, (*_, cpus), places in self.each(*POLICIES):
            with self.subTest(name):
                self.assert_same(sorted(place.cpu for place in places[:cpus]), range(cpus))
                self.assert_same(places[cpus:], places[:cpus // 3 + 1])

    def test_columns_are_consistent(self):
        for name, counts, places in self.each(*POLICIES):
            with self.subTest(name):
                for column, count in zip(("package", "node", "cache", "core"), counts):
                    self.assertEqual({getattr(place, column) for place in places},
                                     set(range(count)) or {None})
                # What two CPUs share, they share all above it too.
                for inner, outer in (("core", "cache"), ("core", "node"), ("core", "package"),
                                     ("cache", "node"), ("cache", "package")):
                    pairs = {(getattr(place, inner), getattr(place, outer)) for place in places}
                    inners = [number for number, _ in pairs if number is not None]
                    self.assertEqual(len(inners), len(set(inners)), (inner, outer))

    def test_cores_first_then_siblings(self):
        for name, (*_, cores, cpus), places in self.each("cores"):
            with self.subTest(name):
                self.assert_same([place.core for place in places[:cpus]],
                                 [task % cores if cores else None for task in range(cpus)])

    def test_pus_and_compact_fill_core_by_core(self):
        for name, (*_, cores, cpus), places in self.each("pus", "compact"):
            with self.subTest(name):
                self.assert_same([place.core for place in places[:cpus]],
                                 [task * cores // cpus if cores else None for task in range(cpus)])

    def test_scatter_is_even_at_every_task(self):
        for name, (*counts, cpus), places in self.each("scatter"):
            for column, count in zip(("package", "node", "cache", "core"), counts):
                used = collections.Counter()
                with self.subTest(name, column=column):
                    for task, place in enumerate(places[:cpus] if count else ()):
                        number = getattr(place, column)
                        self.assertEqual(used[number], task // count, f"task {task}")
                        used[number] += 1

    def test_place_does_not_depend_on_the_number_of_tasks(self):
        for topology in ("pack:2 numa:2 l3:2 core:4 pu:2", "core:3 pu:2"):
            for policy in POLICIES:
                most = self.placed("--policy", policy, "-t", 100, HWLOC_SYNTHETIC=topology)
                for tasks in (1, 2, 3, 5, 6, 7, 31, 64, 65):
                    self.assertEqual(most[:tasks], self.placed("--policy", policy, "-t", tasks,
                                                               HWLOC_SYNTHETIC=topology))

    def test_many_tasks_take_little_time(self):
        begun = time.monotonic()
        self.assertEqual(len(self.placed("-t", 20000, "--policy", "scatter",
                                         HWLOC_SYNTHETIC=BIG[-1][0])), 20000)
        self.assertLess(time.monotonic() - begun, 5)


class RestrictionTest(PlacementTest):
    CASES = (
        ("pack:2 core:2 pu:2", "1,3,6-7", (2, 1, 0, 3, 4), (1, 3, 6, 7), (1, 6, 3, 7)),
        ("pack:2 core:2 pu:2", "7,6,6-7,3,1,1-1", (2, 1, 0, 3, 4), (1, 3, 6, 7), (1, 6, 3, 7)),
        ("pack:2 core:2 pu:2", "0-1", (1, 1, 0, 1, 2), (0, 1), (0, 1)),
        ("pack:2 core:2 pu:2", "5", (1, 1, 0, 1, 1), (5,), (5,)),
        ("pack:2 [numa] l3:1 core:2 pu:2", "4-7", (1, 1, 1, 2, 4), (4, 6, 5, 7), (4, 6, 5, 7)),
        ("pu:4", "2-3", (0, 1, 0, 0, 2), (2, 3), (2, 3)),
        ("pack:16 l3:8 core:32 pu:2", "8191,0-1", (2, 1, 2, 2, 3), (0, 8191, 1), (0, 8191, 1)),
    )

    def test_list(self):
        for topology, cpus, counts, *orders in self.CASES:
            for policy, order in zip(("cores", "scatter"), orders):
                with self.subTest(topology=topology, cpus=cpus, policy=policy):
                    self.assertEqual(self.cpus("--policy", policy, "--cpus", cpus, "-t",
                                               2 * len(order), counts=counts,
                                               HWLOC_SYNTHETIC=topology), 2 * list(order))

    def test_list_with_other_cpus(self):
        for cpus, reason in (("4", "CPU 4"), ("0-4", "CPU 4"), ("9999999", "CPU 9999999")):
            result = show("--cpus", cpus, HWLOC_SYNTHETIC="core:2 pu:2")
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertEqual(result.stderr, f"spin1_processes: --cpus {cpus}: {reason} is not "
                             "online and allowed here, only 0-3\n")

    def test_cpus_that_a_cgroup_forbids(self):
        with open(topology_file("memory-node"), encoding="utf-8") as file:
            text = file.read()
        path = os.path.join(self.folder, "allowed.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('allowed_cpuset="0x000000ff"', 'allowed_cpuset="0x000000d2"'))
        self.assertEqual(self.cpus("-t", "5", HWLOC_XMLFILE=path), [1, 4, 7, 6, 1])


def allowed(task):
    """The CPUs that the kernel lets a process or thread run on."""
    with open(f"/proc/{task}/status", encoding="utf-8") as file:
        text = next(line for line in file if line.startswith("Cpus_allowed_list:")).split()[1]
    ranges = [part.partition("-") for part in text.split(",")]
    return [cpu for first, _, last in ranges for cpu in range(int(first), int(last or first) + 1)]


class BindingTest(PlacementTest, suite.ProgramTestCase):
    """On this machine: the kernel's own word on where tasks may run."""

    def setUp(self):
        super().setUp()
        self.everywhere = sorted(os.sched_getaffinity(0))
        self.last = self.everywhere[-1]
        self.addCleanup(os.sched_setaffinity, 0, self.everywhere)

    def found(self, parent, mode):
        """allowed() of each task and partner of a run."""
        tasks = [pid for pid in self.living() if pid != parent]
        if mode == "threads":
            host, = tasks
            tasks = [f"{host}/task/{thread}" for thread in os.listdir(f"/proc/{host}/task")
                     if int(thread) != host]
        found = []
        for task in tasks:
            # What makes a partner does not stay.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                found.append(allowed(task))
        return sorted(found)

    def assert_bound(self, expected, name, *options):
        """expected: the CPUs of each task and partner."""
        for mode in suite.MODES:
            with self.subTest(name, mode=mode, options=options):
                process = self.start(name, mode, "--warmup", "60", *options)
                self.read_until(process, "warmup")
                # Partners are made after that.
                self.wait_for(lambda: self.found(process.pid, mode) == sorted(expected),
                              f"tasks on {expected}")
                process.send_signal(signal.SIGINT)
                self.finish(process)

    def test_as_shown(self):
        for policy in POLICIES:
            cpus = self.cpus("--policy", policy, "-t", len(self.everywhere) + 1)
            self.assertEqual(set(cpus), set(self.everywhere))
            self.assert_bound([[cpu] for cpu in cpus], "spin1", "--policy", policy, "-t", len(cpus))

    def test_partners_like_their_makers(self):
        cpus = self.cpus("-t", 3)
        self.assert_bound([[cpu] for cpu in 2 * cpus], "context_switch1", "-t", 3)

    def test_restricted_by_taskset(self):
        os.sched_setaffinity(0, [self.last])
        self.assertEqual(self.cpus("-t", 3), 3 * [self.last])
        for policy in POLICIES + ("none",):
            self.assert_bound(3 * [[self.last]], "spin1", "-t", 3, "--policy", policy)

    def test_restricted_by_list(self):
        for policy in POLICIES + ("none",):
            self.assert_bound(2 * [[self.last]], "spin1", "-t", 2, "--policy", policy,
                              "--cpus", self.last)

    def test_no_affinity(self):
        self.assert_bound(3 * [self.everywhere], "spin1", "-t", 3, "-n")

    def test_the_parent_keeps_aside(self):
        """On CPUs without a task, as long as there is one; on the last task's CPU else."""
        for tasks in sorted({1, len(self.everywhere), len(self.everywhere) + 1}):
            cpus = self.cpus("--policy", "pus", "-t", tasks)
            for mode in suite.MODES:
                with self.subTest(mode, tasks=tasks):
                    process = self.start("spin1", mode, "--policy", "pus", "-t", tasks,
                                         "--warmup", "60")
                    self.read_until(process, "warmup")
                    where = allowed(process.pid)
                    process.send_signal(signal.SIGINT)
                    self.finish(process)
                    if set(cpus) == set(self.everywhere):
                        self.assertEqual(where, [self.everywhere[-1]])
                    else:
                        self.assertFalse(set(where) & set(cpus))
        process = self.start("spin1", "processes", "-n", "--warmup", "60")
        self.read_until(process, "warmup")
        self.assertEqual(allowed(process.pid), self.everywhere)

    def test_not_bound_on_another_machine(self):
        self.environment["HWLOC_SYNTHETIC"] = "core:2 pu:2"
        self.assert_bound(2 * [self.everywhere], "spin1", "-t", 2)


if __name__ == "__main__":
    tap.main()
