# SPDX-License-Identifier: Apache-2.0
"""What the page asks the bus to change, by keys and by buttons."""

import json
import os
import tempfile
import unittest

from selenium.webdriver.common.keys import Keys

from browsing import Browser, look_at
from running import Bus, Console, await_true

POLICY = """\
allow attach, subscribe, trigger, publish, set, inspect / to everyone
deny administer / to everyone
"""


class ActingTests(unittest.TestCase):
    """One page of a console that may act."""

    @classmethod
    def setUpClass(cls):
        cls.bus = Bus()
        cls.addClassCleanup(cls.bus.close)
        cls.bus.attach("/shop", "--receive", "Other", "--subscribe", "Bell")
        cls.bus.attach("/shop/till")
        look_at(cls, cls.bus, "--allow-actions")
        cls.browser.size(1440, 900)
        cls.browser.open(cls.console.link)
        cls.browser.await_row("/shop/till", "live")

    def setUp(self):
        self.browser.keys("t", Keys.ESCAPE, Keys.HOME)

    def undelivered(self):
        return self.bus.ctl("undelivered")["undelivered"]

    def said(self, text):
        try:
            await_true(lambda: text in self.browser.text("#said"), f"the page's saying '{text}'", 5)
        except AssertionError as error:
            raise AssertionError(f"{error}, but '{self.browser.text('#said')}'")

    def press(self, selector):
        self.browser.run("document.querySelector(arguments[0]).click()", selector)

    def choose_from_menu(self, label):
        self.press("[popovertarget=menu]")
        self.browser.run(
            "[...document.querySelectorAll('#menu button')].find(b => b.textContent === arguments[0]).click()", label)

    def test_an_undelivered_event_is_raised_again_by_keys_alone_and_once(self):
        event = self.bus.ctl("trigger", "Order", '{"table": 4}', "--from", "/shop/till")["id"]
        handler = self.bus.attach("/", "--handle", "Order")
        self.browser.await_row("/", "live")
        self.browser.keys("u")
        # Rows that are hidden may still have the text of another list.
        await_true(lambda: self.browser.run(
            "return [...document.querySelectorAll('#list .undelivered')].some(e => !e.hidden && e.textContent.includes('Order'))"),
            "the undelivered event")
        self.browser.keys(Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ARROW_UP)
        await_true(lambda: '"table": 4' in self.browser.text("#trace"), "its trace")
        # Tab goes through the trace's buttons; the first of them is to raise again.
        for _ in range(12):
            self.browser.keys(Keys.TAB)
            if self.browser.run("return document.activeElement.dataset.action") == "retry":
                break
        self.assertEqual(self.browser.run("return document.activeElement.dataset.action"), "retry")
        self.browser.keys(Keys.ENTER, Keys.ENTER)
        self.said("Order: handled")
        await_true(lambda: "raised by /shop/till" in self.browser.text("#trace"), "what was raised")
        await_true(lambda: "Raise again" not in self.browser.text("#trace"), "the button's leaving")
        self.assertNotIn(event, [kept["id"] for kept in self.undelivered()])
        self.assertEqual(self.bus.ctl("status")["counters"]["handled"], 1)
        self.assertEqual(self.bus.ctl("trace", event)["by"], "/")
        handler.kill()

    def test_a_value_is_set_and_taken_away_where_one_stands(self):
        self.browser.keys("j")
        self.choose_from_menu("Set a value …")
        await_true(lambda: self.browser.run("return document.activeElement.matches('#form input')"), "the form")
        self.browser.keys("mode", Keys.TAB, "dark", Keys.ENTER)
        await_true(lambda: "quotation marks" in self.browser.text("#form"), "what is wrong with the value")
        self.browser.keys(Keys.HOME, '"', Keys.END, '"', Keys.ENTER)
        self.said("The value is set.")
        self.assertEqual(self.bus.ctl("env", "get", "mode", "--at", "/shop/till")["value"], "dark")
        await_true(lambda: "set at /shop" in self.browser.text("#node"), "the value in the panel")
        self.choose_from_menu("Set a value …")
        self.browser.keys("mode", Keys.ENTER)
        await_true(lambda: self.bus.ctl("env", "--at", "/shop")["values"] == [], "the value's end")

    def test_several_nodes_are_named_before_they_leave(self):
        self.bus.attach("/yard")
        self.bus.attach("/yard/crane")
        self.browser.await_row("/yard/crane", "live")
        self.browser.keys("/", *"yard", Keys.ENTER)
        self.choose_from_menu("Drain with all below")
        await_true(lambda: "/yard/crane" in self.browser.text("#form"), "the names")
        self.assertIn("Drain 2 nodes?", self.browser.text("#form"))
        self.browser.keys(Keys.ESCAPE)
        self.assertEqual(self.bus.ctl("status", "/yard")["node"]["state"], "live")
        self.choose_from_menu("Drain with all below")
        await_true(lambda: "/yard/crane" in self.browser.text("#form"), "the names again")
        self.press("#form .main")
        await_true(lambda: "/yard" not in [n["path"] for n in self.bus.ctl("tree")["nodes"]], "the nodes' leaving")
        self.browser.keys("/", Keys.ESCAPE)

    def test_a_question_can_be_raised(self):
        self.browser.keys("j", "j", "w")
        await_true(lambda: self.browser.run("return document.activeElement.id === 'question'"), "the question")
        self.browser.run("document.activeElement.value = ''")
        self.browser.keys('Other {"a": 1}', Keys.ENTER)
        await_true(lambda: "1 would be asked" in self.browser.text("#answer"), "the answer")
        self.assertEqual(self.browser.run("return document.activeElement.id"), "question")
        self.press("#tools [data-action=trigger]")
        self.said("Other: ")
        self.browser.keys(Keys.ESCAPE)

    def test_a_question_follows_the_node_that_is_selected(self):
        browser = self.browser
        answers = lambda text: await_true(lambda: text in browser.text("#answer"), text)
        command = lambda: browser.run("return document.querySelector('#tools [data-command]').dataset.command")
        browser.keys("j", "j", "w")
        browser.run("document.getElementById('question').value = 'Other'")
        answers("from till: press Enter")
        browser.keys_in_tree("k")
        answers("from shop: press Enter")
        self.assertEqual(browser.run("return document.getElementById('question').value"), "Other")
        browser.keys("j")
        browser.run("document.getElementById('question').focus()")
        browser.keys(Keys.ENTER)
        answers("from till, 1 would be asked")
        self.assertEqual(command(), "cascadectl route Other --from /shop")
        browser.keys_in_tree("k")
        answers("from shop, 0 would be asked")
        self.assertEqual(command(), "cascadectl route Other --from /")
        self.assertEqual(browser.run("return document.querySelectorAll('.order').length"), 0)
        browser.keys(Keys.ESCAPE)

    def test_a_question_begins_with_the_chosen_event_and_its_payload(self):
        browser = self.browser
        question = lambda: browser.run("return document.getElementById('question')?.value")
        for payload, asked in ['{"size":3}', 'Parcel {"size":3}'], [f'"{9_000 * "x"}"', "Parcel"]:
            event = self.bus.ctl("trigger", "Parcel", payload)["id"]
            await_true(lambda: browser.run("return !!document.querySelector(`[data-id='${arguments[0]}']`)", event), "it")
            browser.click_event("Parcel")
            browser.keys_in_tree("w")
            self.assertEqual(question(), asked)
            browser.keys(Keys.ESCAPE)


class DeniedTests(unittest.TestCase):
    def test_a_button_that_may_not_be_pressed_says_the_rule(self):
        handle, policy = tempfile.mkstemp(suffix=".policy")
        self.addCleanup(os.unlink, policy)
        with os.fdopen(handle, "w") as file:
            file.write(POLICY)
        bus = Bus("--policy", policy)
        self.addCleanup(bus.close)
        bus.attach("/shop")
        bus.ctl("trigger", "Order", json.dumps({"n": 1}), "--from", "/shop")
        console = Console(bus, "--allow-actions")
        self.addCleanup(console.close)
        browser = Browser()
        self.addCleanup(browser.close)
        browser.open(console.link)
        await_true(lambda: "1" in browser.text("#tabs [role=tab]:nth-child(3)"), "the undelivered event")
        browser.keys("u", Keys.ARROW_DOWN)
        await_true(lambda: "Raise again" in browser.text("#trace"), "the button")
        button = "document.querySelector('#trace [data-action=retry]')"
        self.assertEqual(browser.run(f"return {button}.ariaDisabled"), "true")
        self.assertIn("'administer'", browser.run(f"return {button}.title"))
        self.assertIn("administer", browser.text("#trace .refusal"))
        browser.run(f"{button}.click()")
        await_true(lambda: "administer" in browser.text("#said"), "the page's saying why")
        self.assertEqual(len(bus.ctl("undelivered")["undelivered"]), 1)

    def test_a_button_says_what_policy_allows_at_the_node_that_is_selected(self):
        handle, policy = tempfile.mkstemp(suffix=".policy")
        self.addCleanup(os.unlink, policy)
        with os.fdopen(handle, "w") as file:
            file.write(POLICY.replace("deny administer /", "deny administer /yard"))
        bus = Bus("--policy", policy)
        self.addCleanup(bus.close)
        bus.attach("/shop")
        bus.attach("/yard")
        event = bus.ctl("trigger", "Order", "--from", "/shop")["id"]
        look_at(self, bus, "--allow-actions")
        browser = self.browser
        browser.open(self.console.link)
        browser.await_row("/yard", "live")

        def is_denied():
            browser.run("document.querySelector('[popovertarget=menu]').click()")
            denied = browser.run(
                "return document.querySelector('#menu [data-action=deactivate]').ariaDisabled === 'true'")
            browser.keys(Keys.ESCAPE)
            return denied

        browser.keys_in_tree("j")
        self.assertFalse(is_denied())
        browser.keys_in_tree("j")
        await_true(is_denied, "the rule for /yard")
        browser.keys_in_tree("k")
        browser.run("document.querySelector('[popovertarget=menu]').click()")
        browser.run("document.querySelector('#menu [data-action=deactivate]').click()")
        browser.await_row("/shop", "inactive")
        # The event was raised at the shop, whatever is selected.
        browser.keys_in_tree("j", "u", Keys.ARROW_DOWN)
        button = "document.querySelector('#trace [data-action=retry]')"
        await_true(lambda: browser.run(f"return {button} && {button}.ariaDisabled !== 'true'"), "the right to retry")
        self.assertEqual(browser.text("#trace .refusal"), "")
        browser.run(f"{button}.click()")
        await_true(lambda: "Order: " in browser.text("#said"), "the outcome")
        self.assertEqual(bus.ctl("trace", event)["outcome"], "unhandled")
        self.assertEqual(browser.complaints(), [])


if __name__ == "__main__":
    unittest.main()
