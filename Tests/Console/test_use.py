# SPDX-License-Identifier: Apache-2.0
"""What one meets who uses the page: emptiness that says why, lists that can be narrowed, and questions before harm."""

import datetime
import os
import re
import signal
import subprocess
import unittest

from selenium.webdriver.common.keys import Keys

from browsing import OwnPageTests
from running import Console, await_true, program

DEEP = "".join(f"/level{number}" for number in range(13))


class UseTests(OwnPageTests):
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
        browser.keys_in_tree("f")
        self.assertIn("No event that is listed has failed", browser.text("#list .none"))
        self.assertEqual(browser.run("return document.querySelector('#about .chip').ariaPressed"), "true")
        browser.keys("f")
        self.assertIn("till → shop", browser.text("#list"))
        shop.kill()

    def test_what_ended_on_an_earlier_day_says_on_which(self):
        browser = self.browser
        # For the page it is three days later.
        browser.run("""
            const Now = Date, later = () => Now.now() + 3 * 86_400_000;
            Date = class extends Now { constructor(...of) { of.length ? super(...of) : super(later()); } };""")
        self.bus.ctl("trigger", "Nobody")
        today = datetime.date.today()
        day = f"{today.day} {today:%b}"
        browser.keys_in_tree("u")
        await_true(lambda: day in browser.text("#list"), "the day")
        browser.click_event("Nobody")
        await_true(lambda: f"on {day} at " in browser.text("#trace h2"), "the day and the time")

    def test_escape_closes_what_lies_over_the_page_and_nothing_else(self):
        browser = self.browser
        self.bus.attach("/shop")
        browser.await_row("/shop", "live")
        browser.keys_in_tree("?")
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
        browser.keys_in_tree("u")
        await_true(lambda: browser.run("return !!document.querySelector('#about [data-action=clear]')"), "the button")
        browser.run("document.querySelector('#about [data-action=clear]').click()")
        await_true(lambda: "Clear 1 undelivered event?" in browser.text("#form"), "the question")
        self.assertEqual(kept(), 1)
        browser.run("document.querySelector('#form .main').click()")
        await_true(lambda: kept() == 0, "the clearing")

    def test_held_events_are_not_counted_among_those_that_are_cleared(self):
        browser = self.browser
        self.bus.ctl("trigger", "Nobody")
        self.bus.ctl("trigger", "Later", "--hold", "1h", "--no-wait")
        browser.keys_in_tree("u")
        await_true(lambda: "Nobody" in browser.text("#list") and "Later" in browser.text("#list"), "both events")
        browser.run("document.querySelector('#about [data-action=clear]').click()")
        await_true(lambda: "Clear 1 undelivered event?" in browser.text("#form"), "the question")
        self.assertIn("Held events stay.", browser.text("#form"))
        browser.run("document.querySelector('#form .main').click()")
        await_true(lambda: "events are cleared" in browser.text("#said"), "what is said")
        await_true(lambda: not browser.run("return !!document.querySelector('#about [data-action=clear]')"), "its leaving")
        self.assertEqual([kept["name"] for kept in self.bus.ctl("undelivered")["undelivered"]], ["Later"])

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

    def test_a_new_link_is_taken_in_the_same_tab(self):
        browser = self.browser
        self.bus.attach("/shop")
        browser.await_row("/shop", "live")
        browser.run("document.body.classList.add('sheet')")
        browser.size(1024, 700)
        self.console.close()
        await_true(lambda: "console was last reached" in browser.text("#tools"), "the loss")
        # The sheet lies over what is greyed too.
        self.assertEqual(browser.run("return getComputedStyle(document.getElementById('node')).opacity"), "1")
        self.console = Console(self.bus, "--listen", f"127.0.0.1:{self.console.port}")
        self.addCleanup(self.console.close)
        await_true(lambda: "new link" in browser.text("#veil"), "the question for a link")
        browser.run("location.hash = arguments[0]", f"#key={self.console.key}")
        await_true(lambda: "Live" in browser.text("#now"), "live again")
        self.assertTrue(browser.run("return document.getElementById('veil').hidden"))
        self.assertNotIn("key=", browser.driver.current_url)

    def test_an_event_that_is_under_way_is_followed_to_its_end(self):
        browser = self.browser
        shop = self.bus.attach("/shop", "--handle", "Order")
        self.bus.attach("/shop/till")
        browser.await_row("/shop/till", "live")
        shop.send_signal(signal.SIGSTOP)
        command = [program("cascadectl"), "trigger", "Order", "--from", "/shop/till"]
        raised = subprocess.Popen(command, env=self.bus.environment, stdout=subprocess.DEVNULL)
        self.addCleanup(raised.wait)
        browser.keys_in_tree("u", "u")
        await_true(lambda: "/shop" in browser.text("#list .event"), "an event under way")
        browser.click_event("Order")
        await_true(lambda: "/shop was asked" in browser.text("#trace"), "who has it")
        browser.run("document.querySelector('#trace [data-command]').focus()")
        browser.await_row("/shop", "unresponsive")
        # The trace was drawn again meanwhile, each second.
        self.assertEqual(browser.run("return document.activeElement.textContent"), "Copy as command")
        await_true(lambda: "silent for" in browser.row("/shop")["text"], "since when it is silent")
        shop.send_signal(signal.SIGCONT)
        await_true(lambda: "handled by shop" in browser.text("#trace"), "its end")

    def test_the_newest_undelivered_event_is_first_and_each_word_is_whole(self):
        browser = self.browser
        self.bus.attach("/shop", "--triggers", "Order")
        self.bus.ctl("trigger", "First", "--hold", "23h", "--no-wait")
        self.bus.ctl("trigger", "Second")
        self.bus.ctl("trigger", "Third", "--hold", "1h", "--no-wait")
        browser.keys_in_tree("u")
        names = lambda: browser.run("""
            return [...document.querySelectorAll('#list .event')].filter(e => !e.hidden).sort((a, b) => a.index - b.index)
              .map(e => e.querySelector('b').textContent)""")
        await_true(lambda: names() == ["Third", "Second", "First"], "the newest first")
        widths = lambda: browser.run("""
            return [...document.querySelectorAll('#list .event .cut')].filter(e => e.offsetParent)
              .filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)""")
        self.assertEqual(widths(), [])
        browser.keys_in_tree("u")
        browser.run("[...document.querySelectorAll('#tabs button')].at(-1).click()")
        await_true(lambda: "unhandled" in browser.text("#list"), "the finding")
        self.assertNotIn("unhandled", widths())

    def test_a_trace_says_what_was_raised_what_an_error_says_and_why_no_node_was_asked(self):
        browser = self.browser
        self.bus.attach("/shop", "--handle-error", "Jam", "--respond", "Price")
        self.bus.attach("/shop/till")
        traces = {
            ("report", "Jam", "--title", "Tray", "--message", "Paper is out"): ["error raised by", "Tray: Paper is out"],
            ("request", "Price"): ["request raised by"],
            ("cascade", "Save"): ["cascade raised by", "No node on its way acts on it."],
            ("trigger", "Order"): ["No node on its way responds to it."],
        }
        for command, sentences in traces.items():
            self.bus.ctl(*command, "--from", "/shop")
            await_true(lambda: command[1] in browser.text("#list"), command[1])
            browser.click_event(command[1])
            for sentence in sentences:
                await_true(lambda: sentence in browser.text("#trace"), sentence)
        self.bus.ctl("publish", "News", "--to", "all")
        await_true(lambda: "News" in browser.text("#list"), "the publication")
        browser.click_event("News")
        await_true(lambda: "No node on its way subscribes to it." in browser.text("#trace"), "the sentence")
        self.assertRegex(browser.text("#trace"), "publication raised by")
        self.assertIn("Paper is out", browser.text("#list"))

    def test_ages_grow_while_nothing_happens(self):
        browser = self.browser
        shop = self.bus.attach("/shop", "--handle", "Order")
        self.bus.attach("/shop/till")
        self.bus.attach("/yard")
        self.bus.attach("/yard/crane")
        self.bus.nodes[2].kill()
        browser.await_row("/yard", "vacant")
        browser.await_row("/shop/till", "live")
        shop.send_signal(signal.SIGSTOP)
        raised = subprocess.Popen([program("cascadectl"), "trigger", "Order", "--from", "/shop/till"],
                                  env=self.bus.environment, stdout=subprocess.DEVNULL)
        self.addCleanup(raised.wait)
        self.addCleanup(shop.kill)
        browser.keys_in_tree("u", "u")
        await_true(lambda: "/shop" in browser.text("#list .event"), "an event under way")
        browser.click_event("Order")
        browser.await_row("/shop", "unresponsive")
        texts = {
            "vacant for": lambda: browser.row("/yard")["text"],
            "silent for": lambda: browser.row("/shop")["text"],
            "asked": lambda: browser.text("#trace"),
            "": lambda: browser.text("#list .event"),
        }
        seconds = lambda word: int(re.search(word + r"\D*(\d+) s", texts[word]())[1])
        for word in texts:
            first = seconds(word)
            for age in range(first + 1, first + 4):
                await_true(lambda: seconds(word) >= age, f"'{word}' with {age} s", 3)

    def test_a_node_that_leaves_is_said_to_have_left_until_it_comes_back(self):
        browser = self.browser
        self.bus.attach("/shop")
        browser.await_row("/shop", "live")
        browser.keys_in_tree("j")
        browser.run("document.querySelector('[popovertarget=menu]').focus()")
        browser.keys(Keys.ENTER)
        # The menu gives the focus to its first button once it is open.
        await_true(lambda: browser.run("return document.getElementById('menu').contains(document.activeElement)"), "the menu")
        browser.run("document.querySelector('#menu [data-action=drain]').focus()")
        browser.keys(Keys.ENTER)
        await_true(lambda: "No node is at /shop now" in browser.text("#node"), "what is said of it")
        self.assertFalse(self.is_open())
        self.bus.attach("/shop")
        await_true(lambda: "live" in browser.text("#node h2"), "its return")
        self.assertEqual(browser.row("/shop")["selected"], "true")

    def test_what_was_found_is_still_seen_when_all_is(self):
        browser = self.browser
        for number in range(24):
            self.bus.attach(f"/place{number}", "--handle", f"Name{number}")
        browser.await_row("/place10", "live")
        browser.keys_in_tree("/", *"place23", Keys.ENTER)
        await_true(lambda: browser.paths() == ["/", "/place23"], "what matches")
        browser.keys("/", Keys.ESCAPE)
        browser.await_row("/place23", "live")
        self.assertEqual(browser.row("/place23")["selected"], "true")
        event = self.bus.ctl("trigger", "Nobody", "--from", "/place3")["id"]
        browser.find(event)
        await_true(lambda: "No node on its way responds" in browser.text("#trace"), "the event")
        self.assertEqual(self.sentence(), "")

    def test_no_text_of_a_list_lies_over_another(self):
        browser = self.browser
        end = 0
        while (end := DEEP.find("/", end + 1)) > 0:
            self.bus.attach(DEEP[:end], "--receive", "Order")
        self.bus.ctl("trigger", "Order", "--from", DEEP[:DEEP.rindex("/")])
        await_true(lambda: "nobody" in browser.text("#list"), "the event")
        room, marks = browser.run("""
            const marks = document.querySelector('.trailmarks');
            return [marks.clientWidth, marks.scrollWidth]""")
        self.assertLessEqual(marks, room)


if __name__ == "__main__":
    unittest.main()
