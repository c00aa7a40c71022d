# SPDX-License-Identifier: Apache-2.0
"""The codec of the wire protocol: one message is one frame.

A frame has a header of 48 bytes, fields and a payload. All integers are unsigned and little-endian.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Iterable, Iterator

from .vocabulary import NO_NODE

HEADER = struct.Struct("<BBHIIIQQIIII")
_FIELD = struct.Struct("<HI")
_STRING_LENGTH = struct.Struct("<H")

#: Bytes of a string, that is, of a text among parts, and of a path, at most.
STRING_BYTES = 65_535


class MalformedMessage(ValueError):
    """Bytes that are not a valid message of the protocol."""


@dataclass(slots=True)
class Message:
    """One message: the members of its header, its fields in order, and its payload."""

    command: int
    flags: int = 0
    index: int = 0
    node: int = NO_NODE
    name: int = 0
    id: int = 0
    sequence: int = 0
    origin: int = NO_NODE
    session: int = 0
    time: int = 0
    code: int = 0
    fields: list[tuple[int, bytes]] = field(default_factory=list)
    payload: bytes = b""

    def first(self, tag: int) -> bytes | None:
        """Returns the value of the first field with that tag."""
        for present, value in self.fields:
            if present == tag:
                return value
        return None

    def all(self, tag: int) -> Iterator[bytes]:
        """Returns the values of all fields with that tag, in order."""
        return (value for present, value in self.fields if present == tag)

    def text(self, tag: int) -> str | None:
        """Returns the first field with that tag as text."""
        value = self.first(tag)
        return None if value is None else decode_text(value)

    def number(self, tag: int, width: int) -> int | None:
        """Returns the first field with that tag as an integer of exactly `width` bytes."""
        value = self.first(tag)
        return None if value is None else decode_number(value, width)

    def has(self, tag: int) -> bool:
        """Whether a field with that tag is present."""
        return any(present == tag for present, _ in self.fields)


def encode(message: Message) -> bytes:
    """Returns the frame of a message."""
    fields = encode_fields(message.fields)
    header = HEADER.pack(
        message.command,
        message.flags,
        message.index,
        len(fields),
        message.node,
        message.name,
        message.id,
        message.sequence,
        message.origin,
        message.session,
        message.time,
        message.code,
    )
    return header + fields + message.payload


def decode(frame: bytes) -> Message:
    """Returns the message of a frame; raises `MalformedMessage`."""
    if len(frame) < HEADER.size:
        raise MalformedMessage(f"a frame of {len(frame)} bytes is shorter than a header")
    command, flags, index, length, *rest = HEADER.unpack_from(frame)
    end = HEADER.size + length
    if end > len(frame):
        raise MalformedMessage(f"the fields end at byte {end} of a frame of {len(frame)}")
    node, name, identifier, sequence, origin, session, time, code = rest
    return Message(
        command, flags, index, node, name, identifier, sequence, origin, session, time, code,
        fields=decode_fields(frame[HEADER.size:end]),
        payload=bytes(frame[end:]),
    )


def encode_fields(fields: Iterable[tuple[int, bytes]]) -> bytes:
    """Returns the bytes of fields: tag, length and value of each."""
    parts: list[bytes] = []
    for tag, value in fields:
        parts.append(_FIELD.pack(tag, len(value)))
        parts.append(value)
    return b"".join(parts)


def decode_fields(octets: bytes) -> list[tuple[int, bytes]]:
    """Returns the fields that fill `octets` exactly; raises `MalformedMessage`."""
    fields: list[tuple[int, bytes]] = []
    offset = 0
    while offset < len(octets):
        if offset + _FIELD.size > len(octets):
            raise MalformedMessage("a field ends within its tag or length")
        tag, length = _FIELD.unpack_from(octets, offset)
        offset += _FIELD.size
        if offset + length > len(octets):
            raise MalformedMessage(f"a field of {length} bytes does not end inside the fields")
        fields.append((tag, bytes(octets[offset:offset + length])))
        offset += length
    return fields


def number(value: int, width: int) -> bytes:
    """Returns an integer as the value of a field of type u8, u16, u32 or u64."""
    return value.to_bytes(width, "little")


def decode_number(value: bytes, width: int) -> int:
    """Returns the integer in a field's value; raises `MalformedMessage` for another width."""
    if len(value) != width:
        raise MalformedMessage(f"an integer of {len(value)} bytes instead of {width}")
    return int.from_bytes(value, "little")


def text(value: str) -> bytes:
    """Returns text as the value of a field."""
    return value.encode()


def decode_text(value: bytes) -> str:
    """Returns the text in a field's value; raises `MalformedMessage` for invalid UTF-8."""
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise MalformedMessage(f"invalid UTF-8 in a text: {error.reason}") from None


def string(value: str) -> bytes:
    """Returns a text among parts: its length as a u16, then its bytes."""
    octets = value.encode()
    if len(octets) > STRING_BYTES:
        raise ValueError(f"a string of {len(octets)} bytes is longer than {STRING_BYTES}")
    return _STRING_LENGTH.pack(len(octets)) + octets


class Parts:
    """Reads the consecutive values of a field of type *parts*.

    Bytes behind the last part that the caller reads are ignored, as the protocol demands.
    """

    def __init__(self, octets: bytes) -> None:
        self._octets = octets
        self._offset = 0

    @property
    def remaining(self) -> int:
        """Bytes that have not been read."""
        return len(self._octets) - self._offset

    def octets(self, count: int) -> bytes:
        """Reads that many bytes; raises `MalformedMessage` if there are fewer."""
        if self.remaining < count:
            raise MalformedMessage(f"{self.remaining} bytes instead of {count} in a field's part")
        start = self._offset
        self._offset += count
        return self._octets[start:self._offset]

    def number(self, width: int) -> int:
        """Reads an integer of `width` bytes."""
        return int.from_bytes(self.octets(width), "little")

    def string(self) -> str:
        """Reads a text that is preceded by its length."""
        return decode_text(self.octets(self.number(2)))

    def session(self) -> bytes:
        """Reads a session's ID: 16 bytes, in the order of its hexadecimal digits."""
        upper, lower = self.octets(8), self.octets(8)
        return upper[::-1] + lower[::-1]


def session(identifier: bytes) -> bytes:
    """Returns a session's ID of 16 bytes as two u64, the upper half first."""
    return identifier[:8][::-1] + identifier[8:][::-1]
