# SPDX-License-Identifier: GPL-2.0-or-later
"""More tasks than a short test has time for."""

import os
import unittest

import scale_test
import tap


@unittest.skipIf(os.geteuid(), "needs root: the parent of an ordinary user waits for its turn "
                 "among all tasks")
class Scale(scale_test.ScaleTestCase):
    def test_4000_processes(self):
        self.assert_counted("processes", 4000)

    def test_4000_threads(self):
        self.assert_counted("threads", 4000)


if __name__ == "__main__":
    tap.main()
