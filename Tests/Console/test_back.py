# SPDX-License-Identifier: Apache-2.0
"""Going back in the history of the browser."""

import unittest

from browsing import look_at
from running import Bus, await_true


class BackTests(unittest.TestCase):
    """A page of two buses."""

    def setUp(self):
        self.bus, self.other = Bus(), Bus()
        self.addCleanup(self.bus.close)
        self.addCleanup(self.other.close)
        look_at(self, self.bus, "--bus", f"depot={self.other.endpoint}", name="shop")
        self.browser.size(1440, 900)
        self.browser.open(self.console.link)

    def choose(self, path):
        self.browser.await_row(path, "live")
        self.browser.run("document.querySelector(`.row[data-path=\"${arguments[0]}\"]`).click()", path)

    def await_selected(self, path):
        await_true(lambda: (row := self.browser.row(path)) and row["selected"] == "true", f"{path} selected")

    def test_back_shows_the_bus_that_was_shown(self):
        self.bus.attach("/till")
        self.bus.attach("/till/drawer")
        self.other.attach("/gate")
        self.choose("/till")
        self.choose("/till/drawer")
        await_true(lambda: self.browser.run("return !!document.querySelector('[data-bus=depot]')"), "the buses")
        self.browser.run("document.querySelector('[data-bus=depot]').click()")
        await_true(lambda: self.browser.run("return location.hash") == "#bus=depot", "the address of the bus")
        self.choose("/gate")
        self.browser.run("history.back()")
        self.await_selected("/")
        self.assertIsNotNone(self.browser.row("/gate"))
        self.browser.run("history.back()")
        self.await_selected("/till")
        self.assertEqual(self.browser.text("#bus"), "shop")
        self.browser.run("history.go(2)")
        self.await_selected("/gate")
        self.assertEqual(self.browser.text("#bus"), "depot")

    def test_back_leaves_the_past(self):
        browser = self.browser
        self.bus.attach("/shop")
        self.bus.ctl("trigger", "Order")
        await_true(lambda: "nobody" in browser.text("#list"), "the event")
        self.choose("/shop")
        browser.keys(",")
        await_true(lambda: "moment=" in browser.run("return location.hash"), "the address of the past")
        browser.run("history.back()")
        await_true(lambda: browser.text("#now") == "Live", "the present")
        self.await_selected("/")
        browser.run("history.forward()")
        await_true(lambda: browser.text("#now").endswith("ago"), "the past")


if __name__ == "__main__":
    unittest.main()
