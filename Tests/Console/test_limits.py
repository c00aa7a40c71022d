# SPDX-License-Identifier: Apache-2.0
"""The limits of the console, each at N and N + 1, and clients that keep it waiting."""

import json
import os
import socket
import statistics
import subprocess
import time
import unittest

from browsing import ModuleTests
from running import Bus, Console, PlacedTests, UnixConnection, await_true, program, resident_bytes

# Gives a new model of the page so many events that failed and then so many that were handled, and returns how many of
# each it keeps.
KEPT = """
const [failed, handled, done] = arguments, model = document.querySelector('script[type=module]').src.replace('main', 'model');
import(model).then(({ Model }) => {
  const model = new Model(), when = '2026-01-01T00:00:00.000000Z';
  const events = (count, outcome) => Array.from({ length: count }, (_, n) => ({ id: outcome + n, outcome, when, begun: when }));
  model.apply({ epoch: '1', frame: 1, state: 'live', ended: events(failed, 'failed') });
  model.apply({ epoch: '1', frame: 2, after: 1, state: 'live', ended: events(handled, 'handled') });
  done(['failed', 'handled'].map(outcome => model.ended.filter(event => event.outcome === outcome).length));
});
"""

# Shows the trace of an event with so many visits, and returns the number of rows and what is said of the others.
FOLDED = """
const [visits, done] = arguments, script = document.querySelector('script[type=module]').src;
Promise.all(['trace', 'model'].map(name => import(script.replace('main', name)))).then(([{ Trace }, { Model }]) => {
  const visit = n => ({ path: `/n${n}`, responder: 0, kind: 'receive', name: 'E', verdict: 'passed', microseconds: 1, at: n });
  const trail = Array.from({ length: visits }, (_, n) => visit(n));
  const event = { id: 'e-1', name: 'E', path: '/n0', outcome: 'handled', by: '/n0', trail, at: visits, from: 0 };
  new Trace({ model: new Model(), event, session: null, moment: null, sites: { siteOf: () => '' } }).show();
  const words = [...document.querySelectorAll('#trace .faint')].map(each => each.textContent);
  done([document.querySelectorAll('#trace .hop').length, words.filter(text => text.includes('not shown')).join()]);
});
"""

# Draws the line above the tree with so many nodes that are not told, and returns what it says of them.
UNTOLD = """
const [untold, done] = arguments, script = document.querySelector('script[type=module]').src;
Promise.all(['filters', 'model'].map(name => import(script.replace('main', name)))).then(([{ Filters }, { Model }]) => {
  const model = new Model();
  model.apply({ epoch: '1', frame: 1, state: 'live', untold: untold || undefined });
  const tracks = { shownPerSecond: 1 }, bar = { isReached: true };
  new Filters({ model, filter: 'All', node: { path: '/a b' }, moment: null, tracks, bar }).draw();
  done(document.querySelector('#tools .untold')?.textContent ?? '');
}).catch(done);
"""

# Reads a capture with so many nodes in the page, and returns how many are told, how many not, and whether that of the
# lowest level is.
CAPTURED = """
const [count, done] = arguments, script = document.querySelector('script[type=module]').src;
import(script.replace('main', 'capture')).then(async ({ Capture }) => {
  const when = '2026-01-01T00:00:00.000000Z', paths = ['/', '/deep', '/deep/below'];
  while (paths.length < count) paths.push(`/n${paths.length}`);
  const tree = { bus: 'b', nodes: paths.map(path => ({ path, state: 'live' })) };
  const lines = [{ schema: 'cascade/v1/capture', bus: 'b', when }, { schema: 'cascade/v1/keyframe', when, tree }];
  const capture = new Capture(new File(lines.map(line => JSON.stringify(line) + '\\n'), 'large'));
  await capture.read();
  const { nodes, untold } = await capture.frame(capture.to);
  done([nodes.length, untold, nodes.some(row => row[2] === 'below')]);
});
"""


def answer_of(peer):
    """Reads one response from a socket: its status and body; `None` if the console has closed."""
    received = b""
    while b"\r\n\r\n" not in received:
        part = peer.recv(65_536)
        if not part:
            return None
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length"))
    while len(body) < length:
        body += peer.recv(65_536)
    return int(head.split()[1]), body


class LimitTests(PlacedTests):
    nodes = {**PlacedTests.nodes, "/shop/till": ["--every", "20ms=Order"]}

    def connect(self):
        peer = socket.create_connection(("127.0.0.1", self.console.port), timeout=10)
        self.addCleanup(peer.close)
        return peer

    def head(self, **headers):
        lines = [f"Host: 127.0.0.1:{self.console.port}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "GET / HTTP/1.1\r\n" + "".join(f"{line}\r\n" for line in lines) + "\r\n"

    # MARK: - Numbers

    def test_a_head_has_exactly_eight_kibibytes(self):
        # The console counts the request line as 17 bytes, and no empty line.
        others = len(self.head(X="")) - len("GET / HTTP/1.1\r\n\r\n") + 17
        for size, status in [(8_192, 200), (8_193, 431)]:
            peer = self.connect()
            peer.sendall(self.head(X="y" * (size - others)).encode())
            self.assertEqual(answer_of(peer)[0], status, size)

    def test_sixty_four_connections_stay_and_the_next_takes_the_place_of_the_oldest(self):
        # A console of its own, since other tests leave connections.
        console = Console(self.bus)
        self.addCleanup(console.close)
        request = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{console.port}\r\n\r\n".encode()
        peers = []
        for _ in range(65):
            peer = socket.create_connection(("127.0.0.1", console.port), timeout=10)
            self.addCleanup(peer.close)
            peer.sendall(request)
            self.assertEqual(answer_of(peer)[0], 200)
            peers.append(peer)
            if len(peers) == 64:
                for each in peers:
                    each.sendall(request)
                    self.assertEqual(answer_of(each)[0], 200)
        self.assertEqual(peers[0].recv(1), b"")
        for peer in peers[1:]:
            peer.sendall(request)
            self.assertEqual(answer_of(peer)[0], 200)

    def test_sixty_four_tokens_hold_and_the_next_replaces_the_oldest(self):
        tokens = []
        statuses = lambda: [
            self.console.ask("POST", "/v1/session", {}, {"Authorization": f"Bearer {token}"})[0]
            for token in tokens
        ]
        own, self.console.token = self.console.token, None
        try:
            # The console has given one token already.
            for number in range(64):
                connection = UnixConnection(self.socket)
                _, _, content = self.console.ask("POST", "/v1/link", {}, connection=connection)
                connection.close()
                key = json.loads(content)["link"].split("#key=")[1]
                _, _, content = self.console.ask("POST", "/v1/session", {"key": key})
                tokens.append(json.loads(content)["token"])
                if number == 62:
                    self.assertEqual(set(statuses()), {200})
                    self.assertEqual(self.console.ask(
                        "POST", "/v1/session", {}, {"Authorization": f"Bearer {own}"})[0], 200)
            self.assertEqual(set(statuses()), {200})
            self.assertEqual(self.console.ask(
                "POST", "/v1/session", {}, {"Authorization": f"Bearer {own}"})[0], 401)
        finally:
            self.console.token = tokens[-1]

    def test_there_are_at_most_sixty_four_buses(self):
        for count, status in [(64, 0), (65, 64)]:
            arguments = [f"--bus=b{number}=ipc:///nowhere/{number}" for number in range(count)]
            result = subprocess.run(
                [program("cascade-console"), *arguments, "--listen", f"unix:{self.socket}"],
                capture_output=True, text=True, timeout=20)
            # The address is taken, which is found after the options were read.
            self.assertEqual(result.returncode, status or 1, result.stderr)

    # MARK: - Slow clients

    def test_beside_a_thousand_silent_connections_others_are_served(self):
        times = []
        for number in range(1_000):
            self.connect()
            if number % 25 == 24:
                begun = time.monotonic()
                self.assertEqual(self.console.ask("GET", "/v1/document/status")[0], 200)
                times.append(time.monotonic() - begun)
        self.assertLess(statistics.median(times), 0.1, times)
        self.assertLess(max(times), 1, times)

    def test_pages_that_stop_reading_cost_neither_memory_nor_the_bus(self):
        def handled():
            return self.bus.ctl("status")["counters"]["handled"]

        def rate(seconds):
            before, begun = handled(), time.monotonic()
            while time.monotonic() - begun < seconds:
                self.console.frame(urgent=True)
            return (handled() - before) / (time.monotonic() - begun)

        self.console.frame(urgent=True)
        alone = rate(2)
        body = json.dumps({"page": "stopped", "urgent": True})
        request = (
            f"POST /v1/frame HTTP/1.1\r\nHost: 127.0.0.1:{self.console.port}\r\n"
            f"Authorization: Bearer {self.console.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()
        for _ in range(15):
            peer = self.connect()
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            peer.sendall(request)
        rate(1)
        memory = resident_bytes(self.console.process)
        beside = rate(4)
        self.assertLess(resident_bytes(self.console.process) - memory, 8 << 20)
        # The rest is the load of the machine on which the test runs.
        self.assertGreater(beside, 0.75 * alone)


class PageLimitTests(ModuleTests):
    def test_a_page_keeps_two_thousand_events_and_failures_longer(self):
        for given, kept in [((0, 2_000), [0, 2_000]), ((0, 2_001), [0, 2_000]), ((3, 5_000), [3, 1_997])]:
            self.assertEqual(self.browser.driver.execute_async_script(KEPT, *given), kept, given)

    def test_a_trace_has_4096_rows_and_says_how_many_more_there_are(self):
        for visits, said in [(4_096, ""), (4_097, "1 more row not shown: 'cascadectl trace e-1' prints all. ")]:
            self.assertEqual(self.browser.driver.execute_async_script(FOLDED, visits), [4_096, said])

    def test_of_a_tree_that_is_too_large_the_nodes_that_are_not_shown_are_counted(self):
        said = "1 node not listed: unfold, or find by path"
        for untold, expected in [(0, ""), (1, said)]:
            self.assertEqual(self.browser.driver.execute_async_script(UNTOLD, untold), expected)

    def test_a_hundred_thousand_nodes_of_a_file_are_shown_and_of_one_more_the_upper_levels(self):
        for count, expected in [(100_000, [100_000, 0, True]), (100_001, [100_000, 1, False])]:
            self.assertEqual(self.browser.driver.execute_async_script(CAPTURED, count), expected)

    # MARK: - Payloads

    def choose(self, name, payload, *arguments):
        """Raises an event with a payload, and chooses it in the list."""
        file = os.path.join(self.bus.directory, name)
        with open(file, "w") as output:
            output.write(payload)
        self.bus.ctl("trigger", name, f"@{file}", *arguments)
        await_true(lambda: name in self.browser.text("#list"), "the event in the list")
        self.browser.click_event(name)
        await_true(lambda: self.browser.text("#trace h2").startswith(name), "the trace of the event")

    def press(self, text):
        """Presses the button of the trace with a text."""
        self.browser.run("""
            [...document.querySelectorAll('#trace .scroll button')].find(e => e.textContent === arguments[0]).click()""",
            text)

    def test_a_payload_is_shown_up_to_64_kibibytes_and_on_request_up_to_a_mebibyte(self):
        for size, isAsked in [(65_536, False), (65_537, True), (1_048_576, True)]:
            # The quotes count.
            payload = '"' + "x" * (size - 2) + '"'
            self.choose(f"Size{size}", payload)
            if isAsked:
                self.assertEqual(self.browser.text("#trace pre"), "")
                self.press(f"Show the payload of {size:,} bytes")
                await_true(lambda: self.browser.text("#trace pre"), "the payload")
            self.assertEqual(self.browser.text("#trace pre") == payload, True, size)
        self.choose("Larger", '"' + "x" * 1_048_575 + '"')
        self.assertEqual(self.browser.text("#trace pre"), "")
        self.assertIn("1,048,577 bytes. No more than 1 MiB of one is shown", self.browser.text("#trace .scroll"))

    def test_a_payload_that_is_longer_as_it_is_written_is_shown_in_two_steps(self):
        numbers = [1] * 32_767
        self.choose("Numbers", json.dumps(numbers, separators=(",", ":")))
        written = "[ " + ", ".join("1" for _ in numbers) + " ]"
        self.assertEqual(self.browser.text("#trace pre"), written[:65_536] + " …")
        self.press(f"Show all {len(written):,} characters")
        self.assertEqual(self.browser.text("#trace pre"), written)

    def test_of_a_long_payload_that_was_handled_the_length_is_said(self):
        self.bus.attach("/taker", "--handle", "Taken")
        self.choose("Taken", '"' + "x" * 65_535 + '"', "--from", "/taker")
        self.assertIn(
            "65,537 bytes. The bus shows 64 KiB of one, and more only of undelivered events.",
            self.browser.text("#trace .scroll"))

    def test_a_long_payload_does_not_hide_other_undelivered_events(self):
        for name, payload in [("Long", '"' + "x" * 30_000 + '"'), ("Short", "1")]:
            self.choose(name, payload)
        listed = lambda: [entry["name"] for entry in self.console.frame(urgent=True)["undelivered"]]
        self.console.token = self.browser.run("return localStorage.getItem('cascade-console-token')")
        await_true(lambda: {"Long", "Short"} <= set(listed()), "both in the list")

    def test_256_characters_are_sought(self):
        self.browser.keys("/")
        for more, length in [("x" * 256, 256), ("x", 256)]:
            self.browser.driver.switch_to.active_element.send_keys(more)
            self.assertEqual(self.browser.run("return document.getElementById('find').value.length"), length)


if __name__ == "__main__":
    unittest.main()
