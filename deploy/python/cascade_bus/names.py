# SPDX-License-Identifier: Apache-2.0
"""The rules for names, keys and paths, and the IDs of events."""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import wire
from .errors import InvalidName

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}")
_EVENT_ID = re.compile(r"([0-9a-f]{32})-([1-9][0-9]{0,19})")

ROOT = "/"


def is_name(text: str) -> bool:
    """Whether a text follows the rule for names of events and keys, and for components of paths."""
    return _NAME.fullmatch(text) is not None


def checked_name(text: str, *, wildcard: bool = False) -> str:
    """Returns the name; raises `InvalidName` if it breaks the rule."""
    if is_name(text) or (wildcard and text == "*"):
        return text
    raise InvalidName(f"{text!a} is not a name: letters, digits, '_', and behind the first '.:-'")


def checked_path(text: str) -> str:
    """Returns the path; raises `InvalidName` if it breaks the rule."""
    if text == ROOT:
        return text
    components = text.split("/")
    if components[0] != "" or len(components) < 2 or not all(map(is_name, components[1:])):
        raise InvalidName(f"{text!a} is not a path such as /shop/printer")
    if len(text) > wire.STRING_BYTES:
        raise InvalidName(f"a path of {len(text)} bytes is longer than {wire.STRING_BYTES}")
    return text


@dataclass(frozen=True, slots=True)
class EventID:
    """The ID of an event or publication: the session of its origin, and its number there."""

    session: bytes
    sequence: int

    def __str__(self) -> str:
        return f"{self.session.hex()}-{self.sequence}"

    @classmethod
    def parse(cls, text: str) -> EventID:
        """Returns the ID in its text form; raises `InvalidName`."""
        match = _EVENT_ID.fullmatch(text)
        if match is None:
            raise InvalidName(f"{text!a} is not the ID of an event")
        return cls(bytes.fromhex(match[1]), int(match[2]))

    def encoded(self) -> bytes:
        """Returns the value of a field of type *event*."""
        return wire.session(self.session) + wire.number(self.sequence, 8)

    @classmethod
    def decoded(cls, octets: bytes) -> EventID:
        """Returns the ID in a field's value; raises `wire.MalformedMessage`."""
        parts = wire.Parts(octets)
        return cls(parts.session(), parts.number(8))
