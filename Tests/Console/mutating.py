# SPDX-License-Identifier: Apache-2.0
"""Requests for the fuzz test of the console's server: proper ones, and what a hostile client makes of them."""

import json

NUMBERS = [0, 1, -1, 2**31, 2**32, 2**52, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -2**63, 1e308, 0.5]
TEXTS = ["", "/", "/shop", "/shop/till", "/nowhere", "//", "/" + "a/" * 200, "Order", "Bell", "now", "x" * 65,
         "__proto__", "\u202e", "\0", "\ud800", "%", "é" * 40, "0" * 32]
KINDS = ["status", "tree", "trace", "env", "explain", "preferences", "route", "subscribers", "undelivered", "check",
         "rules", "policyTest", "sites", "nothing"]
ACTIONS = ["retry", "trigger", "publish", "set", "activate", "deactivate", "drain", "detach", "move", "clear", "fly"]
MEMBERS = {
    "frame": ["page", "epoch", "after", "urgent", "at", "bus"],
    "action": ["request", "name", "from", "at", "path", "under", "payload", "attributes", "values", "unset", "to",
               "retain", "deadline", "lane", "message", "title", "id", "subtree", "confirmed", "bus"],
    "session": ["key", "path", "bus"],
}
# What begins or ends something in HTTP, and what parsers have stumbled over.
TOKENS = [b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"\0", b" ", b"\t", b":", b"%", b"%00", b"%2e%2e/", b"?", b"&", b"=", b"#",
          b"HTTP/1.1", b"HTTP/1.0", b"HTTP/9.9", b"GET ", b"POST ", b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n",
          b"Content-Length: 0\r\n", b"Content-Length: 5\r\n", b"Content-Length: 99999999999999999999\r\n",
          b"Expect: 100-continue\r\n", b"Connection: close\r\n", b"Connection: Upgrade\r\nUpgrade: websocket\r\n",
          b"Host: evil\r\n", b"X: " + b"y" * 9_000, b"\xff\xfe", b"\xc0\xaf", b"{", b"[" * 100, b'"', b"\\u0000"]


class Requests:
    """Makes requests from a random generator. Some have the token of a session."""

    def __init__(self, random, port, token):
        self.random, self.port, self.token = random, port, token

    def bytes(self):
        """What one client sends."""
        count = self.random.choice([1, 1, 1, 2, 3, 10])
        data = b"".join(self.proper() for _ in range(count))
        for _ in range(self.random.choice([0, 0, 1, 1, 2, 5, 20])):
            data = self.mutated(data)
        return data

    def proper(self):
        """A request that a page could send, though with strange values."""
        random = self.random
        kind = random.choice(["page", "document", "frame", "frame", "action", "session", "link", "metrics"])
        if kind in MEMBERS:
            path = {"frame": "/v1/frame", "session": "/v1/session",
                    "action": f"/v1/action/{random.choice(ACTIONS)}"}[kind]
            return self.request("POST", path, self.body(kind))
        if kind == "link":
            return self.request("POST", "/v1/link", b"{}")
        if kind == "document":
            names = ["path", "id", "key", "name", "from", "payload", "verb", "lane", "bus"]
            query = "&".join(f"{random.choice(names)}={self.escaped()}" for _ in range(random.randrange(4)))
            return self.request("GET", f"/v1/document/{random.choice(KINDS)}?{query}")
        return self.request("GET", random.choice(["/", "/metrics", "/healthz", "/x/y.js", "/..", "*", ""]))

    def request(self, method, path, body=None):
        lines = [f"{method} {path} HTTP/1.1", f"Host: localhost:{self.port}"]
        if self.random.random() < 0.8:
            lines.append(f"Authorization: Bearer {self.token}")
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return "\r\n".join(lines).encode("utf-8", "replace") + b"\r\n\r\n" + (body or b"")

    def escaped(self):
        text = self.random.choice(TEXTS).encode("utf-8", "surrogatepass")
        return "".join(f"%{byte:02x}" for byte in text)

    def body(self, kind):
        members = {name: self.value(name) for name in MEMBERS[kind] if self.random.random() < 0.6}
        # Without these most requests would end early.
        members.setdefault("page", "fuzz") if kind == "frame" else members.setdefault("request", str(self.random.random()))
        if kind == "frame" and self.random.random() < 0.8:
            members["urgent"] = True
        return json.dumps(members).encode("utf-8", "replace")

    def value(self, name):
        random = self.random
        usual = {
            "page": "fuzz", "urgent": True, "path": "/shop", "from": "/shop", "name": "Order", "at": 1_700_000_000_000,
            "deadline": 100, "values": {"speed": 1}, "attributes": {"a": "b"}, "nodes": [1, 2, 3], "subtree": False,
        }
        if name in usual and random.random() < 0.6:
            return usual[name]
        return random.choice([
            lambda: random.choice(NUMBERS), lambda: random.choice(TEXTS), lambda: None, lambda: True, lambda: [],
            lambda: [random.choice(NUMBERS) for _ in range(random.choice([1, 512, 513]))],
            lambda: {random.choice(TEXTS): random.choice(TEXTS + NUMBERS)}, lambda: self.deep(random.choice([10, 100])),
        ])()

    @staticmethod
    def deep(depth):
        value = []
        for _ in range(depth):
            value = [value]
        return value

    def mutated(self, data):
        """Data with one change: bytes changed, inserted, removed, repeated or moved."""
        random = self.random
        if not data:
            return random.choice(TOKENS)
        begin = random.randrange(len(data))
        end = min(len(data), begin + random.choice([1, 2, 8, 100]))
        return random.choice([
            lambda: data[:begin] + bytes(random.randrange(256) for _ in range(end - begin)) + data[end:],
            lambda: data[:begin] + random.choice(TOKENS) + data[begin:],
            lambda: data[:begin] + random.choice(TOKENS) + data[end:],
            lambda: data[:begin] + data[end:],
            lambda: data[:begin],
            lambda: data[:end] + data[begin:end] * random.choice([1, 5, 50]) + data[end:],
            lambda: data[begin:] + data[:begin],
        ])()
