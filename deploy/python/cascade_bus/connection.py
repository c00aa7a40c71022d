# SPDX-License-Identifier: Apache-2.0
"""One ZeroMQ connection to the daemon.

A connection never reconnects: what ZeroMQ had queued is for the old daemon. The bus opens another one.
"""

from __future__ import annotations

import asyncio
import random

import zmq
import zmq.asyncio
import zmq.utils.monitor

from .endpoint import Keys

#: Frames in one ZeroMQ message at most, as in Cascade's own workers.
FRAMES_PER_MESSAGE = 64

#: Milliseconds that no connection lasts after its end: ZeroMQ never reconnects.
_NEVER = 24 * 3600 * 1000

_ENDS = (
    zmq.EVENT_DISCONNECTED
    | zmq.EVENT_CLOSED
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
)


class ConnectionBroken(Exception):
    """The connection has ended, or could not be made."""


class Connection:
    """One DEALER socket, connected once."""

    def __init__(
        self, context: zmq.asyncio.Context, endpoint: str, keys: Keys | None = None
    ) -> None:
        self._endpoint = endpoint
        self._socket = context.socket(zmq.DEALER)
        # Credit bounds what is queued; at a high-water mark ZeroMQ would drop or block instead.
        self._socket.set(zmq.SNDHWM, 0)
        self._socket.set(zmq.RCVHWM, 0)
        self._socket.set(zmq.LINGER, 0)
        # Not -1: without reconnecting, libzmq drops what was received and not read yet when the
        # connection ends, such as the violation that says why. The socket is closed long before.
        self._socket.set(zmq.RECONNECT_IVL, _NEVER)
        if keys is not None:
            self._socket.set(zmq.CURVE_SERVERKEY, keys.server.encode())
            self._socket.set(zmq.CURVE_PUBLICKEY, keys.public.encode())
            self._socket.set(zmq.CURVE_SECRETKEY, keys.secret.encode())
        self._monitor = self._socket.get_monitor_socket(_ENDS | zmq.EVENT_HANDSHAKE_SUCCEEDED)
        loop = asyncio.get_running_loop()
        self._opened: asyncio.Future[None] = loop.create_future()
        self._broken: asyncio.Future[None] = loop.create_future()
        self._watching = loop.create_task(self._watch())

    @property
    def detects_loss(self) -> bool:
        """Whether the kernel reports the end of the daemon: not on tcp."""
        return self._endpoint.startswith("ipc:")

    async def open(self, timeout: float) -> None:
        """Connects; raises `ConnectionBroken` if no daemon accepts."""
        try:
            self._socket.connect(self._endpoint)
        except zmq.ZMQError as error:
            raise ConnectionBroken(f"{self._endpoint}: {error}") from None
        await asyncio.wait(
            (self._opened, self._broken), timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if not self._opened.done():
            raise ConnectionBroken(f"no daemon accepts connections at {self._endpoint}")

    def send(self, frames: list[bytes]) -> None:
        """Queues frames, several in one ZeroMQ message."""
        for start in range(0, len(frames), FRAMES_PER_MESSAGE):
            sending = self._socket.send_multipart(frames[start:start + FRAMES_PER_MESSAGE])
            # An error means that the connection has ended, which the monitor reports.
            sending.add_done_callback(_ignore_error)

    async def receive(self) -> list[bytes]:
        """Returns the frames of the next ZeroMQ message."""
        return await self._socket.recv_multipart()

    def receive_rest(self) -> list[bytes]:
        """Returns the frames that came before the connection ended and are not received yet."""
        frames: list[bytes] = []
        plain = zmq.Socket.shadow(self._socket.underlying)
        while True:
            try:
                frames += plain.recv_multipart(zmq.NOBLOCK)
            except zmq.ZMQError:
                return frames

    def fail(self) -> None:
        """Declares the connection broken."""
        if not self._broken.done():
            self._broken.set_result(None)

    async def wait_broken(self) -> None:
        """Waits until the connection has ended."""
        await asyncio.shield(self._broken)

    def close(self) -> None:
        """Closes the socket; what is queued is dropped."""
        self._watching.cancel()
        self.fail()
        self._socket.disable_monitor()
        self._monitor.close(0)
        self._socket.close(0)

    async def _watch(self) -> None:
        while not self._broken.done():
            message = await self._monitor.recv_multipart()
            event = zmq.utils.monitor.parse_monitor_message(message)["event"]
            if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                if not self._opened.done():
                    self._opened.set_result(None)
            elif event & _ENDS:
                self.fail()


class Backoff:
    """The waits between attempts to connect: from 10 ms to 1 s, with some randomness."""

    def __init__(self, shortest: float = 0.01, longest: float = 1.0) -> None:
        self._shortest = shortest
        self._longest = longest
        self._next = shortest

    def reset(self) -> None:
        """Begins with the shortest wait again."""
        self._next = self._shortest

    def next(self) -> float:
        """Returns the seconds to wait before the next attempt."""
        wait = self._next
        self._next = min(self._next * 2, self._longest)
        return wait * random.uniform(0.5, 1.0)


def _ignore_error(sending: asyncio.Future[object]) -> None:
    if not sending.cancelled():
        sending.exception()
