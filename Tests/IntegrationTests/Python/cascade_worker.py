#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A worker of the Cascade bus in Python, written from Protocol.md alone.

Usage: cascade_worker.py ENDPOINT PATH HANDLED [TRIGGERED]

Attaches PATH, handles events named HANDLED, and triggers TRIGGERED on each visit. Whatever happens
is one line of JSON on standard output. SIGTERM leaves gracefully.
"""

import collections
import itertools
import json
import os
import secrets
import signal
import socket
import sys

import zmq

from cascade_wire import (
    Command, Error, Flag, Kind, Message, Outcome, Tag, Verdict, attach, declaration, hello)

PREFETCH = 64
EXIT_PROTOCOL_ERROR = 76


def tell(what, **details):
    print(json.dumps({"what": what, **details}), flush=True)


class Worker:
    """One session with one node, which may outlive several connections."""

    def __init__(self, endpoint, path, handled, triggered=None):
        self.endpoint, self.path, self.handled, self.triggered = endpoint, path, handled, triggered
        self.session = secrets.token_bytes(16)
        self.requests = itertools.count(1)
        self.sequence = 0
        self.under_way = {}  # Raised, and without an outcome: sequence -> payload.
        self.is_leaving = False
        self.exit_code = None
        self.context = zmq.Context()
        self.signals, self.signal_writer = socket.socketpair()
        self.signal_writer.setblocking(False)
        signal.set_wakeup_fd(self.signal_writer.fileno())
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        # A parent with many threads may have blocked it, and children inherit that.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])

    def run(self):
        self.connect(is_resumed=False)
        while self.exit_code is None:
            self.flush()
            ready = dict(self.poller.poll())
            if self.bus in ready:
                self.receive(self.bus.recv_multipart())
            elif self.monitor in ready:
                self.reconnect()
            elif self.signals.fileno() in ready:
                self.signals.recv(64)
                self.leave()
        self.context.destroy(linger=0)
        return self.exit_code

    def reconnect(self):
        """A socket is never used again: what it still holds is for a daemon that has gone."""
        tell("disconnected")
        self.bus.disable_monitor()
        self.bus.close(linger=0)
        self.monitor.close(linger=0)
        if self.is_leaving:
            self.exit_code = 0
        else:
            self.connect(is_resumed=True)

    def connect(self, is_resumed):
        self.bus = self.context.socket(zmq.DEALER)
        self.monitor = self.bus.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self.outgoing = []  # The frames of the next ZeroMQ message.
        self.poller = zmq.Poller()
        for source in (self.bus, self.monitor, self.signals):
            self.poller.register(source, zmq.POLLIN)
        self.node = None
        self.credit = self.unreturned_credit = 0
        self.unsent = collections.deque()
        self.numbers, self.definitions = {}, {}  # Name -> number; (kind, number) -> meaning.
        self.bus.connect(self.endpoint)
        self.send(hello(self.session, "cascade_worker.py", os.getpid(), is_resumed))

    def send(self, message):
        """Sends a message together with the others of this turn."""
        self.outgoing.append(message.encoded())

    def flush(self):
        if self.outgoing:
            self.bus.send_multipart(self.outgoing)
            self.outgoing = []

    def receive(self, frames):
        """Takes the messages of a ZeroMQ message, as if each had come alone."""
        bus = self.bus
        for frame in frames:
            if self.bus is not bus or self.exit_code is not None:
                break  # The session, or its connection, has ended meanwhile.
            message = Message.decoded(frame)
            handler = message and getattr(self, f"on_{message.command.name.lower()}", None)
            if handler:
                handler(message)

    def on_welcome(self, welcome):
        self.credit = welcome.integer(Tag.CREDIT)
        tell("welcome", bus=welcome.text(Tag.BUS), version=welcome.code)
        node = declaration(self.path, [(Kind.HANDLE, self.handled)], prefetch=PREFETCH)
        names = [self.triggered] if self.triggered else []
        self.send(attach(next(self.requests), [node], names))

    def on_define(self, define):
        for kind, number, meaning in define.definitions():
            self.definitions[kind, number] = meaning
            if kind == "name":
                self.numbers[meaning] = number

    def on_attached(self, attached):
        (self.node, path), = attached.node_numbers()
        tell("attached", path=path)
        self.unsent.extend(self.under_way)  # Before anything new.
        self.send_raised()

    def on_beat(self, beat):
        self.send(Message(Command.BEAT, id=beat.id))

    def on_refused(self, refused):
        tell("refused", code=refused.code, sentence=refused.text(Tag.SENTENCE))
        if refused.sequence:
            self.settle(refused.sequence)
        else:
            self.exit_code = 1

    def on_violation(self, violation):
        tell("violation", code=violation.code, sentence=violation.text(Tag.SENTENCE))
        if violation.code in (Error.GREETING_REQUIRED, Error.SHUTTING_DOWN, Error.NOT_READING):
            self.reconnect()
        else:
            self.exit_code = EXIT_PROTOCOL_ERROR

    def on_detached(self, detached):
        tell("detached", path=detached.text(Tag.PATH), reason=detached.text(Tag.SENTENCE))
        if detached.code != Error.LEFT:
            self.exit_code = 1

    def on_done(self, done):
        self.exit_code = 0

    def on_visit(self, visit):
        origin = self.definitions.get(("node", visit.origin)) or visit.text(Tag.ORIGIN)
        name = self.definitions.get(("name", visit.name)) or visit.text(Tag.NAME)
        session = self.definitions["session", visit.session]
        if not visit.flags & Flag.UNACKNOWLEDGED:
            self.send(Message(Command.ACCEPT, node=visit.node, id=visit.id))
            self.flush()  # The daemon is to know before anything is done.
        tell("visit", name=name, origin=origin, id=f"{session}-{visit.sequence}",
             payload=visit.payload.decode(errors="replace"))
        if self.triggered:
            self.sequence += 1
            self.under_way[self.sequence] = visit.payload
            self.unsent.append(self.sequence)
            self.send_raised()
        if visit.flags & Flag.UNACKNOWLEDGED:
            self.return_credit()
        else:
            self.send(Message(
                Command.VERDICT, node=visit.node, id=visit.id, code=Verdict.HANDLED))

    def send_raised(self):
        while self.unsent and self.credit:
            sequence = self.unsent.popleft()
            self.credit -= 1
            self.send(Message(
                Command.TRIGGER, node=self.node, name=self.numbers[self.triggered],
                sequence=sequence, payload=self.under_way[sequence]))

    def on_outcome(self, outcome):
        by = self.definitions.get(("node", outcome.node))
        tell("outcome", sequence=outcome.sequence, outcome=Outcome(outcome.code).name, by=by)
        self.settle(outcome.sequence)

    def settle(self, sequence):
        self.under_way.pop(sequence, None)
        self.credit += 1
        self.send_raised()

    def on_credit(self, credit):
        self.credit += credit.code
        self.send_raised()

    def return_credit(self):
        self.unreturned_credit += 1
        if self.unreturned_credit == PREFETCH // 4:
            self.send(Message(Command.CREDIT, node=self.node, code=self.unreturned_credit))
            self.unreturned_credit = 0

    def leave(self):
        self.is_leaving = True
        if self.node is None:
            self.exit_code = 0
        else:
            self.send(Message(Command.LEAVE, id=next(self.requests)))


if __name__ == "__main__":
    if not 4 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    sys.exit(Worker(*sys.argv[1:]).run())
