# SPDX-License-Identifier: Apache-2.0
"""Debian's chromium, driven by Debian's selenium."""

import json
import os
import pathlib
import time
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

from running import EACH_MODULE, Bus, Console, await_true

# The directory where pictures are kept, if any.
PICTURES = os.environ.get("CASCADE_CONSOLE_PICTURES", "")

# Records when each row of the tree appeared or changed its state, by the wall clock.
RECORDER = """
window.rowTimes = {};
const note = () => { for (const row of document.querySelectorAll('#rows .row')) {
  const key = `${row.dataset.path} ${row.dataset.state}`;
  if (!row.hidden && !(key in window.rowTimes)) window.rowTimes[key] = Date.now(); } };
new MutationObserver(note).observe(document.getElementById('rows'), { subtree: true, childList: true, attributes: true });
note();
"""

# Notes when the rows of the tree are painted, once the bar says that all nodes are there.
PAINTED = """
const look = () => {
  const count = document.getElementById('count')?.textContent ?? '';
  if (!count.includes(SHOWN) || !document.querySelector('#rows .row:not([hidden])')) { requestAnimationFrame(look); return; }
  const channel = new MessageChannel();
  channel.port1.onmessage = () => window.paintedAt = performance.now();
  channel.port2.postMessage(0);
};
requestAnimationFrame(look);
"""


class Browser:
    """A browser with one page of a console."""

    def __init__(self, *arguments, width=1440, height=900, reduced_motion=False):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                         f"--window-size={width},{height}", "--disable-dev-shm-usage", *arguments]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        if reduced_motion:
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})

    def open(self, link):
        self.driver.get(link)
        await_true(lambda: self.run("return document.querySelector('#now')?.textContent.includes('Live')"),
                   "the page's going live")

    def paint(self, address, shown):
        """Opens a page without anything of it at hand, and returns the milliseconds from the navigation until the rows
        of the tree are painted, when the bar says what is shown."""
        self.driver.get("about:blank")
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
        script = self.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": PAINTED.replace("SHOWN", json.dumps(shown))})
        self.driver.get(address)
        painted = await_true(lambda: self.run("return window.paintedAt"), "the painting of the tree")
        self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        return painted

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def keys(self, *keys):
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def keys_in_tree(self, *keys):
        """Presses keys while the tree has the focus."""
        self.run("document.getElementById('tree').focus()")
        self.keys(*keys)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def row(self, path):
        """The state of the row of a node; None if there is none."""
        return self.run(
            "const row = [...document.querySelectorAll('#rows .row')].find(r => !r.hidden && r.dataset.path === arguments[0]);"
            "return row ? { id: row.id, state: row.dataset.state, text: row.textContent, expanded: row.ariaExpanded, selected: row.ariaSelected } : null",
            path)

    def paths(self):
        return self.run(
            "return [...document.querySelectorAll('#rows .row')].filter(r => !r.hidden)"
            ".sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map(r => r.dataset.path)")

    def await_row(self, path, state, seconds=30):
        return await_true(
            lambda: (row := self.row(path)) and row["state"] == state and row, f"{path} {state}", seconds)

    def size(self, width, height):
        """Gives the page a size in CSS pixels."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def theme(self, name):
        self.run("document.documentElement.dataset.theme = arguments[0]; dispatchEvent(new Event('resize'))", name)

    def click_event(self, text):
        """Chooses the newest listed event whose row has the text."""
        self.run("""
            [...document.querySelectorAll('#list .event')].filter(e => !e.hidden && e.textContent.includes(arguments[0]))
              .sort((a, b) => a.index - b.index)[0].dispatchEvent(new MouseEvent('click', { bubbles: true }))""", text)

    def find(self, text):
        """Puts a text into the field of find."""
        self.run("""
            const find = document.getElementById('find');
            find.value = arguments[0];
            find.dispatchEvent(new Event('input'))""", text)

    def complaints(self):
        """What the browser has logged: refused content, errors of scripts."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING")]

    def keep_picture(self, name):
        """Keeps a picture of the page, if there is a directory for them."""
        if PICTURES:
            pathlib.Path(PICTURES).mkdir(parents=True, exist_ok=True)
            self.driver.save_screenshot(os.path.join(PICTURES, f"{name}.png"))

    def record_rows(self):
        self.run(RECORDER)

    def when(self, path, state):
        """The time at which a row was first seen in a state, in seconds of the wall clock."""
        return await_true(
            lambda: self.run("return window.rowTimes[arguments[0]]", f"{path} {state}"),
            f"{path} {state}") / 1000

    def close(self):
        self.driver.quit()


def now():
    return time.time()


def look_at(test, bus, *arguments, name=None):
    """Gives a test, or a class of tests, a console with the arguments and a page of it. They end with the test."""
    add = test.addClassCleanup if isinstance(test, type) else test.addCleanup
    test.console = Console(bus, *arguments, name=name)
    add(test.console.close)
    test.browser = Browser()
    add(test.browser.close)


class ModuleTests(unittest.TestCase):
    """Tests of single modules of the page, which its console serves one by one."""

    @classmethod
    def setUpClass(cls):
        cls.bus = Bus()
        cls.addClassCleanup(cls.bus.close)
        look_at(cls, cls.bus, *EACH_MODULE)
        cls.browser.open(cls.console.link)


class OwnPageTests(unittest.TestCase):
    """Tests that each have a bus, a console that may act, and a page of it of their own."""

    def setUp(self):
        self.bus = Bus()
        self.addCleanup(self.bus.close)
        look_at(self, self.bus, "--allow-actions")
        self.browser.size(1440, 900)
        self.browser.open(self.console.link)
