# SPDX-License-Identifier: Apache-2.0
"""The page under load, after a long time, and when its browser was stopped. CASCADE_CONSOLE_SECONDS is the length
of the long test, and CASCADE_CONSOLE_STOPPED the time for which the browser is stopped."""

import os
import signal
import subprocess
import time
import unittest

from browsing import look_at, now
from running import PATIENCE_SECONDS, Bus, await_true, goal, program, resident_bytes

SECONDS = int(os.environ.get("CASCADE_CONSOLE_SECONDS", "20"))
STOPPED_SECONDS = int(os.environ.get("CASCADE_CONSOLE_STOPPED", "10"))
ORDERS_PER_SECOND = 318
# The list of the page is full with these, and the strip of time with a quarter of an hour.
FULL_LIST, FULL_STRIP_SECONDS = 2_000, 900


class LoadTests(unittest.TestCase):
    orders_per_second = 0

    def setUp(self):
        self.bus = Bus()
        self.addCleanup(self.bus.close)
        self.load = self.bus.serve("load.py", "/shop", self.orders_per_second)
        look_at(self, self.bus)
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


class TruthTests(LoadTests):
    def test_failures_are_listed_and_counted_whatever_else_happens(self):
        browser = self.browser
        bench = subprocess.Popen(
            [program("cascadectl"), "bench", "acked", "--bus", self.bus.endpoint, "--count", "100000000", "--json"],
            stdout=subprocess.DEVNULL)

        def end_bench():
            # It has processes of its own.
            if bench.poll() is None:
                for process_id in [*family(bench.pid), bench.pid]:
                    os.kill(process_id, signal.SIGKILL)
                bench.wait()

        self.addCleanup(end_bench)
        await_true(lambda: self.counters()["handled"] > 1_000, "the load")
        # A second page is told what the browser is told.
        self.console.token = browser.run("return localStorage.getItem('cascade-console-token')")
        frame, dots, broken, left_out = {}, [], set(), 0
        # As many as a slow machine has in a few seconds, and until the failures are told.
        number = 0
        deadline = time.monotonic() + PATIENCE_SECONDS * 4
        while len(broken) < 3 or left_out <= 10_000 or self.counters()["handled"] < 60_000:
            self.assertLess(time.monotonic(), deadline)
            if number < 3:
                self.load.stdin.write("Broken\n")
                self.load.stdin.flush()
                self.assertEqual(self.load.stdout.readline(), "FAILED\n")
            number += 1
            frame = self.console.frame(epoch=frame.get("epoch"), after=frame.get("frame", 0))
            broken.update(event["id"] for event in frame.get("ended", []) if event["name"] == "Broken")
            left_out += frame.get("leftOut", {}).get("count", 0)
            dots.append(browser.run("return document.querySelectorAll('#dots .dot').length"))
        self.assertIsNone(bench.poll())
        end_bench()
        self.assertLessEqual(max(dots), 12)
        # What the bench had sent has ended.
        await_true(lambda: self.counters()["eventsUnderWay"] == 0, "the end of the load")
        handled = self.counters()["handled"]
        # All of the failures are listed, though most of the successes are not, and it is said how many.
        self.assertEqual(len(broken), 3)
        self.assertGreater(left_out, 10_000)
        # So are they in a page that is opened late, though thousands have ended since.
        late, ended = {"more": True}, []
        while late.get("more"):
            late = self.console.frame(
                page="late", epoch=late.get("epoch"), after=late.get("frame", 0), urgent=True)
            ended += late.get("ended", [])
        self.assertEqual({event["id"] for event in ended if event["outcome"] == "failed"}, broken)
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


def family(process_id):
    """The numbers of the processes below one, and of those below them."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    # The name of a program may have spaces and parentheses.
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(name))
    found, rest = [], [process_id]
    while rest:
        rest += children.get(rest.pop(), [])
        found += [child for child in rest if child not in found]
    return found


class StoppedTests(LoadTests):
    orders_per_second = ORDERS_PER_SECOND

    def rate(self, seconds):
        """The number of events a second that end within a time."""
        before, begun = self.counters()["handled"], time.monotonic()
        await_true(lambda: time.monotonic() - begun >= seconds, "the time", seconds + 1)
        return (self.counters()["handled"] - before) / (time.monotonic() - begun)

    def test_a_stopped_browser_costs_nothing_and_is_live_at_once_when_it_goes_on(self):
        browser = self.browser
        browser.record_rows()
        # The lists of the console are full, so that its memory says something.
        await_true(lambda: self.counters()["handled"] > 2_500, "the load")
        alone, memory = self.rate(5), resident_bytes(self.console.process)
        processes = family(browser.driver.service.process.pid)
        self.assertTrue(processes)
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            beside = self.rate(STOPPED_SECONDS)
            grown = resident_bytes(self.console.process) - memory
            self.bus.attach("/late")
        finally:
            for process in processes:
                os.kill(process, signal.SIGCONT)
        went_on = now()
        self.assertLessEqual(browser.when("/late", "live") - went_on, goal(1))
        await_true(lambda: "Live" in browser.text("#now"), "the page's being live")
        # What is recorded grows by some 40 KB a second.
        self.assertLess(grown, (4 << 20) + STOPPED_SECONDS * 100_000)
        # What is left is for the load of the machine on which the test runs.
        self.assertGreater(beside, 0.9 * alone)
        self.assertGreater(alone, 0.9 * ORDERS_PER_SECOND)
        self.assertEqual(browser.complaints(), [])


if __name__ == "__main__":
    unittest.main()
