# SPDX-License-Identifier: Apache-2.0
"""What one meets who uses the page: emptiness that says why, lists that can be narrowed, and questions before harm."""

import os
import re
import unittest

from selenium.webdriver.common.keys import Keys

from browsing import look_at
from running import Bus, await_true

DEEP = "".join(f"/level{number}" for number in range(13))


class UseTests(unittest.TestCase):
    def setUp(self):
        self.bus = Bus()
        self.addCleanup(self.bus.close)
        look_at(self, self.bus, "--allow-actions")
        self.browser.size(1440, 900)
        self.browser.open(self.console.link)

    def sentence(self):
        """What the tree says instead of nodes."""
        return self.browser.run("return document.querySelector('#tree > .none:not([hidden])')?.textContent ?? ''")

    def is_open(self):
        return self.browser.run("return !!document.querySelector(':popover-open')")

    def test_an_empty_tree_says_why(self):
        browser = self.browser
        await_true(lambda: "cascadectl attach" in self.sentence(), "how to attach a node")
        self.bus.attach("/shop", "--handle", "Order")
        browser.await_row("/shop", "live")
        self.assertEqual(self.sentence(), "")
        browser.find("nothing of this name")
        self.assertIn("No node matches", self.sentence())
        self.assertEqual(browser.run("return document.querySelectorAll('.note').length"), 0)
        browser.find("")
        self.assertEqual(self.sentence(), "")

    def test_names_of_a_deep_tree_can_be_read(self):
        end = 0
        while (end := DEEP.find("/", end + 1)) > 0:
            self.bus.attach(DEEP[:end])
        self.bus.attach(DEEP)
        self.browser.await_row(DEEP, "live")
        widths = self.browser.run(
            "return [...document.querySelectorAll('.row:not([hidden]) .name b')].map(b => b.scrollWidth <= b.clientWidth)")
        self.assertEqual(widths, [True] * 14)

    def test_what_has_failed_can_be_listed_alone(self):
        browser = self.browser
        self.bus.attach("/shop", "--handle", "Order")
        self.bus.attach("/shop/till")
        shop = self.bus.nodes[0]
        self.bus.ctl("trigger", "Order", "--from", "/shop/till")
        await_true(lambda: "till → shop" in browser.text("#list"), "an event")
        browser.run("document.getElementById('tree').focus()")
        browser.keys("f")
        self.assertIn("No event that is listed has failed", browser.text("#list .none"))
        self.assertEqual(browser.run("return document.querySelector('#about .chip').ariaPressed"), "true")
        browser.keys("f")
        self.assertIn("till → shop", browser.text("#list"))
        shop.kill()

    def test_escape_closes_what_lies_over_the_page_and_nothing_else(self):
        browser = self.browser
        self.bus.attach("/shop")
        browser.await_row("/shop", "live")
        browser.run("document.getElementById('tree').focus()")
        browser.keys("?")
        await_true(self.is_open, "the keys")
        browser.keys(Keys.ESCAPE)
        await_true(lambda: not self.is_open(), "their closing")
        browser.keys("j")
        browser.run("document.querySelector('[popovertarget=menu]').focus()")
        browser.keys(Keys.ENTER)
        focused = lambda: browser.run("return document.activeElement.textContent")
        await_true(lambda: focused() == "Deactivate", "the first of the menu")
        browser.keys(Keys.ARROW_DOWN)
        self.assertEqual(focused(), "Set a value …")
        browser.keys(Keys.ESCAPE)
        await_true(lambda: not self.is_open(), "its closing")

    def test_clearing_asks_first(self):
        browser = self.browser
        self.bus.ctl("trigger", "Nobody")
        kept = lambda: len(self.bus.ctl("undelivered")["undelivered"])
        browser.run("document.getElementById('tree').focus()")
        browser.keys("u")
        await_true(lambda: browser.run("return !!document.querySelector('#about [data-action=clear]')"), "the button")
        browser.run("document.querySelector('#about [data-action=clear]').click()")
        await_true(lambda: "Clear 1 undelivered event?" in browser.text("#form"), "the question")
        self.assertEqual(kept(), 1)
        browser.run("document.querySelector('#form .main').click()")
        await_true(lambda: kept() == 0, "the clearing")

    def test_a_bus_that_is_away_is_not_acted_on_and_its_quarter_of_an_hour_stays(self):
        browser = self.browser
        self.bus.attach("/shop")
        browser.await_row("/shop", "live")
        known = lambda: re.search(r"known since (\S{8})", browser.text("#legend"))
        since = await_true(known, "the first second")[1]
        self.bus.kill()
        await_true(lambda: "bus was lost" in browser.text("#tools"), "the loss")
        browser.run("document.querySelector('[popovertarget=menu]').click()")
        self.assertIn("No bus answers", browser.text("#menu"))
        os.unlink(self.bus.socket)
        self.bus.start()
        await_true(lambda: "Live" in browser.text("#now"), "live again")
        browser.await_row("/shop", "live")
        self.assertEqual(known()[1], since)


if __name__ == "__main__":
    unittest.main()
