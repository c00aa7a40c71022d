# SPDX-License-Identifier: Apache-2.0
"""A session of the bus on a plain ZeroMQ socket. It can send messages that no worker sends."""

import collections
import itertools
import os
import pathlib
import secrets
import sys
import time

import zmq

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "IntegrationTests" / "Python"))

from cascade_wire import (  # noqa: E402
    Command, Flag, Message, Tag, attach, declaration, hello)

ANSWER_SECONDS = 5


class Expelled(Exception):
    """The daemon has ended the session, or does not answer."""


class Peer:
    patience = ANSWER_SECONDS

    def __init__(self, endpoint, identity=None, receive_mark=None, session=None):
        self.session = session or secrets.token_bytes(16)
        self.requests, self.sequence = itertools.count(1), 0
        self.credit, self.nodes, self.outcomes = 0, {}, 0
        self.passed_on = []  # The messages that arrived together with an awaited one.
        self.counts = collections.Counter()  # The received commands, and the codes of refusals.
        self.context = zmq.Context()
        self.bus = self.context.socket(zmq.DEALER)
        self.bus.setsockopt(zmq.LINGER, 0)
        self.bus.setsockopt(zmq.SNDTIMEO, 1000)
        if identity:
            self.bus.setsockopt(zmq.IDENTITY, identity)
        if receive_mark:
            self.bus.setsockopt(zmq.RCVHWM, receive_mark)
            self.bus.setsockopt(zmq.RCVBUF, 4096)
        self.bus.connect(endpoint)

    def close(self):
        self.context.destroy(linger=0)

    # MARK: - Sending

    def send(self, *messages):
        """Sends messages together, as the frames of one ZeroMQ message."""
        try:
            self.bus.send_multipart([message.encoded() for message in messages])
        except zmq.Again:
            raise Expelled("the daemon accepts no more messages")

    def greet(self, is_resumed=False):
        self.send(hello(self.session, "hostile.py", os.getpid(), is_resumed))
        self.credit = self.next(Command.WELCOME).integer(Tag.CREDIT)

    def attach(self, *declarations, names=()):
        """Attaches nodes, and stores their numbers by path."""
        request = next(self.requests)
        self.send(attach(request, declarations, names))
        attached = self.next(Command.ATTACHED, Command.REFUSED)
        if attached.command == Command.REFUSED:
            raise Expelled(attached.text(Tag.SENTENCE))
        self.nodes.update({path: number for number, path in attached.node_numbers()})

    def attach_nodes(self, path, count, *fields):
        """Attaches a node and COUNT nodes below it."""
        self.attach(declaration(path, []))
        for start in range(0, count, 256):
            self.attach(*(
                declaration(f"{path}/{number}", []) + b"".join(fields)
                for number in range(start, min(start + 256, count))))

    def query(self, kind, *fields, is_repeating=False):
        return Message(
            Command.QUERY, flags=Flag.REPEATING if is_repeating else 0, id=next(self.requests),
            code=kind, fields=list(fields))

    def trigger(self, name, path, *fields, flags=0, payload=b"", lane=0):
        """Returns a trigger by a peer outside the tree."""
        return self.raised(Command.TRIGGER, lane, name, path, fields, flags, payload)

    def publish(self, name, path, *fields, flags=0, payload=b""):
        return self.raised(Command.PUBLISH, 4, name, path, fields, flags, payload)

    def raised(self, command, code, name, path, fields, flags, payload):
        self.sequence += 1
        self.credit -= 1
        return Message(
            command, flags=flags | Flag.ADDRESSED_IN_FIELDS, id=self.outcomes, code=code,
            sequence=self.sequence, fields=[(Tag.NAME, name), (Tag.ORIGIN, path), *fields],
            payload=payload)

    # MARK: - Receiving

    def read(self, seconds=0):
        """Returns the next messages, or none if none arrive within the time."""
        if self.passed_on:
            messages, self.passed_on = self.passed_on, []
            return messages
        messages = []
        if self.bus.poll(seconds * 1000):
            try:
                while len(messages) < 10_000:
                    frames = self.bus.recv_multipart(zmq.NOBLOCK)
                    messages += filter(None, map(Message.decoded, frames))
            except zmq.Again:
                pass
        for message in messages:
            self.process(message)
        return messages

    def process(self, message):
        """Answers a beat, and updates counts and credit."""
        self.counts[message.command.name.lower()] += 1
        if message.command == Command.BEAT:
            self.send(Message(Command.BEAT, id=message.id, sequence=self.outcomes))
        elif message.command == Command.VIOLATION:
            raise Expelled(message.text(Tag.SENTENCE))
        elif message.command == Command.OUTCOME:
            self.outcomes += 1
            self.credit += 1
        elif message.command == Command.CREDIT and message.node == 0xFFFF_FFFF:
            self.credit += message.code
        elif message.command == Command.ACCEPTED:
            self.credit += 1
        elif message.command == Command.REFUSED:
            self.counts[f"refused {message.code}"] += 1
            self.credit += message.sequence != 0

    def next(self, *commands):
        """Returns the next message with one of these commands, and skips earlier ones."""
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            messages = self.read(0.5)
            for index, message in enumerate(messages):
                if message.command in commands:
                    self.passed_on = messages[index + 1:]
                    return message
        raise Expelled("no answer arrived in time")

    def await_answers(self, count, seconds=ANSWER_SECONDS):
        """Reads until a number of requests have been answered or refused. Returns `False` if that took too
        long."""
        end = time.monotonic() + seconds
        kinds = (Command.ANSWER, Command.REFUSED, Command.DONE, Command.ATTACHED)
        while count > 0 and time.monotonic() < end:
            count -= sum(message.command in kinds for message in self.read(0.2))
        return count <= 0

    def await_credit(self, credit, seconds=ANSWER_SECONDS):
        end = time.monotonic() + seconds
        while self.credit < credit and time.monotonic() < end:
            self.read(0.2)
        return self.credit >= credit
