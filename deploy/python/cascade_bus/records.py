# SPDX-License-Identifier: Apache-2.0
"""What a session remembers: its nodes, its requests, and the meanings of numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Callable

from . import wire
from .declaration import NO_VALUE, Activation, Declaration
from .notices import ValueChange
from .vocabulary import Command, Tag


@dataclass(eq=False, slots=True)
class NodeRecord:
    """A node of the session."""

    #: The session's own number of the node, which no reconnect changes.
    key: int
    #: What the daemon has confirmed; `change` and `set` replace it when they are done.
    declaration: Declaration
    #: The daemon's number of the node on this connection.
    number: int | None = None
    is_attached: bool = False
    activation: Activation | None = None
    values: dict[str, Any] = field(default_factory=dict)
    preferences: dict[str, Any] = field(default_factory=dict)
    #: Whether a `change` or `set` of the node is under way.
    is_editing: bool = False
    #: For the program; the session does not read it.
    context: Any = None

    @property
    def path(self) -> str:
        """The node's path."""
        return self.declaration.path

    def forget_unwatched(self) -> None:
        """Forgets the values of keys that the declaration does not watch any more."""
        for known, watched in (
            (self.values, self.declaration.watched_keys),
            (self.preferences, self.declaration.watched_preferences),
        ):
            for key in [key for key in known if key not in watched]:
                del known[key]

    def update(self, message: wire.Message) -> tuple[ValueChange, ...]:
        """Takes an `environment` and returns what differs from the values known before."""
        is_snapshot = message.code == 1
        changes: list[ValueChange] = []
        for tag, known, is_preference in (
            (Tag.VALUE, self.values, False), (Tag.PREFERENCE, self.preferences, True),
        ):
            stated: dict[str, Any] = {}
            for octets in message.all(tag):
                entry = wire.Message(message.command, fields=wire.decode_fields(octets))
                key, text = entry.text(Tag.KEY), entry.text(Tag.TEXT)
                if key is not None:
                    stated[key] = NO_VALUE if text is None else json.loads(text)
            if is_snapshot:
                # The steps of a disconnection are unknown; what has gone is only absent.
                stated.update({key: NO_VALUE for key in known if key not in stated})
            for key, new in stated.items():
                old = known.get(key, NO_VALUE)
                if new is NO_VALUE:
                    known.pop(key, None)
                else:
                    known[key] = new
                if old is not new and (old is NO_VALUE or new is NO_VALUE or old != new):
                    changes.append(ValueChange(key, old, new, is_preference))
        return tuple(changes)


@dataclass(eq=False, slots=True)
class Request:
    """A request of the worker to the daemon that is answered once."""

    command: Command
    #: Returns the message for a request number, or None if there is nothing to ask any more.
    build: Callable[[int], wire.Message | None]
    #: The node whose declaration the request edits, and how, once it is done.
    node: NodeRecord | None = None
    edit: Callable[[Declaration], None] | None = None
    #: The nodes of an `attach`.
    nodes: list[NodeRecord] = field(default_factory=list)
    #: Whether the session itself attaches its nodes after a reconnect.
    is_reattach: bool = False
    #: For the program; the session does not read it.
    context: Any = None
    number: int = 0


class Definitions:
    """The meanings of the daemon's numbers on one connection."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._name_numbers: dict[str, int] = {}
        self._paths: dict[int, str] = {}
        self._sessions: dict[int, bytes] = {}
        #: The session's own nodes.
        self.nodes: dict[int, NodeRecord] = {}

    def define(self, message: wire.Message) -> None:
        """Takes a `define`."""
        for value in message.all(Tag.DEFINITION):
            parts = wire.Parts(value)
            kind, number = parts.number(1), parts.number(4)
            if kind == 1:
                self.define_name(number, parts.string())
            elif kind == 2:
                self._paths[number] = parts.string()
                node = self.nodes.get(number)
                if node is not None and parts.remaining >= 9:
                    node.activation = Activation(parts.number(8), bool(parts.number(1)))
            elif kind == 3:
                self._sessions[number] = parts.session()

    def attached(self, node: NodeRecord, octets: bytes) -> None:
        """Takes a `nodeNumber` of an `attached`, for one of the session's own nodes."""
        parts = wire.Parts(octets)
        node.number = parts.number(4)
        node.declaration.path = parts.string()
        node.is_attached = True
        self.nodes[node.number] = node
        if parts.remaining >= 9:
            node.activation = Activation(parts.number(8), bool(parts.number(1)))

    def define_name(self, number: int, name: str) -> None:
        """Takes the meaning of a name's number in place of an earlier one."""
        earlier = self._names.get(number)
        if earlier is not None and self._name_numbers.get(earlier) == number:
            del self._name_numbers[earlier]
        self._names[number] = name
        self._name_numbers[name] = number

    def name(self, number: int) -> str | None:
        """Returns the name with that number."""
        return self._names.get(number)

    def name_number(self, name: str) -> int:
        """Returns the number of a name; 0 if it has none."""
        return self._name_numbers.get(name, 0)

    def path(self, number: int) -> str | None:
        """Returns the path of the node with that number."""
        own = self.nodes.get(number)
        return self._paths.get(number) if own is None else own.path

    def session(self, number: int) -> bytes | None:
        """Returns the ID of the session with that number."""
        return self._sessions.get(number)
