# SPDX-License-Identifier: Apache-2.0
"""Acting on a session's notices: futures get results, and responders run as tasks."""

from __future__ import annotations

import asyncio
import inspect
import logging
from typing import TYPE_CHECKING, Any, Callable

from . import notices
from .errors import BusClosed, CascadeError, NodeDetached, Refused, SessionEnded
from .messages import incoming
from .outcome import Outcome
from .responding import respond
from .session import Session, State
from .verdict import Verdict
from .visiting import Run
from .wire import MalformedMessage

if TYPE_CHECKING:
    from .node import Node
    from .upward import Ticket

_log = logging.getLogger("cascade_bus")


class Dispatcher:
    """Hands the notices of a session to the program."""

    def __init__(self, session: Session, pump: Callable[[], None]) -> None:
        self._session = session
        self._pump = pump
        self._runs: dict[Run, asyncio.Task[Verdict]] = {}
        self._others: set[asyncio.Task[None]] = set()
        self._error: CascadeError | None = None
        self.opened = asyncio.Event()
        self.closed = asyncio.Event()
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        #: Whether the connection is of no use to the session any more.
        self.must_disconnect = False

    def dispatch(self) -> None:
        """Acts on all notices, in order."""
        while True:
            pending = self._session.take_notices()
            if not pending:
                break
            for notice in pending:
                _ACTIONS[type(notice)](self, notice)
        if self._session.state in (State.CLOSED, State.OVER):
            self.opened.clear()
            self.closed.set()

    def raise_if_over(self) -> None:
        """Raises what ended the session, if it has ended."""
        if self._error is not None:
            raise self._error
        if self._session.state is State.OVER:
            raise BusClosed("the bus was closed")

    def fail(self, error: CascadeError) -> None:
        """Ends the session for an error of this side."""
        self._error = self._error or error

    async def stop(self) -> None:
        """Cancels the responders that still run."""
        tasks: list[asyncio.Task[Any]] = [*self._runs.values(), *self._others]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _is_open(self, notice: notices.Opened) -> None:
        self.closed.clear()
        self.opened.set()
        if notice.is_resumed:
            _log.info("the session is on the bus again")

    def _reconnects(self, notice: notices.Reconnect) -> None:
        _log.warning("the connection ends: %s", notice.sentence)
        self.must_disconnect = True

    def _is_over(self, notice: notices.Over) -> None:
        self.must_disconnect = True
        if notice.code and self._error is None:
            self._error = SessionEnded(notice.code, notice.sentence)
        if not self.over.done():
            self.over.set_result(None)

    def _request_done(self, notice: notices.RequestDone) -> None:
        future: asyncio.Future[Any] | None = notice.request.context
        if future is not None and not future.done():
            future.set_result(notice.answer)

    def _request_refused(self, notice: notices.RequestRefused) -> None:
        future: asyncio.Future[Any] | None = notice.request.context
        if future is not None and not future.done():
            future.set_exception(self._refusal(notice.code, notice.sentence))

    def _was_sent(self, notice: notices.Sent | notices.Accepted) -> None:
        ticket: Ticket | None = notice.raised.context
        if ticket is not None and not ticket.started.done():
            ticket.started.set_result(None)

    def _ended(self, notice: notices.Ended) -> None:
        ticket: Ticket | None = notice.raised.context
        if ticket is None:
            return
        if not ticket.started.done():
            ticket.started.set_result(None)
        if not ticket.outcome.done():
            ticket.outcome.set_result(notice.outcome)

    def _raise_refused(self, notice: notices.RaiseRefused) -> None:
        ticket: Ticket | None = notice.raised.context
        if ticket is not None:
            ticket.fail(self._refusal(notice.code, notice.sentence))

    def _refusal(self, code: int, sentence: str) -> CascadeError:
        if self._session.state is not State.OVER:
            return Refused(code, sentence)
        return SessionEnded(code, sentence) if code else BusClosed(sentence)

    def _run_started(self, notice: notices.RunStarted) -> None:
        run = notice.run
        task = asyncio.get_running_loop().create_task(
            self._verdict(run), name=f"{run.stop.node.path} {run.visit.name}")
        self._runs[run] = task
        # A task that is cancelled before its first step has no other way to report its end.
        task.add_done_callback(lambda task: self._run_ended(run, task))

    def _run_ended(self, run: Run, task: asyncio.Task[Verdict]) -> None:
        del self._runs[run]
        if task.cancelled():
            verdict = Verdict.failed("cancelled", "the responder was cancelled")
        elif task.exception() is not None:
            _log.error("a responder failed", exc_info=task.exception())
            verdict = Verdict.failed("responderFailed", str(task.exception()))
        else:
            verdict = task.result()
        self._session.responded(run, verdict)
        self._pump()

    async def _verdict(self, run: Run) -> Verdict:
        node: Node = run.stop.node.context
        try:
            message = incoming(run.visit, run.stop)
        except MalformedMessage as error:
            return Verdict.failed("responderFailed", f"an unreadable message: {error}")
        responder = run.stop.responder
        if responder is not None:
            handler, replacement_name = responder.handler
            return await respond(handler, message, responder.kind, replacement_name)
        subscriber = node._subscribers.get(run.visit.name)
        if subscriber is None:
            return Verdict.failed("responderFailed", f"no subscription to {run.visit.name}")
        return await respond(subscriber, message, None, None)

    def _run_cancelled(self, notice: notices.RunCancelled) -> None:
        task = self._runs.get(notice.run)
        if task is not None:
            task.cancel()

    def _environment_changed(self, notice: notices.EnvironmentChanged) -> None:
        node: Node | None = notice.node.context
        if node is not None:
            node._environment_changed(notice)

    def _detached(self, notice: notices.Detached) -> None:
        node: Node | None = notice.node.context
        if node is not None:
            node._was_detached(notice.node, NodeDetached(notice.node.path, notice.code, notice.sentence))

    def _moved(self, notice: notices.Moved) -> None:
        _log.info("the node %s is at %s now", notice.old_path, notice.node.path)

    def _outcome_inherited(self, notice: notices.OutcomeInherited) -> None:
        node: Node | None = None if notice.node is None else notice.node.context
        handler = None if node is None else node._outcome_handler
        if handler is None:
            # Not confirmed: the daemon keeps it for a session that asks for it.
            return
        task = asyncio.get_running_loop().create_task(self._inherit(handler, notice))
        self._others.add(task)
        task.add_done_callback(self._others.discard)

    async def _inherit(
        self, handler: Callable[[Any, str, Outcome], Any], notice: notices.OutcomeInherited
    ) -> None:
        try:
            result = handler(notice.event_id, notice.name, notice.outcome)
            if inspect.isawaitable(result):
                await result
        except Exception:
            _log.exception("the handler of the outcome of %s failed", notice.event_id)
            return
        self._session.processed(notice.event_id)
        self._pump()


_ACTIONS: dict[type, Callable[[Dispatcher, Any], None]] = {
    notices.Opened: Dispatcher._is_open,
    notices.Reconnect: Dispatcher._reconnects,
    notices.Over: Dispatcher._is_over,
    notices.RequestDone: Dispatcher._request_done,
    notices.RequestRefused: Dispatcher._request_refused,
    notices.Sent: Dispatcher._was_sent,
    notices.Accepted: Dispatcher._was_sent,
    notices.Ended: Dispatcher._ended,
    notices.RaiseRefused: Dispatcher._raise_refused,
    notices.RunStarted: Dispatcher._run_started,
    notices.RunCancelled: Dispatcher._run_cancelled,
    notices.EnvironmentChanged: Dispatcher._environment_changed,
    notices.Detached: Dispatcher._detached,
    notices.Moved: Dispatcher._moved,
    notices.OutcomeInherited: Dispatcher._outcome_inherited,
}
