# SPDX-License-Identifier: Apache-2.0
"""The requests of a session that wait to be sent, and those that wait for their answers."""

from __future__ import annotations

from typing import Callable

from . import wire
from .notices import Notice, RequestDone, RequestRefused
from .records import Request
from .vocabulary import Command, ErrorCode


class Requests:
    """All requests of one session that have not been answered."""

    def __init__(
        self, send: Callable[[wire.Message], None], notify: Callable[[Notice], None]
    ) -> None:
        self._send = send
        self._notify = notify
        self._waiting: list[Request] = []
        self._asked: dict[int, Request] = {}
        self._last_number = 0

    @property
    def is_attaching(self) -> bool:
        """Whether an `attach` waits for its answer."""
        return any(request.command == Command.ATTACH for request in self._asked.values())

    def add(self, request: Request) -> None:
        """Appends a request to those that wait to be sent."""
        self._waiting.append(request)

    def put_first(self, requests: list[Request]) -> None:
        """Puts requests in front of those that wait to be sent."""
        self._waiting[0:0] = requests

    def next_reattach(self) -> Request | None:
        """Removes and returns the first waiting request if it attaches a node again."""
        if self._waiting and self._waiting[0].is_reattach:
            return self._waiting.pop(0)
        return None

    def flush(self) -> None:
        """Sends what may be sent now.

        Behind an `attach` everything waits for its answer: until then the daemon may give the number
        of a node to another node. The edits of one node wait for each other, because each begins
        with the declaration that the one before has left.
        """
        while not self.is_attaching:
            request = next((request for request in self._waiting
                            if request.edit is None or request.node is None
                            or not request.node.is_editing), None)
            if request is None:
                return
            self._waiting.remove(request)
            self.ask(request)

    def ask(self, request: Request) -> None:
        """Sends a request at once, under a new number."""
        self._last_number += 1
        request.number = self._last_number
        message = request.build(request.number)
        if message is None:
            path = "" if request.node is None else request.node.path
            self._notify(RequestRefused(
                request, ErrorCode.NO_SUCH_NODE, f"the node {path} is not attached"))
            return
        self._asked[request.number] = request
        if request.node is not None and request.edit is not None:
            request.node.is_editing = True
        self._send(message)

    def answered(self, number: int) -> Request | None:
        """Removes and returns the request with that number."""
        request = self._asked.pop(number, None)
        if request is not None and request.node is not None and request.edit is not None:
            request.node.is_editing = False
        return request

    def done(self, message: wire.Message) -> Request | None:
        """Takes a `done` or `answer`; makes the edit that the daemon has confirmed."""
        request = self.answered(message.id)
        if request is None:
            return None
        node = request.node
        if node is not None and request.edit is not None:
            edited = node.declaration.copy()
            request.edit(edited)
            edited.path = node.path
            node.declaration = edited
            node.forget_unwatched()
        self._notify(RequestDone(request, message))
        return request

    def disconnected(self) -> None:
        """Ends a connection: what has no answer is asked again, under a new number."""
        unanswered = [*self._asked.values(), *self._waiting]
        self._asked.clear()
        self._waiting = [request for request in unanswered if not request.is_reattach]
        for request in self._waiting:
            if request.node is not None:
                request.node.is_editing = False

    def abandon(self, code: int, sentence: str) -> None:
        """Refuses everything, because the session has ended."""
        unanswered = [*self._asked.values(), *self._waiting]
        self._asked.clear()
        self._waiting.clear()
        for request in unanswered:
            self._notify(RequestRefused(request, code, sentence))
