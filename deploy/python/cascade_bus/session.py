# SPDX-License-Identifier: Apache-2.0
"""A worker's session as a state machine without I/O.

The program hands in frames and commands, and takes out frames to send and notices to act on. The
session outlives its connections: `connected` begins one, `disconnected` ends it.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from enum import Enum
from typing import Callable

from . import requests, wire
from .arriving import Arrivals
from .asking import Requests
from .declaration import Declaration
from .names import EventID
from .notices import (
    Detached, EnvironmentChanged, Moved, Notice, Opened, OutcomeInherited, Over, RaiseRefused,
    Reconnect, RequestDone, RequestRefused, RunCancelled, RunStarted)
from .outcome import Outcome
from .raising import Raise, Raises
from .records import Definitions, NodeRecord, Request
from .verdict import Verdict, VerdictMemory
from .visiting import Run, Visits
from .vocabulary import (
    PROTOCOL_NAME, PROTOCOL_VERSION, RESUMABLE_VIOLATIONS, Command, ErrorCode, Tag)

__all__ = ["NodeRecord", "Request", "Session", "State"]


class State(Enum):
    """The state of a session."""

    CLOSED = "closed"
    GREETING = "greeting"
    #: Welcomed; the nodes of the previous connection are not all attached yet.
    RESUMING = "resuming"
    OPEN = "open"
    LEAVING = "leaving"
    OVER = "over"


class Session:
    """One worker's session with the daemon."""

    def __init__(
        self,
        program: str = "",
        process_id: int = 0,
        *,
        secret: bytes | None = None,
        clock: Callable[[], float] = time.monotonic,
        memory: VerdictMemory | None = None,
    ) -> None:
        self._secret = secret or secrets.token_bytes(16)
        self.id = hashlib.sha256(self._secret).digest()[:16]
        self._program = program
        self._process_id = process_id
        self._clock = clock
        self.state = State.CLOSED
        self.bus_name = ""
        self.release = ""
        self.beat_interval = 1.0
        self.limits: dict[str, int] = {}
        self.nodes: list[NodeRecord] = []
        #: Whether the daemon has answered the greeting on the latest connection.
        self.was_welcomed_here = False
        self._was_welcomed = False
        self._frames: list[bytes] = []
        self._notices: list[Notice] = []
        self._requests = Requests(self._send, self._notices.append)
        self._node_key = 0
        self._owed_places: dict[NodeRecord, int] = {}
        self._names: dict[str, None] = {}
        self._begin_numbers()
        self._visits = Visits(
            self._send, self._return_places,
            lambda run: self._notices.append(RunStarted(run)),
            lambda run: self._notices.append(RunCancelled(run)),
            clock, memory)
        self._raises = Raises(
            self.id, self._send, self._notices.append,
            lambda name: self._definitions.name_number(name), self.path_of)

    # What the program takes out.

    def take_frames(self) -> list[bytes]:
        """Returns the frames to send, in order, and forgets them."""
        frames, self._frames = self._frames, []
        return frames

    def take_notices(self) -> list[Notice]:
        """Returns what has happened, in order, and forgets it."""
        notices = self._notices[:]
        self._notices.clear()
        return notices

    def path_of(self, number: int) -> str | None:
        """Returns the path of a node's number on this connection."""
        return self._definitions.path(number)

    # The connection.

    def connected(self) -> None:
        """Begins a connection: greets the daemon."""
        self.state = State.GREETING
        self.was_welcomed_here = False
        fields = [
            (Tag.PROTOCOL_NAME, wire.text(PROTOCOL_NAME)),
            (Tag.VERSION_MIN, wire.number(PROTOCOL_VERSION, 2)),
            (Tag.VERSION_MAX, wire.number(PROTOCOL_VERSION, 2)),
            (Tag.SESSION_ID, wire.session(self.id)),
            (Tag.PROGRAM, wire.text(self._program)),
            (Tag.PROCESS_ID, wire.number(self._process_id, 4)),
        ]
        if self._was_welcomed:
            fields.append((Tag.IS_RESUMED, b""))
        fields.append((Tag.SECRET, self._secret))
        self._send(wire.Message(Command.HELLO, fields=fields))

    def disconnected(self) -> None:
        """Ends a connection: forgets its numbers, and keeps what has to be sent again."""
        if self.state in (State.CLOSED, State.OVER):
            return
        was_leaving = self.state is State.LEAVING
        self._frames.clear()
        self._begin_numbers()
        self._owed_places.clear()
        self._visits.drop_all()
        self._raises.disconnected()
        self._requests.disconnected()
        for node in self.nodes:
            node.number = None
        if was_leaving:
            self._end(0, "the connection ended while the session left")
        else:
            self.state = State.CLOSED

    # What the program asks for.

    def attach(self, declarations: list[Declaration]) -> Request:
        """Attaches nodes, all or none; `Request.nodes` has their records."""
        nodes = []
        for declaration in declarations:
            self._node_key += 1
            nodes.append(NodeRecord(self._node_key, declaration))
        return self.ask(self._attaching(nodes))

    def ask(self, request: Request) -> Request:
        """Sends a request as soon as the session can."""
        self._requests.add(request)
        self.flush()
        return request

    def edit(
        self, node: NodeRecord, command: Command, edit: Callable[[Declaration], None],
        fields: Callable[[], list[tuple[int, bytes]]] | None = None,
    ) -> Request:
        """Edits a node's declaration by a `change`, or by a `set` of the given fields."""
        return self.ask(requests.editing(node, command, edit, fields))

    def raise_(self, raised: Raise) -> Raise:
        """Triggers or publishes as soon as the session can and has credit."""
        if len(self._names) < 1024:
            # Listed in later attaches, so that the name has a number.
            self._names.setdefault(raised.name)
        self._raises.add(raised)
        self.flush()
        return raised

    def cancel(self, raised: Raise) -> None:
        """Gives up waiting for the outcome of a trigger or publication."""
        self._raises.cancel(raised)

    def responded(self, run: Run, verdict: Verdict) -> None:
        """Answers the visits that wait for a run."""
        limit = self.limits.get("messageBytes")
        size = len(verdict.content.payload)
        if limit and size + 4096 > limit:
            verdict = Verdict.failed(
                "limitReached", f"a payload of {size} bytes exceeds messageBytes, {limit}")
        self._visits.responded(run, verdict)
        self.flush()

    def processed(self, event_id: EventID) -> None:
        """Confirms an inherited outcome, which the daemon then forgets."""
        if self.state in (State.OPEN, State.LEAVING):
            self._send(wire.Message(
                Command.RECEIVED, fields=[(Tag.EVENT_ID, event_id.encoded())]))

    def leave(self) -> None:
        """Leaves with all nodes: finishes the visits at hand, then ends the session."""
        if self.state is not State.OPEN:
            self._end(0, "the session has left")
            return
        self.flush()
        self.state = State.LEAVING
        self._requests.ask(Request(Command.LEAVE, lambda number: wire.Message(
            Command.LEAVE, id=number)))

    def close(self) -> None:
        """Ends the session at once."""
        if self.state is not State.OVER:
            self._end(0, "the bus was closed")

    def flush(self) -> None:
        """Sends what had to wait: requests, returned places, triggers and publications."""
        if self.state not in (State.OPEN, State.LEAVING):
            return
        self._requests.flush()
        if self._requests.is_attaching:
            return
        for node, count in self._owed_places.items():
            if node.number is not None:
                self._send(wire.Message(Command.CREDIT, node=node.number, code=count))
        self._owed_places.clear()
        self._raises.flush()

    # What the daemon sends.

    def receive(self, frame: bytes) -> None:
        """Takes one frame of the daemon; an invalid one ends the connection."""
        try:
            message = wire.decode(frame)
            self._handle(message)
        except (wire.MalformedMessage, ValueError) as error:
            self._notices.append(Reconnect(ErrorCode.MALFORMED, f"from the daemon: {error}"))
            return
        self.flush()

    def _handle(self, message: wire.Message) -> None:
        handler = _HANDLERS.get(message.command)
        if handler is None:
            return
        if self.state is State.GREETING and message.command not in (
                Command.WELCOME, Command.VIOLATION):
            return
        if self.state in (State.CLOSED, State.OVER):
            return
        handler(self, message)

    def _welcome(self, message: wire.Message) -> None:
        if self.state is not State.GREETING:
            return
        self.was_welcomed_here = True
        self.bus_name = message.text(Tag.BUS) or ""
        self.release = message.text(Tag.RELEASE) or ""
        self.beat_interval = (message.number(Tag.BEAT_INTERVAL, 4) or 1000) / 1000
        for value in message.all(Tag.LIMIT):
            parts = wire.Parts(value)
            name = parts.string()
            self.limits[name] = parts.number(8)
        self._raises.connected(
            message.number(Tag.CREDIT, 4) or 0, self.limits.get("messageBytes", 0))
        if not self.nodes:
            self._opened()
            return
        self.state = State.RESUMING
        self._requests.ask(self._attaching(list(self.nodes), is_reattach=True))

    def _opened(self) -> None:
        is_resumed, self._was_welcomed = self._was_welcomed, True
        self.state = State.OPEN
        self._notices.append(Opened(is_resumed))
        self._raises.recall()

    def _attached(self, message: wire.Message) -> None:
        request = self._requests.answered(message.id)
        if request is None:
            return
        for node, value in zip(request.nodes, message.all(Tag.NODE_NUMBER)):
            self._definitions.attached(node, value)
        if request.is_reattach:
            self._reattach_next()
            return
        self.nodes.extend(request.nodes)
        self._notices.append(RequestDone(request, message))

    def _reattach_refused(self, request: Request, code: int, sentence: str) -> None:
        if len(request.nodes) > 1:
            # One of them is refused; which one shows when each is attached by itself.
            self._requests.put_first([
                self._attaching([node], is_reattach=True) for node in request.nodes])
        else:
            self._detach(request.nodes[0], code, sentence)
        self._reattach_next()

    def _reattach_next(self) -> None:
        request = self._requests.next_reattach()
        if request is None:
            self._opened()
        else:
            self._requests.ask(request)

    def _refused(self, message: wire.Message) -> None:
        sentence = message.text(Tag.SENTENCE) or ""
        if message.id == 0:
            self._raises.refused(message, sentence)
            return
        request = self._requests.answered(message.id)
        if request is None:
            return
        if request.is_reattach:
            self._reattach_refused(request, message.code, sentence)
        else:
            self._notices.append(RequestRefused(request, message.code, sentence))

    def _done(self, message: wire.Message) -> None:
        request = self._requests.done(message)
        if request is not None and request.command == Command.LEAVE and request.node is None:
            self._end(0, "the session has left")

    def _detached(self, message: wire.Message) -> None:
        node = self._definitions.nodes.pop(message.node, None)
        if node is not None:
            self._detach(node, message.code, message.text(Tag.SENTENCE) or "")

    def _detach(self, node: NodeRecord, code: int, sentence: str) -> None:
        node.is_attached = False
        node.number = None
        if node in self.nodes:
            self.nodes.remove(node)
        self._owed_places.pop(node, None)
        self._visits.drop_node(node)
        self._notices.append(Detached(node, code, sentence))

    def _moved(self, message: wire.Message) -> None:
        node, path = self._definitions.nodes.get(message.node), message.text(Tag.PATH)
        if node is not None and path is not None:
            old_path, node.declaration.path = node.path, path
            self._notices.append(Moved(node, old_path))

    def _visit(self, message: wire.Message) -> None:
        visit = self._arrivals.arrived(message, self.nodes)
        if visit is not None:
            self._visits.arrived(visit)

    def _cancelled(self, message: wire.Message) -> None:
        node = self._definitions.nodes.get(message.node)
        if node is not None:
            self._visits.cancelled(node, message.id)

    def _environment(self, message: wire.Message) -> None:
        node = self._definitions.nodes.get(message.node)
        if node is not None:
            changes = node.update(message)
            self._notices.append(EnvironmentChanged(node, changes, message.code == 1))

    def _settled(self, message: wire.Message) -> None:
        identifier = message.first(Tag.EVENT_ID)
        if identifier is None:
            self._raises.settled(message)
            return
        event_id = EventID.decoded(identifier)
        origin = message.text(Tag.ORIGIN)
        node = next((node for node in self.nodes if node.path == origin), None)
        self._notices.append(OutcomeInherited(
            node, event_id, message.text(Tag.NAME) or "",
            Outcome.of_message(message, event_id, self.path_of)))

    def _beat(self, message: wire.Message) -> None:
        self._send(wire.Message(
            Command.BEAT, id=message.id, sequence=self._raises.outcomes_received))

    def _violation(self, message: wire.Message) -> None:
        sentence = message.text(Tag.SENTENCE) or ""
        if message.code in RESUMABLE_VIOLATIONS and self.state is not State.LEAVING:
            self._notices.append(Reconnect(message.code, sentence))
        else:
            self._end(message.code, sentence)

    # Common parts.

    def _begin_numbers(self) -> None:
        self._definitions = Definitions()
        self._arrivals = Arrivals(self._definitions, self._clock)

    def _send(self, message: wire.Message) -> None:
        self._frames.append(wire.encode(message))

    def _attaching(self, nodes: list[NodeRecord], *, is_reattach: bool = False) -> Request:
        return requests.attaching(nodes, list(self._names), is_reattach=is_reattach)

    def _return_places(self, node: NodeRecord, count: int) -> None:
        self._owed_places[node] = self._owed_places.get(node, 0) + count

    def _end(self, code: int, sentence: str) -> None:
        self.state = State.OVER
        self._visits.drop_all()
        self._requests.abandon(code, sentence)
        for raised in self._raises.abandon():
            self._notices.append(RaiseRefused(raised, code, sentence))
        for node in self.nodes:
            node.is_attached = False
            node.number = None
        self._notices.append(Over(code, sentence))


_HANDLERS: dict[int, Callable[[Session, wire.Message], None]] = {
    Command.WELCOME: Session._welcome,
    Command.ATTACHED: Session._attached,
    Command.REFUSED: Session._refused,
    Command.DONE: Session._done,
    Command.ANSWER: Session._done,
    Command.DETACHED: Session._detached,
    Command.MOVED: Session._moved,
    Command.DEFINE: lambda session, message: session._definitions.define(message),
    Command.ITINERARY: lambda session, message: session._arrivals.took_itinerary(message),
    Command.VISIT: Session._visit,
    Command.DELIVERY: Session._visit,
    Command.CANCEL: Session._cancelled,
    Command.ENVIRONMENT: Session._environment,
    Command.OUTCOME: lambda session, message: session._raises.ended(message),
    Command.ACCEPTED: lambda session, message: session._raises.accepted(message.sequence),
    Command.SETTLED: Session._settled,
    Command.CREDIT: lambda session, message: session._raises.credited(message.code),
    Command.BEAT: Session._beat,
    Command.VIOLATION: Session._violation,
}
