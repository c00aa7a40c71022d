# SPDX-License-Identifier: Apache-2.0
"""The declaration of a node: what an `attach` or a `change` says about it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from . import wire
from .content import encode_json
from .names import checked_name, checked_path
from .vocabulary import Reducer, ResponderKind, Safety, Tag


class NoValue:
    """The type of `NO_VALUE`, which differs from JSON's null."""

    def __repr__(self) -> str:
        return "NO_VALUE"


#: Stands for the absence of a value of the environment or of a preference.
NO_VALUE = NoValue()


@dataclass(frozen=True, slots=True)
class Responder:
    """One entry of a node's ordered list: a kind, a name or `*`, and a predicate or none."""

    kind: ResponderKind
    name: str
    predicate: str | None = None
    #: What answers the responder's visits; the session only carries it.
    handler: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        checked_name(self.name, wildcard=True)
        if self.predicate is not None and not self.predicate.strip():
            raise ValueError("an empty predicate; leave it out instead")

    def encoded(self) -> bytes:
        """Returns the value of a field `responder`."""
        octets = wire.number(self.kind, 1) + wire.string(self.name)
        return octets if self.predicate is None else octets + wire.string(self.predicate)


@dataclass(frozen=True, slots=True)
class Setting:
    """A value that a node sets for the nodes below it; `NO_VALUE` removes it."""

    value: Any
    for_itself: bool = False
    sticky: bool = False

    def encoded(self, key: str) -> bytes:
        """Returns the value of a field `value`."""
        fields = [(Tag.KEY, wire.text(checked_name(key)))]
        if self.value is not NO_VALUE:
            fields.append((Tag.TEXT, encode_json(self.value)))
        if self.for_itself:
            fields.append((Tag.IS_FOR_ITSELF, b""))
        if self.sticky:
            fields.append((Tag.IS_STICKY, b""))
        return wire.encode_fields(fields)


@dataclass(frozen=True, slots=True)
class Preference:
    """A value that a node offers upward; `NO_VALUE` withdraws the offer."""

    value: Any
    reducer: Reducer = Reducer.FIRST

    def encoded(self, key: str) -> bytes:
        """Returns the value of a field `preference`."""
        fields = [(Tag.KEY, wire.text(checked_name(key)))]
        if self.value is not NO_VALUE:
            fields.append((Tag.TEXT, encode_json(self.value)))
        fields.append((Tag.REDUCER, wire.number(self.reducer, 1)))
        return wire.encode_fields(fields)


@dataclass(frozen=True, slots=True)
class Activation:
    """The daemon's last statement about a node's rank, and whether it is active."""

    rank: int
    is_active: bool

    def encoded(self) -> bytes:
        """Returns the value of a field `activation`."""
        return wire.number(self.rank, 8) + wire.number(int(self.is_active), 1)


@dataclass(slots=True)
class Declaration:
    """Everything that a node declares."""

    path: str
    responders: list[Responder] = field(default_factory=list)
    subscriptions: list[str] = field(default_factory=list)
    is_active: bool = True
    takes_over: bool = False
    concurrency: int = 1
    prefetch: int = 256
    is_presented: bool = False
    detaches_orphans: bool = False
    wants_outcomes: bool = False
    #: Names that the node or its subtree triggers; None declares nothing, an empty list none at all.
    triggers: list[str] | None = None
    reports: list[str] | None = None
    safety: Safety | None = None
    explicit_responders: bool | None = None
    values: dict[str, Setting] = field(default_factory=dict)
    watched_keys: list[str] = field(default_factory=list)
    preferences: dict[str, Preference] = field(default_factory=dict)
    watched_preferences: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        checked_path(self.path)
        if not 1 <= self.concurrency <= self.prefetch <= 0xFFFF:
            raise ValueError("concurrency is at least 1, and prefetch at least concurrency")

    @property
    def watches(self) -> bool:
        """Whether the node gets snapshots of watched keys or preferences."""
        return bool(self.watched_keys or self.watched_preferences)

    def copy(self) -> Declaration:
        """Returns a copy that shares no list or dictionary with this declaration."""
        copied = replace(self)
        for name in ("responders", "subscriptions", "watched_keys", "watched_preferences", "rules"):
            setattr(copied, name, list(getattr(self, name)))
        copied.triggers = None if self.triggers is None else list(self.triggers)
        copied.reports = None if self.reports is None else list(self.reports)
        copied.values = dict(self.values)
        copied.preferences = dict(self.preferences)
        return copied

    def fields(self, activation: Activation | None = None) -> list[tuple[int, bytes]]:
        """Returns the fields of the declaration, in the order of the protocol's table."""
        fields: list[tuple[int, bytes]] = [(Tag.PATH, wire.text(self.path))]
        fields += [(Tag.RESPONDER, responder.encoded()) for responder in self.responders]
        fields += [(Tag.SUBSCRIPTION, wire.text(name)) for name in self.subscriptions]
        fields += [(tag, b"") for tag, present in (
            (Tag.IS_INACTIVE, not self.is_active),
            (Tag.TAKES_OVER, self.takes_over),
        ) if present]
        fields.append((Tag.CONCURRENCY, wire.number(self.concurrency, 2)))
        fields.append((Tag.PREFETCH, wire.number(self.prefetch, 2)))
        fields += [(tag, b"") for tag, present in (
            (Tag.IS_PRESENTED, self.is_presented),
            (Tag.DETACHES_ORPHANS, self.detaches_orphans),
            (Tag.WANTS_OUTCOMES, self.wants_outcomes),
        ) if present]
        if activation is not None:
            fields.append((Tag.ACTIVATION, activation.encoded()))
        for tag, names in ((Tag.TRIGGERS, self.triggers), (Tag.REPORTS, self.reports)):
            if names is not None:
                fields += [(tag, wire.text(name)) for name in names or [""]]
        if self.safety is not None:
            fields.append((Tag.SAFETY, wire.number(self.safety, 1)))
        if self.explicit_responders is not None:
            fields.append((Tag.EXPLICIT_RESPONDERS, wire.number(int(self.explicit_responders), 1)))
        fields += [(Tag.VALUE, setting.encoded(key)) for key, setting in self.values.items()]
        fields += [(Tag.WATCHED_KEY, wire.text(checked_name(key))) for key in self.watched_keys]
        fields += [
            (Tag.PREFERENCE, offer.encoded(key)) for key, offer in self.preferences.items()]
        fields += [
            (Tag.WATCHED_PREFERENCE, wire.text(checked_name(key)))
            for key in self.watched_preferences]
        fields += [(Tag.RULE, wire.text(rule)) for rule in self.rules]
        return fields
