# SPDX-License-Identifier: Apache-2.0
"""The bus: one session with the daemon on asyncio, which resumes by itself."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from types import TracebackType
from typing import Any, Mapping, TypeVar

import zmq.asyncio

from . import requests, wire
from .connection import Backoff, Connection, ConnectionBroken
from .declaration import NO_VALUE, Declaration, Setting
from .dispatch import Dispatcher
from .endpoint import Keys, default_endpoint, default_keys
from .errors import BusClosed, BusUnavailable, CascadeError, SessionEnded
from .names import ROOT, checked_name, checked_path
from .node import Node
from .raising import Raise
from .records import NodeRecord, Request
from .session import Session, State
from .upward import Raiser, Ticket
from .vocabulary import Query, Tag

T = TypeVar("T")

#: Seconds that a daemon may take to accept a connection, and to answer the greeting.
_GREETING = 30.0
#: Seconds between two looks at the silence of a connection.
_LOOK = 5.0

_log = logging.getLogger("cascade_bus")


class Outside(Raiser):
    """A place in the tree from which events are raised from outside: no node of this process."""

    def __init__(self, bus: Bus, path: str) -> None:
        self._bus = bus
        self._path = checked_path(path)

    def _raising_node(self) -> NodeRecord | None:
        return None

    def _raising_path(self) -> str | None:
        return self._path

    async def set(self, values: Mapping[str, Any]) -> None:
        """Sets values that the bus keeps at this path until a peer removes them."""
        await self._bus.ask(requests.setting_outside(self._path, {
            key: Setting(value) for key, value in values.items()}))

    async def unset(self, *keys: str) -> None:
        """Removes values that were set from outside at this path."""
        await self._bus.ask(requests.setting_outside(self._path, {
            key: Setting(NO_VALUE) for key in keys}))


class Bus(Outside):
    """A connection to a bus. What it raises itself comes from outside, at the root."""

    def __init__(
        self, endpoint: str | None = None, *, program: str | None = None,
        timeout: float | None = 10.0, leave_timeout: float = 10.0, keys: Keys | None = None,
    ) -> None:
        super().__init__(self, ROOT)
        self.endpoint = endpoint or default_endpoint()
        self._keys = keys or (default_keys() if self.endpoint.startswith("tcp:") else None)
        self._timeout = timeout
        self._leave_timeout = leave_timeout
        self._session = Session(program or os.path.basename(sys.argv[0] or "python"), os.getpid())
        self._dispatcher = Dispatcher(self._session, self.pump)
        self._connection: Connection | None = None
        self._main: asyncio.Task[None] | None = None
        self._last_received = 0.0

    @classmethod
    def connect(
        cls, endpoint: str | None = None, *, program: str | None = None,
        timeout: float | None = 10.0, leave_timeout: float = 10.0, keys: Keys | None = None,
    ) -> Bus:
        """Returns a bus for `async with`, which connects and finally leaves.

        Without an endpoint it is the bus that `CASCADE_BUS` names, otherwise the user's, otherwise
        the system's. `timeout` bounds the first connecting, in seconds; None waits for a daemon for
        ever. `leave_timeout` bounds the wait for visits at hand when the bus is left.
        """
        return cls(
            endpoint, program=program, timeout=timeout, leave_timeout=leave_timeout, keys=keys)

    async def __aenter__(self) -> Bus:
        self._main = asyncio.get_running_loop().create_task(self._keep_connected())
        opened = asyncio.ensure_future(self._dispatcher.opened.wait())
        try:
            await asyncio.wait(
                (opened, self._main), timeout=self._timeout, return_when=asyncio.FIRST_COMPLETED)
            if not self._dispatcher.opened.is_set():
                self._dispatcher.raise_if_over()
                raise BusUnavailable(
                    f"no bus answers at {self.endpoint}; start one with 'cascaded --user', or "
                    "name another one in CASCADE_BUS")
        except BaseException:
            await self._stop()
            raise
        finally:
            opened.cancel()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Leaves with all nodes when their visits at hand are answered, and disconnects."""
        try:
            if self._session.state is not State.OVER:
                self._session.leave()
                self.pump()
                await asyncio.wait((self._dispatcher.over,), timeout=self._leave_timeout)
        finally:
            await self._stop()

    async def run(self) -> None:
        """Serves until SIGTERM or SIGINT, or until the session has ended.

        Raises `SessionEnded` if the daemon has ended the session.
        """
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        stopped = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait(
                (stopped, self._dispatcher.over), return_when=asyncio.FIRST_COMPLETED)
            self._dispatcher.raise_if_over()
        finally:
            stopped.cancel()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)

    # The bus.

    @property
    def session_id(self) -> bytes:
        """The public ID of the session: 16 bytes."""
        return self._session.id

    @property
    def name(self) -> str:
        """The name of the bus, for display."""
        return self._session.bus_name

    @property
    def release(self) -> str:
        """The release of the daemon, for display."""
        return self._session.release

    @property
    def limits(self) -> Mapping[str, int]:
        """The limits of the bus."""
        return dict(self._session.limits)

    @property
    def is_connected(self) -> bool:
        """Whether the session is on the bus at the moment; it resumes by itself."""
        return self._session.state in (State.OPEN, State.LEAVING)

    async def wait_resumed(self) -> None:
        """Waits until the session is on the bus again, with its nodes."""
        await self._dispatcher.opened.wait()

    async def wait_disconnected(self) -> None:
        """Waits until the session is not on the bus, because the daemon has stopped or gone."""
        await self._dispatcher.closed.wait()

    def outside(self, path: str) -> Outside:
        """Returns a path of the tree, to raise events there as a child of it would."""
        return Outside(self, path)

    # Nodes.

    def node(self, path: str, **options: Any) -> Node:
        """Returns a node that is not attached yet, to declare its responders first.

        The options are the members of `Declaration`.
        """
        return Node(self, Declaration(path, **options))

    async def attach(self, node: Node | str, **options: Any) -> Node:
        """Attaches a node, or a new one at that path, and returns it. Raises `Refused`."""
        if isinstance(node, str):
            node = self.node(node, **options)
        elif options:
            raise TypeError("options belong to the node; give them to Bus.node")
        await self.attach_all(node)
        return node

    async def attach_all(self, *nodes: Node) -> None:
        """Attaches several nodes in one step, all or none. Raises `Refused`."""
        for node in nodes:
            if node._record is not None:
                raise ValueError(f"the node {node.path} is attached already")
        request = self._session.attach([node._declaration.copy() for node in nodes])
        for node, record in zip(nodes, request.nodes):
            node._attaching(record)
        try:
            await self.ask(request, is_new=False)
        except BaseException as error:
            for node in nodes:
                node._record = None
            if isinstance(error, asyncio.CancelledError):
                # The daemon may attach them nevertheless.
                for record in request.nodes:
                    self._session.ask(requests.leaving(record))
                self.pump()
            raise
        # A snapshot comes for each node that watches, before its first visit.
        for node in nodes:
            if node._current.watches:
                await node._snapshot.wait()

    # Inspecting.

    async def query(
        self, query: Query, *, path: str | None = None, name: str | None = None,
        fields: list[tuple[int, bytes]] | None = None,
    ) -> wire.Message:
        """Sends a query and returns the answer's message; `document` decodes most of them."""
        all_fields = list(fields or ())
        if path is not None:
            all_fields.append((Tag.PATH, wire.text(checked_path(path))))
        if name is not None:
            all_fields.append((Tag.NAME, wire.text(checked_name(name))))
        return await self.ask(requests.querying(query, all_fields))

    async def document(self, query: Query, **options: Any) -> Any:
        """Sends a query that is answered by a JSON document, and returns its value."""
        answer = await self.query(query, **options)
        return json.loads(answer.first(Tag.DOCUMENT) or b"null")

    # For nodes.

    async def ask(self, request: Request, *, is_new: bool = True) -> wire.Message:
        """Sends a request and returns its answer. Raises `Refused`."""
        answered: asyncio.Future[wire.Message] = asyncio.get_running_loop().create_future()
        request.context = answered
        self._require_open()
        if is_new:
            self._session.ask(request)
        self.pump()
        return await answered

    def raise_(self, raised: Raise) -> Ticket:
        """Triggers or publishes, and returns what the caller can wait for."""
        ticket = Ticket()
        raised.context = ticket
        self._require_open()
        self._session.raise_(raised)
        self.pump()
        return ticket

    async def wait(self, raised: Raise, future: asyncio.Future[T]) -> T:
        """Waits for what becomes of an event; when the caller gives up, so does the session."""
        try:
            return await future
        except asyncio.CancelledError:
            self._session.cancel(raised)
            self.pump()
            raise

    def pump(self) -> None:
        """Acts on the session's notices, and sends its frames.

        The frames leave before any responder runs: a visit is accepted before it has an effect.
        """
        self._dispatcher.dispatch()
        if self._dispatcher.must_disconnect and self._connection is not None:
            self._connection.fail()
        frames = self._session.take_frames()
        if frames and self._connection is not None:
            self._connection.send(frames)

    def _require_open(self) -> None:
        if self._main is None:
            raise BusClosed("the bus is not connected; use it in 'async with Bus.connect()'")
        self._dispatcher.raise_if_over()

    # The connection.

    async def _keep_connected(self) -> None:
        context, backoff = zmq.asyncio.Context(), Backoff()
        loop, is_silent = asyncio.get_running_loop(), False
        try:
            while self._session.state is not State.OVER:
                self._dispatcher.must_disconnect = False
                self._connection = Connection(context, self.endpoint, self._keys)
                began = loop.time()
                try:
                    await self._connection.open(_GREETING)
                    if self._session.state is State.OVER:
                        break
                    self._session.connected()
                    self.pump()
                    await self._serve(self._connection)
                except ConnectionBroken as error:
                    if not is_silent:
                        _log.info("%s", error)
                    is_silent = True
                finally:
                    self._connection.close()
                    self._connection = None
                if self._session.was_welcomed_here:
                    is_silent = False
                    if loop.time() - began > 1:
                        backoff.reset()
                self._session.disconnected()
                self.pump()
                if self._session.state is not State.OVER:
                    await asyncio.sleep(backoff.next())
        except asyncio.CancelledError:
            raise
        except Exception as error:
            _log.exception("the bus failed")
            self._session.close()
            self._dispatcher.fail(CascadeError(f"the bus failed: {error}"))
            self.pump()
        finally:
            context.destroy(0)

    async def _serve(self, connection: Connection) -> None:
        self._last_received = asyncio.get_running_loop().time()
        reader = asyncio.ensure_future(self._read(connection))
        broken = asyncio.ensure_future(connection.wait_broken())
        try:
            while not (reader.done() or broken.done()):
                await asyncio.wait(
                    (reader, broken), timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED)
                if self._is_silent(connection):
                    raise ConnectionBroken(f"the daemon at {self.endpoint} is silent")
            if reader.done():
                reader.result()
        finally:
            reader.cancel()
            broken.cancel()
            await asyncio.gather(reader, broken, return_exceptions=True)
        if not self._dispatcher.must_disconnect:
            # What the daemon had sent before it ended counts.
            self._received(connection.receive_rest())

    async def _read(self, connection: Connection) -> None:
        while not self._dispatcher.must_disconnect:
            self._received(await connection.receive())

    def _received(self, frames: list[bytes]) -> None:
        self._last_received = asyncio.get_running_loop().time()
        for frame in frames:
            self._session.receive(frame)
        self.pump()

    def _is_silent(self, connection: Connection) -> bool:
        silence = asyncio.get_running_loop().time() - self._last_received
        if self._session.state is State.GREETING:
            return silence > _GREETING
        return not connection.detects_loss and silence > 10 * self._session.beat_interval

    async def _stop(self) -> None:
        self._session.close()
        self._dispatcher.dispatch()
        await self._dispatcher.stop()
        if self._main is not None:
            self._main.cancel()
            await asyncio.gather(self._main, return_exceptions=True)


__all__ = ["Bus", "BusClosed", "Keys", "Outside", "SessionEnded"]
