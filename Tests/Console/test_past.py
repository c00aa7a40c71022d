# SPDX-License-Identifier: Apache-2.0
"""Going back in time: what is shown of a moment is what the bus said then."""

import http.client
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import types
import unittest

from selenium.webdriver.common.keys import Keys

from browsing import look_at
from hostile import ELEMENTS, TEXTS
from running import Bus, Console, await_true, program
from writing import write_capture, write_hostile_capture

CAPTURE_BYTES = int(os.environ.get("CASCADE_CONSOLE_BYTES", 64 * 1_048_576))
# A release needs no more for a moment, HTTP included; an unoptimized build is not measured.
MOMENT_SECONDS = float(os.environ.get("CASCADE_CONSOLE_MOMENT", "inf"))


def shown(frames):
    """The nodes of the frames of a moment: by path what 'cascadectl tree --json' says of them too."""
    rows = {row[0]: row for frame in frames for row in frame.get("nodes", [])}

    def path(row):
        parent = rows.get(row[1])
        above = path(parent) if parent else ""
        return "/" if not parent else f"{'' if above == '/' else above}/{row[2]}"

    return {path(row): {"state": row[3], "unit": row[4], "asked": row[7], "told": row[8]} for row in rows.values()}


def told(tree):
    return {
        node["path"]: {
            "state": node["state"], "unit": node.get("unit", ""),
            "asked": [responder["name"] for responder in node["responders"]],
            "told": node["subscriptions"],
        } for node in tree["nodes"]}


class Watching:
    """A page that pulls frames of now, so that the console records."""

    def __init__(self, console):
        self.console = console
        self.isOver = False
        self.thread = threading.Thread(target=self._pull, daemon=True)
        self.thread.start()

    def _pull(self):
        epoch, after = None, 0
        while not self.isOver:
            try:
                frame = self.console.frame(page="watching", epoch=epoch, after=after)
            except (OSError, http.client.HTTPException):
                # The console is killed by the test.
                return
            epoch, after = frame["epoch"], frame["frame"]

    def end(self):
        self.isOver = True
        self.thread.join()


def moment(console, at):
    """The frames of a moment."""
    frames = [console.frame(page="looking", at=at, urgent=True)]
    while frames[-1].get("more"):
        frames.append(console.frame(
            page="looking", at=at, epoch=frames[-1]["epoch"], after=frames[-1]["frame"]))
    return frames


def now():
    return int(time.time() * 1000)


class Incident:
    """Changes of a bus, with what the bus said after each, and the moment at which that was recorded."""

    def __init__(self, bus, console):
        self.bus, self.console = bus, console
        self.moments = []
        self.shop = bus.attach("/shop", "--handle", "Order")
        self.note()
        self.desk = bus.attach("/shop/desk", "--subscribe", "Bell", "--receive", "Ask")
        self.note()
        self.shop.send_signal(signal.SIGKILL)
        await_true(lambda: told(bus.ctl("tree"))["/shop"]["state"] == "vacant", "the loss")
        self.note()
        bus.ctl("trigger", "Nonsense", "--from", "/shop/desk")
        bus.attach("/late", "--handle", "*")
        self.note()
        bus.attach("/shop", "--handle", "Order")
        self.note()

    def note(self):
        said = told(self.bus.ctl("tree"))
        # What is not recorded yet is shown as the last moment that is.
        at = await_true(
            lambda: shown(frames := moment(self.console, now())) == said and frames[0]["moment"], "the recording")
        self.moments.append((at, said))


class RecordedTests(unittest.TestCase):
    def setUp(self):
        self.bus = Bus()
        self.addCleanup(self.bus.close)
        self.folder = tempfile.mkdtemp(prefix="recorded-")
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, *arguments, **options):
        console = Console(self.bus, *arguments, **options)
        self.addCleanup(console.close)
        console.open_session()
        watching = Watching(console)
        self.addCleanup(watching.end)
        await_true(lambda: console.frame()["state"] == "live", "the bus")
        return console

    def assert_moments(self, console, incident):
        for at, said in incident.moments:
            frames = moment(console, at)
            self.assertEqual(frames[0]["state"], "past")
            self.assertEqual(frames[0]["moment"], at)
            self.assertEqual(shown(frames), said)

    def test_five_moments_of_an_incident_are_as_the_bus_said_then(self):
        console = self.start()
        incident = Incident(self.bus, console)
        self.assertEqual(len(incident.moments), 5)
        self.assert_moments(console, incident)
        # The message of the fourth moment is there from then on, and with what nobody took.
        names = [[e["name"] for e in moment(console, at)[0].get("ended", [])] for at, _ in incident.moments]
        self.assertEqual(names, [[], [], [], ["Nonsense"], ["Nonsense"]])
        # From event to event: each attach, loss and message once.
        at, steps = incident.moments[0][0], []
        while (at := moment(console, at)[0].get("next")) is not None:
            steps.append(at)
        self.assertEqual(steps, sorted(set(steps)))
        self.assertGreaterEqual(len(steps), 4)

    def test_a_recording_in_files_is_there_after_a_crash(self):
        console = self.start("--record", self.folder)
        incident = Incident(self.bus, console)
        console.process.kill()
        console.process.wait()
        files = sorted(pathlib.Path(self.folder).iterdir())
        self.assertEqual([file.stat().st_mode & 0o777 for file in files], [0o600] * len(files))
        # A crash of the machine tears the last line.
        with open(files[-1], "a") as file:
            file.write('n 3 [3,1,"torn')
        again = self.start("--record", self.folder)
        self.assert_moments(again, incident)
        extent = moment(again, now())[0]
        self.assertLess(extent["from"], incident.moments[0][0])
        await_true(lambda: moment(again, now())[0]["to"] > incident.moments[-1][0] + 500, "the recording's going on")

    def test_one_console_records_in_a_directory(self):
        self.start("--record", self.folder)
        result = subprocess.run(
            [program("cascade-console"), "--bus", self.bus.endpoint, "--record", self.folder],
            capture_output=True, text=True, timeout=30)
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"another console records in {self.folder}", result.stderr)

    def test_a_full_disk_is_told_once_and_leaves_no_files(self):
        log = pathlib.Path(tempfile.mkdtemp(prefix="logged-")) / "log"
        self.addCleanup(shutil.rmtree, log.parent)
        console = self.start("--record", self.folder, log=log, ignores_size_limit=True)
        self.bus.attach("/before", "--handle", "Order")
        await_true(lambda: "/before" in shown(moment(console, now())), "the recording")
        limits = resource.prlimit(console.process.pid, resource.RLIMIT_FSIZE)
        # The recording may not grow; there is room for the log.
        size = sum(file.stat().st_size for file in pathlib.Path(self.folder).iterdir())
        resource.prlimit(console.process.pid, resource.RLIMIT_FSIZE, (size, limits[1]))
        await_true(lambda: "nothing is recorded" in log.read_text(), "the warning")
        frame = {}
        begun = time.monotonic()
        while time.monotonic() - begun < 2:
            frame = console.frame(epoch=frame.get("epoch"), after=frame.get("frame", 0))
        resource.prlimit(console.process.pid, resource.RLIMIT_FSIZE, limits)
        await_true(lambda: "the recording goes on" in log.read_text(), "the recording's going on")
        self.assertEqual(log.read_text().count("nothing is recorded"), 1)
        self.assertEqual(len(os.listdir(self.folder)), 1)
        # What had been recorded is there, and what was not is a gap.
        self.bus.attach("/after", "--handle", "Order")
        await_true(lambda: "/after" in shown(moment(console, now())), "what is recorded since")
        console.close()
        watched = self.start("--record", self.folder)
        self.assertEqual(set(shown(moment(watched, now()))), {"/", "/before", "/after"})


class CaptureTests(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="captured-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def show(self, file):
        console = Console(types.SimpleNamespace(endpoint="ipc:///nowhere"), "--capture", str(file))
        self.addCleanup(console.close)
        console.open_session()
        return console

    def test_a_capture_is_shown_without_a_bus(self):
        states = write_capture(self.folder / "incident.jsonl", 2_000_000)
        console = self.show(self.folder / "incident.jsonl")
        for at in [0, len(states) // 3, len(states) // 2, len(states) - 1]:
            when, expected = states[at]
            frames = moment(console, when)
            self.assertEqual({path: node["state"] for path, node in shown(frames).items()}, expected)
            self.assertEqual(frames[0]["file"], "incident.jsonl")
        status, _, content = console.ask("GET", "/v1/document/tree")
        self.assertEqual((status, json.loads(content)["error"]["name"]), (503, "noBus"))

    def test_any_moment_of_a_large_file_is_found_by_its_time(self):
        states = write_capture(self.folder / "large.jsonl", CAPTURE_BYTES)
        console = self.show(self.folder / "large.jsonl")
        connection = http.client.HTTPConnection("127.0.0.1", console.port, timeout=60)
        times = []
        for share in [0, .1, .33, .5, .77, .999]:
            when, expected = states[int(share * len(states))]
            begun = time.monotonic()
            _, _, content = console.ask(
                "POST", "/v1/frame", {"page": f"p{share}", "at": when, "urgent": True}, connection=connection)
            times.append(time.monotonic() - begun)
            self.assertEqual({path: node["state"] for path, node in shown([json.loads(content)]).items()}, expected)
        self.assertLessEqual(max(times), MOMENT_SECONDS, times)


class PastPageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bus = Bus()
        cls.addClassCleanup(cls.bus.close)
        look_at(cls, cls.bus)
        cls.browser.open(cls.console.link)

    def test_the_page_goes_back_and_returns(self):
        bus, browser = self.bus, self.browser
        shop = bus.attach("/shop", "--handle", "Order")
        bus.attach("/shop/desk", "--receive", "Ask")
        browser.await_row("/shop", "live")
        bus.ctl("trigger", "Order", "--from", "/shop/desk")
        await_true(lambda: "desk → shop" in browser.text("#list"), "the event")
        bus.attach("/between", "--handle", "Order")
        browser.await_row("/between", "live")
        shop.send_signal(signal.SIGKILL)
        browser.await_row("/shop", "vacant")
        bus.attach("/late", "--handle", "Order")
        browser.await_row("/late", "live")

        # Back by keys, event for event, until the shop is not lost yet.
        browser.keys_in_tree(",")
        self.assertTrue(browser.run("return document.body.classList.contains('past')"))
        await_true(lambda: "ago" in browser.text("#now"), "the moment")
        browser.keys(",")
        await_true(lambda: browser.row("/late") is None, "the moment before the last attach")
        browser.await_row("/shop", "vacant")
        browser.keys(",", ",")
        await_true(lambda: browser.row("/between") is None, "the moment of the event")
        self.assertEqual(browser.row("/shop")["state"], "live")
        self.assertIn("desk → shop", browser.text("#list"))
        self.assertIn("not recorded", browser.text("#tools"))
        # What if is off, and nothing is asked of the bus as it is now.
        browser.keys("w")
        self.assertIsNone(browser.run("return document.getElementById('question')"))
        self.assertIn("Only the bus of now", browser.text("#said"))
        self.assertEqual(browser.text("#tabs [role=tab]:nth-child(2)"), "Under way –")
        await_true(lambda: "moment=" in browser.run("return location.hash"), "the address")
        browser.keys(".", ".")
        browser.await_row("/shop", "vacant")
        browser.keys("l")
        browser.await_row("/late", "live")
        self.assertFalse(browser.run("return document.body.classList.contains('past')"))
        await_true(lambda: "Live" in browser.text("#now"), "the present")
        self.assertEqual(browser.complaints(), [])

    def test_dragging_the_time_goes_back(self):
        bus, browser = self.bus, self.browser
        bus.attach("/dragged", "--handle", "Order")
        browser.await_row("/dragged", "live")
        browser.run("""
            const box = document.getElementById('time'), area = box.getBoundingClientRect();
            const point = (type, share) => box.dispatchEvent(new PointerEvent(type, { bubbles: true, clientX: area.left + 14 + (area.width - 28) * share, clientY: area.top + 40 }));
            point('pointerdown', .95); point('pointermove', .5); point('pointermove', .2); point('pointerup', .2);""")
        # Before the recording its first moment is shown, when the node was not there.
        await_true(lambda: "ago" in browser.text("#now"), "the moment")
        await_true(lambda: browser.row("/dragged") is None, "the tree of then")
        browser.run("document.getElementById('now').click()")
        browser.await_row("/dragged", "live")
        self.assertEqual(browser.complaints(), [])

    def test_the_ends_of_the_time_are_reached_by_keys(self):
        bus, browser = self.bus, self.browser
        bus.attach("/keyed", "--handle", "Order")
        browser.await_row("/keyed", "live")
        browser.run("document.getElementById('time').focus()")
        browser.keys(Keys.HOME)
        await_true(lambda: "ago" in browser.text("#now"), "the moment")
        await_true(lambda: browser.row("/keyed") is None, "the tree of then")
        slider = "return document.getElementById('time').ariaValueText"
        first = browser.run(slider)
        browser.keys(Keys.ARROW_UP)
        await_true(lambda: browser.run(slider) != first, "the next event")
        browser.keys(Keys.END)
        browser.await_row("/keyed", "live")
        self.assertEqual(browser.run(slider), "now")
        self.assertEqual(browser.run("return document.activeElement.id"), "time")

    def test_a_file_is_shown_in_the_page(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="captured-"))
        self.addCleanup(shutil.rmtree, folder)
        states = write_capture(folder / "monday.jsonl", 400_000)
        console = Console(
            types.SimpleNamespace(endpoint="ipc:///nowhere"), "--capture", str(folder / "monday.jsonl"))
        self.addCleanup(console.close)
        browser = self.browser
        # The key of the link is used up, and its token is with the browser.
        self.addCleanup(browser.open, self.console.link.split("#")[0])
        browser.driver.get(console.link)
        await_true(lambda: "monday.jsonl" in browser.text("#now"), "the file")
        for path, state in list(states[-1][1].items())[:8]:
            browser.await_row(path, state)
        browser.run("document.getElementById('tree').focus()")
        shown = browser.run("return document.querySelector('#list .event').textContent")
        browser.keys(",", ",")
        await_true(lambda: browser.run("return document.querySelector('#list .event').textContent") != shown, "an earlier event")
        browser.keys("l", Keys.ESCAPE)
        self.assertTrue(browser.run("return document.body.classList.contains('past')"))

    def test_hostile_texts_of_a_file_are_texts(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="captured-"))
        self.addCleanup(shutil.rmtree, folder)
        file = folder / "<img src=x onerror=alert(1)>\u202e.jsonl"
        write_hostile_capture(file, TEXTS)
        console = Console(types.SimpleNamespace(endpoint="ipc:///nowhere"), "--capture", str(file))
        self.addCleanup(console.close)
        browser = self.browser
        self.addCleanup(browser.open, self.console.link.split("#")[0])
        browser.driver.get(console.link)
        await_true(lambda: "onerror=alert(1)>⟨U+202E⟩.jsonl" in browser.text("#now"), "the file")
        await_true(lambda: "30 nodes" in browser.text("#count"), "the nodes")
        self.assertIn("⟨U+202E⟩", browser.text("#rows"))
        browser.run("document.getElementById('tree').focus()")
        for _ in range(31):
            browser.keys("j")
            self.assertEqual(browser.run(ELEMENTS), 0)
        browser.keys("t")
        for _ in range(len(TEXTS)):
            browser.keys(Keys.ARROW_DOWN)
            self.assertEqual(browser.run(ELEMENTS), 0)
        self.assertIsNone(browser.run("return ({}).isAdmin ?? null"))
        self.assertEqual(browser.complaints(), [])

    def test_a_file_that_is_dropped_on_the_page_is_shown_until_one_goes_live(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="captured-"))
        self.addCleanup(shutil.rmtree, folder)
        states = write_capture(folder / "monday.jsonl", 200_000)
        browser = self.browser
        self.bus.ctl("trigger", "Nobody")
        await_true(lambda: "Nobody" in browser.text("#list"), "an event of the bus")
        browser.click_event("Nobody")
        self.drop((folder / "monday.jsonl").read_text())
        await_true(lambda: "monday.jsonl" in browser.text("#now"), "the file")
        # The event of the bus that was chosen is none of the file.
        await_true(lambda: browser.text("#trace h2").startswith("Order"), "an event of the file")
        for path, state in list(states[-1][1].items())[:8]:
            browser.await_row(path, state)
        browser.run("document.querySelector('#list .event').click()")
        await_true(lambda: browser.text("#trace h2").startswith("Order"), "the event of the file")
        browser.keys_in_tree("l")
        await_true(lambda: "Live" in browser.text("#now"), "the present")
        self.assertIsNone(browser.row("/shop/node0"))
        # An event of the file is chosen no more: the bus would be asked for it.
        self.assertNotIn("Order", browser.text("#trace"))
        self.drop("no capture\n")
        await_true(lambda: "not a capture" in browser.text("#said"), "the refusal")
        browser.await_row("/", "live")

    def test_a_file_without_a_tree_selects_no_node(self):
        browser, when = self.browser, "2026-01-01T00:00:00.000000Z"
        lines = [
            {"schema": "cascade/v1/capture", "bus": "b", "when": when},
            {"schema": "cascade/v1/monitor", "when": when, "kind": "event", "what": "ended", "id": "1", "name": "Order",
             "path": "/till", "outcome": "handled"},
        ]
        self.addCleanup(browser.keys_in_tree, "l")
        self.drop("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
        await_true(lambda: "no tree" in browser.text("#tools"), "the file")
        await_true(lambda: "till" in browser.text("#list"), "its event")
        self.assertEqual(browser.text("#node"), "No node is selected.")

    def drop(self, text):
        self.browser.run("""
            const files = new DataTransfer(); files.items.add(new File([arguments[0]], 'monday.jsonl'));
            dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true }));""", text)


if __name__ == "__main__":
    unittest.main()
