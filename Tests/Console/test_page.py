# SPDX-License-Identifier: Apache-2.0
"""The page of the console in a browser, with real nodes and events."""

import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import unittest

from selenium.webdriver.common.keys import Keys

from browsing import look_at, now
from hostile import ELEMENTS, TEXTS
from running import PAGE_FOLDER, Bus, Console, await_true, goal, program
from shop import ROOT, Shop

SHOWN_SECONDS = goal(0.2)

# How often the mark of an arrival at a row ends in a time, in milliseconds.
ENDINGS = """
const [path, time, done] = arguments, row = document.querySelector(`.row[data-path="${path}"]`);
let count = 0;
new MutationObserver(() => { if (!row.hasAttribute('data-reached')) count += 1; })
  .observe(row, { attributeFilter: ['data-reached'] });
setTimeout(() => done(count), time);
"""


class PageTests(unittest.TestCase):
    """Tests with a bus, a console and a browser of their own."""

    arguments = ()

    def setUp(self):
        self.bus = Bus()
        self.addCleanup(self.bus.close)
        look_at(self, self.bus, *self.arguments)

    def open(self):
        self.browser.open(self.console.link)


class TreeTests(PageTests):
    def test_a_node_is_seen_at_once_when_it_attaches_and_when_it_is_lost(self):
        self.open()
        self.browser.record_rows()
        delays = []
        for number in range(50):
            # Those alike would become one row.
            self.bus.attach(f"/n{number}", "--handle", f"Order{number}")
            attached = now()
            if number < 20:
                delays.append(self.browser.when(f"/n{number}", "live") - attached)
        delays.sort()
        self.assertLessEqual(delays[-1], SHOWN_SECONDS, delays)

        parent = self.bus.attach("/parent", "--handle", "Order")
        self.bus.attach("/parent/child", "--handle", "Order")
        self.browser.keys("/")
        self.browser.keys(*"parent")
        before = self.browser.await_row("/parent", "live")
        self.browser.await_row("/parent/child", "live")
        self.browser.record_rows()
        parent.send_signal(signal.SIGKILL)
        killed = now()
        self.assertLessEqual(self.browser.when("/parent", "vacant") - killed, SHOWN_SECONDS)
        self.assertEqual(self.browser.row("/parent/child")["state"], "live")
        self.bus.attach("/parent", "--handle", "Order")
        self.assertEqual(self.browser.await_row("/parent", "live")["id"], before["id"])

    def test_a_group_of_nodes_alike_is_one_row_until_it_is_opened(self):
        for number in range(17):
            self.bus.attach(f"/k{number:02}", "--subscribe", "Bell")
        self.open()
        await_true(lambda: "k00 … k16" in self.browser.text("#rows"), "the group")
        self.assertEqual(self.browser.paths(), ["/", "/k00"])
        self.browser.keys("j", Keys.ARROW_RIGHT)
        self.assertEqual(len(self.browser.paths()), 18)
        self.browser.keys(Keys.ARROW_LEFT)
        self.assertEqual(self.browser.paths(), ["/", "/k00"])
        # It stays open around the node that is selected when the first one leaves.
        self.browser.keys(Keys.ARROW_RIGHT, "j", "j")
        self.bus.ctl("detach", "/k00")
        await_true(lambda: not self.browser.row("/k00"), "the leaving of the first")
        self.assertEqual(self.browser.row("/k02")["selected"], "true")
        self.assertEqual(len(self.browser.paths()), 17)

    def test_hostile_texts_are_texts(self):
        texts = TEXTS
        self.assertEqual(len(texts), 30)
        self.bus.attach("/evil", "--receive", "Order")
        self.open()
        for text in texts:
            payload = json.dumps({"__proto__": {"isAdmin": True}, "title": text, text[:200]: text})
            subprocess.run(
                [program("cascadectl"), "trigger", "Order", "-", "--from", "/evil"],
                env=self.bus.environment, input=payload, text=True, capture_output=True, check=False)
        await_true(lambda: self.browser.run("return document.querySelectorAll('#list .event:not([hidden])').length >= 8"), "the events")
        await_true(lambda: len(self.bus.ctl("undelivered")["undelivered"]) == 30, "the thirtieth event")
        self.browser.keys("u")
        for _ in range(32):
            self.browser.keys(Keys.ARROW_DOWN)
            self.assertEqual(self.browser.run(ELEMENTS), 0)
        self.assertIn("⟨U+202E⟩", self.browser.run("""
            let all = ''; const list = document.getElementById('list');
            for (const row of document.querySelectorAll('#list .event')) all += row.textContent;
            return all""") + self.seen_in_list())
        self.assertIsNone(self.browser.run("return ({}).isAdmin ?? null"))
        self.assertEqual(self.browser.complaints(), [])

    def seen_in_list(self):
        """The texts of all rows of the list, from its top to its end."""
        seen = ""
        for top in range(0, 1000, 100):
            self.browser.run("document.getElementById('list').scrollTop = arguments[0]", top)
            self.browser.run("return new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
            seen += self.browser.text("#list")
        return seen


class LossTests(PageTests):
    def test_a_lost_bus_is_greyed_and_its_return_is_seen_without_a_reload(self):
        self.bus.attach("/shop", "--handle", "Order")
        self.open()
        self.browser.await_row("/shop", "live")
        self.browser.run("window.isSamePage = true")
        self.bus.kill()
        await_true(lambda: self.browser.run("return document.body.classList.contains('stale')"), "greying", 2)
        self.assertIn("No bus since", self.browser.text("#now"))
        self.assertIn("/shop", self.browser.paths())
        os.unlink(self.bus.socket)
        self.bus.start()
        await_true(lambda: "Live" in self.browser.text("#now"), "live again", 3)
        self.browser.await_row("/shop", "live")
        paths = self.browser.paths()
        self.assertEqual(len(paths), len(set(paths)))
        self.assertTrue(self.browser.run("return window.isSamePage"))

    def test_a_page_that_is_loaded_again_asks_for_a_frame_beside_its_session(self):
        self.open()
        self.browser.driver.refresh()
        await_true(lambda: "Live" in self.browser.text("#now"), "the page's going live again")
        session, frame = self.browser.run(
            "const asked = performance.getEntriesByType('resource');"
            "return ['session', 'frame'].map(name => asked.find(each => each.name.endsWith(`/v1/${name}`)).toJSON())")
        self.assertLess(frame["startTime"], session["responseEnd"])

    def test_a_restarted_console_asks_for_a_new_link(self):
        self.open()
        port = self.console.port
        self.console.close()
        await_true(lambda: "not reached" in self.browser.text("#now"), "the loss of the console")
        self.console = Console(self.bus, "--listen", f"127.0.0.1:{port}")
        self.addCleanup(self.console.close)
        await_true(lambda: "new link" in self.browser.text("#veil"), "the page's asking for a link")
        self.browser.open(self.console.link)
        self.assertEqual(self.browser.paths(), ["/"])


class ShopTests(unittest.TestCase):
    """The print shop, with its rules."""

    def setUp(self):
        self.bus = Shop()
        self.addCleanup(self.bus.close)
        look_at(self, self.bus)
        self.browser.open(self.console.link)
        self.browser.await_row("/shop/photo/laser/spool", "live")

    def raise_long(self):
        """Lets the spool raise a text that is too long for the laser, and chooses the event."""
        self.bus.put_long()
        await_true(lambda: "spool → shop" in self.browser.text("#list"), "the event")
        self.browser.run("""
            [...document.querySelectorAll('#list .event')].find(e => e.textContent.includes('spool → shop'))
              .dispatchEvent(new MouseEvent('click', { bubbles: true }))""")

    def test_an_event_s_way_is_seen_in_the_list_and_in_its_trace(self):
        self.raise_long()
        marks = self.browser.run("""
            const row = [...document.querySelectorAll('#list .event')].find(e => e.textContent.includes('spool → shop'));
            return [...row.querySelectorAll('.trailmarks svg')].map(mark => mark.getAttribute('aria-label'))""")
        self.assertEqual(marks, ["passed", "passed", "handled"])
        await_true(lambda: "Announcement" in self.browser.text("#trace .scroll"), "what it caused")
        hops = self.browser.run("return [...document.querySelectorAll('#trace .hop')].map(h => h.textContent)")
        command = self.browser.run("return document.querySelector('#trace [data-command]').dataset.command")
        words = shlex.split(command)
        self.assertEqual(words[:2], ["cascadectl", "trace"])
        trail = self.bus.ctl(*words[1:])["trail"]
        self.assertEqual([visit["path"] for visit in trail], ["/shop/photo/laser", "/shop/photo", "/shop"])
        for hop, visit in zip(hops, trail):
            self.assertTrue(hop.startswith(visit["path"].split("/")[-1]))
            self.assertAlmostEqual(microseconds(hop), visit["microseconds"], delta=visit["microseconds"] * 0.05)
        # The bus keeps no trace of what nobody acknowledges.
        complaints = [text for text in self.browser.complaints() if "/v1/document/trace" not in text]
        self.assertEqual(complaints, [])

    def test_the_environment_says_where_a_value_comes_from(self):
        self.bus.ctl("env", "set", "isSaving=true", "--at", "/shop")
        self.browser.keys("j", "j", "j")
        await_true(lambda: "isDuplex" in self.browser.text("#node"), "the environment")
        self.browser.run("document.querySelector('[data-key=isDuplex]').click()")
        await_true(lambda: "isSaving" in self.browser.text("#node .why"), "the explanation")
        shown = self.browser.text("#node .why")
        command = self.browser.run("return document.querySelector('.why [data-command]').dataset.command")
        explained = self.bus.ctl(*shlex.split(command)[1:])
        for candidate in explained["candidates"]:
            self.assertIn(candidate["why"], shown)
            self.assertIn(candidate["from"].split("/")[-1], shown)

    def command(self, selector):
        """The command that a panel copies, and its document."""
        await_true(lambda: self.browser.run("return !!document.querySelector(arguments[0])", selector), selector)
        words = shlex.split(self.browser.run("return document.querySelector(arguments[0]).dataset.command", selector))
        self.assertEqual(words[0], "cascadectl")
        return words, self.bus.ctl(*words[1:])

    def test_each_panel_copies_the_command_that_says_the_same(self):
        self.bus.put_program()
        await_true(lambda: "spool → nobody" in self.browser.text("#list"), "the program")
        self.browser.keys("j", "j", "j")
        _, document = self.command("#node .acts [data-command]")
        for text in [document["node"]["path"].split("/")[-1], str(document["node"]["pid"]), document["node"]["user"]]:
            self.assertIn(text, self.browser.text("#node"))
        self.browser.keys("u")
        _, document = self.command("#about [data-command]")
        shown = "return [...document.querySelectorAll('#list .event:not([hidden])')].map(e => e.dataset.id)"
        await_true(lambda: self.browser.run(shown) == [kept["id"] for kept in document["undelivered"]], "the list")
        self.browser.run("[...document.querySelectorAll('#tabs button')].at(-1).click()")
        _, document = self.command("#about [data-command]")
        self.assertEqual(len(document["findings"]),
                         self.browser.run("return document.querySelectorAll('#list .event:not([hidden])').length"))
        self.browser.keys("t", Keys.ESCAPE, "w")
        self.browser.run("document.activeElement.value = ''")
        self.browser.keys('PrintJob {"kind": "text", "byteCount": 22}', Keys.ENTER)
        await_true(lambda: "would be asked" in self.browser.text("#answer"), "the answer")
        _, document = self.command("#tools [data-command]")
        asked = [step["path"] for step in document["responders"] if step["asked"]]
        self.assertIn(f"{len(asked)} would be asked", self.browser.text("#answer"))
        self.browser.keys(Keys.ESCAPE, Keys.HOME)
        await_true(lambda: "Counters" in self.browser.text("#node"), "the bus")
        _, document = self.command("#node .acts [data-command]")
        self.assertIn(str(document["pid"]), self.browser.text("#node"))

    def test_what_if_numbers_those_who_would_be_asked(self):
        self.browser.keys("j", "j", "j", "j", "w")
        await_true(lambda: self.browser.run("return document.activeElement.id === 'question'"), "the question")
        self.browser.run("document.activeElement.value = ''")
        self.browser.keys('PrintJob {"kind": "pdf", "byteCount": 22}', Keys.ENTER)
        await_true(lambda: "3 would be asked" in self.browser.text("#answer"), "the answer")
        for path, order in [("/shop/photo/laser", "1"), ("/shop/photo", "2"), ("/shop", "3")]:
            self.assertEqual(self.browser.run(
                "return document.querySelector(`.row[data-path='${arguments[0]}'] .order`).textContent", path), order)
        # A reason for not asking a node is no less readable than other texts.
        self.assertEqual(self.browser.run("""
            const reason = document.querySelector('.row[data-path="/shop/photo/laser/spool"] [title^="raises it"]');
            return [reason, reason.parentElement].map(element => getComputedStyle(element).opacity)"""), ["1", "1"])
        self.assertEqual(
            self.browser.run("return document.querySelector('#tools [data-command]').dataset.command"),
            """cascadectl route PrintJob '{"kind": "pdf", "byteCount": 22}' --from /shop/photo/laser""")
        self.browser.keys(Keys.ESCAPE)
        self.assertEqual(self.browser.run("return document.querySelectorAll('.order').length"), 0)

    def test_everything_is_reached_by_keys(self):
        self.bus.put_program()
        await_true(lambda: self.bus.ctl("undelivered")["undelivered"], "an undelivered event")
        browser = self.browser
        selected = lambda: browser.run("return document.querySelector('.row[aria-selected=true]')?.dataset.path")
        browser.keys("j", "j")
        self.assertEqual(selected(), "/shop/photo")
        browser.keys(Keys.ARROW_LEFT)
        self.assertEqual(browser.row("/shop/photo")["expanded"], "false")
        self.assertIsNone(browser.row("/shop/photo/laser"))
        browser.keys(Keys.ARROW_RIGHT, "k")
        self.assertEqual(selected(), "/shop")
        browser.keys("/", *"state:live laser", Keys.ENTER)
        self.assertEqual(selected(), "/shop/photo/laser")
        browser.keys("/", Keys.ESCAPE)
        self.assertEqual(browser.run("return document.getElementById('find').value"), "")
        browser.keys("?")
        self.assertTrue(browser.run("return document.getElementById('keys').matches(':popover-open')"))
        browser.keys("?", "u")
        await_true(lambda: browser.run("return !!document.querySelector('#list .event.undelivered')"), "the list")
        browser.keys(Keys.ARROW_DOWN)
        await_true(lambda: "unhandled" in browser.text("#trace"), "the undelivered event")
        self.assertTrue(browser.run(
            "const b = [...document.querySelectorAll('#trace button')].find(b => b.textContent === 'Raise again');"
            "return b.ariaDisabled === 'true' && b.title.includes('--allow-actions')"))
        browser.keys(",")
        self.assertTrue(browser.run("return document.body.classList.contains('past')"))
        browser.keys("l")
        self.assertFalse(browser.run("return document.body.classList.contains('past')"))
        browser.keys(" ")
        await_true(lambda: "Stopped" in browser.text("#now"), "stopping", 2)
        browser.keys(" ")
        await_true(lambda: "Live" in browser.text("#now"), "going on", 3)
        roles = browser.run("return ['treegrid', 'listbox', 'tablist', 'slider', 'row', 'rowheader'].filter(role => !document.querySelector(`[role=${role}]`))")
        self.assertEqual(roles, [])


class StillTests(PageTests):
    def setUp(self):
        super().setUp()
        self.browser.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})

    def test_nothing_moves_if_motion_is_not_wanted(self):
        self.bus.attach("/a", "--handle", "Order")
        self.bus.attach("/a/b", "--every", "100ms=Order")
        self.open()
        await_true(lambda: "b → a" in self.browser.text("#list"), "an event")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#dots > *, .note').length"), 0)
        # The row that is reached ten times a second is marked, and does not flicker.
        marked = "return !!document.querySelector('.row[data-path=\"/a\"][data-reached]')"
        await_true(lambda: self.browser.run(marked), "the mark of an arrival")
        endings = self.browser.driver.execute_async_script(ENDINGS, "/a", 3_000)
        self.assertLessEqual(endings, 3)


class AssetTests(unittest.TestCase):
    folder = PAGE_FOLDER

    def test_nothing_is_loaded_from_elsewhere_or_made_of_text(self):
        banned = re.compile(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|setHTML|srcdoc")
        for file in self.folder.iterdir():
            text = file.read_text()
            self.assertIsNone(banned.search(text), file.name)
            addresses = set(re.findall(r"https?://[^'\"\s)]+", text))
            self.assertLessEqual(addresses, {"http://www.w3.org/2000/svg"}, file.name)
            if file.suffix == ".html":
                self.assertNotIn(" style=", text)
                self.assertNotIn(" onclick=", text)

    def test_the_page_is_small(self):
        bus = Bus()
        self.addCleanup(bus.close)
        console = Console(bus)
        self.addCleanup(console.close)
        page = console.ask("GET", "/")[2]
        links = re.findall(r'(?:href|src)="([0-9a-f]+/[^"]+)"', page.decode())
        self.assertLessEqual(len(links), 13)
        total = len(page)
        for link in links:
            status, _, served = console.ask("GET", f"/{link}")
            self.assertEqual(status, 200, link)
            total += len(served)
            self.assertNotRegex(served, rb"(?m)^(import|export) ", link)
        self.assertLessEqual(total, 160_000)

    def test_each_file_of_the_page_is_short(self):
        for file in self.folder.iterdir():
            lines = file.read_text().splitlines()
            self.assertLessEqual(len(lines), 300, file.name)
            self.assertIn("SPDX-License-Identifier: Apache-2.0", "".join(lines), file.name)
            for number, line in enumerate(lines, 1):
                place = f"{file.name}:{number}"
                if file.suffix != ".html":
                    # What is served has no indentation. That is never part of a text, because each ends in its line.
                    self.assertEqual(line.count("`") % 2, 0, place)

    def test_the_modules_have_the_forms_that_are_joined(self):
        exports, imports = {}, []
        for file in self.folder.glob("*.js"):
            exports[file.name] = names = set()
            for line in file.read_text().splitlines():
                if line.startswith("import"):
                    match = re.fullmatch(r"import (?:\{ ([\w$]+(?:, [\w$]+)*) \}|\* as \w+) from './([a-z]+\.js)';", line)
                    self.assertTrue(match, f"{file.name}: {line}")
                    imports += [(file.name, match[2], name) for name in (match[1] or "").split(", ") if name]
                if line.startswith("export"):
                    match = re.match(r"export (?:(?:async )?function\*?|class|const) ([\w$]+)", line)
                    self.assertTrue(match, f"{file.name}: {line}")
                    names.add(match[1])
        self.assertTrue(imports)
        # In one script an absent name would be no error, but undefined.
        self.assertEqual([each for each in imports if each[2] not in exports[each[1]]], [])

    def test_each_text_stands_out_from_what_is_behind_it(self):
        css = (self.folder / "console.css").read_text()
        tokens = dict(re.findall(r"--([\w-]+): light-dark\((#\w+, #\w+)\)", css))
        for theme in (0, 1):
            colour = lambda name: tokens[name].split(", ")[theme]
            for text in ["text", "muted", "faint", "accent", "good", "warn", "bad", "turn", "down"]:
                for behind in ["panel", "sunken", "raised", "select", "hover"]:
                    self.assertGreaterEqual(
                        contrast(colour(text), colour(behind)), 4.5, (theme, text, behind))
            for token in ["good", "warn", "bad"]:
                self.assertGreaterEqual(contrast(colour(token), colour(f"{token}-soft")), 4.5, token)


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def microseconds(text):
    number, unit = re.search(r"([\d.]+) (µs|ms|s)$", text).groups()
    return float(number) * {"µs": 1, "ms": 1_000, "s": 1_000_000}[unit]


if __name__ == "__main__":
    unittest.main()
