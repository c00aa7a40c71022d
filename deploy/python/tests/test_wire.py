# SPDX-License-Identifier: Apache-2.0
"""The codec, against the examples in the protocol's document."""

from __future__ import annotations

import unittest

import support
from cascade_bus import wire
from cascade_bus.content import Content
from cascade_bus.declaration import NO_VALUE, Activation, Declaration, Preference, Responder, Setting
from cascade_bus.names import EventID, InvalidName, checked_name, checked_path
from cascade_bus.outcome import Outcome
from cascade_bus.raising import Raise, Raises
from cascade_bus.records import NodeRecord, Request
from cascade_bus.requests import activating, attaching, editing, setting_outside
from cascade_bus.session import Session
from cascade_bus.verdict import Verdict
from cascade_bus.vocabulary import (
    Command, Destination, Flag, Lane, OutcomeCode, Reducer, ResponderKind, Safety, Tag, VerdictCode)

SESSION = bytes.fromhex("00112233445566778899aabbccddeeff")


@unittest.skipUnless(support.PROTOCOL.exists(), "the protocol's document is not here")
class Examples(unittest.TestCase):
    """Each message of the document is read, and written back byte for byte."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.examples = support.examples()

    def test_all_examples_survive_decoding_and_encoding(self) -> None:
        self.assertGreater(len(self.examples), 60)
        for title, frame in self.examples.items():
            with self.subTest(title):
                self.assertEqual(wire.encode(wire.decode(frame)), frame)

    def test_every_command_has_an_example(self) -> None:
        commands = {wire.decode(frame).command for frame in self.examples.values()}
        self.assertEqual(commands, set(Command))

    def test_every_tag_of_an_example_is_known(self) -> None:
        for title, frame in self.examples.items():
            for tag, _ in wire.decode(frame).fields:
                with self.subTest(title, tag=tag):
                    Tag(tag)

    def test_hello(self) -> None:
        session = Session("kitchen 1.0", 4711, secret=SESSION)
        self.assertEqual(session.id.hex(), "a8faed6abbf35c12a4b26e40f6feb19d")
        session.connected()
        self.assertEqual(session.take_frames(), [self.examples["hello with a secret"]])

    def assertRequest(self, title: str, request: Request, number: int) -> None:
        message = request.build(number)
        assert message is not None
        self.assertEqual(wire.encode(message), self.examples[title])

    def test_attach(self) -> None:
        kitchen = NodeRecord(1, Declaration(
            "/kitchen", [
                Responder(ResponderKind.HANDLE, "OrderReady"), Responder(ResponderKind.OBSERVE, "*"),
            ], ["MenuChanged"]))
        self.assertRequest("attach", attaching([kitchen], ["OvenHot"]), 1)

    def test_attach_of_a_presented_node(self) -> None:
        menu = NodeRecord(1, Declaration(
            "/kitchen/menu", [
                Responder(ResponderKind.RECEIVE, "OrderReady", "table > 3"),
                Responder(ResponderKind.CATCH, "OutOfPlates"),
                Responder(ResponderKind.HANDLE_ERROR, "*"),
            ], is_presented=True, detaches_orphans=True, triggers=["OrderServed", "MenuClosed"],
            reports=[], safety=Safety.STRICT, explicit_responders=False))
        self.assertRequest("attach of a presented node", attaching([menu], []), 5)

    def test_attach_of_a_node_with_an_environment(self) -> None:
        kitchen = NodeRecord(1, Declaration(
            "/kitchen", values={
                "menu.language": Setting("fr"), "oven.degrees": Setting(220, True, True)},
            watched_keys=["menu.prices"], preferences={"orders.open": Preference(3, Reducer.SUM)},
            watched_preferences=["healthy"],
            rules=['node.name == "menu" => details <= "minimal"']))
        self.assertRequest("attach of a node with an environment", attaching([kitchen], []), 12)

    def test_attach_after_a_reconnect(self) -> None:
        kitchen = NodeRecord(
            1, Declaration("/kitchen", subscriptions=["MenuChanged"], takes_over=True),
            activation=Activation(1001, False))
        self.assertRequest(
            "attach after a reconnect", attaching([kitchen], [], is_reattach=True), 2**64 - 1)

    def test_change_set_and_activate(self) -> None:
        kitchen = NodeRecord(1, Declaration("/kitchen"), number=2)

        def edit(declaration: Declaration) -> None:
            declaration.responders = [Responder(ResponderKind.RECEIVE, "OrderReady")]
            declaration.is_active = False
            declaration.concurrency, declaration.prefetch = 4, 64

        self.assertRequest("change", editing(kitchen, Command.CHANGE, edit), 2)
        self.assertRequest("set", editing(kitchen, Command.SET, edit, lambda: [
            (Tag.VALUE, Setting(230, for_itself=True).encoded("oven.degrees")),
            (Tag.VALUE, Setting(NO_VALUE).encoded("menu.language")),
            (Tag.PREFERENCE, Preference(4, Reducer.SUM).encoded("orders.open"))]), 13)
        self.assertRequest("set from outside", setting_outside(
            "/kitchen", {"menu.language": Setting("de")}), 14)
        self.assertRequest("activate", activating("/kitchen", True), 4)

    def raised(self, last_sequence: int, name_number: int, raised: Raise) -> bytes:
        sent: list[bytes] = []
        raises = Raises(
            SESSION, lambda message: sent.append(wire.encode(message)), lambda notice: None,
            lambda name: name_number, lambda number: None)
        raises.connected(64, 0)
        raises._last_sequence = last_sequence
        raises.add(raised)
        raises.flush()
        return sent[0]

    def test_triggers(self) -> None:
        oven = NodeRecord(1, Declaration("/kitchen/oven"), number=3)
        kitchen = NodeRecord(2, Declaration("/kitchen"), number=2)
        order = Content.of({"table": 4}, {"priority": "high"})
        cause = (Tag.CAUSE, EventID(SESSION, 1).encoded())
        for title, last, name, raised in (
            ("trigger", 0, 1, Raise(
                Command.TRIGGER, "OrderReady", oven, milliseconds=5000, fields=order.fields(),
                payload=order.payload)),
            ("trigger with a cause", 2, 1, Raise(
                Command.TRIGGER, "OrderReady", kitchen, code=Lane.EVENT | 1 << 8,
                fields=[cause, (Tag.HOLD, wire.number(60_000, 4))], payload=order.payload)),
            ("report", 3, 3, Raise(
                Command.TRIGGER, "OvenTooHot", oven, code=Lane.ERROR, fields=[
                    (Tag.ERROR_MESSAGE, b"230 degrees"), (Tag.ERROR_TITLE, b"Oven too hot")],
                payload=b'{"degrees":230}')),
            ("request", 4, 4, Raise(
                Command.TRIGGER, "TimeLeft", oven, code=Lane.REQUEST, milliseconds=2000,
                payload=order.payload)),
            ("trigger of a durable event", 5, 6, Raise(
                Command.TRIGGER, "CoalOrdered", oven, flags=Flag.DURABLE,
                fields=[(Tag.HOLD, wire.number(3_600_000, 4))], payload=b'{"kilos":20}')),
            ("publish", 1, 2, Raise(
                Command.PUBLISH, "MenuChanged", kitchen, code=Destination.ALL,
                payload=b'["soup"]')),
            ("publish of a retained value", 7, 2, Raise(
                Command.PUBLISH, "MenuChanged", kitchen, flags=Flag.RETAINED,
                code=Destination.ALL | 1 << 8, fields=[cause], payload=b'["soup"]')),
        ):
            with self.subTest(title):
                self.assertEqual(self.raised(last, name, raised), self.examples[title])

    def test_verdicts(self) -> None:
        payload = Content(b'{"table":4}')
        for title, message in (
            ("verdict that replaces", Verdict(
                VerdictCode.REPLACED, "OrderServed", payload).message(2, 0x10000000A, 1, 120)),
            ("verdict that fails", Verdict.failed(
                "OutOfPlates", "no plate is clean").message(2, 0x100000009, 0, 75)),
            ("verdict that answers", Verdict(
                VerdictCode.ANSWERED, content=Content(b'{"minutes":12}')).message(
                    2, 0x10000000D, 0, 310)),
        ):
            with self.subTest(title):
                self.assertEqual(wire.encode(message), self.examples[title])

    def outcome(self, title: str) -> Outcome:
        message = wire.decode(self.examples[title])
        return Outcome.of_message(
            message, EventID(SESSION, message.sequence), {2: "/kitchen"}.get)

    def test_outcomes(self) -> None:
        handled = self.outcome("outcome")
        self.assertEqual(
            (handled.code, handled.by, handled.responder, handled.microseconds),
            (OutcomeCode.HANDLED, "/kitchen", 0, 1900))
        failed = self.outcome("outcome of a failure")
        assert failed.error is not None
        self.assertEqual(
            (failed.code, failed.error.name, failed.error.message, failed.error.node),
            (OutcomeCode.FAILED, "OutOfPlates", "no plate is clean", "/kitchen"))
        self.assertEqual(
            (failed.trail[0].kind, failed.trail[0].verdict, failed.trail[0].microseconds),
            (ResponderKind.HANDLE, VerdictCode.FAILED, 1750))
        self.assertEqual((failed.trail[0].at, failed.trail[0].waited), (None, None))
        timed = self.outcome("outcome with the times of visits")
        self.assertEqual(
            [(visit.microseconds, visit.at, visit.waited) for visit in timed.trail],
            [(40, 12, 8), (1750, 60, None)])
        self.assertEqual(self.outcome("outcome of a publication").recipients, ("/kitchen",))
        self.assertEqual(self.outcome("outcome with a reply").value, {"minutes": 12})
        self.assertEqual(
            self.outcome("outcome of a cascade").recipients, ("/kitchen/oven", "/kitchen"))
        self.assertEqual(self.outcome("settled").by, "/kitchen")


class Malformed(unittest.TestCase):
    """Bytes that are not a valid message."""

    def test_frames_that_end_too_early(self) -> None:
        frame = wire.encode(wire.Message(Command.BEAT, fields=[(Tag.NAME, b"x")]))
        for length in range(len(frame)):
            with self.subTest(length=length), self.assertRaises(wire.MalformedMessage):
                wire.decode(frame[:length])

    def test_a_field_that_does_not_end_inside_the_fields(self) -> None:
        with self.assertRaises(wire.MalformedMessage):
            wire.decode_fields(b"\x01\x00\xff\xff\xff\xffx")

    def test_an_integer_of_another_width(self) -> None:
        message = wire.Message(Command.WELCOME, fields=[(Tag.CREDIT, b"\x01\x00")])
        with self.assertRaises(wire.MalformedMessage):
            message.number(Tag.CREDIT, 4)

    def test_bytes_behind_the_last_known_part_are_ignored(self) -> None:
        parts = wire.Parts(wire.string("depth") + wire.number(7, 8) + b"more")
        self.assertEqual((parts.string(), parts.number(8)), ("depth", 7))


class Names(unittest.TestCase):
    """The rules for names, paths and IDs."""

    def test_names(self) -> None:
        for name in ("a", "_", "A9.b:c-d", "x" * 128):
            self.assertEqual(checked_name(name), name)
        for name in ("", ".a", "a b", "a/b", "x" * 129, "é", "a\n", "*"):
            with self.subTest(name), self.assertRaises(InvalidName):
                checked_name(name)

    def test_paths(self) -> None:
        for path in ("/", "/a", "/a/b.c"):
            self.assertEqual(checked_path(path), path)
        for path in ("", "a", "/a/", "//", "/a//b", "/..", "/a b"):
            with self.subTest(path), self.assertRaises(InvalidName):
                checked_path(path)

    def test_event_ids(self) -> None:
        identifier = EventID(SESSION, 12)
        self.assertEqual(str(identifier), "00112233445566778899aabbccddeeff-12")
        self.assertEqual(EventID.parse(str(identifier)), identifier)
        self.assertEqual(EventID.decoded(identifier.encoded()), identifier)
        with self.assertRaises(InvalidName):
            EventID.parse("00112233445566778899aabbccddeeff-012")


if __name__ == "__main__":
    unittest.main()
