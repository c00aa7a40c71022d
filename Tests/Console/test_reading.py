# SPDX-License-Identifier: Apache-2.0
"""What one reads stays in its place and is true: the selected row, what is sought, numbers, payloads."""

import json
import os
import tempfile
import unittest

from selenium.webdriver.common.keys import Keys

from browsing import OwnPageTests
from running import await_true

# Notes how many buttons there were when the page asked for its first frame.
FIRST_ASKED = """
const ask = window.fetch;
window.fetch = (address, options) => {
  if (address.endsWith('/v1/frame')) window.drawnBefore ??= document.querySelectorAll('#tools *, #tabs *').length;
  return ask(address, options);
};
"""


class ReadingTests(OwnPageTests):
    def test_the_first_frame_is_asked_for_before_anything_is_drawn(self):
        browser = self.browser
        browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": FIRST_ASKED})
        browser.driver.refresh()
        await_true(lambda: "Live" in browser.text("#now"), "the page's going live")
        self.assertEqual(browser.run("return window.drawnBefore"), 0)
        # All parts are drawn by the frame.
        self.assertIn("Findings", browser.text("#tabs"))
        self.assertIn("No event is chosen", browser.text("#trace"))
        self.assertIn("The bus itself", browser.text("#node"))

    def test_a_page_without_a_session_says_so_in_all_its_parts(self):
        browser = self.browser
        browser.run("localStorage.clear()")
        browser.driver.refresh()
        await_true(lambda: "new link" in browser.text("#veil"), "the question for a link")
        self.assertIn("Findings", browser.text("#tabs"))
        self.assertIn("No event is chosen", browser.text("#trace"))
        self.assertIn("No node is selected", browser.text("#node"))

    def test_the_selected_row_is_seen_after_a_restart_of_the_daemon(self):
        browser, path = self.browser, "/fleet/dev0070"
        self.bus.serve("fleet.py", "/fleet", 90)
        await_true(lambda: "91 nodes" in browser.text("#count"), "the nodes")
        browser.find("dev0070")
        browser.keys("/", Keys.ENTER)
        browser.find("")
        seen = lambda: browser.run('''
            const row = [...document.querySelectorAll('.row[aria-selected=true]')].find(row => !row.hidden);
            const box = row?.getBoundingClientRect(), tree = document.getElementById('tree').getBoundingClientRect();
            return box && tree.top <= box.top && box.bottom <= tree.bottom ? row.dataset.path : null''')
        self.assertEqual(seen(), path)
        for _ in range(2):
            self.bus.kill()
            await_true(lambda: "bus was lost" in browser.text("#tools"), "the loss")
            os.unlink(self.bus.socket)
            self.bus.start()
            await_true(lambda: "Live" in browser.text("#now"), "live again")
            await_true(lambda: "91 nodes" in browser.text("#count"), "the nodes' return")
            await_true(lambda: browser.text("#node h2").startswith("dev0070"), "the node's selection")
            self.assertEqual(seen(), path)

    def test_a_node_that_comes_above_the_selected_row_does_not_move_it(self):
        browser = self.browser
        self.bus.attach("/a")
        self.bus.serve("fleet.py", "/b", 60)
        await_true(lambda: "62 nodes" in browser.text("#count"), "the nodes")
        browser.keys_in_tree(Keys.END)
        self.assertEqual(browser.row("/b/dev0059")["selected"], "true")
        top = "return document.querySelector('.row[aria-selected=true]').getBoundingClientRect().top"
        before = browser.run(top)
        self.bus.attach("/a/new")
        await_true(lambda: "63 nodes" in browser.text("#count"), "the new node")
        self.assertEqual(browser.run(top), before)

    def test_a_condition_without_its_number_narrows_nothing_and_a_wrong_one_is_named(self):
        browser = self.browser
        self.bus.attach("/shop")
        browser.await_row("/shop", "live")
        sentence = lambda: browser.run(
            "return document.querySelector('#tree > .none:not([hidden])')?.textContent ?? ''")
        for text in "rate:", "queue:>", "rate:>  shop":
            browser.find(text)
            self.assertIsNotNone(browser.row("/shop"), text)
            self.assertEqual(sentence(), "")
        browser.find("rate:many")
        self.assertIn("rate and queue take a number", sentence())
        browser.find("rate:>5")
        self.assertIn("No node matches. Esc", sentence())

    def test_events_that_are_held_are_not_under_way(self):
        browser = self.browser
        facts = lambda: browser.run("return [...document.querySelectorAll('#node .facts div')].map(e => e.textContent)")
        self.bus.ctl("trigger", "Later", "--hold", "1h", "--no-wait")
        await_true(lambda: "Undelivered 1" in browser.text("#tabs"), "the held event")
        await_true(lambda: "held1of" in browser.text("#node").replace(" ", ""), "its being counted")
        self.assertIn("0under way", facts())
        self.assertIn("Under way 0", browser.text("#tabs"))

    def test_an_event_with_a_payload_of_more_than_a_mebibyte_is_raised_again_whole(self):
        browser, payload = self.browser, json.dumps("x" * 1_500_000)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(payload)
            file.flush()
            self.bus.ctl("trigger", "Large", f"@{file.name}")
        sizes = os.path.join(self.bus.directory, "sizes")
        self.bus.attach("/", "--handle", "Large", "--", "sh", "-c", f"wc -c >>{sizes}")
        browser.keys_in_tree("u")
        await_true(lambda: "Large" in browser.text("#list .undelivered:not([hidden])"), "the undelivered event")
        browser.click_event("Large")
        await_true(lambda: "Raise again" in browser.text("#trace"), "its trace")
        browser.run("document.querySelector('#trace [data-action=retry]').click()")
        await_true(lambda: "Large: handled" in browser.text("#said"), "the outcome")
        with open(sizes) as file:
            self.assertEqual(file.read().split(), [str(len(payload))])


if __name__ == "__main__":
    unittest.main()
