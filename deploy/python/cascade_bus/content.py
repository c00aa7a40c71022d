# SPDX-License-Identifier: Apache-2.0
"""The content of messages: payloads, content types and attributes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Mapping

from . import wire
from .vocabulary import Tag

#: The content type of a payload that a field names; JSON needs none.
JSON = "application/json"
BYTES = "application/octet-stream"


def encode_json(value: Any) -> bytes:
    """Returns a value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class Content:
    """What a message carries: its payload as bytes, the payload's type, and the attributes."""

    payload: bytes = b""
    content_type: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        payload: Any = None,
        attributes: Mapping[str, str] | None = None,
        content_type: str | None = None,
    ) -> Content:
        """Returns the content of a payload: bytes as they are, None as no payload, others as JSON."""
        attributes = dict(attributes or {})
        if payload is None:
            return cls(b"", content_type, attributes)
        if isinstance(payload, (bytes, bytearray, memoryview)):
            return cls(bytes(payload), content_type or BYTES, attributes)
        if content_type is not None and content_type != JSON and isinstance(payload, str):
            return cls(payload.encode(), content_type, attributes)
        return cls(encode_json(payload), content_type, attributes)

    @property
    def is_json(self) -> bool:
        """Whether the payload is JSON: no content type, or JSON's."""
        return self.content_type is None or self.content_type.split(";")[0].strip() == JSON

    @property
    def value(self) -> Any:
        """The payload: the value of JSON, None if there is no payload, otherwise the bytes."""
        if not self.payload:
            return None
        return json.loads(self.payload) if self.is_json else self.payload

    def fields(self) -> list[tuple[int, bytes]]:
        """Returns the fields of attributes and content type."""
        fields: list[tuple[int, bytes]] = [
            (Tag.ATTRIBUTE, wire.string(key) + wire.string(value))
            for key, value in self.attributes.items()
        ]
        if self.content_type is not None:
            fields.append((Tag.CONTENT_TYPE, wire.text(self.content_type)))
        return fields

    @classmethod
    def of_message(cls, message: wire.Message) -> Content:
        """Returns the content of a received message."""
        attributes: dict[str, str] = {}
        for value in message.all(Tag.ATTRIBUTE):
            parts = wire.Parts(value)
            key = parts.string()
            attributes[key] = parts.string()
        return cls(message.payload, message.text(Tag.CONTENT_TYPE), attributes)
