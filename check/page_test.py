#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report.py's page in a real browser: what it shows, what can be done with it, and that names and
texts from result files are shown as they are.
"""

import json
import os
import shutil
import tempfile
import time

import results
import suite
import tap

import analysis  # noqa: F401  before what it finds
import browser

REPORT = os.path.join(suite.SOURCE, "postprocess", "report.py")

# What would run or load something if a page took it for markup.
NASTY = "<img src=x onerror=window.hit=1>\"'&:</script><script>window.hit=1</script> ☃ naïve"
SIDE = f"next {NASTY}"
NASTY_NAME = "a<b onclick=window.hit=1>\"'&;:%41 ☃"

PLACEMENT = {"columns": ["cpu", "core", "cache", "node", "package", "kind"],
             "tasks": [[0, 0, 0, 0, 0, None], [1, 1, 0, 0, 0, None]]}

COUNTS = (1, 2, 3, 4)
RUNS = 6


def rates(each, loss=0.0):
    """Of both modes over task counts: a task's rate, of which each further task takes a share."""
    return {(mode, tasks): [tasks * each * (1 - loss * (tasks - 1)) * (1 + 0.001 * run)
                            for run in range(RUNS)]
            for mode in ("processes", "threads") for tasks in COUNTS}


class Pages(results.ResultsTestCase):
    """Of two sides: a testcase that is slower now, one that does not scale, one of one point, one
    that failed at some counts, one that is not on the other side, and one with nasty texts.
    """

    @classmethod
    def setUpClass(cls):
        browser.need()
        cls.kept = tempfile.mkdtemp(prefix="opscale-check-")
        cls.addClassCleanup(shutil.rmtree, cls.kept)
        cls.driver = cls.enterClassContext(browser.opened(cls.kept)) \
            if hasattr(cls, "enterClassContext") else cls.entered(browser.opened(cls.kept))
        cls.page = os.path.join(cls.kept, "report.html")
        cls.made = False

    @classmethod
    def entered(cls, context):
        cls.addClassCleanup(context.__exit__, None, None, None)
        return context.__enter__()

    def setUp(self):
        super().setUp()
        if not self.made:
            self.make()
            type(self).made = True
        browser.emulate(self.driver)
        browser.resize(self.driver, browser.DESKTOP)
        self.driver.get("about:blank")
        self.driver.get(f"file://{self.page}")
        browser.requests(self.driver)
        browser.console(self.driver)

    def make(self):
        for side, label, speed in (("base", "base", 1000), ("next", SIDE, 900)):
            files = {"label": label, "placement": PLACEMENT, "source": "tests/files/x.c"}
            tasks = {"label": label, "source": "tests/tasks/x.c"}
            self.write(side, rates(speed), name="slower1", description="loses a tenth", **files)
            self.write(side, rates(1000, 0.24), name="flat1", description="stops", **files)
            self.write(side, {("threads", 1): [6]}, name="once1", **tasks)
            self.fail_all(self.write(side, rates(70000), name="fails1", **tasks), 3)
            self.write(side, rates(100), name=NASTY_NAME, description=NASTY, label=label)
        self.write("base", rates(20), name="alone1")
        done = suite.run(REPORT, "base", "next", "-o", self.page, "--title", f"A {NASTY}",
                         cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.page}\n"), done.stderr)

    def fail_all(self, path, tasks):
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        for run in result["runs"]:
            if run["tasks"] == tasks:
                run.update(status="failed", reason=NASTY)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)

    def ask(self, script, *arguments):
        return self.driver.execute_script(f"return {script}", *arguments)

    def wait(self, script, *arguments):
        limit = time.monotonic() + 60
        while not self.ask(script, *arguments):
            self.assertLess(time.monotonic(), limit, f"waited in vain for {script}")
            time.sleep(0.02)

    def press(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def names(self):
        """Of the rows that are shown, in their order."""
        return self.ask("[...document.querySelectorAll('#testcases tbody tr')]"
                        ".filter(row => !row.hidden)"
                        ".map(row => row.querySelector('a').textContent)")

    def look_at(self, name):
        """Opens a testcase's view by its link."""
        self.ask("[...document.querySelectorAll('#testcases a')]"
                 ".find(link => link.textContent === arguments[0]).click()", name)
        self.wait("document.querySelector('#view h1')?.textContent === arguments[0] && "
                  "Boolean(document.getElementById('view').dataset.drawn)", name)

    def trace(self, section, kind, number=0):
        """A trace of a figure as the browser has it."""
        return self.ask(
            "[...document.querySelectorAll('section.figure')].find(each =>"
            " each.querySelector('h2').textContent === arguments[0]).querySelector('.canvas')"
            ".data.filter(each => each.meta === arguments[1])[arguments[2]]",
            section, kind, number)

    def assert_quiet(self):
        self.assertEqual(browser.console(self.driver), [])
        self.assertEqual(browser.requests(self.driver), [])
        self.assertIsNone(self.ask("window.hit ?? null"))
        self.assertTrue(self.ask("document.getElementById('trouble').hidden"))

    def assert_fits(self):
        self.assertLessEqual(self.ask("document.documentElement.scrollWidth"),
                             self.ask("innerWidth"))

    def test_everything_is_shown_as_it_is_and_nothing_is_loaded(self):
        """Of each testcase all plots are drawn, and no text becomes a part of the page."""
        self.assertEqual(self.ask("document.querySelector('h1').textContent"), f"A {NASTY}")
        self.assertEqual(sorted(self.names()), sorted([
            "slower1", "flat1", "once1", "fails1", NASTY_NAME, "alone1"]))
        for name in self.names():
            with self.subTest(name):
                self.look_at(name)
                self.assertGreater(self.ask(
                    "document.querySelectorAll('.canvas .main-svg').length"), 0)
                self.assertEqual(self.ask("document.querySelectorAll('.canvas').length"), self.ask(
                    "document.querySelectorAll('.canvas.js-plotly-plot').length"))
                self.assertEqual(self.ask("document.images.length"), 0)
                self.assert_quiet()
        self.look_at(NASTY_NAME)
        self.assertTrue(self.ask("document.querySelector('#view p').textContent").startswith(NASTY))
        legend = self.ask("[...document.querySelectorAll('.canvas .legendtext')]"
                          ".map(text => text.textContent)")
        self.assertIn(f"threads, {SIDE}", legend)
        self.look_at("fails1")
        self.assertIn(NASTY, self.ask("document.querySelector('#view').innerText"))

    def test_the_overview_needs_no_script(self):
        with open(self.page, encoding="utf-8") as file:
            text = file.read()
        head, _, _ = text.partition('<main id="view"')
        self.assertIn(">slower1</a><small>loses a tenth</small>", head)
        self.assertRegex(head, r'<b class="worse">slower, -10\.0 % \(processes [1-4]\); '
                               r'8 of 8 points</b>')
        self.assertIn(">not measured", head)

    def test_filters(self):
        self.assertEqual(self.ask("document.getElementById('count').textContent"),
                         "6 of 6 testcases")
        for control, value, expected in (
                ("group", "tasks", ["fails1", "once1"]), ("group", "other", ["alone1", NASTY_NAME]),
                ("verdict", "slower", ["slower1"]), ("verdict", "not measured", ["fails1"]),
                ("name", "LOSES 1", ["slower1"]), ("name", "☃", [NASTY_NAME]), ("name", "zz", [])):
            with self.subTest(value):
                self.ask("(document.getElementById(arguments[0]).value = arguments[1],"
                         " document.getElementById(arguments[0])"
                         ".dispatchEvent(new Event('input')))", control, value)
                self.assertEqual(sorted(self.names()), sorted(expected))
                self.assertEqual(self.ask("document.getElementById('count').textContent"),
                                 f"{len(expected)} of 6 testcases")
                self.ask("(document.getElementById(arguments[0]).value = '')", control)

    def sort(self, column):
        self.ask("[...document.querySelectorAll('#testcases th button')].find(button =>"
                 " button.textContent === arguments[0]).click()", column)
        return self.names()

    def test_sorts(self):
        """By names as text, by numbers as numbers; a second click turns it round."""
        once = sorted(["slower1", "flat1", "once1", "fails1", NASTY_NAME, "alone1"])
        self.assertEqual(self.sort("testcase"), once)
        self.assertEqual(self.sort("testcase"), once[::-1])
        up = self.sort("threads")
        self.assertEqual(up[-2:], ["slower1", "fails1"])
        self.assertEqual(up[0], "once1")
        self.assertEqual(self.ask("document.querySelectorAll('th[aria-sort=ascending]').length"), 1)
        # The worst change of all is the first.
        self.assertEqual(self.sort(f"change to {SIDE}")[0], "slower1")

    def test_plots_have_the_right_numbers(self):
        self.look_at("slower1")
        middles = [each * 1.0025 for each in (900, 1800, 2700, 3600)]
        for section, by in (("Operations per second of all tasks", (1, 1, 1, 1)),
                            ("Operations per second of one task", COUNTS)):
            for kind, number, expected in (
                    ("median", 1, middles), ("median", 0, [each / 0.9 for each in middles])):
                trace = self.trace(section, kind, number)
                self.assertEqual(trace["x"], [*COUNTS])
                for value, rate, tasks in zip(trace["y"], expected, by):
                    self.assertAlmostEqual(value, rate / tasks, delta=0.001 * rate)
            self.assertEqual(len(self.trace(section, "runs")["y"]), len(COUNTS) * RUNS)
        change = self.trace(f"Change from base to {SIDE}", "change")
        self.assertEqual(change["x"], [*COUNTS])
        for value in change["y"]:
            self.assertAlmostEqual(value, -10, delta=0.1)
        rows = self.ask("[...document.querySelectorAll('section.table')].find(each =>"
                        " each.querySelector('h2').textContent === 'All points')"
                        ".querySelectorAll('tbody tr').length")
        self.assertEqual(rows, 4 * len(COUNTS))

    def test_points_that_failed_and_one_alone(self):
        self.look_at("fails1")
        self.assertEqual(self.trace("Operations per second of one task", "failed")["x"], [3])
        self.assertEqual(self.trace("Operations per second of one task", "median")["x"], [1, 2, 4])
        self.look_at("once1")
        self.assertEqual(self.trace("Operations per second of all tasks", "median")["y"], [6])
        self.assertIn("one count only", self.ask("document.querySelector('#testcases')"
                                                 ".textContent"))

    def test_keyboard(self):
        from selenium.webdriver.common.keys import Keys
        self.press("/")
        self.assertEqual(self.ask("document.activeElement.id"), "name")
        self.press("1n")    # a letter here, and no command
        self.assertEqual(self.ask("document.activeElement.value"), "1n")
        self.press(Keys.ESCAPE)
        self.assertEqual(len(self.names()), 6)
        self.look_at("flat1")
        names = self.names()
        at = names.index("flat1")
        self.press("n")
        self.wait("document.querySelector('#view h1')?.textContent === arguments[0]", names[at + 1])
        self.press("p")
        self.wait("document.querySelector('#view h1')?.textContent === 'flat1'")
        self.press(Keys.ESCAPE)
        self.wait("!document.getElementById('overview').hidden")
        self.assertTrue(self.ask("document.getElementById('view').hidden"))

    def test_a_view_has_an_address(self):
        self.look_at(NASTY_NAME)
        address = self.driver.current_url
        self.driver.get("about:blank")
        self.driver.get(address)
        self.wait("document.querySelector('#view h1')?.textContent === arguments[0]", NASTY_NAME)
        self.driver.get("about:blank")
        self.driver.get(f"file://{self.page}#none%")
        self.wait("!document.getElementById('overview').hidden")
        self.assert_quiet_but_loaded()

    def assert_quiet_but_loaded(self):
        browser.requests(self.driver)
        self.assert_quiet()

    def test_a_table_is_copied_as_text(self):
        from selenium.webdriver.common.keys import Keys
        self.look_at("slower1")
        self.driver.find_element("id", "copy").click()
        self.wait("document.getElementById('copy').textContent === 'Copied'")
        self.ask("(document.body.append(Object.assign(document.createElement('textarea'),"
                 " {id: 'paste'})), document.getElementById('paste').focus())")
        self.press(Keys.CONTROL, "v")
        copied = self.ask("document.getElementById('paste').value")
        self.assertTrue(copied.startswith("slower1 (policy cores): loses a tenth\n"), copied)
        self.assertRegex(copied, r"\nslower1 +threads +4 +1,?00.*-10\.0 %.*slower\n")

    def test_light_dark_and_print(self):
        self.look_at("slower1")
        seen = {}
        for media, scheme in (("", "light"), ("", "dark"), ("print", "dark")):
            browser.emulate(self.driver, media, scheme)
            paper = "getComputedStyle(document.body).backgroundColor"
            self.wait(f"{paper} === getComputedStyle(document.querySelector('.canvas .main-svg'))"
                      ".backgroundColor")
            seen[media, scheme] = self.ask(paper)
        self.assertEqual(seen["", "light"], "rgb(255, 255, 255)")
        self.assertLess(max(map(int, seen["", "dark"][4:-1].split(","))), 60)
        self.assertEqual(seen["print", "dark"], "rgb(255, 255, 255)")
        self.assertEqual(self.ask("getComputedStyle(document.querySelector('#view nav')).display"),
                         "none")

    def test_nothing_is_wider_than_the_window(self):
        for size in (browser.PHONE, browser.DESKTOP):
            browser.resize(self.driver, size)
            self.driver.get(f"file://{self.page}#")
            self.wait("!document.getElementById('overview').hidden")
            self.assert_fits()
            for name in ("slower1", NASTY_NAME):
                self.look_at(name)
                with self.subTest(name, size=size):
                    self.assert_fits()


if __name__ == "__main__":
    tap.main()
