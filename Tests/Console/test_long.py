# SPDX-License-Identifier: Apache-2.0
"""The page after a long time. CASCADE_CONSOLE_SECONDS is the length of the long test."""

import os
import pathlib
import subprocess
import sys
import unittest

from browsing import Browser
from running import Bus, Console, await_true

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
        self.console = Console(self.bus)
        self.addCleanup(self.console.close)
        self.browser = Browser()
        self.addCleanup(self.browser.close)
        self.browser.open(self.console.link)

    def counters(self):
        return self.bus.ctl("status")["counters"]


class LongTests(LoadTests):
    orders_per_second = ORDERS_PER_SECOND

    def test_memory_does_not_grow_with_time(self):
        # First everything that is bounded fills.
        full = FULL_STRIP_SECONDS if SECONDS > FULL_STRIP_SECONDS else 0
        self.await_orders(max(FULL_LIST * 2, full * ORDERS_PER_SECOND), full + 60)
        before = self.heap()
        self.await_orders(self.counters()["handled"] + SECONDS * ORDERS_PER_SECOND, SECONDS * 2 + 60)
        self.assertLessEqual(self.heap() - before, 1_000_000)
        self.assertEqual(self.browser.complaints(), [])

    def await_orders(self, count, seconds):
        await_true(lambda: self.counters()["handled"] >= count, f"{count} orders", seconds)

    def heap(self):
        """The bytes that the page's heap has after everything that is not needed is collected."""
        for _ in range(3):
            self.browser.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        return self.browser.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"]


if __name__ == "__main__":
    unittest.main()
