#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the codec against the examples of Protocol.md. Run it by itself; it needs no bus."""

import pathlib
import re
import unittest

from cascade_wire import (
    HEADER, Command, Flag, Kind, Message, Tag, Verdict, attach, declaration, hello, parts)

ROOT = pathlib.Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "Sources/CascadeWire/CascadeWire.docc/Protocol.md"


def examples():
    """The blocks of hexadecimal bytes, by name; what stands behind a `#` is for the reader."""
    for name, body in re.findall(r"```hex\n# (.*)\n([^`]*)```", DOCUMENT.read_text()):
        yield name, bytes.fromhex(re.sub(r"#.*", "", body))


class CodecTests(unittest.TestCase):
    examples = dict(examples())

    def assert_encoded(self, name, message):
        self.assertEqual(message.encoded(), self.examples[name])

    def test_each_example_is_decoded_and_encoded_as_it_was(self):
        commands = set()
        for name, frame in self.examples.items():
            with self.subTest(name):
                message = Message.decoded(frame)
                commands.add(message.command)
                self.assertEqual(message.encoded(), frame)
        self.assertEqual(commands, set(Command))

    def test_what_a_worker_says_is_encoded_as_shown(self):
        session = bytes.fromhex("7766554433221100 ffeeddccbbaa9988")
        self.assert_encoded("hello", hello(session, "kitchen 1.0", 4711, is_resumed=True))
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

    def test_what_the_daemon_says_is_understood(self):
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

    def test_an_unknown_command_is_none(self):
        self.assertIsNone(Message.decoded(bytes([200]) + bytes(HEADER.size - 1)))


if __name__ == "__main__":
    unittest.main()
