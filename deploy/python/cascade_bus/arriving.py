# SPDX-License-Identifier: Apache-2.0
"""Reading visits and deliveries: from their messages to the nodes and responders that are asked."""

from __future__ import annotations

from typing import Callable, Iterable

from . import wire
from .declaration import Declaration
from .names import EventID
from .records import Definitions, NodeRecord
from .visiting import Stop, Visit
from .vocabulary import NO_NODE, Command, Lane, Tag

#: Stands for a node of an itinerary that has been detached.
_GONE = NodeRecord(0, Declaration("/gone"))


class Arrivals:
    """Reads the visits and deliveries of one connection."""

    def __init__(self, definitions: Definitions, clock: Callable[[], float]) -> None:
        self._definitions = definitions
        self._clock = clock
        self._itinerary: list[tuple[int, int]] | None = None

    def took_itinerary(self, message: wire.Message) -> None:
        """Keeps an `itinerary` for the visit or delivery right behind it."""
        payload = message.payload
        if not payload or len(payload) % 8:
            raise wire.MalformedMessage(f"an itinerary of {len(payload)} bytes")
        parts = wire.Parts(payload)
        self._itinerary = []
        while parts.remaining:
            self._itinerary.append((parts.number(4), parts.number(2)))
            parts.number(2)

    def arrived(self, message: wire.Message, nodes: Iterable[NodeRecord]) -> Visit | None:
        """Returns the visit of a `visit` or `delivery`; None if its node has gone."""
        itinerary, self._itinerary = self._itinerary, None
        name = self._name(message)
        if message.command == Command.DELIVERY:
            stops = self._delivery_stops(message, itinerary, name, nodes)
        else:
            stops = self._visit_stops(message, itinerary)
        if not stops:
            return None
        origin = (message.text(Tag.ORIGIN) if message.origin == NO_NODE
                  else self._definitions.path(message.origin))
        session = self._definitions.session(message.session)
        if session is None:
            raise wire.MalformedMessage(f"no session has the number {message.session}")
        return Visit(
            message, stops, name, origin, EventID(session, message.sequence),
            self._clock() + message.time / 1000)

    def _name(self, message: wire.Message) -> str:
        if message.name:
            name = self._definitions.name(message.name)
        elif message.command == Command.VISIT and message.code & 0xFF == Lane.ERROR:
            name = message.text(Tag.ERROR_NAME)
        else:
            name = message.text(Tag.NAME)
        if name is None:
            raise wire.MalformedMessage(f"no name has the number {message.name}")
        return name

    def _delivery_stops(
        self, message: wire.Message, itinerary: list[tuple[int, int]] | None, name: str,
        nodes: Iterable[NodeRecord],
    ) -> list[Stop]:
        if itinerary is not None:
            node = self._definitions.nodes.get(itinerary[0][0])
        else:
            node = next((node for node in nodes if node.is_attached
                         and name in node.declaration.subscriptions), None)
        if node is None or node.number is None:
            return []
        # The worker answers under the subscriber's own number.
        message.node = node.number
        return [Stop(node, 0, None)]

    def _visit_stops(
        self, message: wire.Message, itinerary: list[tuple[int, int]] | None
    ) -> list[Stop]:
        Lane(message.code & 0xFF)
        stops: list[Stop] = []
        for number, index in itinerary or [(message.node, message.index)]:
            node = self._definitions.nodes.get(number)
            if node is None:
                # The node has gone; its stop keeps its place in the itinerary, and is passed.
                stops.append(Stop(_GONE, index, None))
                continue
            # The list that holds now; a change that is under way does not matter.
            responders = node.declaration.responders
            stops.append(Stop(node, index, (
                responders[index] if index < len(responders) else None)))
        return [] if stops[0].node is _GONE else stops
