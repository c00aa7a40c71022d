# SPDX-License-Identifier: Apache-2.0
"""Writes captures as cascadectl does, of any size."""

import datetime
import json

BEGIN = 1_800_000_000_000
KEYFRAME_BYTES = 4 * 1_048_576
NODES = 40


def timestamp(milliseconds):
    when = datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.timezone.utc)
    return when.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03}000Z"


def line(document):
    return json.dumps(document, separators=(",", ":")) + "\n"


def keyframe(when, states):
    # Those alike would become one row.
    nodes = [{
        "path": path, "state": state, "active": state == "live", "since": timestamp(BEGIN), "responders": [
            {"index": 0, "kind": "handle", "name": f"Order{number}"}], "subscriptions": [], "children": 0,
    } for number, (path, state) in enumerate(states.items())]
    return line({
        "schema": "cascade/v1/keyframe", "when": timestamp(when),
        "tree": {"schema": "cascade/v1/tree", "bus": "captured", "nodes": nodes}, "environment": [],
        "undelivered": {"schema": "cascade/v1/undelivered", "undelivered": []},
    })


def event(when, kind, what, **members):
    return line({"schema": "cascade/v1/monitor", "when": timestamp(when), "kind": kind, "what": what, **members})


def write_capture(path, size):
    """Writes a capture of about a size in bytes. Returns some moments, and the states of the nodes then."""
    states = {"/": "live", "/shop": "live", **{f"/shop/node{n}": "live" for n in range(NODES)}}
    moments, written, keyed, when, number = [], 0, -KEYFRAME_BYTES, BEGIN, 0
    payload = {"text": "x" * 400}
    with open(path, "w") as file:
        def put(text):
            nonlocal written
            file.write(text)
            written += len(text)

        put(line({"schema": "cascade/v1/capture", "bus": "captured", "when": timestamp(when)}))
        while written < size:
            number += 1
            when += 5
            if written - keyed >= KEYFRAME_BYTES:
                keyed = written
                put(keyframe(when, states))
            if number % 97 == 0:
                node = f"/shop/node{number // 97 % NODES}"
                isLost = states[node] == "live"
                states[node] = "vacant" if isLost else "live"
                put(event(when, "topology", "lost" if isLost else "attached", path=node, pid=number))
            put(event(
                when, "event", "ended", path="/shop/node0", name="Order", id=f"{number:032x}", lane="event",
                outcome="failed" if number % 100 == 0 else "handled", by="/shop", begun=timestamp(when - 1),
                trail=[{"path": "/shop", "responder": 0, "kind": "handle", "name": "Order",
                        "verdict": "handled", "microseconds": 900}], payload=payload))
            if number % 50 == 0:
                moments.append((when, dict(states)))
        moments.append((when, dict(states)))
    return moments


def write_hostile_capture(path, texts):
    """Writes a capture in which each text stands in everything that a process may say of itself."""
    nodes = [{"path": "/", "state": "live", "active": True, "responders": [], "subscriptions": [], "children": 1}]
    for number, text in enumerate(texts):
        # A node that fits in no frame would be left out.
        text = text[:2_000]
        nodes.append({
            "path": f"/{number:02}{text.replace('/', '')}", "state": "live", "active": True, "unit": text,
            "program": text, "user": text, "children": 0,
            "responders": [{"index": 0, "kind": "handle", "name": text}], "subscriptions": [text],
        })
    with open(path, "wb") as file:
        def put(text):
            file.write(text.encode())

        put(line({"schema": "cascade/v1/capture", "bus": texts[0], "when": timestamp(BEGIN)}))
        put(line({
            "schema": "cascade/v1/keyframe", "when": timestamp(BEGIN),
            "tree": {"schema": "cascade/v1/tree", "bus": texts[0], "nodes": nodes}, "environment": [],
            "undelivered": {"undelivered": [
                {"id": "f" * 32, "name": text, "lane": "event", "origin": text, "when": timestamp(BEGIN), "reason": text}
                for text in texts]},
        }))
        for number, text in enumerate(texts):
            members = {
                "path": text, "name": text, "lane": "event", "by": text, "title": text, "message": text,
                "attributes": {text: text, "__proto__": text}, "payload": {"__proto__": {"isAdmin": True}, text: text},
                "error": {"name": text, "message": text, "title": text, "node": text, "cause": {"name": text}},
            }
            put(event(BEGIN + number + 1, "event", "ended", id=f"{number:032x}", outcome="failed", **members))
            put(event(BEGIN + number + 1, "admin", "refused", **members))
        # Neither a megabyte nor broken UTF-8 keeps anything else from being shown.
        put(event(BEGIN + 50, "event", "ended", id="e" * 32, name="Large", path="/", outcome="handled", payload="x" * 1_048_576))
        file.write(b'{"schema":"cascade/v1/monitor","when":"%s","kind":"event","what":"ended","name":"\xff\xfe","outcome":"handled"}\n' % timestamp(BEGIN + 51).encode())
        put(event(BEGIN + 52, "event", "ended", id="d" * 32, name="Last", path="/", outcome="handled"))
