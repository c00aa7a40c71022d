# SPDX-License-Identifier: Apache-2.0
"""The page under load, and after a long time. CASCADE_CONSOLE_SECONDS is the length of the long test."""

import os
import pathlib
import subprocess
import sys
import unittest

from browsing import look_at
from running import Bus, await_true, program

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = int(os.environ.get("CASCADE_CONSOLE_SECONDS", "20"))
ORDERS_PER_SECOND = 318
# The list of the page is full with these, and the strip of time with a quarter of an hour.
FULL_LIST, FULL_STRIP_SECONDS = 2_000, 900


class LoadTests(unittest.TestCase):
    orders_per_second = 0

    def setUp(self):
        self.bus = Bus()
        self.addCleanup(self.bus.close)
        environment = dict(self.bus.environment, PYTHONPATH=str(HERE.parents[1] / "deploy/python"))
        self.load = subprocess.Popen(
            [sys.executable, str(HERE / "load.py"), "/shop", str(self.orders_per_second)],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.bus.nodes.append(self.load)
        self.addCleanup(self.load.stdout.close)
        self.addCleanup(self.load.stdin.close)
        self.assertEqual(self.load.stdout.readline(), "attached\n")
        look_at(self, self.bus)
        self.browser.open(self.console.link)

    def counters(self):
        return self.bus.ctl("status")["counters"]


class TruthTests(LoadTests):
    def test_failures_are_listed_and_counted_whatever_else_happens(self):
        browser = self.browser
        bench = subprocess.Popen(
            [program("cascadectl"), "bench", "acked", "--bus", self.bus.endpoint, "--count", "60000", "--json"],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(bench.stdout.close)
        await_true(lambda: self.counters()["handled"] > 1_000, "the load")
        # A second page is told what the browser is told.
        self.console.token = browser.run("return localStorage.getItem('cascade-console-token')")
        frame, dots, broken, left_out = {}, [], set(), 0
        for number in range(1_000_000):
            if bench.poll() is not None:
                break
            if number < 3:
                self.load.stdin.write("Broken\n")
                self.load.stdin.flush()
                self.assertEqual(self.load.stdout.readline(), "FAILED\n")
            frame = self.console.frame(epoch=frame.get("epoch"), after=frame.get("frame", 0))
            broken.update(event["id"] for event in frame.get("ended", []) if event["name"] == "Broken")
            left_out += frame.get("leftOut", {}).get("count", 0)
            dots.append(browser.run("return document.querySelectorAll('#dots .dot').length"))
        self.assertEqual(bench.returncode, 0)
        self.assertLessEqual(max(dots), 12)
        handled = self.counters()["handled"]
        self.assertGreaterEqual(handled, 60_000)
        # All of the failures are listed, though most of the successes are not, and it is said how many.
        self.assertEqual(len(broken), 3)
        self.assertGreater(left_out, 10_000)
        for event in broken:
            browser.find(event)
            await_true(lambda: "Broken" in browser.text("#trace h2"), "the trace of a failure")
            self.assertIn("the shop is on fire", browser.text("#trace .error"))
        browser.find("")
        # The page's totals are the bus's, to the unit.
        browser.run("document.querySelector(\".row[data-path='/']\").click()")
        for name, value in [("handled", handled), ("failed", 3)]:
            await_true(lambda: f"{name}{value:,}" in browser.text("#node"), f"{value} {name}")
        # The bus keeps no trace of so many.
        self.assertEqual([text for text in browser.complaints() if "/v1/document/trace" not in text], [])


if __name__ == "__main__":
    unittest.main()
