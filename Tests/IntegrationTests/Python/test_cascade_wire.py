#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the codec against the examples of Protocol.md. Run it by itself; it needs no bus."""

import pathlib
import re
import unittest

from cascade_wire import (
    HEADER, Command, Flag, Kind, Lane, Message, Outcome, Reducer, Tag, Verdict, attach,
    declaration, event_id, failure, hello, lane_code, offer, parts, session_of, setting, u32)

ROOT = pathlib.Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "Sources/CascadeWire/CascadeWire.docc/Protocol.md"


def examples():
    """The blocks of hexadecimal bytes by name; text after a `#` is a comment."""
    for name, body in re.findall(r"```hex\n# (.*)\n([^`]*)```", DOCUMENT.read_text()):
        yield name, bytes.fromhex(re.sub(r"#.*", "", body))


class CodecTests(unittest.TestCase):
    examples = dict(examples())

    def assert_encoded(self, name, message):
        self.assertEqual(message.encoded(), self.examples[name])

    def test_each_example_is_decoded_and_encoded_again(self):
        commands = set()
        for name, frame in self.examples.items():
            with self.subTest(name):
                message = Message.decoded(frame)
                commands.add(message.command)
                self.assertEqual(message.encoded(), frame)
        self.assertEqual(commands, set(Command))

    def test_messages_of_a_worker_are_encoded_as_shown(self):
        session = bytes.fromhex("7766554433221100 ffeeddccbbaa9988")
        self.assert_encoded("hello", hello(session, "kitchen 1.0", 4711, is_resumed=True))
        secret = bytes.fromhex("00112233445566778899aabbccddeeff")
        self.assert_encoded("hello with a secret", hello(
            session_of(secret), "kitchen 1.0", 4711, is_resumed=False, secret=secret))
        kitchen = declaration(
            "/kitchen", [(Kind.HANDLE, "OrderReady"), (Kind.OBSERVE, "*")], ["MenuChanged"])
        self.assert_encoded("attach", attach(1, [kitchen], ["OvenHot"]))
        self.assert_encoded("trigger", Message(
            Command.TRIGGER, node=3, name=1, sequence=1, time=5000,
            fields=[(Tag.ATTRIBUTE, parts("priority", "high"))], payload=b'{"table":4}'))
        self.assert_encoded("accept", Message(Command.ACCEPT, node=2, id=0x1_0000_0009))
        self.assert_encoded("verdict", Message(
            Command.VERDICT, flags=Flag.NEXT_ACCEPTED, node=2, id=0x1_0000_0009, time=850,
            code=Verdict.HANDLED))
        self.assert_encoded("beat", Message(Command.BEAT, id=5))
        self.assert_encoded("credit", Message(Command.CREDIT, node=2, code=64))
        self.assert_encoded("leave", Message(Command.LEAVE, id=3))

    def test_messages_of_a_worker_in_other_lanes_are_encoded_as_shown(self):
        session = "00112233445566778899aabbccddeeff"
        order, answer = b'{"table":4}', b'{"minutes":12}'
        self.assert_encoded("trigger with a cause", Message(
            Command.TRIGGER, flags=Flag.ADDRESSED_IN_FIELDS, node=2, name=1, sequence=3,
            code=lane_code(Lane.event, causes=1),
            fields=[(Tag.CAUSE, event_id(session, 1)), (Tag.HOLD, u32(60_000))], payload=order))
        self.assert_encoded("report", Message(
            Command.TRIGGER, node=3, name=3, sequence=4, code=lane_code(Lane.error),
            fields=[(Tag.ERROR_MESSAGE, "230 degrees"), (Tag.ERROR_TITLE, "Oven too hot")],
            payload=b'{"degrees":230}'))
        self.assert_encoded("request", Message(
            Command.TRIGGER, node=3, name=4, sequence=5, time=2000, code=lane_code(Lane.request),
            payload=order))
        self.assert_encoded("cancel", Message(Command.CANCEL, sequence=5))
        self.assert_encoded("verdict that answers", Message(
            Command.VERDICT, node=2, id=0x1_0000_000D, time=310, code=Verdict.ANSWERED,
            payload=answer))
        self.assert_encoded("verdict that fails", Message(
            Command.VERDICT, node=2, id=0x1_0000_0009, time=75, code=Verdict.FAILED,
            fields=[
                (Tag.ERROR_NAME, "OutOfPlates"), (Tag.ERROR_MESSAGE, "no plate is clean")]))

    def test_messages_of_the_daemon_in_other_lanes_are_decoded(self):
        visit = Message.decoded(self.examples["visit about an error"])
        self.assertEqual((visit.lane, visit.causes), (Lane.error, 0))
        self.assertEqual(failure(visit.fields), {
            "name": "OutOfPlates", "message": "no plate is clean", "node": "/kitchen",
            "causes": [
                {"name": "DishwasherFailed", "title": "Dishwasher", "node": "/kitchen/sink"}]})
        outcome = Message.decoded(self.examples["outcome with a reply"])
        self.assertTrue(outcome.flags & Flag.CARRIES_REPLY)
        self.assertEqual(
            (Outcome(outcome.code), outcome.payload), (Outcome.handled, b'{"minutes":12}'))
        caught = Message.decoded(self.examples["outcome of a caught error"])
        self.assertEqual(Outcome(caught.code), Outcome.caught)
        self.assertEqual(failure(caught.fields)["name"], "OutOfPlates")
        delivery = Message.decoded(self.examples["delivery of a retained value"])
        self.assertEqual((delivery.causes, bool(delivery.flags & Flag.RETAINED)), (1, True))
        moved = Message.decoded(self.examples["moved"])
        self.assertEqual((moved.node, moved.text(Tag.PATH)), (2, "/cellar/kitchen"))
        cancel = Message.decoded(self.examples["cancel of a visit"])
        self.assertEqual((cancel.node, cancel.id), (2, 0x1_0000_000D))

    def test_the_number_of_causes_saturates(self):
        trigger = Message(Command.TRIGGER, code=lane_code(Lane.cascade, causes=70_000))
        self.assertEqual((trigger.lane, trigger.causes), (Lane.cascade, 0xFFFF))

    def test_messages_of_the_daemon_are_decoded(self):
        define = Message.decoded(self.examples["define"])
        self.assertEqual(list(define.definitions()), [
            ("name", 1, "OrderReady"), ("node", 3, "/kitchen/oven"),
            ("session", 1, "00112233445566778899aabbccddeeff")])
        attached = Message.decoded(self.examples["attached"])
        self.assertEqual(attached.node_numbers(), [(2, "/kitchen")])
        welcome = Message.decoded(self.examples["welcome"])
        self.assertEqual((welcome.code, welcome.text(Tag.BUS)), (1, "restaurant"))
        self.assertEqual(welcome.integer(Tag.CREDIT), 2048)
        visit = Message.decoded(self.examples["visit"])
        self.assertEqual((visit.node, visit.index, visit.payload), (2, 0, b'{"table":4}'))
        itinerary = Message.decoded(self.examples["itinerary"])
        self.assertEqual(itinerary.stops(), [(2, 1), (4, 0)])
        visit = Message.decoded(self.examples["visit with an itinerary"])
        self.assertEqual((visit.node, visit.index), itinerary.stops()[0])

    def test_environment_messages_are_as_shown(self):
        self.assert_encoded("set", Message(Command.SET, node=2, id=13, fields=[
            (Tag.VALUE, setting("oven.degrees", "230", is_for_itself=True)),
            (Tag.VALUE, setting("menu.language")),
            (Tag.PREFERENCE, offer("orders.open", "4", Reducer.SUM))]))
        snapshot = Message.decoded(self.examples["environment"])
        self.assertEqual((snapshot.node, snapshot.code), (2, 1))
        self.assertEqual(list(snapshot.changes()), [
            (Tag.VALUE, "menu.prices", '{"soup":4}', None),
            (Tag.PREFERENCE, "healthy", "true", None)])
        changes = Message.decoded(self.examples["environment that changes"])
        self.assertEqual((changes.node, changes.code), (2, 0))
        self.assertEqual(list(changes.changes()), [
            (Tag.VALUE, "menu.prices", None, '{"soup":4}'),
            (Tag.PREFERENCE, "healthy", "false", "true")])

    def test_messages_about_durable_events_are_as_shown(self):
        self.assert_encoded("trigger of a durable event", Message(
            Command.TRIGGER, flags=Flag.DURABLE | Flag.ADDRESSED_IN_FIELDS, node=3, name=6,
            sequence=6, fields=[(Tag.HOLD, u32(3_600_000))], payload=b'{"kilos":20}'))
        self.assertEqual(Message.decoded(self.examples["accepted"]).sequence, 6)
        settled = Message.decoded(self.examples["settled"])
        self.assertEqual(
            (settled.sequence, Outcome(settled.code), settled.text(Tag.HANDLER)),
            (6, Outcome.handled, "/kitchen"))
        former = Message.decoded(self.examples["settled after the origin has gone"])
        self.assertEqual(failure(former.fields)["message"], "no coal")
        self.assert_encoded("received", Message(Command.RECEIVED, sequence=6))
        self.assert_encoded("received after the origin has gone", Message(
            Command.RECEIVED, fields=[(Tag.EVENT_ID, former.values(Tag.EVENT_ID)[0])]))
        self.assert_encoded("recall", Message(Command.RECALL, sequence=6))

    def test_a_message_of_an_unknown_command_is_none(self):
        self.assertIsNone(Message.decoded(bytes([200]) + bytes(HEADER.size - 1)))


if __name__ == "__main__":
    unittest.main()
