# SPDX-License-Identifier: Apache-2.0
"""The visits and deliveries of a session's nodes, as a state machine without I/O.

Each node works on its visits in the order of their arrival, and on at most `concurrency` of them at
once. A run is one execution of a responder. It outlives the connection on which its visit came: its
result then answers the redelivery.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Callable, Hashable

from . import wire
from .declaration import Responder
from .names import EventID
from .verdict import PASSED, Verdict, VerdictMemory
from .vocabulary import Command, Flag, Lane, VerdictCode

if TYPE_CHECKING:
    from .session import NodeRecord


@dataclass(frozen=True, slots=True)
class Stop:
    """A node and one of its responders; no responder for a delivery."""

    node: NodeRecord
    index: int
    responder: Responder | None


@dataclass(eq=False, slots=True)
class Visit:
    """A visit or delivery that the daemon waits for, with its stops and the current one."""

    message: wire.Message
    stops: list[Stop]
    name: str
    origin: str | None
    event_id: EventID
    deadline: float
    stop: int = 0
    is_accepted: bool = False
    is_cancelled: bool = False
    began: float = 0.0
    run: Run | None = None

    @property
    def is_delivery(self) -> bool:
        """Whether this is a delivery of a publication."""
        return self.message.command == Command.DELIVERY

    @property
    def is_unacknowledged(self) -> bool:
        """Whether the daemon wants credit instead of a verdict."""
        return bool(self.message.flags & Flag.UNACKNOWLEDGED)

    @property
    def is_redelivery(self) -> bool:
        """Whether the node may have received the message before."""
        return bool(self.message.flags & Flag.SENT_AGAIN)

    @property
    def lane(self) -> Lane:
        """The current lane of the message."""
        return Lane.EVENT if self.is_delivery else Lane(self.message.code & 0xFF)

    @property
    def head(self) -> NodeRecord:
        """The node that the daemon counts the visit for."""
        return self.stops[0].node

    @property
    def node(self) -> NodeRecord:
        """The node of the current stop."""
        return self.stops[self.stop].node

    def run_key(self) -> Hashable:
        """Returns what identifies a run: the event, the node, and the responder's place."""
        current = self.stops[self.stop]
        place = self.name if self.is_delivery else current.index
        return (self.event_id, current.node.key, place)


@dataclass(eq=False, slots=True)
class Run:
    """One execution of a responder, and the visits that wait for its result."""

    key: Hashable
    visit: Visit
    stop: Stop
    waiting: list[Visit] = field(default_factory=list)
    is_cancelled: bool = False


@dataclass(eq=False, slots=True)
class NodeQueue:
    """The visits of one node: those that wait for their turn, and those that have begun."""

    waiting: deque[Visit] = field(default_factory=deque)
    active: set[Visit] = field(default_factory=set)
    #: Runs whose visits were dropped; they count until they end.
    orphans: set[Run] = field(default_factory=set)
    processed_unacknowledged: int = 0


class Visits:
    """All visits and deliveries of one session."""

    def __init__(
        self,
        send: Callable[[wire.Message], None],
        return_places: Callable[[NodeRecord, int], None],
        start: Callable[[Run], None],
        cancel: Callable[[Run], None],
        clock: Callable[[], float],
        memory: VerdictMemory | None = None,
    ) -> None:
        self._send = send
        self._return_places = return_places
        self._start = start
        self._cancel = cancel
        self._clock = clock
        self._memory = memory or VerdictMemory()
        self._queues: dict[int, NodeQueue] = {}
        self._runs: dict[Hashable, Run] = {}
        self._running: set[Run] = set()
        self._live: dict[tuple[int, int], Visit] = {}
        self._ready: deque[NodeRecord] = deque()
        self._is_draining = False

    def arrived(self, visit: Visit) -> None:
        """Queues a visit or delivery at its node."""
        self._live[visit.head.key, visit.message.id] = visit
        self._queue(visit.node).waiting.append(visit)
        self._advance_later(visit.node)

    def cancelled(self, node: NodeRecord, delivery: int) -> None:
        """Cancels a visit about a request; one that has ended, or never came, is ignored."""
        visit = self._live.get((node.key, delivery))
        if visit is None or visit.is_cancelled:
            return
        visit.is_cancelled = True
        if visit.run is not None and visit.run.waiting == [visit]:
            visit.run.is_cancelled = True
            self._cancel(visit.run)

    def responded(self, run: Run, verdict: Verdict) -> None:
        """Takes the verdict of a run."""
        if run not in self._running:
            return
        self._running.discard(run)
        if self._runs.get(run.key) is run:
            del self._runs[run.key]
        if not (verdict.code == VerdictCode.PASSED or run.is_cancelled
                or run.visit.is_unacknowledged):
            self._memory.remember(run.key, verdict)
        queue = self._queue(run.stop.node)
        if run in queue.orphans:
            queue.orphans.discard(run)
            self._advance_later(run.stop.node, drain=False)
        waiting, run.waiting = run.waiting, []
        for visit in waiting:
            visit.run = None
            self._answered(visit, verdict)
        self._drain()

    def drop_node(self, node: NodeRecord) -> None:
        """Drops the visits of a detached node; its runs go on, and answer nothing."""
        for visit in [visit for visit in self._live.values() if visit.head is node]:
            self._drop(visit)
        queue = self._queue(node)
        # An itinerary of another node that has come as far as this one passes it.
        passing = [visit for visit in queue.waiting if visit.head is not node]
        queue.waiting.clear()
        for visit in passing:
            queue.active.add(visit)
            self._answered(visit, PASSED)
        self._drain()

    def drop_all(self) -> None:
        """Drops all visits, because the connection has ended; the runs go on."""
        for visit in list(self._live.values()):
            self._drop(visit)
        self._ready.clear()
        for queue in self._queues.values():
            queue.processed_unacknowledged = 0

    def _drop(self, visit: Visit) -> None:
        self._live.pop((visit.head.key, visit.message.id), None)
        queue = self._queue(visit.node)
        queue.active.discard(visit)
        if visit in queue.waiting:
            queue.waiting.remove(visit)
        self._ready.append(visit.node)
        run = visit.run
        if run is not None:
            run.waiting.remove(visit)
            visit.run = None
            if not run.waiting:
                queue.orphans.add(run)

    def _queue(self, node: NodeRecord) -> NodeQueue:
        return self._queues.setdefault(node.key, NodeQueue())

    def _advance_later(self, node: NodeRecord, *, drain: bool = True) -> None:
        self._ready.append(node)
        if drain:
            self._drain()

    def _drain(self) -> None:
        # One loop instead of recursion: a visit that is answered at once lets the next one begin.
        if self._is_draining:
            return
        self._is_draining = True
        try:
            while self._ready:
                self._advance(self._ready.popleft())
        finally:
            self._is_draining = False

    def _advance(self, node: NodeRecord) -> None:
        queue = self._queue(node)
        while queue.waiting:
            visit = queue.waiting[0]
            is_full = len(queue.active) + len(queue.orphans) >= node.declaration.concurrency
            if is_full and not self._joins_orphan(visit, queue):
                return
            queue.waiting.popleft()
            queue.active.add(visit)
            self._begin(visit)

    def _joins_orphan(self, visit: Visit, queue: NodeQueue) -> bool:
        return visit.is_redelivery and self._runs.get(visit.run_key()) in queue.orphans

    def _begin(self, visit: Visit) -> None:
        if visit.began == 0.0:
            visit.began = self._clock()
        if self._clock() >= visit.deadline and not visit.is_accepted:
            self._finish(visit, Verdict.failed("timedOut", "the deadline passed in the queue"))
            return
        if not (visit.is_accepted or visit.is_cancelled or visit.is_unacknowledged):
            visit.is_accepted = True
            self._send(wire.Message(
                Command.ACCEPT, node=visit.message.node, id=visit.message.id))
        self._step(visit)

    def _step(self, visit: Visit) -> None:
        if visit.is_cancelled:
            self._finish(visit, PASSED)
            return
        current = visit.stops[visit.stop]
        if current.responder is None and not visit.is_delivery:
            self._finish(visit, Verdict.failed(
                "responderFailed", f"no responder {current.index} at {current.node.path}"))
            return
        key = visit.run_key()
        if visit.is_redelivery:
            known = self._memory.recall(key)
            if known is not None:
                self._answered(visit, known)
                return
            run = self._runs.get(key)
            if run is not None:
                self._queue(current.node).orphans.discard(run)
                run.waiting.append(visit)
                visit.run = run
                return
        run = Run(key, visit, current, [visit])
        visit.run = run
        self._runs[key] = run
        self._running.add(run)
        self._start(run)

    def _answered(self, visit: Visit, verdict: Verdict) -> None:
        is_last = visit.stop + 1 == len(visit.stops)
        if verdict.code != VerdictCode.PASSED or is_last or visit.is_cancelled:
            self._finish(visit, verdict)
            return
        node = visit.node
        visit.stop += 1
        if visit.node is node:
            self._step(visit)
            return
        self._queue(node).active.discard(visit)
        self._ready.append(node)
        if visit.node.is_attached:
            self._queue(visit.node).waiting.append(visit)
            self._ready.append(visit.node)
        else:
            self._queue(visit.node).active.add(visit)
            self._answered(visit, PASSED)

    def _finish(self, visit: Visit, verdict: Verdict) -> None:
        node = visit.node
        queue = self._queue(node)
        queue.active.discard(visit)
        self._live.pop((visit.head.key, visit.message.id), None)
        if visit.is_unacknowledged:
            head = self._queue(visit.head)
            head.processed_unacknowledged += 1
            if head.processed_unacknowledged >= max(1, visit.head.declaration.prefetch // 4):
                self._return_places(visit.head, head.processed_unacknowledged)
                head.processed_unacknowledged = 0
        else:
            microseconds = int((self._clock() - visit.began) * 1_000_000)
            self._send(verdict.message(
                visit.message.node, visit.message.id, visit.stop, microseconds))
        self._advance_later(node, drain=False)
        self._drain()
