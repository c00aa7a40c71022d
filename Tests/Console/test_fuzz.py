# SPDX-License-Identifier: Apache-2.0
"""Random and broken requests against a running console: cut, in pieces, not read, with and without a token.
CASCADE_CONSOLE_FUZZ_SECONDS is the length of the test, and CASCADE_CONSOLE_SEED the seed of a run to repeat."""

import json
import os
import random
import re
import select
import socket
import struct
import tempfile
import time
import unittest

from mutating import Requests
from running import Bus, Console, await_true, goal, resident_bytes

SECONDS = float(os.environ.get("CASCADE_CONSOLE_FUZZ_SECONDS", "6"))
SEED = int(os.environ.get("CASCADE_CONSOLE_SEED") or random.SystemRandom().randrange(2**32))
CLIENTS = 40
RESIDENT_BYTES = 96 << 20
STATUSES = {200, 400, 401, 403, 404, 409, 413, 415, 421, 429, 431, 501, 503}
HEAD = re.compile(rb"HTTP/1\.1 (\d{3}) [ -~]*\r\n((?:[A-Za-z-]+: [ -~]*\r\n)+)\r\n")


class Client:
    """A connection that sends bytes in pieces, and reads, reads slowly, or not at all."""

    def __init__(self, port, data, generator):
        self.data, self.sent, self.received = data, 0, b""
        self.piece = generator.choice([1, 10, 100, 1 << 20, 1 << 20, 1 << 20])
        self.reads = generator.choice([0, 1, 1 << 16, 1 << 16, 1 << 16])
        self.end = generator.choice(["close", "close", "shut", "reset"])
        self.until = time.monotonic() + generator.choice([0.02, 0.2, 0.2, 1.5])
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self.socket.setblocking(False)

    def step(self):
        """Goes on. Returns whether there is more to do."""
        try:
            if self.sent < len(self.data):
                self.sent += self.socket.send(self.data[self.sent:self.sent + self.piece])
                if self.sent == len(self.data) and self.end == "shut":
                    self.socket.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            pass
        except OSError:
            # What was answered before is still there.
            self.sent = len(self.data)
        try:
            while self.reads:
                part = self.socket.recv(self.reads)
                if not part:
                    return False
                self.received += part
        except BlockingIOError:
            pass
        except OSError:
            return False
        return time.monotonic() < self.until

    def close(self):
        if self.end == "reset":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


class FuzzTests(unittest.TestCase):
    def setUp(self):
        self.bus = Bus()
        self.addCleanup(self.bus.close)
        self.bus.attach("/shop", "--handle", "Order", "--subscribe", "Bell")
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.log = os.path.join(directory.name, "log")
        self.console = Console(self.bus, "--allow-actions", log=self.log)
        self.addCleanup(self.console.close)
        self.console.open_session()

    def check_answers(self, client):
        """Whatever was sent, what comes is proper HTTP, and nothing in it is an error of the console itself."""
        rest = client.received
        while rest:
            head = HEAD.match(rest)
            if head is None:
                # A head that was cut, because the client has ended.
                self.assertNotIn(b"\r\n\r\n", rest, client.data)
                self.assertTrue(b"HTTP/1.1 ".startswith(rest[:9]) or rest.startswith(b"HTTP/1.1 "), client.data)
                return
            self.assertIn(int(head[1]), STATUSES, (client.data, rest[:400]))
            self.assertIn(b"Content-Security-Policy: default-src 'none'", head[2])
            length = int(re.search(rb"Content-Length: (\d+)\r\n", head[2])[1])
            body, rest = rest[head.end():head.end() + length], rest[head.end() + length:]
            if len(body) == length and b"application/json" in head[2]:
                json.loads(body)

    def test_broken_requests_harm_nothing(self):
        generator = random.Random(SEED)
        requests = Requests(generator, self.console.port, self.console.token)
        clients, count, last = [], 0, time.monotonic()
        end, peak = last + SECONDS, 0
        try:
            while time.monotonic() < end:
                while len(clients) < CLIENTS:
                    clients.append(Client(self.console.port, requests.bytes(), generator))
                    count += 1
                # Those that have nothing to send or read wait together.
                select.select([client.socket for client in clients if client.reads],
                              [client.socket for client in clients if client.sent < len(client.data)], [], 0.01)
                for client in list(clients):
                    if not client.step():
                        clients.remove(client)
                        client.close()
                        self.check_answers(client)
                if time.monotonic() - last > 0.5:
                    last = time.monotonic()
                    self.assertIsNone(self.console.process.poll(), "the console has ended")
                    peak = max(peak, resident_bytes(self.console.process))
                    self.assertLess(peak, RESIDENT_BYTES)
        except AssertionError:
            print(f"CASCADE_CONSOLE_SEED={SEED}")
            raise
        finally:
            for client in clients:
                client.close()
        self.assertGreater(count, 20 * SECONDS)
        if SECONDS > 60:
            print(f"{count} clients, at most {peak >> 20} MiB")
        self.assert_as_before()

    def assert_as_before(self):
        """The console serves a page at once, and the bus is as well as before."""
        begun = time.monotonic()
        self.assertEqual(self.console.ask("GET", "/")[0], 200)
        self.assertLess(time.monotonic() - begun, goal(0.2))
        # The pages of the test are forgotten when they ask no more.
        await_true(lambda: self.console.ask("POST", "/v1/frame", {"page": "own", "urgent": True})[0] == 200,
                   "room for a page", 40)
        begun = time.monotonic()
        self.assertEqual(self.console.frame(page="own", urgent=True)["state"], "live")
        self.assertLess(time.monotonic() - begun, goal(0.5))
        self.bus.attach("/after", "--handle", "After")
        self.assertEqual(self.bus.ctl("trigger", "After", "--from", "/after")["outcome"], "handled")
        with open(self.log) as file:
            for line in file:
                self.assertNotIn(self.console.token, line)


if __name__ == "__main__":
    unittest.main()
