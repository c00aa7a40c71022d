# SPDX-License-Identifier: Apache-2.0
"""Pages with little room, because they are narrow or zoomed, or because names are long."""

import signal
import unittest

from selenium.webdriver.common.keys import Keys

from browsing import OwnPageTests
from running import await_true


class RoomTests(OwnPageTests):
    def test_a_sheet_that_is_closed_gives_the_focus_to_the_tree(self):
        browser = self.browser
        browser.size(1024, 700)
        browser.keys_in_tree(Keys.ENTER)
        browser.run("document.querySelector('#node .shut').focus()")
        browser.keys(Keys.ENTER)
        self.assertFalse(browser.run("return document.getElementById('node').checkVisibility()"))
        self.assertEqual(browser.run("return document.activeElement.id"), "tree")

    def test_an_event_is_raised_again_in_a_page_that_is_zoomed_to_twice(self):
        browser = self.browser
        self.bus.ctl("trigger", "Order")
        await_true(lambda: "nobody" in browser.text("#list"), "the event")
        browser.size(720, 450)
        browser.keys("u", Keys.ARROW_DOWN)
        await_true(lambda: "Raise again" in browser.text("#trace"), "the button")
        focused = "const focused = document.activeElement; return focused.textContent"
        for _ in range(10):
            if browser.run(focused) == "Raise again":
                break
            browser.keys(Keys.TAB)
        self.assertEqual(browser.run(focused), "Raise again")
        top, bottom, height = browser.run(
            "const box = document.activeElement.getBoundingClientRect(); return [box.top, box.bottom, innerHeight]")
        self.assertTrue(0 <= top < bottom <= height, (top, bottom, height))
        browser.keys(Keys.ENTER)
        await_true(lambda: "Order: unhandled" in browser.text("#said"), "what came of it")
        top, bottom, height = browser.run(
            "const box = document.getElementById('said').getBoundingClientRect(); return [box.top, box.bottom, innerHeight]")
        self.assertTrue(0 <= top < bottom <= height, (top, bottom, height))

    def test_what_stands_beside_a_row_leaves_the_unit_to_be_read(self):
        browser = self.browser
        shop = self.bus.attach("/shop", "--handle", "E" * 60)
        browser.await_row("/shop", "live")
        shop.send_signal(signal.SIGSTOP)
        self.bus.ctl("trigger", "E" * 60, "--from", "/shop", "--no-wait")
        for size in (1440, 900), (1024, 700):
            browser.size(*size)
            await_true(lambda: browser.run("""
                const note = document.querySelector('.note'), asked = document.querySelector('.row[data-path="/shop"] .ask');
                return note?.getBoundingClientRect().left === asked.getBoundingClientRect().left - 9"""), "its place")
            self.assertEqual(browser.run("""
                const { right } = document.querySelector('.note').getBoundingClientRect();
                const [, , unit] = document.querySelector('.row[data-path="/shop"]').children;
                const isIn = part => part.getBoundingClientRect().right <= right;
                return [right <= unit.getBoundingClientRect().left, [...document.querySelector('.note').children].every(isIn)]"""),
                [True, True], size)

    def test_the_name_beside_a_row_is_whole_and_the_payload_is_cut(self):
        browser = self.browser
        browser.size(1024, 700)
        self.bus.attach("/shop", "--handle", "Announcement")
        browser.await_row("/shop", "live")
        self.bus.ctl("trigger", "Announcement", '"%s"' % ("text " * 20), "--from", "/shop")
        self.assertEqual(await_true(lambda: browser.run("""
            const name = document.querySelector('.note b'), text = document.querySelector('.note .muted');
            return text && [name, text].map(part => part.scrollWidth <= part.clientWidth)"""), "the note"), [True, False])

    def test_a_narrow_page_does_not_scroll_sideways(self):
        browser = self.browser
        self.bus.attach("/shop", "--handle", "Order")
        self.bus.ctl("trigger", "Nobody", "--from", "/shop")
        await_true(lambda: "nobody" in browser.text("#list"), "the event")
        for width in 320, 400, 479, 600:
            browser.size(width, 800)
            # The chart follows the size of the page.
            await_true(lambda: browser.run("return document.documentElement.scrollWidth") <= width, f"a width of {width}", 5)

    def test_long_names_leave_room_for_what_stands_beside_them(self):
        browser = self.browser
        path, name = "/" + "n" * 60, "E" * 60
        self.bus.attach(path, "--handle", name, "--subscribe", "S" * 60)
        self.bus.attach(f"{path}/{'m' * 60}")
        self.bus.ctl("trigger", name, "--from", f"{path}/{'m' * 60}")
        await_true(lambda: name in browser.text("#trace h2"), "the event")
        browser.keys_in_tree("j", "j", "k")
        await_true(lambda: "is the last" in browser.text("#node"), "the subscription")
        await_true(lambda: browser.run("return !!document.querySelector('#node .share')"), "the answers")
        for selector, edge in ("#trace h2 > *", "#trace"), ("#node .resp > *", "#node"), ("#node .share", "#node"):
            boxes, right = browser.run("""
                const right = element => element.getBoundingClientRect().right;
                const all = [...document.querySelectorAll(arguments[0])];
                return [all.map(e => [e.clientWidth, right(e)]), right(document.querySelector(arguments[1]))]""",
                selector, edge)
            for width, end in boxes:
                self.assertTrue(width > 0 and end <= right, (selector, boxes, right))
        browser.size(1024, 700)
        browser.keys_in_tree("j", Keys.ENTER)
        above, shut = browser.run(
            "return ['.head > .cut', '.shut'].map(s => document.querySelector(`#node ${s}`).getBoundingClientRect())"
            ".map((box, i) => i ? box.left : box.right)")
        self.assertLessEqual(above, shut)


if __name__ == "__main__":
    unittest.main()
