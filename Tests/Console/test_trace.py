# SPDX-License-Identifier: Apache-2.0
"""What the page draws of one event: a trail of any length, and words of whatever the bus did not say."""

import pathlib
import tempfile
import types
import unittest

from browsing import ModuleTests, look_at
from running import await_true
from writing import BEGIN, event, keyframe, line, timestamp

# How long the events of the capture took, in microseconds.
LENGTHS = [1, 7, 26, 105, 241, 342, 999, 5_010, 99_000, 241_000, 350_000, 999_000]

BUSES = """
const [buses, done] = arguments, script = document.querySelector('script[type=module]').src;
import(script.replace('main', 'buses')).then(({ Buses }) => {
  new Buses({ bus: null, model: { buses, bus: 'a', now: 0 } }).draw();
  done([...document.querySelectorAll('#buses .opt')].map(option => option.textContent));
});
"""

DURATIONS = """
const [times, done] = arguments, script = document.querySelector('script[type=module]').src;
import(script.replace('main', 'text')).then(({ duration }) => done(times.map(duration)));
"""


class TraceTests(unittest.TestCase):
    """Traces of a capture, whose times are known."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        file = pathlib.Path(folder.name, "lengths.jsonl")
        ended = [event(
            BEGIN + 1_000 * n + length // 1_000, "event", "ended", path="/shop", name=f"Order{length}", id=f"{n:032x}-1",
            lane="event", outcome="handled", by="/", begun=timestamp(BEGIN + 1_000 * n),
            trail=[{"path": "/", "responder": 0, "kind": "handle", "name": "Order", "verdict": "handled",
                    "microseconds": length, "at": 0}]) for n, length in enumerate(LENGTHS, 1)]
        head = line({"schema": "cascade/v1/capture", "bus": "captured", "when": timestamp(BEGIN)})
        file.write_text(head + keyframe(BEGIN, {"/": "live", "/shop": "live"}) + "".join(ended))
        look_at(cls, types.SimpleNamespace(endpoint="ipc:///nowhere"), "--capture", str(file))
        cls.browser.driver.get(cls.console.link)
        await_true(lambda: f"Order{LENGTHS[-1]}" in cls.browser.text("#list"), "the events of the file")

    def choose(self, length):
        self.browser.run("""
            const list = document.getElementById('list');
            [...list.querySelectorAll('.event')].find(e => e.querySelector('b').textContent === arguments[0])
              .dispatchEvent(new MouseEvent('click', { bubbles: true }))""", f"Order{length}")
        await_true(lambda: self.browser.text("#trace h2").startswith(f"Order{length}handled"), "the trace")

    def test_the_marks_of_the_axis_do_not_lie_over_each_other(self):
        for width in 1440, 1024:
            self.browser.size(width, 900)
            for length in LENGTHS:
                self.choose(length)
                marks = self.browser.run("""
                    return [...document.querySelectorAll('.axis i')].map(mark => mark.getBoundingClientRect())
                      .map(box => [box.left, box.right])""")
                for (_, right), (left, _) in zip(marks, marks[1:]):
                    self.assertLess(right + 3, left, (width, length))

    def test_the_bar_of_a_visit_of_a_microsecond_is_seen(self):
        self.choose(1)
        bar, width = self.browser.run("""
            const bar = document.querySelector('.hop .bar');
            return [bar.title, bar.getBoundingClientRect().width]""")
        self.assertEqual(bar, "worked 1 µs")
        self.assertGreaterEqual(width, 3)


class WordTests(ModuleTests):
    def test_a_minute_has_sixty_seconds(self):
        times = [59_900_000, 60_000_000, 119_600_000, 120_000_000]
        self.assertEqual(
            self.browser.driver.execute_async_script(DURATIONS, times),
            ["59.9 s", "1 min 0 s", "1 min 59 s", "2 min 0 s"])

    def test_a_bus_that_has_not_told_its_nodes_has_no_number_of_them(self):
        texts = self.browser.driver.execute_async_script(BUSES, [
            {"name": "a", "state": "live"}, {"name": "b", "state": "live", "nodes": 1, "rate": 2},
            {"name": "c", "state": "live", "nodes": 3}, {"name": "d", "state": "away"}])
        self.assertEqual(texts, ["a0/s", "b0 nodes2/s", "c2 nodes0/s", "dno bus has answered yet"])


if __name__ == "__main__":
    unittest.main()
