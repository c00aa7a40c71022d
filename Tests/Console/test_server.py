# SPDX-License-Identifier: Apache-2.0
"""The server of the console against requests that no page sends."""

import json
import re
import socket
import time
import unittest

from running import Bus, Console, await_true

SMUGGLED = "GET /v1/document/tree HTTP/1.1\r\nHost: localhost\r\n\r\n"


class ServerTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bus = Bus()
        cls.bus.attach("/shop", "--handle", "Order")
        cls.console = Console(cls.bus)
        cls.console.open_session()

    @classmethod
    def tearDownClass(cls):
        cls.console.close()
        cls.bus.close()

    def raw(self, text, seconds=8):
        """Sends bytes, and returns everything that comes until the console closes."""
        with socket.create_connection(("127.0.0.1", self.console.port), timeout=seconds) as peer:
            received = b""
            try:
                peer.sendall(text if isinstance(text, bytes) else text.encode("latin-1"))
                peer.shutdown(socket.SHUT_WR)
                while part := peer.recv(65_536):
                    received += part
            except TimeoutError:
                raise
            except OSError:
                # The console has closed the connection before it had read everything.
                pass
            return received

    def statuses(self, text):
        return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", self.raw(text))]

    # MARK: - Who may ask

    def test_the_page_is_public_and_has_no_data(self):
        status, headers, content = self.console.ask("GET", "/", headers={"Authorization": ""})
        self.assertEqual(status, 200)
        self.assertNotIn(b"shop", content)
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertIn("require-trusted-types-for 'script'", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Referrer-Policy"], "no-referrer")
        self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")
        self.assertEqual(headers["Cache-Control"], "no-store")
        self.assertNotIn("Set-Cookie", headers)

    def test_nothing_is_told_without_a_token(self):
        for method, path in [
            ("POST", "/v1/frame"), ("GET", "/v1/document/tree"), ("POST", "/v1/action/retry"),
            ("POST", "/v1/session"),
        ]:
            for token in ["", "Bearer ", "Bearer " + "0" * 32, self.console.token, "Basic eDp5"]:
                body = {} if method == "POST" else None
                status, _, content = self.console.ask(
                    method, path, body, {"Authorization": token})
                self.assertEqual(status, 401, (path, token))
                self.assertNotIn(b"shop", content)

    def test_a_key_is_used_up_and_five_wrong_ones_are_a_second_s(self):
        status, _, content = self.console.ask("POST", "/v1/session", {"key": self.console.key})
        self.assertEqual(status, 401)
        self.assertEqual(json.loads(content)["error"]["name"], "usedKey")
        statuses = [
            self.console.ask("POST", "/v1/session", {"key": "x"})[0] for _ in range(20)
        ]
        self.assertIn(429, statuses)
        await_true(
            lambda: self.console.ask("POST", "/v1/session", {"key": "x"})[0] == 401,
            "another second for wrong keys", 5)

    def test_a_token_opens_the_session_again(self):
        status, _, content = self.console.ask("POST", "/v1/session", {})
        self.assertEqual(status, 200)
        self.assertEqual(json.loads(content)["token"], self.console.token)

    def test_foreign_hosts_are_misdirected_before_anything_else(self):
        for host in ["evil.example", f"evil.example:{self.console.port}", "127.0.0.1", "localhost:1"]:
            status, _, content = self.console.ask(
                "POST", "/v1/frame", {"page": "x"}, {"Host": host})
            self.assertEqual(status, 421, host)
            self.assertNotIn(b"shop", content)
        self.assertEqual(self.console.ask("GET", "/", headers={"Host": "evil.example"})[0], 421)

    def test_pages_of_other_sites_are_refused(self):
        for headers in [
            {"Origin": "http://evil.example"}, {"Origin": "null"},
            {"Origin": f"http://localhost:{self.console.port + 1}"},
            {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
        ]:
            status, _, _ = self.console.ask("POST", "/v1/frame", {"page": "x"}, headers)
            self.assertEqual(status, 403, headers)
        for kind in ["text/plain", "application/x-www-form-urlencoded"]:
            status, _, _ = self.console.ask(
                "POST", "/v1/frame", {"page": "x"}, {"Content-Type": kind})
            self.assertEqual(status, 415, kind)
        cookie = {"Cookie": f"token={self.console.token}", "Authorization": ""}
        self.assertEqual(self.console.ask("POST", "/v1/frame", {"page": "x"}, cookie)[0], 401)

    def test_actions_are_forbidden(self):
        for name in ["retry", "trigger", "publish", "set", "activate", "drain", "detach", "move", "clear"]:
            status, _, content = self.console.ask("POST", f"/v1/action/{name}", {})
            self.assertEqual(status, 403)
            self.assertIn("--allow-actions", json.loads(content)["error"]["message"])

    # MARK: - Smuggling

    def test_no_request_hides_in_another(self):
        host = f"Host: localhost:{self.console.port}\r\n"
        post = "POST /v1/frame HTTP/1.1\r\n" + host + "Content-Type: application/json\r\n"
        get = "GET / HTTP/1.1\r\n" + host
        n = len(SMUGGLED)
        table = [
            post + f"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{SMUGGLED}",
            post + f"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{SMUGGLED}",
            post + f"Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n{SMUGGLED}",
            post + f"Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n{SMUGGLED}",
            post + f"Transfer-Encoding : chunked\r\nContent-Length: 0\r\n\r\n{SMUGGLED}",
            post + f"Transfer-Encoding:\tchunked\r\n\r\n0\r\n\r\n{SMUGGLED}",
            post + f" Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n{SMUGGLED}",
            post + f"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n{SMUGGLED}",
            post + f"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n{SMUGGLED}",
            post + f"Content-Length: 0\r\nContent-Length: {n}\r\n\r\n{SMUGGLED}",
            post + f"Content-Length: {n}\r\nContent-Length: 0\r\n\r\n{SMUGGLED}",
            post + f"Content-Length: 0, {n}\r\n\r\n{SMUGGLED}",
            post + f"Content-Length: +0\r\n\r\n{SMUGGLED}",
            post + f"Content-Length: -1\r\n\r\n{SMUGGLED}",
            post + f"Content-Length: 0x0\r\n\r\n{SMUGGLED}",
            post + f"Content-Length: 0 0\r\n\r\n{SMUGGLED}",
            post + f"Content-Length: 00000000000000000000000000\r\n\r\n{SMUGGLED}",
            post + f"Content-Length: 18446744073709551616\r\n\r\n{SMUGGLED}",
            post + f"Content-Length : 0\r\n\r\n{SMUGGLED}",
            post + f"Content-Length:\r\n\r\n{SMUGGLED}",
            post + f"Content-Length: 0\r\n 1\r\n\r\n{SMUGGLED}",
            post + f"Content_Length: 0\r\n\r\n{SMUGGLED}",
            post + f"Content-Length: 0\n\n{SMUGGLED}",
            post + f"Content-Length\0: 0\r\n\r\n{SMUGGLED}",
            post + f"\r\n{SMUGGLED}",
            get + f"Content-Length: {n}\r\n\r\n{SMUGGLED}",
            get + f"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{SMUGGLED}",
            get + f"Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: {n}\r\n\r\n{SMUGGLED}",
            "GET / HTTP/1.1\r\n" + f"\r\n{SMUGGLED}",
            "GET / HTTP/1.1\r\n" + host + host + "\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\n :1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: \r\n\r\n",
            "GET / HTTP/1.0\r\n" + host + "\r\n",
            "GET / HTTP/2.0\r\n" + host + "\r\n",
            "GET / HTTP/0.9\r\n" + host + "\r\n",
            "GET /\r\n\r\n",
            "GET  / HTTP/1.1\r\n" + host + "\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "CONNECT localhost:1 HTTP/1.1\r\n" + host + "\r\n",
            "GET / HTTP/1.1\r\nX: a\rb\r\n" + host + "\r\n",
            "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        ]
        self.assertGreaterEqual(len(table), 40)
        for text in table:
            statuses = self.statuses(text)
            self.assertLessEqual(len(statuses), 1, text)
            self.assertTrue(all(status >= 400 for status in statuses), (text, statuses))

    def test_a_second_request_waits_for_the_answer_to_the_first(self):
        line = f"GET / HTTP/1.1\r\nHost: localhost:{self.console.port}\r\n\r\n"
        self.assertIn(self.statuses(line * 2), ([400], [200, 400]))

    # MARK: - Limits

    def test_a_head_has_eight_kibibytes(self):
        host = f"localhost:{self.console.port}"
        for filler in [b"A" * 1_000_000, b"A: b\r\n" * 200_000]:
            received = self.raw(
                b"GET / HTTP/1.1\r\nHost: " + host.encode() + b"\r\nX: " + filler)
            self.assertTrue(received == b"" or b" 431 " in received[:20] or b" 400 " in received[:20], received[:60])

    def test_a_body_has_64_kibibytes(self):
        text = '{"page":"limit","x":"' + "y" * (65_536 - 23) + '"}'
        self.assertEqual(len(text), 65_536)
        self.assertEqual(self.console.ask("POST", "/v1/frame", text)[0], 200)
        self.assertEqual(self.console.ask("POST", "/v1/frame", text + " ")[0], 413)

    def test_a_head_has_five_seconds(self):
        begun = time.monotonic()
        with socket.create_connection(("127.0.0.1", self.console.port), timeout=20) as peer:
            peer.sendall(b"GET / HTTP/1.1\r\nHost: x")
            while peer.recv(4096):
                pass
        self.assertTrue(4 < time.monotonic() - begun < 8)

    def test_a_thousand_silent_connections_keep_nobody_out(self):
        silent = []
        try:
            for _ in range(1_000):
                silent.append(socket.create_connection(("127.0.0.1", self.console.port)))
                if len(silent) % 50 == 0:
                    begun = time.monotonic()
                    self.assertEqual(self.console.ask("GET", "/")[0], 200)
                    self.assertLess(time.monotonic() - begun, 0.5)
        finally:
            for peer in silent:
                peer.close()

    def test_sixteen_pages_look_and_the_seventeenth_is_told(self):
        console = Console(self.bus)
        try:
            console.open_session()
            for number in range(16):
                status, _, _ = console.ask("POST", "/v1/frame", {"page": f"p{number}", "urgent": True})
                self.assertEqual(status, 200)
            self.assertEqual(console.ask("POST", "/v1/frame", {"page": "p16"})[0], 429)
        finally:
            console.close()

    # MARK: - Frames and documents

    def test_a_frame_is_whole_then_a_difference_then_empty(self):
        first = await_true(
            lambda: (f := self.console.frame(urgent=True)).get("nodes") and f, "the tree")
        self.assertNotIn("after", first)
        self.assertEqual([row[2] for row in first["nodes"]], ["/", "shop"])
        begun = time.monotonic()
        node = self.bus.attach("/shop/late")
        after, epoch, seen = first["frame"], first["epoch"], []
        while "late" not in seen:
            frame = self.console.frame(after=after, epoch=epoch)
            self.assertEqual(frame["after"], after)
            after = frame["frame"]
            seen += [row[2] for row in frame.get("nodes", [])]
            self.assertLess(time.monotonic() - begun, 10)
        self.assertEqual(seen, ["late"])
        node.kill()

    def test_a_document_is_that_of_the_command(self):
        for path, command in [
            ("tree", ["tree"]), ("undelivered", ["undelivered"]), ("check", ["check"]),
            ("env?path=/shop", ["env", "--at", "/shop"]),
            ("route?name=Order&from=/shop", ["route", "Order", "--from", "/shop"]),
        ]:
            status, _, content = self.console.ask("GET", f"/v1/document/{path}")
            self.assertEqual(status, 200, content)
            self.assertEqual(json.loads(content), self.bus.ctl(*command), path)

    def test_a_console_without_payloads_tells_none(self):
        console = Console(self.bus, "--no-payloads")
        self.addCleanup(console.close)
        console.open_session()
        id = self.bus.ctl("trigger", "Secret", '"hush"')["id"]
        for asked, isTold in [(console, False), (self.console, True)]:
            def frame():
                return asked.ask("POST", "/v1/frame", {"page": "payloads", "urgent": True})[2]
            listed = lambda: [event["id"] for event in json.loads(frame()).get("undelivered", [])]
            await_true(lambda: id in listed(), "the event in the list")
            answers = [frame()] + [
                asked.ask("GET", f"/v1/document/undelivered{query}")[2] for query in ["", f"?id={id}"]]
            for answer in answers:
                self.assertIn(id.encode(), answer)
                self.assertEqual(b"hush" in answer, isTold)

    def test_a_refusal_has_the_sentence_of_the_bus(self):
        for path, expected in [
            ("status?path=/nowhere", 404), ("status?path=nowhere", 400), ("trace?id=x", 400),
            ("nothing", 404), ("sites", 404), ("status?path=%ff", 400), ("explain?path=/", 400),
        ]:
            status, _, content = self.console.ask("GET", f"/v1/document/{path}")
            self.assertEqual(status, expected, path)
            self.assertTrue(json.loads(content)["error"]["message"], path)


if __name__ == "__main__":
    unittest.main()
