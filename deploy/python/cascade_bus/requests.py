# SPDX-License-Identifier: Apache-2.0
"""The requests of a worker, each as the message that asks for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Iterable, Mapping

from . import wire
from .declaration import Declaration, Preference, Setting
from .names import checked_path
from .records import NodeRecord, Request
from .vocabulary import Command, Query, Tag

Fields = list[tuple[int, bytes]]


def attaching(
    nodes: list[NodeRecord], names: Iterable[str], *, is_reattach: bool = False
) -> Request:
    """Returns the `attach` of nodes, with names to be numbered."""

    def build(number: int) -> wire.Message:
        fields: Fields = []
        for node in nodes:
            declaration, activation = node.declaration, None
            if is_reattach:
                # A node that was taken over meanwhile must not take its path back.
                declaration = replace(declaration, takes_over=False)
                activation = node.activation
            fields.append((Tag.NODE, wire.encode_fields(declaration.fields(activation))))
        fields += [(Tag.NAME, wire.text(name)) for name in names]
        return wire.Message(Command.ATTACH, id=number, fields=fields)

    return Request(Command.ATTACH, build, nodes=nodes, is_reattach=is_reattach)


def editing(
    node: NodeRecord, command: Command, edit: Callable[[Declaration], None],
    fields: Callable[[], Fields] | None = None,
) -> Request:
    """Returns a `change`, or a `set` of the given fields, and the edit that it makes."""

    def build(number: int) -> wire.Message | None:
        if node.number is None:
            return None
        if fields is not None:
            return wire.Message(command, node=node.number, id=number, fields=fields())
        edited = node.declaration.copy()
        edit(edited)
        return wire.Message(command, node=node.number, id=number, fields=edited.fields())

    return Request(command, build, node=node, edit=edit)


def leaving(node: NodeRecord) -> Request:
    """Returns the `leave` of one node."""

    def build(number: int) -> wire.Message | None:
        if node.number is None:
            return None
        return wire.Message(Command.LEAVE, node=node.number, id=number)

    return Request(Command.LEAVE, build, node=node)


def activating(path: str, is_active: bool) -> Request:
    """Returns the `activate` of any node."""
    fields: Fields = [(Tag.PATH, wire.text(checked_path(path)))]
    return Request(Command.ACTIVATE, lambda number: wire.Message(
        Command.ACTIVATE, id=number, code=int(is_active), fields=fields))


def setting_outside(path: str, values: Mapping[str, Setting]) -> Request:
    """Returns the `set` of values that belong to no node."""
    fields: Fields = [(Tag.PATH, wire.text(checked_path(path)))]
    fields += [(Tag.VALUE, setting.encoded(key)) for key, setting in values.items()]
    return Request(Command.SET, lambda number: wire.Message(
        Command.SET, id=number, fields=fields))


def querying(query: Query, fields: Fields) -> Request:
    """Returns a query that is answered once."""
    return Request(Command.QUERY, lambda number: wire.Message(
        Command.QUERY, id=number, code=query, fields=fields))


def settings_fields(values: Mapping[str, Setting]) -> Fields:
    """Returns the fields of values for a `set`."""
    return [(Tag.VALUE, setting.encoded(key)) for key, setting in values.items()]


def preferences_fields(offers: Mapping[str, Preference]) -> Fields:
    """Returns the fields of offers for a `set`."""
    return [(Tag.PREFERENCE, offer.encoded(key)) for key, offer in offers.items()]
