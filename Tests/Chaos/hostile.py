# SPDX-License-Identifier: Apache-2.0
"""A hostile member of the socket's group. It repeats one behaviour as fast as it can until SIGTERM, then
prints its counts.

    hostile.py ENDPOINT BEHAVIOUR [FOLDER]

Each behaviour is a class below. If the daemon ends the session, the process greets it again. FOLDER is
the folder in which `resume` stores the sessions that it has seen.
"""

import collections
import itertools
import json
import os
import pathlib
import secrets
import signal
import struct
import sys
import time

import zmq

from peer import Expelled, Peer
from cascade_wire import (
    Command, Flag, Kind, Message, Tag, attach, declaration, encoded_fields, event_id, parts,
    setting, u16, u32, u8)

QUERIES = {
    "tree": 1, "bus": 2, "subscribers": 3, "trace": 4, "undelivered": 5, "check": 6, "route": 7,
    "monitor": 8, "environment": 9, "explanation": 10, "environmentTree": 11, "preferences": 12,
    "rules": 13, "rulesDifference": 14, "policy": 20, "policyTest": 21, "metrics": 22}


POLICY_VERB = 128  # A field that the worker of the integration tests does not use.


class Behaviour:
    """A behaviour; a subclass implements it."""

    def __init__(self, endpoint, folder):
        self.endpoint, self.folder = endpoint, folder
        self.number = itertools.count(1)
        self.counts = collections.Counter()

    def connect(self, **options):
        """Opens a valid session, and chooses a path of its own."""
        peer = Peer(self.endpoint, **options)
        self.peer = peer  # Set before the greeting, so that it is closed even if the greeting fails.
        self.path = self.unique("/hostile")
        peer.greet()
        return peer

    def begin(self):
        self.connect()

    def step(self):
        raise NotImplementedError

    def unique(self, word):
        return f"{word}-{os.getpid()}-{next(self.number)}"


class Triggers(Behaviour):
    """Triggers as many events as its credit allows, and as many unacknowledged ones."""

    def step(self):
        peer = self.peer
        if not peer.await_credit(64):
            raise Expelled("no credit arrived in time")
        messages = [
            peer.trigger(
                "Flood", "/", flags=Flag.UNACKNOWLEDGED if number % 2 else 0, payload=b"x" * 200)
            for number in range(min(peer.credit, 512))]
        for start in range(0, len(messages), 64):
            peer.send(*messages[start:start + 64])
        self.counts["sent"] += len(messages)
        peer.read()


class Queries(Behaviour):
    """Sends each kind of query about a tree of a thousand nodes of its own."""

    kinds = [*QUERIES]

    def begin(self):
        peer = self.connect()
        value = encoded_fields([(Tag.VALUE, setting("hostileKey", '"value"'))])
        peer.attach_nodes(self.path, 1_000, value)

    def query(self, kind):
        more = {
            "subscribers": [(Tag.NAME, "Flood")], "route": [(Tag.NAME, "Flood")],
            "trace": [(Tag.EVENT_ID, event_id("0" * 31 + "1", 1))],
            "monitor": [(Tag.SINCE, u32(0xFFFF_FFFF))],
            "explanation": [(Tag.NAME, "hostileKey")],
            "environmentTree": [(Tag.NAME, "hostileKey")],
            "rulesDifference": [(Tag.DOCUMENT, "hostile.rules"), (Tag.TEXT, RULES)],
            "policyTest": [(POLICY_VERB, "trigger")],
        }.get(kind, [])
        return self.peer.query(QUERIES[kind], *more)

    def step(self):
        queries = [self.query(kind) for kind in self.kinds]
        self.peer.send(*queries)
        self.counts["sent"] += len(queries)
        if not self.peer.await_answers(len(queries), 60):
            self.counts["unanswered"] += 1


RULES = "\n".join(
    f'node.depth > {number % 4} => hostileKey{number} <= "{number}" ; {number % 9}'
    for number in range(2_000))


class RulesDifference(Queries):
    """Queries the changes that two thousand rules would make at each node."""

    kinds = ["rulesDifference"]


class RepeatingTree(Behaviour):
    """Sends sixteen repeating queries of the whole tree, and changes it."""

    def begin(self):
        peer = self.connect()
        peer.attach_nodes(self.path, 1_000)
        peer.send(*(peer.query(QUERIES["tree"], is_repeating=True) for _ in range(16)))

    def step(self):
        node = declaration(self.unique(f"{self.path}/leaf"), [])
        self.peer.attach(node)
        path, number = self.peer.nodes.popitem()
        self.peer.send(Message(Command.LEAVE, id=next(self.peer.requests), node=number))
        self.peer.read(0.01)
        self.counts["sent"] += 2


class Frames(Behaviour):
    """Sends a message of three thousand frames, each a query of the whole tree."""

    def begin(self):
        self.connect().attach_nodes(self.path, 500)

    def step(self):
        self.peer.send(*(self.peer.query(QUERIES["tree"]) for _ in range(3_000)))
        self.counts["sent"] += 3_000
        if not self.peer.await_answers(3_000, 60):
            self.counts["unanswered"] += 1


class Attach(Behaviour):
    """Attaches nodes in a loop, and sends each leave a hundred times."""

    def step(self):
        peer, count = self.peer, 64
        peer.attach(*(declaration(self.unique(self.path), []) for _ in range(count)))
        leaves = [
            Message(Command.LEAVE, id=next(peer.requests), node=number)
            for number in peer.nodes.values() for _ in range(100)]
        peer.nodes.clear()
        peer.send(*leaves)
        self.counts["sent"] += 1 + len(leaves)
        peer.await_answers(len(leaves), 30)


class Refused(Behaviour):
    """Attaches nodes that are refused: at paths of other users, and with invalid names."""

    def step(self):
        peer = self.peer
        paths = ["/probe", "/", "/probe/plain", "no path", "/" + "x" * 200]
        nodes = [declaration(path, [(Kind.OBSERVE, "*")]) for path in paths for _ in range(40)]
        peer.send(*(attach(next(peer.requests), [node], []) for node in nodes))
        self.counts["sent"] += len(nodes)
        peer.await_answers(len(nodes), 30)


class Fill(Behaviour):
    """Fills the tables of names, keys, durable events and their outcomes, retained publications, held and
    undelivered events."""

    def begin(self):
        self.connect().attach(declaration(self.path, []))

    def step(self):
        peer = self.peer
        if not peer.await_credit(512, 20):
            raise Expelled("no credit arrived in time")
        names = [self.unique("name") for _ in range(256)]
        values = [(Tag.VALUE, setting(self.unique("key"), "1")) for _ in range(256)]
        held = [(Tag.HOLD, u32(3_600_000))]
        peer.send(
            attach(next(peer.requests), [declaration(self.unique(self.path), [])], names),
            Message(
                Command.SET, id=next(peer.requests), node=peer.nodes[self.path], fields=values))
        peer.send(*(
            message for _ in range(64) for message in (
                peer.trigger("Hostile", "/", *held, flags=Flag.DURABLE, payload=b"x" * 1_000),
                peer.trigger("Hostile", "/", *held, payload=b"x" * 1_000),
                peer.trigger("Hostile", "/", payload=b"x" * 1_000),
                peer.publish(
                    self.unique("Retained"), self.path, flags=Flag.RETAINED,
                    payload=b"x" * 1_000))))
        self.counts["sent"] += 2 + 64 * 4
        peer.read(0.05)
        if peer.credit < 512:  # Held events use credit until they end; the next session has new credit.
            raise Expelled("the credit is used up")


class Silent(Behaviour):
    """Sends queries and events, and never reads."""

    def begin(self):
        peer = self.connect(receive_mark=1)
        peer.attach_nodes(self.path, 500)
        peer.attach(declaration(f"{self.path}/ear", [(Kind.OBSERVE, "*")]))
        self.end = time.monotonic() + 5

    def step(self):
        peer = self.peer
        if time.monotonic() > self.end:
            raise Expelled("the session is replaced after five seconds")
        messages = [peer.query(QUERIES[kind]) for kind in ("tree", "metrics") for _ in range(16)]
        if peer.credit > 32:
            messages += [peer.trigger("Flood", f"{self.path}/ear") for _ in range(32)]
        peer.send(*messages)
        self.counts["sent"] += len(messages)
        time.sleep(0.01)


class Resume(Behaviour):
    """Claims sessions of other users, connected or lost, and triggers with their sequence numbers to
    overwrite their durable events."""

    def begin(self):
        self.connect()
        self.file = pathlib.Path(self.folder or "/tmp") / f"sessions-{os.getuid()}"
        self.victims = set(self.file.read_text().split()) if self.file.exists() else set()

    def find_sessions(self):
        """Finds the visible sessions of other users."""
        self.peer.send(self.peer.query(QUERIES["tree"]))
        for message in self.peer.read(1):
            for tag, node in message.fields if message.command == Command.ANSWER else []:
                self.victims.update(holders_of_others(node))
        self.file.write_text("\n".join(self.victims))

    def step(self):
        self.find_sessions()
        for victim in sorted(self.victims):
            other = Peer(self.endpoint, session=bytes.fromhex(victim))
            try:
                other.greet(is_resumed=True)
                self.counts["welcomed as another user"] += 1
                other.send(*(
                    other.trigger("Forged", "/", flags=Flag.DURABLE) for _ in range(64)))
                other.send(*(Message(Command.RECEIVED, sequence=number) for number in range(1, 65)))
                other.read(0.1)
            except Expelled:
                self.counts["refused as another user"] += 1
            finally:
                other.close()
        self.counts["sent"] += len(self.victims)


def holders_of_others(node):
    """Yields the sessions of other users in one node of a tree's answer, in the form of a `hello`."""
    offset = 0
    while offset < len(node):
        tag, length = struct.unpack_from("<HI", node, offset)
        value = node[offset + 6:offset + 6 + length]
        offset += 6 + length
        # The session of the root is encoded as zeros.
        if (tag == Tag.HOLDER and any(value[:16])
                and struct.unpack_from("<I", value, 20)[0] != os.getuid()):
            yield value[:16].hex()


class Named(Behaviour):
    """Chooses its routing ID, which may be that of another connection."""

    def begin(self):
        self.connect(identity=secrets.token_bytes(5) + b"x")
        self.counts["welcomed"] += 1

    def step(self):
        self.peer.send(self.peer.query(QUERIES["tree"]))
        self.counts["sent"] += 1
        self.peer.read(0.05)


BEHAVIOURS = {
    "triggers": Triggers, "queries": Queries, "rules-difference": RulesDifference,
    "repeating-tree": RepeatingTree, "frames": Frames, "attach": Attach, "refused": Refused,
    "fill": Fill, "silent": Silent, "resume": Resume, "named": Named}


def main(endpoint, behaviour, folder=None):
    behaviour = BEHAVIOURS[behaviour](endpoint, folder)
    behaviour.peer = None
    totals = collections.Counter()

    def add():
        if behaviour.peer:
            totals.update({f"got {k}": v for k, v in behaviour.peer.counts.items()})

    def end(number, frame):
        add()
        print(json.dumps({**totals, **behaviour.counts}), flush=True)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    while True:
        try:
            behaviour.begin()
            while True:
                behaviour.step()
        except Expelled as expelled:
            totals["ended"] += 1
            totals[f"ended: {str(expelled)[:60]}"] += 1
            time.sleep(0.01)
        except zmq.ZMQError:
            totals["errors"] += 1
            time.sleep(0.01)
        finally:
            add()
            if behaviour.peer:
                behaviour.peer.close()
                behaviour.peer = None


if __name__ == "__main__":
    main(*sys.argv[1:])
