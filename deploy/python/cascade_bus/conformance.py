# SPDX-License-Identifier: Apache-2.0
"""The conformance worker of this package, for `cascadectl conformance`.

    cascadectl conformance -- python3 -m cascade_bus.conformance

The protocol's article on conformance (`cascade-conformance(7)`) says what it has to do.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any, Awaitable, Callable, Iterable

from .bus import Bus
from .errors import Failure, NodeDetached, Refused, RequestFailed, SessionEnded
from .messages import Incoming, Replacement
from .node import Node
from .outcome import Outcome
from .vocabulary import Destination, OutcomeCode

CLIENT = "/conformance/client"
BELOW = "/conformance/client/below"

#: How the worker prints the ends of events.
_WORDS = {
    OutcomeCode.HANDLED: "handled", OutcomeCode.UNHANDLED: "unhandled",
    OutcomeCode.FAILED: "failed", OutcomeCode.TIMED_OUT: "timedOut",
    OutcomeCode.DELIVERED: "delivered", OutcomeCode.NO_SUBSCRIBER: "noSubscriber",
    OutcomeCode.CAUGHT: "caught", OutcomeCode.REJECTED: "rejected",
    OutcomeCode.LOOPED: "looped", OutcomeCode.CASCADED: "cascaded",
}
_WITH_ERROR = (
    OutcomeCode.FAILED, OutcomeCode.CAUGHT, OutcomeCode.REJECTED, OutcomeCode.LOOPED)


def say(*words: object) -> None:
    """Prints a line at once."""
    print(*words, flush=True)


class ConformanceWorker:
    """The two nodes of the worker, and the lines that it reads."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._client = bus.node(CLIENT)
        self._below = bus.node(BELOW)
        self._waiting: asyncio.Future[None] | None = None
        self._request: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> int:
        """Serves until a line says to leave, and returns the exit status."""
        self._declare()
        try:
            await self._client.environment.watch("level")
            await self._bus.attach_all(self._client, self._below)
        except Refused as refused:
            say("refused", "attach", 0, refused.name)
            return 1
        say("attached")
        leaving = asyncio.create_task(self._read())
        ended = asyncio.create_task(self._ended())
        done, _ = await asyncio.wait((leaving, ended), return_when=asyncio.FIRST_COMPLETED)
        for task in (leaving, ended):
            task.cancel()
        if ended in done:
            say("ended", ended.result())
            return 1
        # A line may still release a responder that works.
        reading = asyncio.create_task(self._read())
        await self._bus.close()
        reading.cancel()
        return 0

    async def _ended(self) -> str:
        """Serves until the session has ended, and returns the violation."""
        try:
            await self._bus.run()
        except SessionEnded as ended:
            return ended.name
        return "closed"

    # Responders and subscriptions.

    def _declare(self) -> None:
        client = self._client
        client.handle("Work")(self._ran)
        client.receive("Maybe")(lambda event: self._ran(event) == 1)
        client.transform("Raw")(lambda event: Replacement(self._ran(event), "Cooked"))
        client.observe("Noted")(self._ran)
        client.handle("Noted")(self._ran)
        client.handle("Wait")(self._wait)
        client.handle("Broken")(self._break)
        client.handle("Chain")(self._chain)
        client.answer("Echo")(lambda request: self._ran(request) or None)
        client.answer("Stuck")(self._stick)
        client.catch("Lost")(lambda error: Replacement(self._ran(error), "Found"))
        client.handle_error("Alarm")(self._ran)
        client.transform_error("Rough")(lambda error: Replacement(self._ran(error), "Smooth"))
        client.subscribe("Memo")(self._ran)
        client.subscribe("News")(self._ran)
        client.subscribe("Torn")(self._break)
        self._below.observe("Noted")(self._ran)
        self._below.subscribe("News")(self._ran)

    def _ran(self, message: Incoming) -> Any:
        say("ran", message.name, message.payload, self._client.environment.get("level", 0))
        return message.payload

    async def _wait(self, event: Incoming) -> None:
        self._waiting = asyncio.get_running_loop().create_future()
        self._ran(event)
        await self._waiting

    def _break(self, message: Incoming) -> None:
        raise Failure("Breakdown", "as it should", payload=self._ran(message))

    async def _chain(self, event: Incoming) -> None:
        await self._client.trigger("Link", self._ran(event))

    async def _stick(self, request: Incoming) -> None:
        self._ran(request)
        await asyncio.Event().wait()

    # Lines.

    async def _read(self) -> None:
        async for verb, number in lines():
            if verb == "leave":
                return
            if verb == "release":
                if self._waiting is not None and not self._waiting.done():
                    self._waiting.set_result(None)
            elif verb == "cancel":
                if self._request is not None:
                    self._request.cancel()
            else:
                task = asyncio.create_task(self._raise(verb, number))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
                if verb == "request":
                    self._request = task

    async def _raise(self, verb: str, number: int) -> None:
        try:
            words = await self._actions[verb](number)
        except Refused as refused:
            say("refused", verb, number, refused.name)
        except RequestFailed as failed:
            say("outcome", verb, number, *outcome_words(failed.outcome))
        except (SessionEnded, NodeDetached):
            pass
        else:
            if words is not None:
                say("outcome", verb, number, *words)

    @property
    def _actions(self) -> dict[str, Callable[[int], Awaitable[Iterable[object] | None]]]:
        client = self._client

        async def outcome(ending: Awaitable[Outcome]) -> Iterable[object]:
            return outcome_words(await ending)

        async def request(number: int) -> Iterable[object]:
            return "handled", await client.request("Ask", number)

        async def durable(number: int) -> Iterable[object]:
            event = await client.trigger_durable("Kept", number)
            return outcome_words(await event.outcome())

        async def emit(number: int) -> None:
            await client.emit("Made", number)

        async def put(number: int) -> None:
            await client.set({"level": number})
            say("done", "set", number)

        return {
            "trigger": lambda number: outcome(client.trigger("Made", number)),
            "large": lambda number: outcome(client.trigger("Made", "x" * number)),
            "report": lambda number: outcome(client.report("Fault", payload=number)),
            "cascade": lambda number: outcome(client.cascade("Swept", number)),
            "publish": lambda number: outcome(
                client.publish("Told", number, to=Destination.ALL)),
            "request": request, "durable": durable, "emit": emit, "set": put,
        }


def outcome_words(outcome: Outcome) -> list[object]:
    """Returns an outcome as the worker prints it: its name, and what belongs to it."""
    words: list[object] = [_WORDS[outcome.code]]
    if outcome.code is OutcomeCode.HANDLED and outcome.by is not None:
        words.append(outcome.by)
    if outcome.code in (OutcomeCode.DELIVERED, OutcomeCode.CASCADED):
        words.append(len(outcome.recipients))
    if outcome.code in _WITH_ERROR and outcome.error is not None:
        words.append(outcome.error.name)
    return words


_reader: asyncio.StreamReader | None = None


async def lines() -> Any:
    """Yields the verb and the number of each line of standard input; at its end, `leave`."""
    global _reader
    if _reader is None:
        _reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(_reader)
        await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    while line := await _reader.readline():
        verb, _, number = line.decode().strip().partition(" ")
        yield verb, int(number or 0)
    yield "leave", 0


async def main() -> int:
    """Runs the worker on the bus that `CASCADE_BUS` names."""
    try:
        bus = Bus.connect(program="cascade_bus.conformance")
        async with bus:
            return await ConformanceWorker(bus).run()
    except SessionEnded as ended:
        say("ended", ended.name)
        return 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
