# SPDX-License-Identifier: Apache-2.0
"""What stays as it is while the bus goes on: what one presses, reads and has left."""

import time
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browsing import ModuleTests, look_at
from running import Bus, Console, await_true

# Records how many dots the page has shown at once. Each moves for longer than the tests need for the next event.
DOTS = """
window.dotsMax = 0;
new MutationObserver(() => window.dotsMax = Math.max(window.dotsMax, document.querySelectorAll('#dots .dot').length))
  .observe(document, { subtree: true, childList: true });
"""

# What is said of the states of two nodes and of undelivered events, at times in seconds.
SPEECH = """
const [steps, done] = arguments, script = document.querySelector('script[type=module]').src;
import(script.replace('main', 'speech')).then(({ Speech }) => {
  const speech = new Speech(), box = document.getElementById('spoken');
  done(steps.map(([time, states, kept]) => {
    box.textContent = '';
    speech.follow({ own: states.map(state => ({ state })), kept }, 1e12 + time * 1000);
    return box.textContent;
  }));
});
"""

# The messages a second at moments of a recording, and now.
RATES = """
const [moments, done] = arguments, script = document.querySelector('script[type=module]').src;
import(script.replace('main', 'model')).then(({ Model }) => {
  const model = new Model();
  model.seconds = [[1000, 1000, 5], [2000, 1000, 7], [3000, 500, 4]];
  done(moments.map(moment => { model.past = moment && { moment }; return model.perSecond; }));
});
"""

# The outcomes of the seconds of a capture, of which the bus has left some messages out.
CAPTURE = """
const [lines, done] = arguments, script = document.querySelector('script[type=module]').src;
import(script.replace('main', 'capture')).then(async ({ Capture }) => {
  const capture = new Capture(new File(lines.map(line => JSON.stringify(line) + '\\n'), 'a.jsonl'));
  await capture.read();
  done((await capture.frame(capture.to)).seconds.map(row => row.slice(2, 4)));
});
"""

# The bytes that are copied while a capture is read whose last line is so long, for each of its bytes.
LONG_LINE = """
const [length, done] = arguments, script = document.querySelector('script[type=module]').src;
const { set } = Uint8Array.prototype;
import(script.replace('main', 'capture')).then(async ({ Capture }) => {
  const when = '2026-01-01T00:00:00.000000Z', lines = [
    { schema: 'cascade/v1/capture', bus: 'b', when },
    { schema: 'cascade/v1/monitor', when, kind: 'event', what: 'ended', id: '1', outcome: 'handled' },
  ];
  let copied = 0;
  Uint8Array.prototype.set = function (bytes, at) { copied += bytes.length; set.call(this, bytes, at); };
  const file = new File([...lines.map(line => JSON.stringify(line) + '\\n'), 'x'.repeat(length)], 'a.jsonl');
  await new Capture(file).read();
  done(copied / file.size);
}).finally(() => { Uint8Array.prototype.set = set; });
"""

# Since when nodes are in their states, in milliseconds.
SINCE = """
const [nodes, done] = arguments, script = document.querySelector('script[type=module]').src;
import(script.replace('main', 'parts')).then(({ sinceOf }) => done(nodes.map(sinceOf)));
"""

# The time by the clock of a console that is an hour behind, less that of the browser, in minutes.
CLOCK = """
const [done] = arguments, script = document.querySelector('script[type=module]').src;
import(script.replace('main', 'model')).then(({ Model }) => {
  const model = new Model();
  model.apply({ epoch: '1', frame: 1, state: 'live', now: Date.now() - 3_600_000 });
  done(Math.round((model.now - Date.now()) / 60_000));
});
"""

# What is said of events that are shown on their way, of how many set out in a second and how many ended.
WAYS = """
const [ways, done] = arguments, script = document.querySelector('script[type=module]').src;
import(script.replace('main', 'filters')).then(({ Filters }) => {
  done(ways.map(([shownPerSecond, perSecond, hasLeftOut]) => {
    const model = { nodes: new Map(), state: 'live', isCut: false, perSecond };
    new Filters({ model, moment: null, bar: { isReached: true }, tracks: { shownPerSecond, hasLeftOut } }).draw();
    return document.querySelector('#tools .end').textContent;
  }));
});
"""

# What is said beside the time of moments around two monitor events, given in seconds.
MOMENTS = """
const [moments, done] = arguments, script = document.querySelector('script[type=module]').src;
Promise.all(['model', 'time'].map(name => import(script.replace('main', name)))).then(([{ Model }, { Time }]) => {
  const model = new Model(), at = seconds => Date.UTC(2026, 0, 1) + seconds * 1000;
  model.happenings = [[10, 'lost'], [12, 'attached']].map(([seconds, what]) =>
    ({ kind: 'topology', what, path: '/shop', when: new Date(at(seconds)).toISOString().replace('Z', '000Z') }));
  done(moments.map(seconds => {
    model.past = { from: at(0), to: at(600) };
    new Time({ model, moment: at(seconds), past: { isFile: false } }).draw();
    return document.querySelector('#legend .cut').textContent.replace(/^\\S+ /, '');
  }));
});
"""


class StayingTests(unittest.TestCase):
    def setUp(self):
        self.bus = Bus()
        self.addCleanup(self.bus.close)
        look_at(self, self.bus)
        self.browser.size(1440, 900)
        self.browser.open(self.console.link)

    def events(self):
        return self.browser.run(
            "return [...document.querySelectorAll('#list .event')].filter(e => !e.hidden)"
            ".sort((a, b) => a.index - b.index).map(e => e.dataset.id)")

    def trigger(self, count=1):
        """Raises events that nobody handles, and waits until the last is listed."""
        for _ in range(count):
            event = self.bus.ctl("trigger", "Order")["id"]
        await_true(lambda: event in self.events(), "the event")

    def test_a_press_is_not_lost_when_numbers_change_under_it(self):
        browser = self.browser
        chip = next(chip for chip in browser.driver.find_elements(By.CSS_SELECTOR, "#tools .chip")
                    if chip.text.startswith("Vacant"))
        ActionChains(browser.driver).click_and_hold(chip).perform()
        self.bus.attach("/shop").kill()
        await_true(lambda: "Vacant1" in browser.text("#tools"), "another number")
        ActionChains(browser.driver).release().perform()
        self.assertEqual(browser.run("return document.querySelector('#tools [aria-pressed=true]').textContent"), "Vacant1")

        self.trigger()
        failed = browser.driver.find_element(By.CSS_SELECTOR, "#about .chip")
        ActionChains(browser.driver).click_and_hold(failed).perform()
        event = self.bus.ctl("trigger", "Order")["id"]
        # The pointer is beside the list, which goes on.
        await_true(lambda: event in self.events(), "another event")
        ActionChains(browser.driver).release().perform()
        self.assertEqual(browser.run("return document.querySelector('#about .chip').ariaPressed"), "true")

    def test_keys_move_what_has_the_focus_and_the_history_is_that_of_choices(self):
        browser = self.browser
        self.bus.attach("/shop")
        browser.await_row("/shop", "live")
        self.trigger(5)
        browser.keys_in_tree("j", "t")
        entries = browser.run("return history.length")
        chosen = "return [...document.querySelectorAll('#list .event')].find(e => e.ariaSelected === 'true').dataset.id"
        browser.keys(Keys.HOME, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        self.assertEqual(browser.run(chosen), self.events()[2])
        browser.keys(Keys.END)
        self.assertEqual(browser.run(chosen), self.events()[4])
        browser.keys(Keys.HOME, Keys.ARROW_LEFT)
        self.assertEqual(browser.run(chosen), self.events()[0])
        self.assertEqual(browser.row("/shop")["selected"], "true")
        # In the panel they scroll it.
        browser.keys(Keys.ESCAPE, Keys.ENTER)
        self.assertTrue(browser.run("return document.getElementById('node').contains(document.activeElement)"))
        browser.keys(Keys.HOME, Keys.ARROW_UP, Keys.ARROW_LEFT)
        self.assertEqual(browser.row("/shop")["selected"], "true")
        self.assertTrue(browser.run("return document.getElementById('node').contains(document.activeElement)"))
        self.assertEqual(browser.run("return history.length"), entries)

    def test_keys_go_through_the_findings_of_one_node(self):
        browser = self.browser
        self.bus.attach("/shop", "--triggers", "Buy", "--triggers", "Pay", "--triggers", "Refund")
        await_true(lambda: "Findings 3" in browser.text("#tabs"), "the findings")
        browser.run("[...document.querySelectorAll('#tabs [role=tab]')].at(-1).click()")
        browser.run("document.getElementById('list').focus()")
        for name in "Buy", "Pay", "Refund":
            browser.keys(Keys.ARROW_DOWN)
            self.assertEqual(browser.text("#list [aria-selected=true] b"), name)
        self.assertEqual(browser.row("/shop")["selected"], "true")

    def test_back_has_what_was_sought(self):
        browser = self.browser
        self.bus.attach("/shop")
        self.bus.attach("/yard")
        browser.await_row("/yard", "live")
        browser.find("yard")
        await_true(lambda: "find=yard" in browser.run("return location.hash"), "the address")
        browser.run("document.querySelector('.row[data-path=\"/yard\"]').click()")
        browser.find("")
        await_true(lambda: "find" not in browser.run("return location.hash"), "the address without it")
        browser.run("history.back()")
        await_true(lambda: browser.run("return document.getElementById('find').value") == "yard", "what was sought")
        self.assertIsNone(browser.row("/shop"))

    def test_rows_of_events_that_are_held_stay_when_totals_come(self):
        browser = self.browser
        self.trigger(3)
        browser.run("document.getElementById('list').dispatchEvent(new PointerEvent('pointerenter'))")
        shown = self.events()
        for number in range(4, 7):
            self.bus.ctl("trigger", "Order")
            await_true(lambda: f"unhandled{number}" in browser.text("#node"), "the total")
            self.assertEqual(self.events(), shown)
        self.assertIn("3 newer", browser.text("#about"))
        # Choosing one of them leaves them where they are.
        browser.run("document.querySelector(`#list [data-id='${arguments[0]}']`).click()", shown[1])
        self.assertEqual(self.events(), shown)
        self.assertEqual(browser.run("return document.getElementById('chosen').dataset.id"), shown[1])
        browser.run("document.getElementById('list').focus()")
        browser.keys(Keys.ARROW_DOWN)
        self.assertEqual(self.events(), shown)
        self.assertEqual(browser.run("return document.getElementById('chosen').dataset.id"), shown[2])
        browser.run("document.getElementById('list').dispatchEvent(new PointerEvent('pointerleave'))")
        self.assertEqual(len(self.events()), 6)

    def test_events_of_before_a_reload_do_not_move_again(self):
        browser = self.browser
        self.bus.attach("/shop", "--handle", "Order")
        self.bus.attach("/shop/till")
        browser.await_row("/shop/till", "live")
        browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": DOTS})
        event = self.bus.ctl("trigger", "Order", "--from", "/shop/till")["id"]
        ended = time.monotonic()
        await_true(lambda: time.monotonic() - ended > 2.5, "the age of the event")
        browser.open(self.console.link.split("#")[0])
        await_true(lambda: event in self.events(), "the event")
        browser.await_row("/shop/till", "live")
        # What ends from now on moves.
        self.bus.ctl("trigger", "Order", "--from", "/shop/till")
        await_true(lambda: browser.run("return window.dotsMax") > 0, "a dot")
        await_true(lambda: not browser.run("return document.querySelector('#dots .dot')"), "the end of its way")
        self.assertEqual(browser.run("return window.dotsMax"), 1)

    def test_the_page_goes_on_after_each_outage_of_the_console(self):
        browser = self.browser
        for number in range(2):
            self.console.process.kill()
            self.console.close()
            await_true(lambda: "not reached" in browser.text("#now"), "the outage")
            self.console = Console(self.bus, "--listen", f"127.0.0.1:{self.console.port}")
            self.addCleanup(self.console.close)
            await_true(lambda: "new link" in browser.text("#veil"), "the question for a link")
            browser.run("location.hash = arguments[0]", f"#key={self.console.key}")
            await_true(lambda: "Live" in browser.text("#now"), "the page's going live")
            self.bus.attach(f"/shop{number}")
            browser.await_row(f"/shop{number}", "live")


class PageModuleTests(ModuleTests):
    def test_what_becomes_worse_is_said_of_each_kind_and_none_is_dropped(self):
        said = self.browser.driver.execute_async_script(SPEECH, [
            (0, ["live", "live"], 0), (1, ["unresponsive", "live"], 0), (2, ["unresponsive", "vacant"], 0),
            (10, ["unresponsive", "vacant"], 1), (11, ["unresponsive", "vacant"], 1),
            (22, ["unresponsive", "vacant"], 1), (23, ["live", "live"], 1), (24, ["live", "vacant"], 1),
        ])
        self.assertEqual(said, [
            "", "1 silent, 0 vacant, 0 undelivered", "", "", "1 silent, 1 vacant, 1 undelivered", "", "",
            "0 silent, 1 vacant, 1 undelivered"])

    def test_the_rate_of_the_bus_is_that_of_the_moment_shown(self):
        self.assertEqual(
            self.browser.driver.execute_async_script(RATES, [None, 1000, 2999, 9000, 500]), [8, 5, 7, 8, 0])

    def test_as_many_events_are_said_to_be_shown_as_ended_at_most(self):
        said = self.browser.driver.execute_async_script(WAYS, [(3, 2.9, False), (3, 2.9, True), (4, 318.2, True)])
        self.assertEqual(said, [
            "Each event is shown on its way", "Shown on their way: 2 of 3 a second",
            "Shown on their way: 4 of 319 a second"])

    def test_beside_the_time_stands_what_has_happened_and_not_what_will(self):
        said = self.browser.driver.execute_async_script(MOMENTS, [9, 10, 11.5, 12])
        self.assertRegex(said[0], "since")
        self.assertEqual(said[1:], ["/shop lost", "/shop lost", "/shop attached"])

    def test_a_node_is_live_since_it_answers_again(self):
        nodes = [
            {"state": "live", "since": 1}, {"state": "live", "since": 1, "turned": 5},
            {"state": "vacant", "since": 7, "turned": 5}, {"state": "unresponsive", "since": 1, "turned": 5}]
        self.assertEqual(self.browser.driver.execute_async_script(SINCE, nodes), [1, 5, 7, 5])

    def test_an_age_is_that_by_the_clock_of_the_console(self):
        self.assertEqual(self.browser.driver.execute_async_script(CLOCK), -60)

    def test_what_the_bus_left_out_of_a_capture_is_counted(self):
        when = "2026-01-01T00:00:0{}.000000Z".format
        lines = [
            {"schema": "cascade/v1/capture", "bus": "b", "when": when(0)},
            {"schema": "cascade/v1/monitor", "when": when(1), "kind": "event", "what": "ended", "id": "1",
             "outcome": "handled"},
            {"schema": "cascade/v1/monitor", "when": when(1), "kind": "event", "what": "sampled", "count": 12,
             "leftOut": {"handled": 5, "delivered": 7}},
        ]
        self.assertEqual(self.browser.driver.execute_async_script(CAPTURE, lines), [[6, 7]])

    def test_a_long_line_of_a_capture_is_copied_once(self):
        self.assertLessEqual(self.browser.driver.execute_async_script(LONG_LINE, 32 << 20), 2)

    def test_the_tree_has_the_headings_of_its_columns(self):
        nodes = {node["nodeId"]: node for node in self.browser.driver.execute_cdp_cmd(
            "Accessibility.getFullAXTree", {})["nodes"]}

        def below(node):
            return [node] + [found for child in node["childIds"] if child in nodes for found in below(nodes[child])]

        grid = next(node for node in nodes.values() if node.get("role", {}).get("value") == "treegrid")
        headings = [
            node["name"]["value"] for node in below(grid) if node.get("role", {}).get("value") == "columnheader"]
        self.assertEqual(headings, [
            "Node", "Asked ↑ · told ↓", "Unit or program", "Events/s, last minute", "Queue", "Mean", "Errors"])


if __name__ == "__main__":
    unittest.main()
