# SPDX-License-Identifier: GPL-2.0-or-later
"""Two programs that run in turns: only one is let run at a time, and neither outlives the other."""

import os
import signal
import socket

import suite
import tap

QUICK = ("--warmup", 0.05)


def intervals(path):
    """When a testcase was let run: (start, end) pairs, in ns."""
    with open(path, encoding="ascii") as file:
        return sorted(tuple(map(int, line.split())) for line in file)


class TurnsTest(suite.ProgramTestCase):
    def start_one(self, role, end, name, mode, *options):
        """A program that takes turns with whoever holds the other end of a socket."""
        options = ("--samples", os.path.join(self.folder, role),
                   "--turns", f"{role}:{end.fileno()}", *QUICK, *options)
        process = self.start(name, mode, *options, pass_fds=[end.fileno()])
        end.close()
        return process

    def start_both(self, names, mode, *options, of_each=lambda role: ()):
        ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return [self.start_one(role, end, name, mode, *options, *of_each(role))
                for role, end, name in zip(("first", "second"), ends, names)]

    def measured(self, role):
        return suite.samples_of(os.path.join(self.folder, role), "measure")

    def run_both(self, names, mode, *options, **keywords):
        for done in list(map(self.finish, self.start_both(names, mode, *options, **keywords))):
            self.assert_measured(done)

    def test_one_stands_still_while_the_other_runs(self):
        for mode in suite.MODES:
            with self.subTest(mode):
                paths = {role: os.path.join(self.folder, f"{role}-{mode}-stamps")
                         for role in ("first", "second")}
                self.run_both(("stamps", "stamps"), mode, "-s", 0.3, "-t", 2,
                              of_each=lambda role, paths=paths: ("--option", f"into={paths[role]}"))
                first, second = map(intervals, paths.values())
                # The warm-up, and turns; two tasks each.
                self.assertGreater(len(first), 10)
                self.assertGreater(len(second), 10)
                for start, end in first:
                    for other_start, other_end in second:
                        self.assertFalse(start < other_end and other_start < end,
                                         ((start, end), (other_start, other_end)))

    def test_slices(self):
        """A BB AA ... BB A, and as long as it takes to count something."""
        for name, slices in (("getppid1", 20), ("slow", 4)):
            with self.subTest(name):
                self.run_both((name, name), "processes", "-s", 0.2)
                samples = [self.measured(role) for role in ("first", "second")]
                if name == "getppid1":
                    self.assertEqual([len(each) for each in samples],
                                     [slices // 2 + 1, slices // 2])
                    continue
                # An operation that a busy machine makes longer makes slices longer, not more.
                self.assertEqual([len(each) for each in samples], [3, 2])
                for each in samples:
                    self.assertGreater(min(sum(sample.counts) for sample in each), 10)

    def test_the_slower_side_decides_how_long_slices_are(self):
        self.run_both(("slow", "getppid1"), "threads", "-s", 0.2)
        self.assertEqual([len(self.measured(role)) for role in ("first", "second")], [3, 2])
        self.assertGreater(min(sample.end - sample.start for sample in self.measured("second")),
                           10 * 5e6)

    def test_tasks_with_partners(self):
        for mode in suite.MODES:
            with self.subTest(mode):
                self.run_both(("context_switch1", "context_switch1"), mode, "-s", 0.2)

    def test_a_side_that_dies_takes_the_other_along(self):
        dying = {"first": ("--option", "how=abort", "--option", "task=0"), "second": ()}
        first, second = self.start_both(("dies", "getppid1"), "processes", "-s", 60,
                                        of_each=dying.get)
        ends = [self.finish(first), self.finish(second)]
        self.assert_failed(ends[0], r"task 0 was killed by signal 6 \(Aborted\)")
        self.assert_failed(ends[1], "the program that it takes turns with has ended")

    def test_a_side_that_is_killed_takes_the_other_along(self):
        first, second = self.start_both(("getppid1", "getppid1"), "threads", "-s", 60)
        self.read_until(second, "measurement")
        second.kill()
        self.finish(second)
        self.assertEqual(self.finish(first).returncode, 1)
        self.wait_until_gone()

    def test_signals_are_heard_while_it_waits(self):
        for signum in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signum.name):
                ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                with ours:
                    process = self.start_one("second", theirs, "getppid1", "processes", "-s", 60)
                    self.assertEqual(ours.recv(100), b"turn 0")
                    process.send_signal(signum)
                    done = self.finish(process)
                self.assertEqual(done.returncode, -signum)
                self.assert_nothing_left()

    def test_a_partner_that_talks_nonsense(self):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours:
            process = self.start_one("first", theirs, "getppid1", "processes", "-s", 60)
            ours.send(b"hello")
            self.assert_failed(self.finish(process),
                               "the program that it takes turns with speaks another language")

    def test_wrong_usage(self):
        form = "must be first or second, a colon and a descriptor"
        for options, message in (
                (("--turns", "third:0", "-s", 1), f"--turns third:0: {form}"),
                (("--turns", "first", "-s", 1), f"--turns first: {form}"),
                (("--turns", "first:0x", "-s", 1), f"--turns first:0x: {form}"),
                (("--turns", "first:0", "-s", 1),
                 "--turns first:0: the descriptor must be a SOCK_SEQPACKET socket")):
            with self.subTest(options):
                done = self.run_program("getppid1", "processes", *options)
                self.assert_failed(done, message, 2)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours:
            done = self.finish(self.start_one("first", theirs, "getppid1", "processes", "-s", 0))
            self.assert_failed(done, "-s 0: with --turns a length above 0 is needed", 2)


if __name__ == "__main__":
    tap.main()
