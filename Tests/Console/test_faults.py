# SPDX-License-Identifier: Apache-2.0
"""The print shop under faults, in an order that chance has drawn: after each one the page shows what the bus says.
CASCADE_CONSOLE_SECONDS is the length of the test. With CASCADE_CONSOLE_PICTURES, a directory, a picture is kept after
each fault, in turn of both sizes and both themes."""

import itertools
import os
import random
import re
import signal
import time
import unittest

from selenium.webdriver.common.keys import Keys

from browsing import look_at
from running import Console, await_true
from shop import PROGRAMS, Shop

SECONDS = int(os.environ.get("CASCADE_CONSOLE_SECONDS", "20"))
SEED = int(os.environ.get("CASCADE_CONSOLE_SEED", "1"))
LOOKS = [(1440, 900, "light"), (1024, 700, "dark"), (1440, 900, "dark"), (1024, 700, "light")]
# What is looked at in turn, by its keys.
PLACES = [["j", "j"], ["t"], ["u"], ["f"], ["j", "j", "j"], []]
# The browser says that the line was cut. The bus keeps no trace of what nobody acknowledges, and does not have the node
# of the panel while it begins again.
EXPECTED = re.compile(
    r"ERR_(INTERNET_DISCONNECTED|CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)"
    r"|/v1/document/(trace|status|env)\b.*status of 404|status of (401|503)")


class FaultTests(unittest.TestCase):
    def setUp(self):
        self.bus = Shop()
        self.addCleanup(self.bus.close)
        look_at(self, self.bus)
        self.browser.size(1440, 900)
        self.browser.open(self.console.link)
        self.await_agreement("the beginning")
        self.numbers = itertools.count()

    def test_the_page_shows_what_the_bus_says_after_each_fault(self):
        draw = random.Random(SEED)
        faults = [
            self.kill_a_node, self.stop_a_node, self.kill_the_bus, self.cut_the_line, self.kill_the_console, self.flood]
        looks, places = itertools.cycle(LOOKS), itertools.cycle(PLACES)
        end = time.monotonic() + SECONDS
        for count in itertools.count(1):
            fault = faults[count - 1] if count <= len(faults) else draw.choice(faults)
            self.look(next(looks), next(places))
            self.put(draw)
            with self.subTest(f"{fault.__name__}, fault {count} of seed {SEED}"):
                fault(draw)
                self.put(draw)
                self.await_agreement(fault.__name__)
                self.keep(f"{count:04}-{fault.__name__}")
            if count >= len(faults) and time.monotonic() >= end:
                break

    # What is done

    def put(self, draw):
        """Puts a file into the spool, of any kind."""
        name = f"job{next(self.numbers)}.txt"
        draw.choice([
            lambda: self.bus.put(name, "hello\n" * 40), lambda: self.bus.put_long(name),
            lambda: self.bus.put_program(name.removesuffix(".txt"))])()

    def kill_a_node(self, draw):
        path, *command = draw.choice(PROGRAMS)
        process = self.bus.printers[path]
        process.kill()
        process.wait()
        self.put(draw)
        self.await_agreement(f"the loss of {path}", whole=False)
        self.bus.nodes.remove(process)
        self.bus.occupy(path, *command)

    def stop_a_node(self, draw):
        path = draw.choice(PROGRAMS)[0]
        process = self.bus.printers[path]
        process.send_signal(signal.SIGSTOP)
        try:
            self.put(draw)
            self.browser.await_row(path, "unresponsive")
            self.await_agreement(f"the silence of {path}", whole=False)
        finally:
            process.send_signal(signal.SIGCONT)

    def kill_the_bus(self, _):
        self.bus.kill()
        await_true(lambda: "bus was lost" in self.browser.text("#tools"), "the loss of the bus")
        os.unlink(self.bus.socket)
        self.bus.start()

    def cut_the_line(self, draw):
        self.set_line(is_cut=True)
        try:
            self.put(draw)
            await_true(lambda: "console was last reached" in self.browser.text("#tools"), "the loss of the line")
        finally:
            self.set_line(is_cut=False)

    def set_line(self, is_cut):
        self.browser.driver.execute_cdp_cmd("Network.enable", {})
        self.browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": is_cut, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    def kill_the_console(self, _):
        self.console.process.kill()
        self.console.close()
        self.console = Console(self.bus, "--listen", f"127.0.0.1:{self.console.port}")
        self.addCleanup(self.console.close)
        await_true(lambda: "new link" in self.browser.text("#veil"), "the question for a link")
        self.browser.run("location.hash = arguments[0]", f"#key={self.console.key}")

    def flood(self, draw):
        for _ in range(50):
            self.put(draw)

    # What is seen

    def look(self, look, keys):
        width, height, theme = look
        self.browser.size(width, height)
        self.browser.theme(theme)
        self.browser.keys_in_tree(Keys.ESCAPE, Keys.HOME, *keys)

    def await_agreement(self, after, whole=True):
        """Waits until the page is live and has the nodes of the bus in their states; all of the shop if `whole`."""
        def agrees():
            nodes = {node["path"]: node["state"] for node in self.bus.ctl("tree")["nodes"]}
            if whole and any(nodes.get(path) != "live" for path, *_ in PROGRAMS):
                return False
            shown = self.browser.run(
                "return [...document.querySelectorAll('#rows .row')].filter(r => !r.hidden)"
                ".map(r => [r.dataset.path, r.dataset.state])")
            return dict(shown) == nodes and "Live" in self.browser.text("#now")
        await_true(agrees, f"agreement of page and bus after {after}")

    def keep(self, name):
        """Keeps a picture. Nothing on it is cut at the edges or was forgotten by the page."""
        self.assertNotRegex(self.browser.run("return document.body.innerText"), r"undefined|NaN|\[object")
        self.assertEqual(
            self.browser.run("return document.documentElement.scrollWidth > innerWidth"), False)
        self.assertEqual([text for text in self.browser.complaints() if not EXPECTED.search(text)], [])
        self.browser.keep_picture(name)


if __name__ == "__main__":
    unittest.main()
