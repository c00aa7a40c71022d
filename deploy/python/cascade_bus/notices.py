# SPDX-License-Identifier: Apache-2.0
"""What a session reports to its program: one class for each kind of notice.

The session appends notices in the order in which the program has to act on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

from .outcome import Outcome
from .wire import Message

if TYPE_CHECKING:
    from .names import EventID
    from .raising import Raise
    from .session import NodeRecord, Request
    from .visiting import Run


@dataclass(frozen=True, slots=True)
class Opened:
    """The session is on the bus, with all its nodes attached."""

    is_resumed: bool


@dataclass(frozen=True, slots=True)
class Reconnect:
    """The connection is of no use any more: close it, and open another one."""

    code: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Over:
    """The session has ended; `code` is the violation's number, 0 after leaving."""

    code: int = 0
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class RequestDone:
    """The daemon has carried out a request; `answer` is its message."""

    request: Request
    answer: Message


@dataclass(frozen=True, slots=True)
class RequestRefused:
    """The daemon, or the session itself, has refused a request."""

    request: Request
    code: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Sent:
    """An unacknowledged event or publication has been sent, which ends it."""

    raised: Raise


@dataclass(frozen=True, slots=True)
class Accepted:
    """A durable event is on the daemon's disk."""

    raised: Raise


@dataclass(frozen=True, slots=True)
class Ended:
    """An event or publication has ended."""

    raised: Raise
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class RaiseRefused:
    """An event or publication was refused, and had no effect."""

    raised: Raise
    code: int
    sentence: str


@dataclass(frozen=True, slots=True)
class OutcomeInherited:
    """A durable event of an earlier session has ended; acknowledge it when it is processed."""

    node: NodeRecord | None
    event_id: EventID
    name: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A responder is to run; report its verdict by `Session.responded`."""

    run: Run


@dataclass(frozen=True, slots=True)
class RunCancelled:
    """The requester no longer waits for this run; its verdict is still due."""

    run: Run


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A watched value or preference that has changed; `NO_VALUE` where there is none."""

    key: str
    old: Any
    new: Any
    is_preference: bool = False


@dataclass(frozen=True, slots=True)
class EnvironmentChanged:
    """Watched values of a node have changed, or are known for the first time."""

    node: NodeRecord
    changes: tuple[ValueChange, ...]
    is_snapshot: bool


@dataclass(frozen=True, slots=True)
class Detached:
    """A node is no longer in the tree; the session does not attach it again."""

    node: NodeRecord
    code: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A node is at another path."""

    node: NodeRecord
    old_path: str


Notice = Union[
    Opened, Reconnect, Over, RequestDone, RequestRefused, Sent, Accepted, Ended, RaiseRefused,
    OutcomeInherited, RunStarted, RunCancelled, EnvironmentChanged, Detached, Moved,
]
