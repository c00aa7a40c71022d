# SPDX-License-Identifier: Apache-2.0
"""Attacks on a running console: by clients that do not read, by other users, and by the page of another port."""

import http.server
import json
import os
import re
import socket
import threading
import time
import unittest

from browsing import Browser
from running import PlacedTests, UnixConnection, await_true, goal, resident_bytes

# The most that the resident memory may grow by an attack.
GROWTH_BYTES = 8 << 20
# What the hostile page tries, and what came of each try: 'told' if it has read anything.
HOSTILE = """<!doctype html><title>hostile</title><iframe src="http://127.0.0.1:{port}/"></iframe>
<iframe name="target"></iframe><script>
const there = 'http://127.0.0.1:{port}', tries = {{}};
const attempt = async (name, body) => {{ try {{ tries[name] = await body(); }} catch (error) {{ tries[name] = 'refused'; }} }};
const ask = (path, options) => async () => {{ const answer = await fetch(there + path, options); return answer.type === 'opaque' ? 'opaque' : 'told'; }};
const post = (type, mode) => ({{ method: 'POST', mode, body: '{{"key":"x"}}', headers: {{ 'Content-Type': type }} }});
const load = (tag, members) => () => new Promise((resume, refuse) => {{
  const element = Object.assign(document.createElement(tag), members, {{ onload: () => resume('told'), onerror: refuse }}); document.body.append(element); }});
onload = async () => {{
  await attempt('read', ask('/v1/document/tree'));
  await attempt('token', ask('/v1/document/tree', {{ headers: {{ Authorization: 'Bearer x' }} }}));
  await attempt('page', ask('/'));
  await attempt('json', ask('/v1/session', post('application/json')));
  await attempt('simple', ask('/v1/session', post('text/plain', 'no-cors')));
  await attempt('script', load('script', {{ src: there + '{script}' }}));
  await attempt('module', () => import(there + '{script}').then(() => 'told'));
  await attempt('style', load('link', {{ rel: 'stylesheet', href: there + '{style}' }}));
  const form = Object.assign(document.createElement('form'), {{ method: 'post', action: there + '/v1/action/clear', target: 'target', enctype: 'text/plain' }});
  document.body.append(form); form.submit();
  document.title = JSON.stringify(tries);
}};
</script>"""


class AttackTests(PlacedTests):
    def setUp(self):
        page = self.console.ask("GET", "/")[2].decode()
        # The largest file of the page, and its first script.
        self.style, self.script = ("/" + re.search(rf'"(\w+/{name})"', page)[1] for name in [r"\w+\.css", r"\w+\.js"])

    # MARK: - What the system says of the console

    def unread(self):
        """The bytes that the console has sent by each connection and nobody has read, by the client's port; those
        that the console's side still holds, and all."""
        held, all_of_them = {}, {}
        with open("/proc/net/tcp") as file:
            rows = [line.split() for line in file.readlines()[1:]]
        for row in rows:
            (own, other), (sent, received) = (
                [int(place.split(":")[1], 16) for place in row[1:3]], [int(size, 16) for size in row[4].split(":")])
            if self.console.port == own and row[3] == "01":
                held[other] = sent
                all_of_them[other] = all_of_them.get(other, 0) + sent
            elif self.console.port == other:
                all_of_them[own] = all_of_them.get(own, 0) + received
        return held, all_of_them

    # MARK: - Parts

    def request(self, path="/"):
        return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.console.port}\r\n\r\n".encode()

    def connect_without_reading(self):
        peer = socket.socket()
        self.addCleanup(peer.close)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        peer.connect(("127.0.0.1", self.console.port))
        peer.setblocking(False)
        return peer

    def stuff(self, count):
        """Connects as often, and asks by each connection until its answer does not fit into the system's memory."""
        await_true(lambda: not self.unread()[0], "the end of other connections")
        answer, peers = self.size_of_answer(), {}
        for _ in range(count):
            peer = self.connect_without_reading()
            peers[peer.getsockname()[1]] = peer
        rest, number = dict(peers), 0
        while rest:
            number += 1
            for peer in rest.values():
                self.assertTrue(self.send(peer, self.request(self.style)))
            whole = lambda: {port for port, size in self.unread()[1].items() if size >= number * answer}
            begun, before = time.monotonic(), None
            # Until all have their answers, or nothing more comes.
            while not whole() >= set(rest) and time.monotonic() - begun < 0.5:
                if (sizes := self.unread()[1]) != before:
                    begun, before = time.monotonic(), sizes
            rest = {port: peer for port, peer in rest.items() if port in whole()}
        self.assertLessEqual(set(peers), set(self.unread()[0]))
        return peers

    def size_of_answer(self):
        """The size of an answer with its head."""
        with socket.create_connection(("127.0.0.1", self.console.port), timeout=10) as peer:
            peer.sendall(self.request(self.style).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            received = b""
            while part := peer.recv(65_536):
                received += part
        self.assertTrue(received.startswith(b"HTTP/1.1 200"))
        return len(received)

    @staticmethod
    def send(peer, data):
        """Sends what can be sent. Returns whether the console still listens."""
        try:
            peer.send(data)
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True

    def assert_served(self):
        begun = time.monotonic()
        status, _, content = self.console.ask("GET", "/v1/document/tree")
        self.assertEqual(status, 200)
        self.assertIn(b"/shop", content)
        self.assertLess(time.monotonic() - begun, goal(0.2))

    # MARK: - Tests

    def test_clients_that_do_not_read_keep_nobody_out(self):
        # Only a connection that waits for nothing is left.
        self.stuff(64)
        for _ in range(20):
            self.assert_served()

    def test_a_client_that_does_not_read_its_refusal_is_closed(self):
        peers = self.stuff(8)
        for peer in peers.values():
            # A second request before the answer to the first was read.
            self.send(peer, self.request())
        await_true(lambda: not set(peers) & set(self.unread()[0]), "the end of the connections", 5 + goal(1))
        self.assert_served()

    def test_a_head_behind_an_answer_that_is_not_read_has_a_limit(self):
        [peer] = self.stuff(1).values()
        before = resident_bytes(self.console.process)
        self.send(peer, b"GET / HTTP/1.1\r\nX: ")
        # It would be gigabytes until the answer's time is over.
        await_true(lambda: not self.send(peer, b"y" * 65_536), "the end of the connection", 5 + goal(1))
        self.assertLess(resident_bytes(self.console.process) - before, GROWTH_BYTES)
        self.assert_served()

    def test_the_wrong_keys_of_others_keep_nobody_out(self):
        connection = UnixConnection(self.socket)
        _, _, content = self.console.ask("POST", "/v1/link", {}, connection=connection)
        connection.close()
        key = json.loads(content)["link"].split("#key=")[1]
        others = [self.console.ask("POST", "/v1/session", {"key": "0" * 32})[0] for _ in range(12)]
        self.assertEqual(set(others), {401, 429})
        self.assertEqual(self.console.ask("POST", "/v1/session", {"key": key})[0], 200)

    def test_other_users_see_no_key_of_the_process(self):
        with open(f"/proc/{self.console.process.pid}/cmdline") as file:
            self.assertNotIn("key", file.read())

    def test_the_page_of_another_port_is_told_nothing(self):
        hostile = HOSTILE.format(port=self.console.port, script=self.script, style=self.style).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(hostile)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = Browser()
        self.addCleanup(browser.close)
        browser.driver.get(f"http://127.0.0.1:{server.server_port}/")
        await_true(lambda: browser.driver.title.startswith("{"), "the last try of the hostile page")
        tries = json.loads(browser.driver.title)
        self.assertEqual(len(tries), 8)
        self.assertEqual(set(tries.values()), {"refused"}, tries)
        self.assertTrue([text for text in browser.complaints() if "frame" in text], "the frame was shown")
        self.assertNotIn(b"actions_total{", self.console.ask("GET", "/metrics")[2])


if __name__ == "__main__":
    unittest.main()
