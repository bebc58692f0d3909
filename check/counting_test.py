#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""runtest.py --instructions: exact counts, by function, of one kernel and of two."""

import ctypes
import json
import os

import guests
import suite
import sweep_test
import tap
from sweep import windows

RUNTEST = os.path.join(suite.SOURCE, "runtest.py")


class CountingTestCase(sweep_test.SweepTest):
    def count(self, *arguments, folder="results"):
        done = self.call(RUNTEST, *arguments, "--instructions", "--output", folder,
                         programs=suite.PROGRAMS)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def counted(self, folder="results"):
        """{(testcase, side, mode): windows of the result files}"""
        found = {}
        for above, _, names in os.walk(os.path.join(self.folder, folder)):
            for name in names:
                with open(os.path.join(above, name), encoding="utf-8") as file:
                    result = json.load(file)
                side = result["contest"]["side"] if result["contest"] else ""
                for run in result["runs"]:
                    found.setdefault((result["testcase"], side, run["mode"]), []).append(
                        run["instructions"])
        return found

    def sides(self):
        """Folders of the results of base and candidate."""
        (folder,) = os.listdir(os.path.join(self.folder, "results"))
        return [os.path.join(self.folder, "results", folder, side)
                for side in ("base", "candidate")]


class Counting(CountingTestCase):
    @classmethod
    def setUpClass(cls):
        guests.need_qemu()
        cls.kernel = guests.debian(guests.CLOUD)

    def test_one_kernel(self):
        """The same to the last instruction, whenever it is counted; and what is told adds up."""
        first = self.count("getppid1", "writeseek1", "--kernel", self.kernel, "--rounds", "2")
        self.count("getppid1", "writeseek1", "--kernel", self.kernel, "--rounds", "2",
                   folder="again")
        found = self.counted()
        self.assertEqual(found, self.counted("again"))
        self.assertEqual(len(found), 4)
        for (name, _, mode), counted in found.items():
            with self.subTest(name, mode=mode):
                for window in counted:
                    self.assertTrue(window["exact"])
                    self.assertEqual(window["per_operation"], window["user"] + window["kernel"])
                    self.assertEqual(window["kernel"], sum(row[1] for row in window["functions"]))
                    self.assertEqual(window["operations"], 400)
                    self.assertEqual(window["minimum"], window["per_operation"])
        functions = {row[0]: row[1] for row in found["getppid1", "", "threads"][0]["functions"]}
        self.assertGreater(functions["__do_sys_getppid"], 0)
        self.assertGreater(functions["entry_SYSCALL_64_after_hwframe"], 20)
        self.assertLess(found["getppid1", "", "processes"][0]["user"], 20)
        # The machine's first process leaves nothing behind that costs its children something.
        self.assertNotIn("native_tss_update_io_bitmap", functions)
        # It writes 4096 bytes, which this model of CPU moves one by one.
        (write,) = {window["repeated"] for window in found["writeseek1", "", "processes"]}
        self.assertTrue(4096 <= write < 4200, write)
        head, *rows = first.stdout.splitlines()
        self.assertEqual(head, "testcase,mode,instructions,user,kernel,least,greatest,windows")
        self.assertEqual(len(rows), 4)
        self.assertIn("  entry_SYSCALL_64_after_hwframe\n", first.stderr)


class Windows(suite.TestCase):
    """What the plugin writes, and what is made of it."""

    TEXT = ("window 3 9\n"
            "kind 5 500 0\nuser 50\nrepeated 5\nfunction 300 00000000000000f1 a\n"
            "function 150 00000000000000f2 b\n"
            "kind 1 900 1\nuser 10\nrepeated 0\nfunction 890 00000000000000f3 irq\n"
            "kind 2 220 0\nuser 20\nrepeated 0\nfunction 200 00000000000000f4 a\n"
            "others 1 130 0\nuser 10\nrepeated 0\nfunction 120 00000000000000f1 a\n"
            "end\nwindow 4 1\nkind 1 7 0\nuser 7\n")

    def test_most_are_alike(self):
        kinds = windows.parse(self.TEXT)
        self.assertEqual(list(kinds), [3])
        found = windows.cost(kinds[3])
        self.assertEqual(found, {
            "per_operation": 100, "exact": True, "user": 10, "kernel": 90, "repeated": 1,
            "counted": 5, "undisturbed": 8, "operations": 9, "minimum": 100, "median": 100,
            "mean": round((500 + 900 + 220 + 130) / 9, 3), "maximum": 900,
            "functions": [["a", 60, "00000000000000f1"], ["b", 30, "00000000000000f2"]]})

    def test_they_differ(self):
        text = self.TEXT.replace("kind 5 500 0", "kind 2 200 0")
        found = windows.cost(windows.parse(text)[3])
        self.assertFalse(found["exact"])
        self.assertEqual((found["counted"], found["undisturbed"], found["operations"]), (5, 5, 6))
        self.assertEqual(found["per_operation"], (200 + 220 + 130) / 5)
        self.assertEqual(found["functions"][0], ["a", 124, None])
        self.assertNotIn("irq", [row[0] for row in found["functions"]])

    def test_all_are_disturbed(self):
        text = "window 1 2\nkind 2 14 1\nuser 2\nrepeated 0\nfunction 12 01 irq\nend\n"
        found = windows.cost(windows.parse(text)[1])
        self.assertEqual((found["per_operation"], found["undisturbed"]), (7, 0))

    def test_functions_of_one_name(self):
        text = ("window 1 1\nkind 1 30 0\nuser 0\nrepeated 0\nfunction 10 ffffffffffffffff a\n"
                "function 20 0000000000000002 a\nend\n")
        self.assertEqual(windows.cost(windows.parse(text)[1])["functions"],
                         [["a", 30, "0000000000000001"]])

    def test_damage(self):
        for damage in ("function 1 zz a", "kind 1 2", "user x", "kind 1 2 0\nfunction 1"):
            with self.subTest(damage), self.assertRaises(ValueError):
                windows.parse(f"window 1 1\nkind 1 1 0\n{damage}\nend\n")


class Bounds(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("function", "function_end", "image",
                                                     "image_end")]


class Meaning(suite.TestCase):
    """When instructions of two kernels count as the same ones (vm/x86.c)."""

    FUNCTION, IMAGE = 0xffffffff81000100, 0xffffffff80000000

    def setUp(self):
        super().setUp()
        library = os.path.join(self.folder, "x86.so")
        built = suite.run("cc", "-shared", "-fPIC", "-o", library,
                          os.path.join(suite.SOURCE, "vm", "x86.c"))
        self.assertEqual(built.returncode, 0, built.stderr)
        self.library = ctypes.CDLL(library)
        self.library.x86_meaning.restype = ctypes.c_uint64
        self.library.x86_meaning.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64,
                                             ctypes.POINTER(Bounds)]
        self.library.x86_repeats.restype = ctypes.c_bool

    def meaning(self, text, moved=0):
        """Of an instruction in hexadecimal, 16 bytes into a function that lies elsewhere."""
        start = self.FUNCTION + moved
        bounds = Bounds(start, start + 0x100, self.IMAGE, self.IMAGE + (128 << 20))
        code = bytes.fromhex(text)
        return self.library.x86_meaning(code, len(code), start + 16, ctypes.byref(bounds))

    def test_only_addresses_differ(self):
        for name, one, other in (
                ("call", "e8 00 10 00 00", "e8 00 20 00 00"),
                ("jump", "e9 00 10 00 00", "e9 00 20 00 ff"),
                ("jump if, out of the function", "0f 84 00 10 00 00", "0f 84 00 20 00 00"),
                ("relative load", "48 8b 05 10 00 00 00", "48 8b 05 20 00 00 00"),
                ("relative compare", "83 3d 10 00 00 00 05", "83 3d 20 00 00 00 05"),
                ("per-CPU load", "65 48 8b 04 25 00 fb 01 00", "65 48 8b 04 25 40 fb 01 00"),
                ("address as a value", "48 c7 c7 00 10 00 82", "48 c7 c7 00 20 00 82"),
                ("table", "ff 24 c5 00 10 00 82", "ff 24 c5 00 20 00 82"),
                ("base and table", "8b 80 00 10 00 82", "8b 80 00 20 00 82"),
                ("64-bit address", "48 b8 00 10 00 82 ff ff ff ff",
                 "48 b8 00 20 00 82 ff ff ff ff")):
            with self.subTest(name):
                self.assertEqual(self.meaning(one), self.meaning(other, moved=0x4000))

    def test_they_do_something_else(self):
        for name, one, other in (
                ("register", "89 c3", "89 c1"),
                ("relative compare with another value", "83 3d 10 00 00 00 05",
                 "83 3d 10 00 00 00 06"),
                ("field of a structure", "48 8b 80 40 04 00 00", "48 8b 80 48 04 00 00"),
                ("field nearby", "48 8b 40 08", "48 8b 40 10"),
                ("value", "b8 40 00 00 00", "b8 80 00 00 00"),
                ("64-bit value", "48 b8 01 00 00 00 00 00 00 10", "48 b8 02 00 00 00 00 00 00 10"),
                ("jump within the function", "0f 84 10 00 00 00", "0f 84 20 00 00 00"),
                ("short jump", "74 10", "74 20"),
                ("error code", "b8 ea ff ff ff", "b8 f4 ff ff ff"),
                ("stack", "48 81 ec 80 00 00 00", "48 81 ec 90 00 00 00")):
            with self.subTest(name):
                self.assertNotEqual(self.meaning(one), self.meaning(other))

    def test_repetitions(self):
        for text, repeats in (("f3 a4", True), ("f3 48 a5", True), ("f3 48 ab", True),
                              ("f2 ae", True), ("a4", False), ("f3 0f 1e fa", False),
                              ("f3 c3", False), ("f3 48 0f b8 c0", False)):
            with self.subTest(text):
                code = bytes.fromhex(text)
                self.assertEqual(self.library.x86_repeats(code, len(code)), repeats)


if __name__ == "__main__":
    tap.main()
