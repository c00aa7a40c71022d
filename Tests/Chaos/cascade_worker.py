#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A session of the chaos test in Python, written from Protocol.md alone, that keeps no answers.

The package cascade_bus answers redeliveries from memory; this session runs its responders again, as the
protocol permits. Programs that only need a worker use the package.

Attaches PATH with responders, which are asked in the order of their options. Each occurrence is one
line of JSON on standard output. SIGTERM leaves gracefully.
"""

import argparse
import collections
import dataclasses
import itertools
import json
import os
import secrets
import signal
import socket
import sys

import zmq

from cascade_wire import (
    Command, Error, Flag, Kind, Lane, Message, Outcome, Tag, Verdict, attach, declaration,
    encoded_fields, event_id, failure, hello, lane_code, session_of)

PREFETCH = 64
EXIT_PROTOCOL_ERROR = 76


def tell(what, **details):
    print(json.dumps({"what": what, **details}), flush=True)


@dataclasses.dataclass
class Responder:
    """A responder for a name, or for all names with `*`."""

    kind: Kind
    name: str
    triggered: str = None  # An event that it triggers on each visit.
    requested: str = None  # A request that it sends on each visit.
    thrown: str = None  # An error that it throws at the end of each visit.

    def verdict(self, visit):
        """The answer: the code of the verdict, its fields and its payload."""
        if self.thrown:
            return Verdict.FAILED, [(Tag.ERROR_NAME, self.thrown)], visit.payload
        if self.kind == Kind.OBSERVE:
            return Verdict.PASSED, [], b""
        if self.kind == Kind.RESPOND:
            fields = [(Tag.CONTENT_TYPE, value) for value in visit.values(Tag.CONTENT_TYPE)]
            return Verdict.ANSWERED, fields, visit.payload
        return Verdict.HANDLED, [], b""


@dataclasses.dataclass
class Raised:
    """A message raised because of an event, without an outcome yet."""

    lane: Lane
    name: str
    payload: bytes
    cause: bytes
    causes: int


class Worker:
    """A session with one node, which may outlive several connections."""

    def __init__(self, endpoint, path, responders, is_durable=False):
        self.endpoint, self.path, self.responders = endpoint, path, responders
        self.is_durable = is_durable
        self.accepted = {}  # Durable events that the bus has accepted, by number.
        self.secret = secrets.token_bytes(16)  # The proof that the session is its own.
        self.requests = itertools.count(1)
        self.sequence = 0
        self.under_way = {}  # By number.
        self.is_leaving = False
        self.exit_code = None
        self.context = zmq.Context()
        self.signals, self.signal_writer = socket.socketpair()
        self.signal_writer.setblocking(False)
        signal.set_wakeup_fd(self.signal_writer.fileno())
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        # A parent with many threads may have blocked the signal, and children inherit the mask.
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
        """Connects a new socket: the old one still has messages for the previous daemon."""
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
        self.node, self.stops = None, []
        self.credit = self.unreturned_credit = 0
        self.unsent, self.outcome_count = collections.deque(), 0
        self.sent_before, self.sent = set(self.under_way), set()  # Sent here, once it is.
        self.numbers, self.definitions = {}, {}  # Name -> number; (kind, number) -> meaning.
        self.bus.connect(self.endpoint)
        self.send(hello(
            session_of(self.secret), "cascade_worker.py", os.getpid(), is_resumed, self.secret))

    def send(self, message):
        """Sends a message together with the others of this turn."""
        self.outgoing.append(message.encoded())

    def flush(self):
        if self.outgoing:
            self.bus.send_multipart(self.outgoing)
            self.outgoing = []

    def receive(self, frames):
        """Reads the messages of a ZeroMQ message as if each had arrived alone."""
        bus = self.bus
        for frame in frames:
            if self.bus is not bus or self.exit_code is not None:
                break  # The session or its connection has ended meanwhile.
            message = Message.decoded(frame)
            handler = message and getattr(self, f"on_{message.command.name.lower()}", None)
            if handler:
                handler(message)

    def on_welcome(self, welcome):
        self.credit = welcome.integer(Tag.CREDIT)
        tell("welcome", bus=welcome.text(Tag.BUS), version=welcome.code)
        responders = [(responder.kind, responder.name) for responder in self.responders]
        node = declaration(self.path, responders, prefetch=PREFETCH)
        if self.is_durable:
            node += encoded_fields([(Tag.WANTS_OUTCOMES, b"")])
        names = [
            name for responder in self.responders
            for name in (responder.triggered, responder.requested) if name]
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
        for sequence in self.accepted:
            self.send(Message(Command.RECALL, sequence=sequence))

    def on_beat(self, beat):
        self.send(Message(Command.BEAT, id=beat.id, sequence=self.outcome_count))

    def on_refused(self, refused):
        tell("refused", code=refused.code, sentence=refused.text(Tag.SENTENCE))
        if refused.sequence:
            self.settle(refused.sequence)
        else:
            self.exit_code = 1

    def on_violation(self, violation):
        tell("violation", code=violation.code, sentence=violation.text(Tag.SENTENCE))
        if violation.code in (
                Error.GREETING_REQUIRED, Error.SHUTTING_DOWN, Error.NOT_READING,
                Error.MESSAGE_LOST):
            self.reconnect()
        else:
            self.exit_code = EXIT_PROTOCOL_ERROR

    def on_detached(self, detached):
        tell("detached", path=detached.text(Tag.PATH), reason=detached.text(Tag.SENTENCE))
        if detached.code != Error.LEFT:
            self.exit_code = 1

    def on_done(self, done):
        self.exit_code = 0

    def on_moved(self, moved):
        self.path = moved.text(Tag.PATH)
        self.definitions["node", moved.node] = self.path
        tell("moved", path=self.path)

    def on_itinerary(self, itinerary):
        self.stops = itinerary.stops()

    def on_visit(self, visit):
        stops, self.stops = self.stops or [(visit.node, visit.index)], []
        if not visit.flags & Flag.UNACKNOWLEDGED:
            self.send(Message(Command.ACCEPT, node=visit.node, id=visit.id))
            self.flush()  # The daemon must know of the accept before the responder runs.
        for place, (_, index) in enumerate(stops):
            code, fields, payload = self.respond(self.responders[index], visit)
            if code != Verdict.PASSED:
                break
        if visit.flags & Flag.UNACKNOWLEDGED:
            self.return_credit()
        else:
            self.send(Message(
                Command.VERDICT, index=place, node=visit.node, id=visit.id, code=code,
                fields=fields, payload=payload))

    def respond(self, responder, visit):
        """Lets a responder answer a visit, and prints one line about it."""
        name = self.definitions.get(("name", visit.name)) or visit.text(Tag.NAME)
        session = self.definitions["session", visit.session]
        error = {"error": failure(visit.fields)} if visit.lane == Lane.error else {}
        tell("visit", lane=visit.lane.name, name=name, kind=responder.kind.name.lower(),
             origin=self.definitions.get(("node", visit.origin)) or visit.text(Tag.ORIGIN),
             id=f"{session}-{visit.sequence}", causes=visit.causes, **error,
             payload=visit.payload.decode(errors="replace"))
        cause = event_id(session, visit.sequence)
        self.raise_(Lane.event, responder.triggered, visit, cause)
        self.raise_(Lane.request, responder.requested, visit, cause)
        return responder.verdict(visit)

    def raise_(self, lane, name, visit, cause):
        """Raises the message that a responder raises on a visit, if any."""
        if name:
            self.sequence += 1
            self.under_way[self.sequence] = Raised(
                lane, name, visit.payload, cause, visit.causes + 1)
            self.unsent.append(self.sequence)
            self.send_raised()

    def send_raised(self):
        while self.unsent and self.credit:
            sequence = self.unsent.popleft()
            if sequence not in self.under_way:
                continue  # The outcome arrived before the message was sent again.
            raised = self.under_way[sequence]
            again = Flag.SENT_AGAIN if sequence in self.sent_before else 0
            durable = Flag.DURABLE if self.is_durable and raised.lane == Lane.event else 0
            self.credit -= 1
            self.sent.add(sequence)
            self.send(Message(
                Command.TRIGGER, flags=Flag.ADDRESSED_IN_FIELDS | again | durable, node=self.node,
                name=self.numbers[raised.name], id=self.outcome_count, sequence=sequence,
                code=lane_code(raised.lane, raised.causes), fields=[(Tag.CAUSE, raised.cause)],
                payload=raised.payload))

    def on_outcome(self, outcome):
        self.outcome_count += 1
        if outcome.sequence not in self.under_way:
            return  # The outcome was reported on an earlier connection.
        by = self.definitions.get(("node", outcome.node))
        reply = outcome.payload.decode(errors="replace")
        more = {"reply": reply} if outcome.flags & Flag.CARRIES_REPLY else {}
        tell("outcome", sequence=outcome.sequence, outcome=Outcome(outcome.code).name, by=by,
             **more)
        self.settle(outcome.sequence)

    def on_accepted(self, accepted):
        if accepted.sequence in self.under_way:
            tell("accepted", sequence=accepted.sequence)
            self.accepted[accepted.sequence] = self.under_way[accepted.sequence].name
            self.settle(accepted.sequence)

    def on_settled(self, settled):
        """Prints the outcome of a durable event: one of this session, or, by its ID, of an earlier
        one."""
        former = settled.values(Tag.EVENT_ID)
        if former or self.accepted.pop(settled.sequence, None):
            tell("settled", sequence=settled.sequence, outcome=Outcome(settled.code).name,
                 name=settled.text(Tag.NAME), by=settled.text(Tag.HANDLER), former=bool(former))
        self.send(Message(
            Command.RECEIVED, sequence=0 if former else settled.sequence,
            fields=[(Tag.EVENT_ID, event) for event in former]))

    def settle(self, sequence):
        self.under_way.pop(sequence, None)
        if sequence in self.sent:
            self.sent.remove(sequence)
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


class AddResponder(argparse.Action):
    """Adds a responder of the option's name: `--handle-error` is of the kind HANDLE_ERROR."""

    def __call__(self, parser, arguments, name, option=None):
        kind = Kind[option.removeprefix("--").replace("-", "_").upper()]
        arguments.responders.append(Responder(kind, name))


class ChangeResponder(argparse.Action):
    """Configures the last responder."""

    def __call__(self, parser, arguments, value, option=None):
        if not arguments.responders:
            parser.error(f"there is no responder in front of {option}")
        setattr(arguments.responders[-1], self.dest, value)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.set_defaults(responders=[])
    parser.add_argument("endpoint", metavar="ENDPOINT")
    parser.add_argument("path", metavar="PATH")
    for option in ("--handle", "--observe", "--respond", "--handle-error"):
        parser.add_argument(option, metavar="NAME", action=AddResponder)
    behind = {"action": ChangeResponder, "default": argparse.SUPPRESS}
    parser.add_argument("--trigger", metavar="NAME", dest="triggered", **behind)
    parser.add_argument("--request", metavar="NAME", dest="requested", **behind)
    parser.add_argument("--throw", metavar="ERROR", dest="thrown", **behind)
    parser.add_argument(
        "--durable", action="store_true",
        help="trigger durable events, and ask for the outcomes of earlier ones")
    return parser.parse_args()


if __name__ == "__main__":
    given = arguments()
    sys.exit(Worker(given.endpoint, given.path, given.responders, given.durable).run())
