# SPDX-License-Identifier: Apache-2.0
"""The triggers and publications of a session, as a state machine without I/O.

Each takes a credit when it is sent, and keeps its sequence number until its outcome has come, across
connections and restarts of the daemon.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable

from . import wire
from .names import EventID
from .notices import Accepted, Ended, Notice, RaiseRefused, Sent
from .outcome import Outcome
from .vocabulary import NO_NODE, Command, ErrorCode, Flag, Lane, Tag

if TYPE_CHECKING:
    from .session import NodeRecord


@dataclass(eq=False, slots=True)
class Raise:
    """A trigger or publication of this session."""

    command: Command
    name: str
    #: The node that raises it; None raises it from outside, at `origin`.
    node: NodeRecord | None
    origin: str | None = None
    flags: int = 0
    #: Lane or destination in the lowest byte, and the count of causes above it.
    code: int = 0
    milliseconds: int = 0
    fields: list[tuple[int, bytes]] = field(default_factory=list)
    payload: bytes = b""
    #: For the program; the session does not read it.
    context: Any = None
    sequence: int = 0
    is_sent: bool = False
    is_cancelled: bool = False

    @property
    def is_request(self) -> bool:
        """Whether this is a request."""
        return self.command == Command.TRIGGER and self.code & 0xFF == Lane.REQUEST

    @property
    def is_unacknowledged(self) -> bool:
        """Whether no outcome comes."""
        return bool(self.flags & Flag.UNACKNOWLEDGED)


class Raises:
    """All triggers and publications of one session that have not ended."""

    def __init__(
        self,
        session_id: bytes,
        send: Callable[[wire.Message], None],
        notify: Callable[[Notice], None],
        name_number: Callable[[str], int],
        path_of: Callable[[int], str | None],
    ) -> None:
        self._session_id = session_id
        self._send = send
        self._notify = notify
        self._name_number = name_number
        self._path_of = path_of
        self._waiting: deque[Raise] = deque()
        self._resending: deque[Raise] = deque()
        self._under_way: dict[int, Raise] = {}
        self._accepted: dict[int, Raise] = {}
        self._last_sequence = 0
        self._credit = 0
        self._granted = 0
        self.message_bytes = 0
        #: The number of outcomes received on this connection, for `trigger`, `publish` and `beat`.
        self.outcomes_received = 0

    def __len__(self) -> int:
        return len(self._waiting) + len(self._under_way) + len(self._accepted)

    @property
    def credit(self) -> int:
        """The number of triggers and publications that may be sent now."""
        return self._credit

    def add(self, raised: Raise) -> None:
        """Appends a trigger or publication to those that wait to be sent."""
        self._waiting.append(raised)

    def connected(self, credit: int, message_bytes: int) -> None:
        """Begins a connection with the credit and the limit of its `welcome`."""
        self._credit = self._granted = credit
        self.message_bytes = message_bytes
        self.outcomes_received = 0

    def disconnected(self) -> None:
        """Ends a connection: what has no outcome is to be sent again, in its old order."""
        self._credit = self._granted = 0
        self._resending.clear()
        for sequence, raised in sorted(self._under_way.items()):
            if raised.is_cancelled:
                del self._under_way[sequence]
                continue
            raised.is_sent = False
            self._resending.append(raised)

    def recall(self) -> None:
        """Asks for the durable events that were accepted on an earlier connection."""
        for sequence in self._accepted:
            self._send(wire.Message(Command.RECALL, sequence=sequence))

    def flush(self) -> None:
        """Sends what the credit allows: first what is to be sent again, then what is new."""
        while self._credit > 0 and self._resending:
            raised = self._resending.popleft()
            if raised.sequence in self._under_way:
                self._send_one(raised, Flag.SENT_AGAIN)
        while self._credit > 0 and self._waiting and not self._resending:
            raised = self._waiting.popleft()
            raised.sequence = self._last_sequence + 1
            if self._send_one(raised, 0):
                self._last_sequence = raised.sequence

    def cancel(self, raised: Raise) -> None:
        """Gives up waiting: forgets what is not sent, and cancels a request that is under way."""
        if raised.is_cancelled:
            return
        if raised in self._waiting:
            self._waiting.remove(raised)
        elif raised.is_request and raised.sequence in self._under_way:
            raised.is_cancelled = True
            if raised.is_sent:
                self._send(wire.Message(Command.CANCEL, sequence=raised.sequence))
            else:
                del self._under_way[raised.sequence]

    def abandon(self) -> list[Raise]:
        """Forgets everything, because the session has ended, and returns it."""
        left = [*self._waiting, *self._under_way.values(), *self._accepted.values()]
        self._waiting.clear()
        self._resending.clear()
        self._under_way.clear()
        self._accepted.clear()
        return left

    def ended(self, message: wire.Message) -> None:
        """Takes an `outcome`."""
        self.outcomes_received += 1
        raised = self._under_way.pop(message.sequence, None)
        if raised is None:
            return
        self._return_credit(raised)
        self._notify(Ended(raised, self._outcome(message)))

    def refused(self, message: wire.Message, sentence: str) -> None:
        """Takes a `refused` of a trigger or publication."""
        raised = self._under_way.pop(message.sequence, None)
        if raised is None:
            # Only an unacknowledged one is unknown here: it is over since it was sent.
            self.credited(1)
            return
        self._return_credit(raised)
        self._notify(RaiseRefused(raised, message.code, sentence))

    def accepted(self, sequence: int) -> None:
        """Takes an `accepted`: the daemon keeps the durable event from now on."""
        raised = self._under_way.pop(sequence, None)
        if raised is None:
            return
        self._return_credit(raised)
        raised.payload, raised.fields = b"", []
        self._accepted[sequence] = raised
        self._notify(Accepted(raised))

    def settled(self, message: wire.Message) -> None:
        """Takes a `settled` of this session, and confirms that it has come."""
        raised = self._accepted.pop(message.sequence, None)
        if raised is None:
            raised = self._under_way.pop(message.sequence, None)
        if raised is not None:
            self._notify(Ended(raised, self._outcome(message)))
        self._send(wire.Message(Command.RECEIVED, sequence=message.sequence))

    def credited(self, count: int) -> None:
        """Takes back credits of unacknowledged triggers and publications."""
        self._credit = min(self._credit + count, self._granted)

    def _outcome(self, message: wire.Message) -> Outcome:
        event_id = EventID(self._session_id, message.sequence)
        return Outcome.of_message(message, event_id, self._path_of)

    def _return_credit(self, raised: Raise) -> None:
        # An outcome that comes before its event was sent again returns no credit: none was taken.
        if raised.is_sent:
            self.credited(1)

    def _send_one(self, raised: Raise, extra_flags: int) -> bool:
        """Sends a trigger or publication; False if it was refused here, without a number."""
        node = NO_NODE
        if raised.node is not None:
            if raised.node.number is None:
                return self._refuse(raised, ErrorCode.NO_SUCH_NODE, (
                    f"the node {raised.node.path} is not attached"))
            node = raised.node.number
        name = self._name_number(raised.name)
        fields = list(raised.fields)
        if name == 0:
            fields.insert(0, (Tag.NAME, wire.text(raised.name)))
        if raised.node is None:
            fields.append((Tag.ORIGIN, wire.text(raised.origin or "/")))
        addressed = (Tag.NAME, Tag.ORIGIN, Tag.CAUSE, Tag.HOLD, Tag.EVENT_ID, Tag.TRACE_PARENT)
        flags = raised.flags | extra_flags
        if any(tag in addressed for tag, _ in fields):
            flags |= Flag.ADDRESSED_IN_FIELDS
        message = wire.Message(
            raised.command, flags, node=node, name=name, id=self.outcomes_received,
            sequence=raised.sequence, time=raised.milliseconds, code=raised.code,
            fields=fields, payload=raised.payload)
        size = wire.HEADER.size + len(raised.payload) + sum(len(value) + 6 for _, value in fields)
        if self.message_bytes and size > self.message_bytes:
            return self._refuse(raised, ErrorCode.LIMIT_REACHED, (
                f"a message of {size} bytes is longer than messageBytes, {self.message_bytes}"))
        self._send(message)
        self._credit -= 1
        raised.is_sent = True
        if raised.is_unacknowledged:
            self._notify(Sent(raised))
        else:
            self._under_way[raised.sequence] = raised
        return True

    def _refuse(self, raised: Raise, code: ErrorCode, sentence: str) -> bool:
        self._under_way.pop(raised.sequence, None)
        self._notify(RaiseRefused(raised, code, sentence))
        return False
