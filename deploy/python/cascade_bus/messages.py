# SPDX-License-Identifier: Apache-2.0
"""What responders and subscribers receive, and what they return."""

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Mapping

from .content import Content
from .names import EventID, checked_name
from .outcome import ErrorDescription
from .verdict import Verdict
from .visiting import Stop, Visit
from .vocabulary import Flag, Lane, Tag, VerdictCode


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message at a responder or subscriber."""

    #: The name of the event, error or publication.
    name: str
    content: Content
    #: The path of the node that raised it.
    origin: str | None
    #: The path of the node that is asked.
    path: str
    #: The same for all visits of the event, and for its redeliveries.
    event_id: EventID
    #: The time of `time.monotonic` at which the deadline passes.
    deadline: float
    #: The number of events and publications that led to this one.
    causes: int
    #: Whether this node may have received the message before.
    is_redelivery: bool
    trace_parent: str | None

    @property
    def payload(self) -> Any:
        """The value of a JSON payload, None without a payload, otherwise the bytes."""
        return self.content.value

    @property
    def attributes(self) -> Mapping[str, str]:
        """The attributes of the message."""
        return self.content.attributes

    @property
    def remaining(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - time.monotonic()


@dataclass(frozen=True, slots=True)
class Event(Incoming):
    """An event, a request or a cascade at a responder."""

    lane: Lane


@dataclass(frozen=True, slots=True)
class ReportedError(Incoming):
    """An error at a responder for errors."""

    #: Its name, message and title, where it began, and the errors that led to it.
    error: ErrorDescription

    @property
    def message(self) -> str | None:
        """The message for display."""
        return self.error.message

    @property
    def title(self) -> str | None:
        """The title for display; an error with one is alertable."""
        return self.error.title


@dataclass(frozen=True, slots=True)
class Publication(Incoming):
    """A publication at a subscriber."""

    #: Whether it was published before the subscriber came.
    is_retained: bool


#: The message that the running task answers: what it raises names that message as its cause.
current_message: ContextVar[Incoming | None] = ContextVar("cascade_message", default=None)


def incoming(visit: Visit, stop: Stop) -> Incoming:
    """Returns what a visit or delivery hands to the program at one of its stops."""
    message = visit.message
    common = (
        visit.name, Content.of_message(message), visit.origin, stop.node.path, visit.event_id,
        visit.deadline, message.code >> 8 & 0xFFFF, visit.is_redelivery,
        message.text(Tag.TRACE_PARENT))
    if visit.is_delivery:
        return Publication(*common, is_retained=bool(message.flags & Flag.RETAINED))
    if visit.lane is Lane.ERROR:
        error = ErrorDescription.of_message(message) or ErrorDescription(visit.name)
        return ReportedError(*common, error=error)
    return Event(*common, lane=visit.lane)


@dataclass(frozen=True, slots=True)
class Replacement:
    """What `transform`, `transform_error` and `catch` put in the place of an event or error.

    Without a name the replaced event or error keeps its own. `message` and `title` are for
    `transform_error` alone.
    """

    payload: Any = None
    name: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    content_type: str | None = None
    message: str | None = None
    title: str | None = None

    def verdict(self, default_name: str) -> Verdict:
        """Returns the verdict that replaces."""
        return Verdict(
            VerdictCode.REPLACED, checked_name(self.name or default_name),
            Content.of(self.payload, self.attributes, self.content_type),
            error_message=self.message, error_title=self.title)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply to a request that states its content type, or that is JSON's null or empty."""

    payload: Any = None
    content_type: str | None = None

    def verdict(self) -> Verdict:
        """Returns the verdict that answers."""
        if self.payload is None and self.content_type is None:
            return Verdict(VerdictCode.ANSWERED, content=Content(b"null"))
        return Verdict(VerdictCode.ANSWERED, content=Content.of(
            self.payload, content_type=self.content_type))
