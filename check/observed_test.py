# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics of the system over a measurement: from a recorded machine, from damaged files, and
from real runs.

observed/before.tree and after.tree hold the files of a machine with two nodes just before and just
after a measurement, as `cd /; tail -n +1 FILE...` prints them.
"""

import json
import os

import suite
import tap
from sweep import observed, samples
from sweep.tree import Tree

GROUP = "/sys/fs/cgroup/bench.slice/job"


def recorded(when):
    """{path: text} of a recorded tree."""
    path = os.path.join(suite.SOURCE, "check", "observed", when + ".tree")
    with open(path, encoding="utf-8") as file:
        parts = ("\n" + file.read()).split("\n==> ")[1:]
    return dict(part.split(" <==\n", 1) for part in parts)


def recorded_texts():
    before, after = recorded("before"), recorded("after")
    return {"/" + path: (text, after[path]) for path, text in before.items()}


class Recorded(suite.TestCase):
    def write(self, files):
        for path, text in files.items():
            path = os.path.join(self.folder, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def test_files_of_a_machine(self):
        self.write(recorded("before"))
        paths = observed.paths(Tree(self.folder))
        self.assertEqual(set(paths), {f"/{path}" for path in recorded("before")
                                      if not path.startswith("proc/self/")})
        # What is not there is not asked for, and a single node tells nothing of its own.
        for path in ("proc/schedstat", "sys/devices/system/node/node1/vmstat",
                     "sys/devices/system/node/node1/numastat",
                     "sys/devices/system/node/node1/meminfo"):
            os.unlink(os.path.join(self.folder, path))
        os.rmdir(os.path.join(self.folder, "sys/devices/system/node/node1"))
        self.assertEqual(set(paths) - set(observed.paths(Tree(self.folder))),
                         {path for path in paths if "/node/" in path} | {"/proc/schedstat"})
        self.assertEqual(observed.paths(Tree(os.path.join(self.folder, "nothing"))), [])

    def test_differences_and_levels(self):
        found = observed.changes(recorded_texts())
        self.assertEqual(found.differences, {
            "proc-vmstat.nr_dirtied": 60, "proc-vmstat.workingset_refault_anon": 5,
            "proc-vmstat.nr_tlb_remote_flush": 20, "proc-vmstat.pgfault": 2000,
            "proc-vmstat.numa_hit": 1, "proc-vmstat.nr_free_pages": -1000,
            "proc-vmstat.workingset_nodes": 2,
            "proc-stat.cpu.user": 10, "proc-stat.cpu.system": 100, "proc-stat.cpu.idle": 90,
            "proc-stat.intr": 100, "proc-stat.ctxt": 500, "proc-stat.processes": 3,
            "proc-stat.softirq": 80, "softirqs.TIMER": 100,
            "interrupts.120:IR-PCI-MSIX-0000:00:1f.6.0-edge.eth0,eth1": 6,
            "interrupts.LOC:Local_timer_interrupts": 200,
            "interrupts.CAL:Function_call_interrupts": 10, "interrupts.ERR": 2,
            "schedstat.yld_count": 1, "schedstat.sched_count": 55, "schedstat.sched_goidle": 11,
            "schedstat.ttwu_count": 22, "schedstat.ttwu_local": 11,
            "schedstat.rq_cpu_time": 1000000, "schedstat.run_delay": 550, "schedstat.pcount": 44,
            "meminfo.MemFree": -4000, "meminfo.Active(anon)": 400,
            "pressure.cpu.some": 3000, "pressure.cpu.full": 1500,
            "numa-vmstat.node0.nr_dirtied": 10, "numa-vmstat.node1.nr_dirtied": 11,
            "numa-vmstat.node0.nr_free_pages": -500, "numa-vmstat.node1.nr_free_pages": -500,
            "numa-numastat.node0.numa_hit": 100, "numa-numastat.node1.numa_hit": 100,
            "numa-numastat.node1.numa_miss": 5, "numa-numastat.node0.local_node": 95,
            "numa-numastat.node1.local_node": 95,
            "numa-meminfo.node0.MemFree": -2000, "numa-meminfo.node1.MemFree": -2000,
            "cgroup.cpu.usage_usec": 500000, "cgroup.cpu.user_usec": 100000,
            "cgroup.cpu.system_usec": 400000, "cgroup.memory.pgfault": 2000,
            "cgroup.memory.workingset_refault_anon": 4, "cgroup.memory.thp_fault_alloc": 2,
            "cgroup.memory.anon": 4096, "cgroup.memory.slab": 200})
        self.assertEqual(found.levels, {
            "proc-vmstat.nr_free_pages": 4000, "proc-vmstat.workingset_nodes": 9,
            "meminfo.MemTotal": 65536000, "meminfo.MemFree": 49996000,
            "meminfo.Active(anon)": 1400,
            "numa-vmstat.node0.nr_free_pages": 2000, "numa-vmstat.node1.nr_free_pages": 2000,
            "numa-meminfo.node0.MemTotal": 32768000, "numa-meminfo.node0.MemFree": 24998000,
            "numa-meminfo.node1.MemTotal": 32768000, "numa-meminfo.node1.MemFree": 24998000,
            "cgroup.memory.anon": 8192, "cgroup.memory.file": 12288, "cgroup.memory.slab": 1200})
        self.assertEqual([path for path in found.unread if not path.startswith("/proc/self/")], [])

    def test_what_vanishes_is_told_and_the_rest_counts(self):
        texts = recorded_texts()
        texts["/proc/vmstat"] = (texts["/proc/vmstat"][0], OSError("No such file or directory"))
        texts[f"{GROUP}/cpu.stat"] = (OSError("No such device"), OSError("No such device"))
        found = observed.changes(texts)
        self.assertEqual(found.unread["/proc/vmstat"], "No such file or directory")
        self.assertEqual(found.unread[f"{GROUP}/cpu.stat"], "No such device")
        self.assertFalse([name for name in (*found.differences, *found.levels)
                          if name.startswith(("proc-vmstat", "cgroup.cpu"))])
        self.assertEqual(found.differences["softirqs.TIMER"], 100)

    def test_malformed_files(self):
        """Whatever a file holds, it is no number where it is none."""
        damages = ("", "\n\n", "\0\1\2", "nr_dirtied\n", "nr_dirtied -5\nnr_dirtied 1e9\n",
                   "cpu\n", "cpu x y\nintr\nctxt 0x5\n", "CPU0\n", "           CPU0\nLOC:\nLOC\n",
                   "version\n", "MemFree: lots\n", "some avg10\n",
                   "some total=\n", " \n \n", "ä ö\n")
        for path in recorded_texts():
            for text in damages:
                with self.subTest(path=path, text=text):
                    found = observed.changes({path: (text, text)})
                    self.assertEqual((found.differences, found.levels), ({}, {}))
                    self.assertEqual(found.unread, {path: "it holds nothing that is known"})
        text = "version 99\ncpu0 1 2 3\n"
        self.assertIn("/proc/schedstat", observed.changes({"/proc/schedstat": (text, text)}).unread)
        # Cut in the middle of a line, at every place.
        for path, (before, after) in recorded_texts().items():
            for length in range(0, len(after), 7):
                whole = observed.changes({path: (before, after)})
                cut = observed.changes({path: (before, after[:length])})
                extra = set(cut.differences) - set(whole.differences)
                self.assertLessEqual({name for name in extra if cut.differences[name] > 0}, set())


class Samples(suite.TestCase):
    HEAD = "opscale-samples 1\ntasks 2\nstart 5\nsample measure 10 1010 5 6\n"

    def parsed(self, *lines):
        return samples.parse(self.HEAD + "\n".join([*lines, "end completed"]) + "\n")

    def test_events(self):
        read = self.parsed("operations 5 7", "event instructions:u 0.4300 100 200",
                           "event task-clock 1.0000 1 2", "uncounted cycles:k not permitted, why")
        self.assertEqual(read.events, samples.Events(
            operations=12, counts={"instructions:u": 300, "task-clock": 3},
            shares={"instructions:u": 0.43}, lacking={"cycles:k": "not permitted, why"}))
        self.assertIsNone(self.parsed().events)

    def test_files(self):
        read = self.parsed("file before /a b", "line one", "line ", "file after /a b", "line two",
                           "file before /c", "unread No such file", "file after /c", "line x y")
        self.assertEqual(read.files["/a b"], ["one\n", "two"])
        self.assertEqual(str(read.files["/c"][0]), "No such file")
        self.assertEqual(read.files["/c"][1], "x y")

    def test_damaged_records(self):
        for lines in (["event a 1.0 1 2"], ["operations 1"], ["operations 1 2", "event a 1.0 1"],
                      ["operations 1 2", "event a x 1 2"], ["operations 1 2", "event a"],
                      ["line x"], ["unread x"], ["file after /a"], ["file during /a"],
                      ["file before /a", "file before /a"]):
            with self.subTest(lines), self.assertRaisesRegex(ValueError, "line 5|line 6"):
                self.parsed(*lines)


class Sweep(suite.TestCase):
    QUICK = ("--tasks", "1", "--rounds", "2", "--duration", "0.1", "--warmup", "0.05")

    def results(self, *words):
        done = suite.run(suite.RUNTEST, *words, *self.QUICK, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = []
        for folder, _, names in os.walk(os.path.join(self.folder, "results")):
            for name in sorted(names):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    found.append(json.load(file))
        return done, found

    def test_statistics_are_kept(self):
        _, (result,) = self.results("page_fault1")
        names = result["statistics"]
        self.assertEqual(names["unread"], {})
        self.assertEqual(len(result["runs"]), 4)
        for run in result["runs"]:
            found = dict(zip(names["differences"], run["statistics"]["differences"]))
            self.assertGreater(found["proc-vmstat.pgfault"], 0.9 * run["operations"])
            levels = dict(zip(names["levels"], run["statistics"]["levels"]))
            self.assertGreater(levels["meminfo.MemFree"], 0)
            self.assertIsNone(run["events"])

    def test_they_can_be_left_out(self):
        _, (result,) = self.results("getppid1", "--no-statistics", "--mode", "threads")
        self.assertEqual(result["statistics"], {"differences": [], "levels": [], "unread": {}})
        self.assertEqual([run["statistics"] for run in result["runs"]], [None, None])

    def test_events_are_kept_and_shown(self):
        done, (result,) = self.results("page_fault1", "--events", "page-faults,nonsense")
        self.assertEqual(list(result["not_counted"]), ["nonsense"])
        self.assertEqual(done.stderr.count("not counted: nonsense: "), 1)
        for run in result["runs"]:
            events = run["events"]
            self.assertAlmostEqual(events["counts"]["page-faults:u"] / events["operations"], 1,
                                   delta=0.05)
        self.assertRegex(done.stderr, r"\n +tasks +mode +page-faults:u +page-faults:k\n"
                         r" +1 +processes +(1|1\.0\d*|0\.9\d+) ")

    def test_two_sides_in_turns_have_no_statistics_but_events(self):
        _, found = self.results("--ab-testcase", "getppid1,page_fault1", "--events", "page-faults",
                                "--mode", "processes")
        self.assertEqual(len(found), 2)
        for result in found:
            for run in result["runs"]:
                self.assertIsNone(run["statistics"])
                each = run["events"]["counts"]["page-faults:u"] / run["events"]["operations"]
                self.assertAlmostEqual(each, result["testcase"] == "page_fault1", delta=0.05)

    def test_bad_lists(self):
        for text in ("", "a b", "a,,b"):
            with self.subTest(text):
                done = suite.run(suite.RUNTEST, "getppid1", "--events", text, cwd=self.folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr, f"runtest.py: argument --events: '{text}': names of "
                                 "events, separated by commas, are needed\n")


if __name__ == "__main__":
    tap.main()
