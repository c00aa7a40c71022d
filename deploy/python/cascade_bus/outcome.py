# SPDX-License-Identifier: Apache-2.0
"""Outcomes of events and publications, and the descriptions of errors in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable, Sequence

from . import wire
from .content import Content
from .names import EventID
from .vocabulary import NO_NODE, Flag, OutcomeCode, ResponderKind, Tag, VerdictCode


@dataclass(frozen=True, slots=True)
class ErrorDescription:
    """An error: its name, its texts for display, where it began, and the errors that led to it."""

    name: str
    message: str | None = None
    title: str | None = None
    node: str | None = None
    causes: tuple[ErrorDescription, ...] = ()

    def __str__(self) -> str:
        text = self.name if self.message is None else f"{self.name}: {self.message}"
        return text if self.node is None else f"{text} (at {self.node})"

    @classmethod
    def of_message(cls, message: wire.Message) -> ErrorDescription | None:
        """Returns the error that a message's fields describe, if they describe one."""
        error = cls._of_fields(message)
        if error is None:
            return None
        causes: list[ErrorDescription] = []
        for value in message.all(Tag.ERROR_CAUSE):
            nested = wire.Message(message.command, fields=wire.decode_fields(value))
            cause = cls._of_fields(nested)
            if cause is not None:
                causes.append(cause)
        return replace(error, causes=tuple(causes))

    @classmethod
    def _of_fields(cls, message: wire.Message) -> ErrorDescription | None:
        name = message.text(Tag.ERROR_NAME)
        if name is None:
            return None
        return cls(
            name,
            message.text(Tag.ERROR_MESSAGE),
            message.text(Tag.ERROR_TITLE),
            message.text(Tag.ERROR_NODE),
        )


#: What stands for a time that the daemon does not know.
_UNKNOWN_TIME = 0xFFFF_FFFF


@dataclass(frozen=True, slots=True)
class TrailVisit:
    """One visit in the trail of an event."""

    path: str
    responder: int
    kind: ResponderKind
    name: str
    verdict: VerdictCode
    microseconds: int
    #: Microseconds from the beginning of the event until the visit was sent; None if unknown.
    at: int | None = None
    #: Microseconds from then until the node accepted it; None if unknown.
    waited: int | None = None

    @classmethod
    def decoded(cls, octets: bytes) -> TrailVisit:
        """Returns the visit in the value of a field `visited`."""
        parts = wire.Parts(octets)
        path, responder, kind, name = (
            parts.string(), parts.number(2), parts.number(1), parts.string())
        verdict, microseconds = parts.number(1), parts.number(4)
        at, waited = cls._times(parts)
        try:
            return cls(
                path, responder, ResponderKind(kind), name, VerdictCode(verdict), microseconds,
                at, waited)
        except ValueError as error:
            raise wire.MalformedMessage(str(error)) from None

    @staticmethod
    def _times(parts: wire.Parts) -> tuple[int | None, int | None]:
        """Reads the times behind the parts about an error, which older daemons do not send."""
        if parts.remaining:
            parts.string(), parts.string()
        if parts.remaining:
            parts.number(1)
        times = [parts.number(4) if parts.remaining else _UNKNOWN_TIME for _ in range(2)]
        at, waited = (None if time == _UNKNOWN_TIME else time for time in times)
        return at, waited


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an event, report, request, cascade or publication ended."""

    code: OutcomeCode
    event_id: EventID | None = None
    #: The path of the node that handled the event, or the error of a caught one.
    by: str | None = None
    #: The place of that node's responder in its list.
    responder: int | None = None
    error: ErrorDescription | None = None
    #: The content of the reply to a request.
    reply: Content | None = None
    #: The subscribers that received a publication, or the nodes where a cascade ran.
    recipients: tuple[str, ...] = ()
    failed_recipients: tuple[str, ...] = ()
    trail: Sequence[TrailVisit] = ()
    #: Visits that the trail leaves out.
    omitted_visits: int = 0
    microseconds: int = 0

    @property
    def succeeded(self) -> bool:
        """Whether the event was handled, delivered or cascaded, or its error caught."""
        return self.code in (
            OutcomeCode.HANDLED, OutcomeCode.DELIVERED, OutcomeCode.CAUGHT, OutcomeCode.CASCADED)

    @property
    def value(self) -> Any:
        """The value of the reply; None without a reply."""
        return None if self.reply is None else self.reply.value

    def __str__(self) -> str:
        words = [self.code.name.lower().replace("_", " ")]
        if self.by is not None:
            words.append(f"by {self.by}")
        if self.error is not None:
            words.append(str(self.error))
        return ", ".join(words)

    @classmethod
    def of_message(
        cls, message: wire.Message, event_id: EventID, path_of: Callable[[int], str | None]
    ) -> Outcome:
        """Returns the outcome in an `outcome` or `settled`; raises `wire.MalformedMessage`.

        `path_of` returns the path of a node's number.
        """
        try:
            code = OutcomeCode(message.code)
        except ValueError:
            raise wire.MalformedMessage(f"an outcome with the code {message.code}") from None
        has_place = code in (OutcomeCode.HANDLED, OutcomeCode.CAUGHT)
        handler = message.text(Tag.HANDLER)
        if handler is None and has_place and message.node != NO_NODE:
            handler = path_of(message.node)
        return cls(
            code,
            event_id,
            by=handler if has_place else None,
            responder=message.index if has_place and handler is not None else None,
            error=ErrorDescription.of_message(message),
            reply=Content.of_message(message) if message.flags & Flag.CARRIES_REPLY else None,
            recipients=tuple(map(wire.decode_text, message.all(Tag.RECIPIENT))),
            failed_recipients=tuple(map(wire.decode_text, message.all(Tag.FAILED_RECIPIENT))),
            trail=tuple(map(TrailVisit.decoded, message.all(Tag.VISITED))),
            omitted_visits=message.number(Tag.OMITTED_VISITS, 4) or 0,
            microseconds=message.time,
        )
