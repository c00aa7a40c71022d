# SPDX-License-Identifier: Apache-2.0
"""Pages with little room, because they are narrow or zoomed, or because names are long."""

import unittest

from selenium.webdriver.common.keys import Keys

from browsing import look_at
from running import Bus, await_true


class RoomTests(unittest.TestCase):
    def setUp(self):
        self.bus = Bus()
        self.addCleanup(self.bus.close)
        look_at(self, self.bus, "--allow-actions")
        self.browser.size(1440, 900)
        self.browser.open(self.console.link)

    def test_a_sheet_that_is_closed_gives_the_focus_to_the_tree(self):
        browser = self.browser
        browser.size(1024, 700)
        browser.keys_in_tree(Keys.ENTER)
        browser.run("document.querySelector('#node .shut').focus()")
        browser.keys(Keys.ENTER)
        self.assertFalse(browser.run("return document.getElementById('node').checkVisibility()"))
        self.assertEqual(browser.run("return document.activeElement.id"), "tree")


if __name__ == "__main__":
    unittest.main()
