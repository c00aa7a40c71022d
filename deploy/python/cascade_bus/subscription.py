# SPDX-License-Identifier: Apache-2.0
"""Subscriptions: a decorator for handlers, and an asynchronous iterator of publications."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, AsyncIterator

from .messages import Publication
from .responding import Handler

if TYPE_CHECKING:
    from .node import Node


class Subscription:
    """A node's subscription to one name.

    As a decorator it subscribes a function. As an asynchronous iterator it subscribes for as long as
    the iteration lasts; a publication counts as handled when the loop asks for the next one.
    """

    def __init__(self, node: Node, name: str) -> None:
        self._node = node
        self._name = name

    def __call__(self, handler: Handler) -> Handler:
        self._node._subscribe(self._name, handler)
        return handler

    async def __aiter__(self) -> AsyncIterator[Publication]:
        arrived: asyncio.Queue[tuple[Publication, asyncio.Future[None]]] = asyncio.Queue()

        async def hand_over(publication: Publication) -> None:
            processed = asyncio.get_running_loop().create_future()
            arrived.put_nowait((publication, processed))
            await processed

        self._node._subscribe(self._name, hand_over)
        try:
            await self._node.declared()
            while True:
                publication, processed = await arrived.get()
                try:
                    yield publication
                finally:
                    if not processed.done():
                        processed.set_result(None)
        finally:
            while not arrived.empty():
                _, processed = arrived.get_nowait()
                processed.cancel()
            self._node._unsubscribe(self._name, hand_over)
