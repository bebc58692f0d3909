# SPDX-License-Identifier: GPL-2.0-or-later
"""Rates are right: against a testcase that counts the microseconds, and with a stopped parent."""

import os
import signal
import time

import suite
import tap

TOLERANCE = 0.005


class RateTestCase(suite.ProgramTestCase):
    def assert_rate(self, measure, tasks):
        """
        A million operations a second for each task. A virtual machine may be paused just between a
        task's last store and the reading of its counter, or for so long that the task passes for
        stopped, so there is a second and a third chance; a wrong runtime misses each.
        """
        rates = []
        for _ in range(3):
            done = measure()
            if done.returncode:
                rates.append(done.stderr)
                continue
            self.assert_measured(done)
            operations, nanoseconds = suite.measured(self.samples)
            average = int(done.stdout.split("average:")[1].split()[0])
            self.assertLessEqual(abs(average * nanoseconds / 1e9 - operations), nanoseconds / 1e9)
            rates.append(average)
            if abs(average / (tasks * 1e6) - 1) <= TOLERANCE:
                return
        self.fail(f"not within {TOLERANCE:.1%} of {tasks}000000: {rates}")

    def stop(self, process, seconds):
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(process.pid, signal.SIGCONT)


class Rates(RateTestCase):
    def test_of_a_known_rate(self):
        for mode in suite.MODES:
            for tasks in (1, 2):
                with self.subTest(mode=mode, tasks=tasks):
                    options = ("-t", tasks, "-s", 2, "--warmup", 0.1, "--interval", 0.05)
                    self.assert_rate(lambda: self.run_program("clockrate", mode, *options), tasks)

    def test_with_more_tasks_than_cpus(self):
        """Counters of tasks that wait for their turn are behind, by a small part of 2 s."""
        tasks = 2 * os.cpu_count() + 1
        for mode in suite.MODES:
            with self.subTest(mode):
                self.measure("clockrate", mode, "-t", tasks, "-s", 2, "--warmup", 0.1)
                operations, nanoseconds = suite.measured(self.samples)
                self.assertAlmostEqual(operations * 1000 / nanoseconds / tasks, 1, delta=0.1)

    def test_foreign_sources_run_unchanged(self):
        for mode in suite.MODES:
            for name in ("foreign1", "foreign2"):
                with self.subTest(mode=mode, name=name):
                    done = self.measure(name, mode, "-t", 2, "-s", 0.5, "--warmup", 0.1)
                    self.assertRegex(done.stdout, r"\Atestcase:Foreign source, ")
                    self.assertTrue(all(suite.samples_of(self.samples, "measure")[0].counts))


class StoppedParent(RateTestCase):
    """The sampler does not run for a second: that sample is longer, and as right as any."""

    def measure_with_stop(self, mode):
        process = self.start("clockrate", mode, "-s", 2, "--warmup", 0, "--interval", 0.5)
        self.read_until(process, "measurement")
        time.sleep(0.2)
        self.stop(process, 1)
        return self.finish(process)

    def test_the_rate_is_right(self):
        for mode in suite.MODES:
            with self.subTest(mode):
                self.assert_rate(lambda: self.measure_with_stop(mode), 1)
                samples = suite.samples_of(self.samples, "measure")
                self.assertEqual(len(samples), 4)
                longest = max(samples, key=lambda sample: sample.end - sample.start)
                self.assertGreaterEqual(longest.end - longest.start, 900000000)
                for sample in samples:
                    rate = sample.counts[0] * 1e9 / (sample.end - sample.start)
                    self.assertAlmostEqual(rate / 1e6, 1, delta=0.05)

    def test_the_warm_up_has_six_samples(self):
        """Users delete the first 8 lines, whatever happened."""
        for mode in suite.MODES:
            with self.subTest(mode):
                process = self.start("getppid1", mode, "-s", 0.1, "--warmup", 0.6,
                                     "--interval", 0.1)
                self.read_until(process, "min:")
                self.stop(process, 1)
                done = self.finish(process)
                self.assert_measured(done)
                self.assertEqual(len(suite.samples_of(self.samples, "warmup")), 6)
                self.assertRegex(done.stdout, r"\A(min:.*\n){5}measurement\nmin:.*\naverage:")


if __name__ == "__main__":
    tap.main()
