# SPDX-License-Identifier: Apache-2.0
"""Pictures of the page, held against what must be on them. With CASCADE_CONSOLE_PICTURES, a directory, they are
kept there; those of the documentation are made so."""

import time
import unittest

from selenium.webdriver.common.keys import Keys

from browsing import look_at
from running import await_true
from shop import Shop

QUESTION = 'PrintJob {"kind": "pdf", "byteCount": 22}'


class PictureTests(unittest.TestCase):
    """One page of the print shop, a kiosk hub with its kiosks, and a plotter that is gone."""

    number = 0

    @classmethod
    def setUpClass(cls):
        cls.bus = Shop()
        cls.addClassCleanup(cls.bus.close)
        plotter = cls.bus.attach("/shop/plotter", "--receive", "CutSheet")
        cls.bus.attach("/shop/plotter/desk")
        cls.bus.attach("/shop/kiosks", "--handle", "KioskOrder")
        for number in range(1, 19):
            cls.bus.attach(
                f"/shop/kiosks/k{number:02}", "--subscribe", "DoorBell", "--every",
                f"{6_000 + 190 * number}ms=KioskOrder")
        plotter.kill()
        plotter.wait()
        look_at(cls, cls.bus)
        cls.browser.size(1440, 900)
        cls.browser.open(cls.console.link)
        cls.browser.await_row("/shop/plotter", "vacant")
        for number in range(4):
            cls.bus.put(f"readme{number}.txt", "hello\n" * 40)
        cls.bus.put_program()
        cls.bus.put_long()
        await_true(lambda: "spool → shop" in cls.browser.text("#list"), "the long text")
        await_true(lambda: "spool → nobody" in cls.browser.text("#list"), "the program")

    def setUp(self):
        self.browser.keys("t", "l", Keys.ESCAPE, Keys.HOME)
        self.browser.theme("light")

    def choose_long(self):
        type(self).number += 1
        name = f"long{self.number}.txt"
        self.bus.put_long(name)
        await_true(lambda: name in self.browser.text("#list"), "the event")
        self.browser.click_event(name)
        self.browser.keys("j", "j", "j")
        await_true(lambda: "Announcement" in self.browser.text("#trace"), "what the event caused")
        await_true(lambda: "isOpen" in self.browser.text("#node"), "the environment of the laser")

    def keep(self, name, *selectors, scrolls=False):
        """Keeps a picture, after everything on it is there and nothing is cut at its edges."""
        for selector in selectors:
            self.assertTrue(self.browser.run("return !!document.querySelector(arguments[0])", selector), selector)
        self.assertNotRegex(self.browser.run("return document.body.innerText"), r"undefined|NaN|\[object")
        self.assertEqual(self.browser.run(
            "return [document.documentElement.scrollWidth > innerWidth, document.documentElement.scrollHeight > innerHeight]"),
            [False, scrolls])
        boxes = self.browser.run("""
            return ['header', '#tools', '#tree', '#time', '#list', '#trace'].map(s => document.querySelector(s).getBoundingClientRect())
              .filter(b => b.width).map(b => [b.left, b.top, b.right, b.bottom])""")
        width, height = self.browser.run("return [document.documentElement.clientWidth, document.documentElement.scrollHeight]")
        for left, top, right, bottom in boxes:
            self.assertTrue(0 <= left < right <= width and 0 <= top < bottom <= height, (name, boxes))
        self.browser.keep_picture(name)
        self.assertEqual([text for text in self.browser.complaints() if "/v1/document/trace" not in text], [])

    def test_live_in_both_themes(self):
        self.choose_long()
        self.bus.put_long("longer.txt")
        await_true(lambda: self.browser.run("return document.querySelectorAll('.note .glyph').length >= 2"), "an event on its way")
        self.keep("live", ".row.vacant", ".row.folded", "#trace .hop .bar", "#node .facts", ".dot")
        self.browser.theme("dark")
        self.keep("live-dark", ".row.vacant", "#trace .hop .bar")

    def test_what_if(self):
        self.browser.keys("j", "j", "j", "j", "w")
        await_true(lambda: self.browser.run("return document.activeElement.id === 'question'"), "the question")
        self.browser.run("document.activeElement.value = ''")
        self.browser.keys(QUESTION, Keys.ENTER)
        await_true(lambda: self.browser.run("return document.querySelectorAll('.order').length === 3"), "the way")
        self.keep("what-if", "#lit[d^=M]", "#answer")

    def test_undelivered(self):
        self.browser.keys("u", Keys.ARROW_DOWN)
        await_true(lambda: "Raise again" in self.browser.text("#trace"), "the undelivered event")
        self.keep("undelivered", "#trace [data-action=retry]")

    def test_narrow(self):
        self.addCleanup(self.browser.size, 1440, 900)
        self.choose_long()
        self.browser.size(1024, 700)
        await_true(lambda: self.browser.run("return innerWidth === 1024"), "the narrow page")
        self.keep("narrow", ".row[aria-selected=true]")
        self.browser.keys(Keys.ENTER)
        self.keep("narrow-node", ".sheet #node .facts")
        self.browser.keys(Keys.ESCAPE)

    def test_zoomed_to_twice(self):
        self.addCleanup(self.browser.size, 1440, 900)
        self.browser.size(720, 450)
        await_true(lambda: self.browser.run("return innerWidth === 720"), "the zoomed page")
        self.assertGreaterEqual(self.browser.run("return document.getElementById('tree').clientHeight"), 5 * 28)
        self.keep("zoomed", ".row[aria-selected=true]", scrolls=True)


if __name__ == "__main__":
    unittest.main()
