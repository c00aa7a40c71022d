# SPDX-License-Identifier: Apache-2.0
"""Workers and inspectors for the message bus Cascade, on asyncio."""

from .bus import Bus, Outside
from .content import Content
from .declaration import NO_VALUE, Declaration
from .endpoint import Keys, default_endpoint
from .errors import (
    BusClosed, BusUnavailable, CascadeError, Failure, InvalidName, NodeDetached, Refused,
    RequestFailed, SessionEnded)
from .messages import Event, Incoming, Publication, Replacement, Reply, ReportedError
from .names import EventID
from .node import Node
from .notices import ValueChange
from .outcome import ErrorDescription, Outcome, TrailVisit
from .upward import DurableEvent
from .vocabulary import Destination, Lane, OutcomeCode, Query, Reducer, ResponderKind, Safety

__version__ = "0.1.0"

__all__ = [
    "Bus", "BusClosed", "BusUnavailable", "CascadeError", "Content", "Declaration", "Destination",
    "DurableEvent", "ErrorDescription", "Event", "EventID", "Failure", "Incoming", "InvalidName",
    "Keys", "Lane", "NO_VALUE", "Node", "NodeDetached", "Outcome", "OutcomeCode", "Outside",
    "Publication", "Query", "Reducer", "Refused", "Replacement", "Reply", "ReportedError",
    "RequestFailed", "ResponderKind", "Safety", "SessionEnded", "TrailVisit", "ValueChange",
    "default_endpoint",
]
