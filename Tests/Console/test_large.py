# SPDX-License-Identifier: Apache-2.0
"""Trees of which the console tells the upper levels: the rest is asked for where a reader unfolds it."""

import os
import tempfile
import unittest

from browsing import look_at
from running import EACH_MODULE, Bus, await_true

FLEETS = {"/fleet0": 500, "/fleet1": 100, "/fleet2": 500}

# The rows of a model of the page with one child of two told: the paths, and what a row says that is none.
REST = """
const [done] = arguments, script = document.querySelector('script[type=module]').src;
import(script.replace('main', 'model')).then(({ Model }) => {
  const model = new Model(), row = (number, parent, name) => [number, parent, name, 'live', '', '', '', [], [], 0];
  const nodes = [row(1, 0, '/'), row(2, 1, 'a'), row(3, 2, 'told')], shown = () =>
    model.arrange({ filter: 'All', sought: '', folded: new Set(), opened: new Set() }).map(node => node.note || node.path);
  const frame = (count, after) => ({ epoch: '1', frame: 1 + count, after, state: 'live', untold: count, untoldBelow: [[2, count]] });
  const steps = [];
  model.apply({ ...frame(1), nodes });
  steps.push(shown());
  const a = model.nodes.get(2), rest = model.byPath.get('/a/…'), answer = when => ({ when,
    nodes: [row(1, 0, 'a'), row(2, 1, 'told'), [...row(3, 1, 'untold'), null, 7]],
    activity: [[1, 0, 0, null, 0, 0], [2, 0, 0, null, 0, 0], [3, 0, 4, 90, 1, when / 100]] });
  steps.push([model.isLazy(a), model.isLazy(rest), rest.opens]);
  model.grafts.open(a);
  for (const when of [1000, 3000]) model.grafts.take(model.grafts.opened.get(2), answer(when));
  model.order();
  steps.push(shown());
  const { untold, rate, queue, mean, errors } = model.byPath.get('/a/untold');
  steps.push([untold, rate, queue, mean, errors, model.isLazy(model.byPath.get('/a/untold'))]);
  model.grafts.close(a);
  model.apply(frame(0, 2));
  steps.push(shown());
  done(steps);
});
"""

# Opens more nodes than there is room for, and returns which of those named stay open.
ROOM = """
const [done] = arguments, script = document.querySelector('script[type=module]').src;
import(script.replace('main', 'grafts')).then(({ Grafts }) => {
  const grafts = new Grafts(), open = numbers => numbers.filter(number => grafts.isOpen({ number })), steps = [];
  const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);
  for (const number of range(0, 65)) grafts.open({ number }, [0]);
  steps.push(open([0, 1, 2, 64]));
  const answer = { when: 1, nodes: range(0, 4096).map(n => [n, n ? 0 : -1, 'n']), activity: [] };
  for (const number of range(10, 16)) grafts.take(grafts.opened.get(number), answer);
  grafts.makeRoom([10, 15]);
  steps.push(open([10, 11, 12, 13, 14, 15]).filter(number => grafts.opened.get(number).answer));
  done(steps);
});
"""


class LargeTreeTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        file = os.path.join(folder.name, "cascaded.yaml")
        with open(file, "w") as output:
            output.write("limits:\n  messageBytes: 65536\n")
        cls.bus = Bus("--config", file)
        cls.addClassCleanup(cls.bus.close)
        for path, count in FLEETS.items():
            cls.bus.serve("fleet.py", path, count)
        look_at(cls, cls.bus, *EACH_MODULE)
        cls.browser.open(cls.console.link)
        cls.browser.await_row("/fleet2", "live")

    def twist(self, path):
        self.browser.run(
            "[...document.querySelectorAll('.row')].find(row => !row.hidden && row.dataset.path === arguments[0])"
            ".querySelector('.twist').click()", path)

    def test_the_upper_levels_are_told_with_the_numbers_of_children(self):
        self.console.token = self.browser.run("return localStorage.getItem('cascade-console-token')")
        frame = await_true(
            lambda: (f := self.console.frame(page="other", urgent=True)).get("untold") and f, "the upper levels")
        names = {row[0]: row[2] for row in frame["nodes"]}
        told = {names[number]: count for number, count in frame["untoldBelow"] if number in names}
        self.assertEqual(told, {"fleet0": 500, "fleet1": 100, "fleet2": 500})
        self.assertGreaterEqual(frame["untold"], 1_100)
        self.assertIn(f"{frame['untold']:,} nodes not listed", self.browser.text("#tools .untold"))

    def test_children_are_asked_for_while_they_are_unfolded(self):
        browser = self.browser
        self.assertEqual(browser.row("/fleet1")["expanded"], "false")
        self.assertIn("100 below", browser.row("/fleet1")["text"])
        self.twist("/fleet1")
        browser.await_row("/fleet1/dev0000", "live")
        # What happens there is seen, and the levels below are asked for in turn.
        arm = self.bus.attach("/fleet1/dev0000/arm", "--handle", "Grip")
        await_true(lambda: "1 below" in browser.row("/fleet1/dev0000")["text"], "the number of those below")
        self.twist("/fleet1/dev0000")
        browser.await_row("/fleet1/dev0000/arm", "live")
        # It is a node of this bus, whose panel says all.
        browser.run("document.querySelector('.row[data-path=\"/fleet1/dev0000/arm\"]').click()")
        await_true(lambda: "Nothing is set for it" in browser.text("#node"), "the panel")
        self.assertIn(f"pid {arm.pid}", browser.text("#node"))
        arm.kill()
        browser.await_row("/fleet1/dev0000/arm", "vacant")
        self.twist("/fleet1")
        await_true(lambda: not any("/dev" in path for path in browser.paths()), "the folding")
        self.assertEqual(browser.row("/fleet1")["selected"], "true")

    def test_one_of_too_many_is_found_by_its_path(self):
        browser, path = self.browser, "/fleet0/dev0042"
        self.twist("/fleet0")
        await_true(
            lambda: "500 more nodes not shown: find one by its path" in (browser.row("/fleet0/…") or {"text": ""})["text"],
            "what is said of the others")
        self.twist("/fleet0")
        browser.find(path)
        await_true(lambda: browser.run("return document.querySelector('#found .opt')?.dataset.path") == path, "the path")
        browser.run("document.querySelector('#found .opt').click()")
        await_true(lambda: (row := browser.row(path)) and row["selected"] == "true", "the node")
        browser.find("")
        self.assertIn("499 more nodes", browser.row("/fleet0/…")["text"])
        browser.find("/fleet0/nothing")
        await_true(lambda: "asked for a whole path" in browser.text("#found"), "what is said of a path that is none")
        browser.find("")
        self.twist("/fleet0")
        await_true(lambda: not browser.row(path), "the folding")

    def test_a_node_of_which_some_children_are_told_says_how_many_are_not(self):
        self.assertEqual(self.browser.driver.execute_async_script(REST), [
            ["/", "/a", "/a/told", "1 more node not shown: unfold this to ask for them"], [False, True, 2],
            ["/", "/a", "/a/told", "/a/untold"], [7, 10, 4, 90, 1, True], ["/", "/a", "/a/told"]])

    def test_what_was_opened_first_makes_room(self):
        self.assertEqual(self.browser.driver.execute_async_script(ROOM), [[0, 2, 64], [10, 13, 14, 15]])


if __name__ == "__main__":
    unittest.main()
