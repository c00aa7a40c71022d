# SPDX-License-Identifier: Apache-2.0
"""What the page and the log say of what is refused."""

import json
import pathlib
import re
import tempfile
import unittest

from browsing import look_at
from running import Bus, Console, UnixConnection, await_true

PAGES = 16


class RefusalTests(unittest.TestCase):
    def test_a_page_that_is_one_too_many_says_so_and_begins_when_there_is_room(self):
        bus = Bus()
        self.addCleanup(bus.close)
        look_at(self, bus)
        status, _, content = self.console.ask("POST", "/v1/session", {"key": self.console.key})
        self.assertEqual(status, 200, content)
        self.console.token = json.loads(content)["token"]
        for number in range(PAGES):
            self.console.frame(page=f"page{number}")
        # The page has a token, as one that was opened before the others.
        self.browser.driver.get(f"http://127.0.0.1:{self.console.port}/icon")
        self.browser.run("localStorage.setItem('cascade-console-token', arguments[0])", self.console.token)
        self.browser.driver.get(f"http://127.0.0.1:{self.console.port}/")
        await_true(lambda: self.browser.text("#veil h2") == "Too many pages", "the title")
        self.assertEqual(
            self.browser.text("#veil p"), f"{PAGES} pages look at this bus already: close one of them.")
        # Pages that ask no more are forgotten after 30 s.
        await_true(lambda: "Live" in self.browser.text("#now"), "the page's going live", 60)
        self.assertTrue(self.browser.run("return document.getElementById('veil').hidden"))

    def test_a_bus_that_refuses_each_session_for_the_same_reason_is_logged_once(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        policy, metrics, log = (pathlib.Path(folder.name, name) for name in ("a.policy", "metrics.sock", "log"))
        policy.write_text("deny inspect / to everyone\n")
        bus = Bus("--policy", str(policy), "--metrics-socket", str(metrics))
        self.addCleanup(bus.close)
        console = Console(bus, log=log)
        self.addCleanup(console.close)

        def refused():
            connection = UnixConnection(str(metrics))
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
            connection.close()
            return int(re.search(r"^cascade_refused_total (\d+)", text, re.M)[1])

        # A session has asked at most for eight things when it ends.
        await_true(lambda: refused() > 3 * 8, "several sessions")
        self.assertEqual(log.read_text().count("the session with the bus has ended"), 1)


if __name__ == "__main__":
    unittest.main()
