# SPDX-License-Identifier: Apache-2.0
"""Sites of a realm in the tree of a bus, and trails that cross from one to another."""

import json
import unittest

from browsing import look_at
from realm import Site
from running import EACH_MODULE, Console, await_true


class SitesTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hq = Site("hq")
        cls.addClassCleanup(cls.hq.close)
        cls.hq.attach("/shop", "--handle", "Order")
        cls.ulm = Site("ulm", cls.hq, "/shop/ulm")
        cls.addClassCleanup(cls.ulm.close)
        cls.ulm.attach("/line", "--handle", "Job")
        cls.ulm.attach("/line/robot")
        await_true(
            lambda: cls.ulm.ctl("route", "Order", "--from", "/line").get("responders"),
            "the responder above")

    def document(self, console, kind, **parameters):
        query = "&".join(f"{name}={value}" for name, value in parameters.items())
        status, _, content = console.ask("GET", f"/v1/{kind}?{query}")
        return status, json.loads(content)

    # MARK: - Requests

    def test_the_nodes_of_a_site_are_told_by_its_place(self):
        console = Console(self.hq)
        self.addCleanup(console.close)
        console.open_session()
        await_true(
            lambda: any(row[2] == "ulm" for row in console.frame(urgent=True).get("nodes", [])),
            "the mount")
        status, tree = self.document(console, "site", place="/shop/ulm")
        self.assertEqual((status, tree["place"]), (200, "/shop/ulm"), tree)
        self.assertEqual([row[2] for row in tree["nodes"]], ["/", "line", "robot"])
        self.assertEqual([row[1] for row in tree["nodes"]], [0, 1, 2])
        self.assertEqual([row[0] for row in tree["activity"]], [1, 2, 3])
        status, refusal = self.document(console, "site", place="/nowhere")
        self.assertEqual((status, refusal["error"]["name"]), (404, "noSite"))

    def test_a_trail_that_crosses_is_that_of_the_command(self):
        outcome = self.ulm.ctl("trigger", "Order", "--from", "/line")
        for bus in [self.ulm, self.hq]:
            console = Console(bus)
            self.addCleanup(console.close)
            console.open_session()
            await_true(lambda: console.frame(urgent=True).get("nodes"), "the tree")
            status, trace = self.document(
                console, "document/trace", id=outcome["id"], sites="1")
            self.assertEqual(status, 200, trace)
            self.assertEqual(trace, bus.ctl("trace", outcome["id"], "--sites"))
            self.assertTrue({len(visit["path"].split(":")) for visit in trace["trail"]})
        self.assertEqual(trace["trail"][-1]["path"], "/shop")

    # MARK: - The page

    def test_a_site_hangs_in_the_tree_folded_until_it_is_opened(self):
        look_at(self, self.hq)
        self.browser.open(self.console.link)
        mount = self.browser.await_row("/shop/ulm", "live")
        self.assertEqual(mount["expanded"], "false")
        self.assertIn("site ulm", mount["text"])
        self.assertEqual(self.browser.paths(), ["/", "/shop", "/shop/ulm"])
        own = self.browser.text("#count")
        self.browser.run("document.querySelector('.row[data-path=\"/shop/ulm\"] .twist').click()")
        self.browser.await_row("/shop/ulm/line/robot", "live")
        self.assertEqual(
            self.browser.paths(),
            ["/", "/shop", "/shop/ulm", "/shop/ulm/line", "/shop/ulm/line/robot"])
        self.assertEqual(self.browser.text("#count"), own)
        await_true(
            lambda: "as of" in self.browser.run("return document.querySelector('.row .tag.site').title"), "the age")
        # What happens there is seen without opening the site again.
        press = self.ulm.attach("/line/press")
        self.browser.await_row("/shop/ulm/line/press", "live")
        press.kill()
        self.browser.await_row("/shop/ulm/line/press", "vacant")

        # Nothing can be done there, and the page says why.
        self.browser.run("document.querySelector('.row[data-path=\"/shop/ulm/line\"]').click()")
        await_true(lambda: "a node of another bus" in self.browser.text("#node"), "the panel")
        self.assertIn("of the site 'ulm'", self.browser.text("#node"))
        self.browser.run("document.querySelector('[popovertarget=menu]').click()")
        await_true(lambda: "of the site 'ulm'" in self.browser.text("#menu"), "the refusal")
        self.assertFalse(self.browser.run("return document.querySelector('#menu button')"))
        self.browser.run("document.getElementById('menu').hidePopover()")

        # A site that cannot be asked leaves what is known, and says why there is no more.
        self.ulm.leave()
        self.browser.await_row("/shop/ulm/…", "unanswered")
        self.assertIn("is cut", self.browser.row("/shop/ulm/…")["text"])
        self.assertTrue(self.browser.row("/shop/ulm/line"))
        self.assertEqual(self.browser.row("/shop")["state"], "live")
        self.ulm.join()
        await_true(lambda: not self.browser.row("/shop/ulm/…"), "the answer")

        self.browser.run("document.querySelector('.row[data-path=\"/shop/ulm\"] .twist').click()")
        await_true(
            lambda: self.browser.paths() == ["/", "/shop", "/shop/ulm"], "the folding of the site")
        self.assertEqual(self.browser.row("/shop/ulm")["selected"], "true")
        # The browser writes down the answers of a site that cannot be asked.
        self.assertEqual([text for text in self.browser.complaints() if "site" not in text], [])

    def test_a_bus_says_at_which_node_of_another_it_stands(self):
        look_at(self, self.ulm)
        self.browser.open(self.console.link)
        await_true(lambda: "at /shop/ulm of hq" in self.browser.row("/")["text"], "the mount")
        panel = await_true(
            lambda: "this bus is one" in (text := self.browser.text("#node")) and text, "the panel of the bus")
        self.assertIn("hq → ulm", panel)
        self.assertIn("What is above this bus is not looked into here", panel)

    def test_a_page_opens_64_sites_and_no_65th(self):
        look_at(self, self.hq, *EACH_MODULE)
        self.browser.open(self.console.link)
        opened = self.browser.driver.execute_async_script("""
            const [done] = arguments, script = document.querySelector('script[type=module]').src;
            import(script.replace('main.js', 'grafts.js')).then(({ Grafts }) => {
              const grafts = new Grafts(), sites = Array.from({ length: 65 }, (_, number) => ({ number, site: `s${number}` }));
              const answers = sites.map(site => grafts.open(site));
              grafts.close(sites[0]);
              done([answers.filter(Boolean).length, answers[64], grafts.open(sites[64])]);
            });""")
        self.assertEqual(opened, [64, False, True])

    def test_a_waterfall_has_the_visits_at_the_other_site(self):
        look_at(self, self.ulm)
        self.browser.open(self.console.link)
        self.browser.await_row("/line", "live")
        outcome = self.ulm.ctl("trigger", "Order", "--from", "/line")
        self.assertEqual(outcome["outcome"], "handled")
        await_true(lambda: "Order" in self.browser.text("#list"), "the event")
        self.browser.click_event("Order")
        hop = await_true(
            lambda: self.browser.run(
                "return [...document.querySelectorAll('#trace .hop')].map(e => e.textContent)"
                ".find(text => text.includes('shop') && text.includes('hq'))"), "the visit at hq")
        self.assertIn("shop", hop)
        self.assertEqual(self.browser.complaints(), [])


class NodeTests(unittest.TestCase):
    def test_a_node_of_another_site_has_a_whole_panel_and_a_rate(self):
        hq = Site("hq")
        self.addCleanup(hq.close)
        hq.attach("/shop")
        ulm = Site("ulm", hq, "/shop/ulm")
        self.addCleanup(ulm.close)
        ulm.attach("/line", "--handle", "Job")
        ulm.attach("/line/feeder", "--every", "100ms=Job")
        ulm.ctl("env", "set", "--at", "/line", "speed=3")
        look_at(self, hq)
        browser, path = self.browser, "/shop/ulm/line"
        browser.open(self.console.link)
        browser.await_row("/shop/ulm", "live")
        browser.run("document.querySelector('.row[data-path=\"/shop/ulm\"] .twist').click()")
        browser.await_row(path, "live")
        browser.run("document.querySelector('.row[data-path=\"/shop/ulm/line\"]').click()")
        await_true(lambda: "speed" in browser.text("#node"), "the environment")
        self.assertIn("a node of another bus", browser.text("#node"))
        browser.run("document.querySelector('#node [data-key=speed]').click()")
        await_true(lambda: "set at" in browser.text("#node") and browser.text("#node .why .mono"), "why the value is so")
        # What is set is set at that site.
        self.assertFalse(browser.run("return document.querySelector('#node [data-action=set]')"))
        # An event that this bus does not know is asked of the site.
        await_true(lambda: browser.run("return document.querySelector('#node .last')"), "an outcome")
        browser.run("document.querySelector('#node .last').click()")
        await_true(lambda: "Job" in browser.text("#trace h2"), "the event")
        await_true(lambda: browser.run(
            "return [...document.querySelectorAll('#trace .hop')].some(hop => hop.textContent.includes('line'))"),
            "the visit at the site")
        await_true(
            lambda: 5 < float(browser.run(
                "return document.querySelector('.row[data-path=\"/shop/ulm/line\"] .rate').textContent.replace('·', '0')")) < 15,
            "the rate")
        self.assertEqual(browser.complaints(), [])


if __name__ == "__main__":
    unittest.main()
