# SPDX-License-Identifier: GPL-2.0-or-later
"""unittest's verdicts as TAP lines, which automake's harness counts one by one."""

import signal
import sys
import unittest


class TapResult(unittest.TestResult):
    """Prints one TAP line per finished test; a traceback goes before its line as a comment."""

    def __init__(self):
        super().__init__()
        self.number = 0
        self.reported = set()

    def line(self, word, test, remark=""):
        self.number += 1
        self.reported.add(test.id())
        name = test.id().replace("__main__.", "").replace("#", "")
        print(f"{word} {self.number} - {name}{remark}", flush=True)

    def comment(self, text):
        for row in text.rstrip().splitlines():
            print(f"# {row}", flush=True)

    def addSuccess(self, test):
        if test.id() not in self.reported:
            self.line("ok", test)

    def addSkip(self, test, reason):
        self.line("ok", test, f" # SKIP {reason}")

    def addFailure(self, test, err):
        self.comment(self._exc_info_to_string(err, test))
        self.line("not ok", test)

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.comment(f"in {subtest}")
            self.comment(self._exc_info_to_string(err, test))
            if test.id() not in self.reported:
                self.line("not ok", test)


def main():
    """Run the calling script's test cases, or those that its arguments name (Class, Class.test)."""
    # Background jobs ignore some, nohup's another, and so would every program that a test ends so.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for ignored in (signal.SIGQUIT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_DFL)
    loader = unittest.TestLoader()
    module = sys.modules["__main__"]
    names = sys.argv[1:]
    if names:
        suite = loader.loadTestsFromNames(names, module)
    else:
        suite = loader.loadTestsFromModule(module)
    result = TapResult()
    suite.run(result)
    print(f"1..{result.number}", flush=True)
