# SPDX-License-Identifier: Apache-2.0
"""The values that a node watches: its environment, and the preferences of its subtree."""

from __future__ import annotations

import asyncio
import inspect
import logging
from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Union

from .notices import ValueChange

if TYPE_CHECKING:
    from .node import Node

ChangeHandler = Callable[[ValueChange], Union[None, Awaitable[None]]]

_log = logging.getLogger("cascade_bus")


class Watched(Mapping[str, Any]):
    """The current values of watched keys, updated before the visits and deliveries behind a change."""

    def __init__(self, node: Node, *, is_preferences: bool) -> None:
        self._node = node
        self._is_preferences = is_preferences
        self._handlers: list[tuple[str | None, ChangeHandler]] = []
        self._queues: list[asyncio.Queue[ValueChange]] = []
        self._running: set[asyncio.Task[None]] = set()

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(dict(self._values))

    def __len__(self) -> int:
        return len(self._values)

    async def watch(self, *keys: str) -> None:
        """Watches keys; returns when their values are known."""
        if self._is_preferences:
            await self._node._watch((), keys)
        else:
            await self._node._watch(keys, ())

    def on_change(self, key: str | None = None) -> Callable[[ChangeHandler], ChangeHandler]:
        """Calls the decorated function with each change of a watched key, or of all."""

        def register(handler: ChangeHandler) -> ChangeHandler:
            self._handlers.append((key, handler))
            return handler

        return register

    async def changes(self, *keys: str) -> AsyncIterator[ValueChange]:
        """Yields the changes of watched keys, of all if none is given, from now on."""
        queue: asyncio.Queue[ValueChange] = asyncio.Queue()
        self._queues.append(queue)
        try:
            while True:
                change = await queue.get()
                if not keys or change.key in keys:
                    yield change
        finally:
            self._queues.remove(queue)

    async def wait_for(self, key: str, predicate: Callable[[Any], bool]) -> Any:
        """Returns the value of a watched key as soon as the predicate holds for it."""
        queue: asyncio.Queue[ValueChange] = asyncio.Queue()
        self._queues.append(queue)
        try:
            while not (key in self and predicate(self[key])):
                await queue.get()
            return self[key]
        finally:
            self._queues.remove(queue)

    @property
    def _values(self) -> dict[str, Any]:
        record = self._node._record
        if record is None:
            return {}
        return record.preferences if self._is_preferences else record.values

    def _changed(self, change: ValueChange) -> None:
        for queue in self._queues:
            queue.put_nowait(change)
        for key, handler in self._handlers:
            if key is None or key == change.key:
                task = asyncio.get_running_loop().create_task(_call(handler, change))
                self._running.add(task)
                task.add_done_callback(self._running.discard)


async def _call(handler: ChangeHandler, change: ValueChange) -> None:
    try:
        result = handler(change)
        if inspect.isawaitable(result):
            await result
    except Exception:
        _log.exception("the handler of a change of %s failed", change.key)
