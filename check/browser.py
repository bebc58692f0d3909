# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's Chromium, without a window, driven by its own chromedriver."""

import contextlib
import json
import os
import shutil
import unittest

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None

# Sandboxes need what containers do not have; the rest keeps it from looking for updates.
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync",
           "--disable-dev-shm-usage", "--hide-scrollbars")

DESKTOP, PHONE = (1280, 900), (390, 844)


def need():
    """Skips where there is no browser to be driven."""
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            raise unittest.SkipTest(f"{program} is not installed")
    if webdriver is None:
        raise unittest.SkipTest("Python's selenium is not installed")


@contextlib.contextmanager
def opened(folder):
    """A driver whose browser keeps what it writes in a folder; it logs its console and its
    requests.
    """
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for option in (*OPTIONS, f"--user-data-dir={os.path.join(folder, 'profile')}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.set_script_timeout(60)
        resize(driver, DESKTOP)
        # The browser's own first page is none of ours.
        driver.get("about:blank")
        requests(driver)
        yield driver
    finally:
        driver.quit()


def resize(driver, size):
    """Of what is seen of the page, in pixels; narrower than a window can be, too."""
    width, height = size
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})


def emulate(driver, media="", scheme="light"):
    """media: empty for the screen, or print; scheme: light or dark."""
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})


def requests(driver):
    """Addresses asked for since the last call, without those that stay within the page."""
    found = []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            found.append(message["params"]["request"]["url"])
    return [url for url in found if not url.startswith(("data:", "blob:", "chrome:"))]


def console(driver):
    """Lines of the console since the last call."""
    return [entry["message"] for entry in driver.get_log("browser")]
