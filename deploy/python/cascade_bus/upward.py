# SPDX-License-Identifier: Apache-2.0
"""The verbs that raise events and publications, for nodes and from outside."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Iterable, Mapping

from . import wire
from .content import Content
from .errors import Failure, RequestFailed
from .messages import current_message
from .names import EventID, checked_name
from .outcome import Outcome
from .raising import Raise
from .vocabulary import Command, Destination, Flag, Lane, OutcomeCode, Tag

if TYPE_CHECKING:
    from .bus import Bus
    from .records import NodeRecord

Attributes = Mapping[str, str]


class Ticket:
    """What the program waits for after it has raised an event or publication."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.started: asyncio.Future[None] = loop.create_future()
        self.outcome: asyncio.Future[Outcome] = loop.create_future()

    def fail(self, error: Exception) -> None:
        """Ends the waiting by an exception."""
        for future in (self.started, self.outcome):
            if not future.done():
                future.set_exception(error)
                # The caller may wait for one of the two only.
                future.exception()


class DurableEvent:
    """A durable event that the daemon has on its disk."""

    def __init__(self, event_id: EventID, outcome: asyncio.Future[Outcome]) -> None:
        self.event_id = event_id
        self._outcome = outcome

    async def outcome(self) -> Outcome:
        """Returns the outcome when the event has ended, which may take as long as it is held."""
        return await asyncio.shield(self._outcome)


class Raiser:
    """Raises events and publications at a place in the tree."""

    _bus: Bus

    def _raising_node(self) -> NodeRecord | None:
        raise NotImplementedError

    def _raising_path(self) -> str | None:
        raise NotImplementedError

    async def trigger(
        self, name: str, payload: Any = None, *, attributes: Attributes | None = None,
        content_type: str | None = None, deadline: float | None = None,
        hold: float | None = None, including_self: bool = False, pass_on_loss: bool = False,
        with_trail: bool = False,
    ) -> Outcome:
        """Triggers an event and returns its outcome.

        The event starts at the parent of this node, or with `including_self` at the node. It is
        held for `hold` seconds if no responder handles it. With `pass_on_loss`, a node that is
        lost while it works on the event is skipped. Raises `Refused`.
        """
        return await self._raise(
            Lane.EVENT, name, Content.of(payload, attributes, content_type), deadline=deadline,
            hold=hold, flags=_flags(including_self, pass_on_loss, with_trail))

    async def trigger_durable(
        self, name: str, payload: Any = None, *, attributes: Attributes | None = None,
        content_type: str | None = None, deadline: float | None = None,
        hold: float | None = None, including_self: bool = False,
    ) -> DurableEvent:
        """Triggers a durable event and returns when the daemon has it on its disk.

        Raises `Refused`, with the name `notDurable` if the daemon has no state directory.
        """
        raised = self._raised(
            Command.TRIGGER, Lane.EVENT, name, Content.of(payload, attributes, content_type),
            deadline=deadline, hold=hold,
            flags=_flags(including_self, False, False) | Flag.DURABLE)
        ticket = self._bus.raise_(raised)
        await self._bus.wait(raised, ticket.started)
        return DurableEvent(EventID(self._bus.session_id, raised.sequence), ticket.outcome)

    async def emit(
        self, name: str, payload: Any = None, *, attributes: Attributes | None = None,
        content_type: str | None = None, including_self: bool = False,
    ) -> None:
        """Triggers an event without an outcome, at most once, and returns when it is sent."""
        raised = self._raised(
            Command.TRIGGER, Lane.EVENT, name, Content.of(payload, attributes, content_type),
            flags=_flags(including_self, False, False) | Flag.UNACKNOWLEDGED)
        await self._bus.wait(raised, self._bus.raise_(raised).started)

    async def report(
        self, error: str | Failure, message: str | None = None, *, title: str | None = None,
        payload: Any = None, attributes: Attributes | None = None,
        content_type: str | None = None, deadline: float | None = None,
        hold: float | None = None, including_self: bool = False, with_trail: bool = False,
    ) -> Outcome:
        """Reports an error and returns its outcome: `failed` if no responder handled it."""
        if isinstance(error, str):
            error = Failure(
                error, message, title=title, payload=payload, attributes=attributes,
                content_type=content_type)
        fields = [(tag, wire.text(text)) for tag, text in (
            (Tag.ERROR_MESSAGE, error.message), (Tag.ERROR_TITLE, error.title),
        ) if text is not None]
        return await self._raise(
            Lane.ERROR, error.name,
            Content.of(error.payload, error.attributes, error.content_type), deadline=deadline,
            hold=hold, flags=_flags(including_self, False, with_trail), fields=fields)

    async def request(
        self, name: str, payload: Any = None, *, attributes: Attributes | None = None,
        content_type: str | None = None, deadline: float | None = None,
        hold: float | None = None, including_self: bool = False,
    ) -> Any:
        """Sends a request and returns the reply's value.

        Raises `RequestFailed` without a reply. Cancelling the call cancels the responder.
        """
        outcome = await self._raise(
            Lane.REQUEST, name, Content.of(payload, attributes, content_type),
            deadline=deadline, hold=hold, flags=_flags(including_self, False, False))
        if outcome.code is not OutcomeCode.HANDLED:
            raise RequestFailed(name, outcome)
        return outcome.value

    async def cascade(
        self, name: str, payload: Any = None, *, attributes: Attributes | None = None,
        content_type: str | None = None, deadline: float | None = None,
        including_self: bool = False, with_trail: bool = False,
    ) -> Outcome:
        """Starts a cascade; `Outcome.recipients` lists the nodes whose responders ran."""
        return await self._raise(
            Lane.CASCADE, name, Content.of(payload, attributes, content_type),
            deadline=deadline, flags=_flags(including_self, False, with_trail))

    async def publish(
        self, name: str, payload: Any = None, *, to: Destination = Destination.LAST,
        retained: bool = False, attributes: Attributes | None = None,
        content_type: str | None = None, deadline: float | None = None,
    ) -> Outcome:
        """Publishes to subscribers at and below this place, and returns the outcome.

        A retained value is also delivered to each later subscriber, once.
        """
        raised = self._raised(
            Command.PUBLISH, to, name, Content.of(payload, attributes, content_type),
            deadline=deadline, flags=Flag.RETAINED if retained else 0)
        return await self._bus.wait(raised, self._bus.raise_(raised).outcome)

    async def publish_unacknowledged(
        self, name: str, payload: Any = None, *, to: Destination = Destination.LAST,
        attributes: Attributes | None = None, content_type: str | None = None,
    ) -> None:
        """Publishes without an outcome, at most once, and returns when the value is sent."""
        raised = self._raised(
            Command.PUBLISH, to, name, Content.of(payload, attributes, content_type),
            flags=Flag.UNACKNOWLEDGED)
        await self._bus.wait(raised, self._bus.raise_(raised).started)

    async def retry(self, event_id: EventID | str) -> Outcome:
        """Raises an undelivered event again, from where it started, and returns its outcome."""
        identifier = EventID.parse(event_id) if isinstance(event_id, str) else event_id
        # Name and lane of such a message are ignored, but the name has to follow the rule.
        return await self._raise(Lane.EVENT, "Retry", Content(), fields=[
            (Tag.EVENT_ID, identifier.encoded())])

    async def _raise(self, lane: Lane, name: str, content: Content, **options: Any) -> Outcome:
        raised = self._raised(Command.TRIGGER, lane, name, content, **options)
        return await self._bus.wait(raised, self._bus.raise_(raised).outcome)

    def _raised(
        self, command: Command, code: int, name: str, content: Content, *,
        deadline: float | None = None, hold: float | None = None, flags: int = 0,
        fields: Iterable[tuple[int, bytes]] = (),
    ) -> Raise:
        all_fields = [*content.fields(), *fields]
        if hold is not None:
            all_fields.append((Tag.HOLD, wire.number(_milliseconds(hold), 4)))
        cause, causes = current_message.get(), 0
        if cause is not None:
            causes = min(cause.causes + 1, 0xFFFF)
            all_fields.append((Tag.CAUSE, cause.event_id.encoded()))
            if cause.trace_parent is not None:
                all_fields.append((Tag.TRACE_PARENT, wire.text(cause.trace_parent)))
        return Raise(
            command, checked_name(name), self._raising_node(), self._raising_path(), flags,
            code | causes << 8, 0 if deadline is None else _milliseconds(deadline), all_fields,
            content.payload)


def _milliseconds(seconds: float) -> int:
    if not 0 <= seconds <= 4_294_967:
        raise ValueError(f"{seconds} s is not between 0 and 4,294,967 s")
    # 0 would stand for the bus's default.
    return max(1, round(seconds * 1000))


def _flags(including_self: bool, pass_on_loss: bool, with_trail: bool) -> int:
    return ((Flag.INCLUDING_SELF if including_self else 0)
            | (Flag.PASS_ON_LOSS if pass_on_loss else 0)
            | (Flag.WANTS_TRAIL if with_trail else 0))
