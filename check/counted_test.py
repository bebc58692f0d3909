#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare.py on results of which instructions were counted."""

import csv
import io
import json

import analysis
import results
import suite
import tap

PLACE = {"type": "vm", "accelerator": "tcg", "qemu": "7.2.22", "icount": "shift=0,sleep=off",
         "cpus": 1, "memory": "2G", "append": "", "modules": None}


def window(user=10, exact=True, undisturbed=400, **functions):
    """What was counted; functions: their instructions, or those and a number for their code."""
    rows = [[name, *(value if isinstance(value, tuple) else (value, "00"))]
            for name, value in functions.items()]
    kernel = sum(row[1] for row in rows)
    return {"per_operation": user + kernel, "user": user, "kernel": kernel, "exact": exact,
            "undisturbed": undisturbed, "functions": rows}


class CountedTest(results.ResultsTestCase):
    def count(self, side, windows, name="read1", **changes):
        path = self.write(side, {("threads", 1): [1e6] * len(windows)}, name, **{
            "settings": {"policy": "cores", "instructions": True},
            "place": {**PLACE, "kernel": side, "sha256": side}, **changes})
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        for run, found in zip(result["runs"], windows):
            run["instructions"] = found
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        return path

    def compare(self, *arguments):
        return suite.run(analysis.COMPARE, "base", "candidate", *arguments, cwd=self.folder)

    def verdict(self, base, candidate, *arguments):
        """Of the only point, with the exit status."""
        self.count("base", base)
        self.count("candidate", candidate)
        done = self.compare("--format", "json", *arguments)
        (point,) = json.loads(done.stdout)["counted"]
        return point["verdict"], done.returncode

    def test_none_of_the_changed_code(self):
        self.count("base", [window(a=100, b=50)] * 4)
        self.count("candidate", [window(a=100, b=50)] * 4)
        done = self.compare()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"read1 +threads +160 +160 +0 +this testcase executes none "
                         r"of the changed code\n")
        self.assertNotIn("came, went or changed", done.stdout)

    def test_functions(self):
        self.count("base", [window(a=100, old=30, same=7)] * 4)
        self.count("candidate", [window(a=(220, "11"), new=5, same=7)] * 4)
        done = self.compare()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"147 +242 +\+95 +\+64\.63 % +more instructions\n")
        self.assertRegex(done.stdout, r"(?s)functions of the kernel that .*\n +100 +220 +\+120 +a\n"
                         r" +30 +0 +-30 +old \(gone\)\n +0 +5 +\+5 +new \(new\)\n\n")
        (point,) = json.loads(self.compare("--format", "json").stdout)["counted"]
        self.assertEqual([row["name"] for row in point["functions"]], ["a", "old", "new"])
        self.assertEqual((point["change"], point["none_changed"]), (95, False))

    def test_other_code_of_the_same_length(self):
        verdict = self.verdict([window(a=(100, "aa"))] * 2, [window(a=(100, "bb"))] * 2)
        self.assertEqual(verdict, ("as many instructions", 0))
        told = self.compare().stdout
        self.assertIn("as many instructions, by changed code\n", told)
        self.assertIn("Other code, but as long: read1 threads: a\n", told)

    def test_fewer(self):
        self.assertEqual(self.verdict([window(a=100)], [window(a=99)]), ("fewer instructions", 0))

    def test_noise(self):
        """None is taken off unless it is asked for."""
        sides = [window(a=9990)] * 2, [window(a=10000)] * 2
        self.assertEqual(self.verdict(*sides), ("more instructions", 1))
        self.assertEqual(self.verdict(*sides, "--noise", "1"), ("no more than windows differ", 0))
        self.assertEqual(self.compare("--bisect").returncode, 1)

    def test_windows_that_grow_are_compared_one_by_one(self):
        grown = [0, 40, 80, 120]
        base = [window(a=1000 + more) for more in grown]
        self.assertEqual(self.verdict(base, [window(a=1010 + more) for more in grown]),
                         ("more instructions", 1))
        self.assertEqual(self.verdict(base, [window(a=1010 + more) for more in grown[::-1]]),
                         ("no more than windows differ", 0))
        # With other numbers of windows every one is compared with every other.
        self.assertEqual(self.verdict(base, [window(a=1010 + more) for more in grown[:3]]),
                         ("no more than windows differ", 0))

    def test_remarks(self):
        self.count("base", [window(a=100, exact=False)] * 2)
        self.count("candidate", [window(a=100, undisturbed=0)] * 2)
        told = self.compare().stdout
        self.assertIn("  read1 threads: operations of base differ: these are means\n", told)
        self.assertIn("each operation of candidate contained an interrupt\n", told)

    def test_what_cannot_be_compared(self):
        self.count("base", [window(a=100)])
        self.count("candidate", [window(a=100)], place={**PLACE, "qemu": "8.0"})
        done = self.compare()
        self.assertEqual(done.returncode, 3)
        self.assertIn("not comparable: ", done.stdout)
        self.assertEqual(self.compare("--bisect").returncode, 125)

    def test_failed(self):
        path = self.count("base", [window(a=100)])
        self.count("candidate", [window(a=100)])
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        result["runs"][0].update(status="failed", reason="it was so", instructions=None)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        done = self.compare()
        self.assertEqual(done.returncode, 3)
        self.assertIn("not comparable: all runs of base failed: it was so\n", done.stdout)
        self.assertNotIn("operations per second", done.stdout)

    def test_beside_times(self):
        """Where no code has changed, a difference in time is said to be of another kind."""
        for side, rate in (("base", 1e6), ("candidate", 2e6)):
            self.count(side, [window(a=100)], "counted", testcase="read1")
            self.write(side, {("threads", 1): [rate * (1 + n / 1000) for n in range(10)]}, "read1")
        done = self.compare()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"read1 +threads +1 .*  faster\n")
        self.assertIn("read1 threads 1: its instructions were counted, and none of the code that "
                      "it executes has changed: this is layout or noise\n", done.stdout)
        self.assertIn("this testcase executes none of the changed code\n", done.stdout)

    def test_formats(self):
        self.count("base", [window(a=100)] * 2)
        self.count("candidate", [window(a=(120, "11"))] * 2)
        (row,) = csv.DictReader(io.StringIO(self.compare("--format", "csv").stdout))
        self.assertEqual((row["base_value"], row["candidate_value"], row["change"]),
                         ("110.0", "130.0", "20.0"))
        self.assertIn("| read1 | threads | 110 | 130 | +20 | +18.18 % | more instructions |\n",
                      self.compare("--format", "markdown").stdout)

    def test_damage(self):
        self.count("candidate", [window(a=100)])
        for damage in (None, {}, {**window(a=1), "user": -1}, {**window(a=1), "functions": [["a"]]},
                       {**window(a=1), "functions": [[1, 1, "0"]]}):
            with self.subTest(damage):
                path = self.count("base", [damage])
                done = self.compare()
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                name = path.replace(self.folder + "/", "")
                self.assertTrue(done.stderr.startswith(f"compare.py: {name}: is damaged: "),
                                done.stderr)


if __name__ == "__main__":
    tap.main()
