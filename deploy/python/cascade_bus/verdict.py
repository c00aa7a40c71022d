# SPDX-License-Identifier: Apache-2.0
"""Verdicts, and the memory of verdicts that deduplicates redeliveries."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Hashable

from . import wire
from .content import Content
from .names import is_name
from .vocabulary import Command, Tag, VerdictCode


@dataclass(frozen=True, slots=True)
class Verdict:
    """A node's answer to one visit or delivery."""

    code: VerdictCode
    #: The name of what replaces the event or error.
    name: str | None = None
    content: Content = field(default_factory=Content)
    error_name: str | None = None
    error_message: str | None = None
    error_title: str | None = None

    @classmethod
    def failed(
        cls, name: str, message: str | None = None, title: str | None = None,
        content: Content | None = None,
    ) -> Verdict:
        """Returns the verdict of a responder that failed with an error."""
        return cls(
            VerdictCode.FAILED, content=content or Content(),
            error_name=name if is_name(name) else "responderFailed",
            error_message=message, error_title=title)

    def message(self, node: int, delivery: int, stop: int, microseconds: int) -> wire.Message:
        """Returns the `verdict` for a visit or delivery."""
        fields: list[tuple[int, bytes]] = []
        if self.name is not None:
            fields.append((Tag.NAME, wire.text(self.name)))
        for tag, value in (
            (Tag.ERROR_NAME, self.error_name),
            (Tag.ERROR_MESSAGE, self.error_message),
            (Tag.ERROR_TITLE, self.error_title),
        ):
            if value is not None:
                fields.append((tag, wire.text(value)))
        return wire.Message(
            Command.VERDICT, index=stop, node=node, id=delivery,
            time=min(microseconds, 0xFFFFFFFF), code=self.code,
            fields=fields + self.content.fields(), payload=self.content.payload)


PASSED = Verdict(VerdictCode.PASSED)
HANDLED = Verdict(VerdictCode.HANDLED)


class VerdictMemory:
    """The last verdicts, from which redeliveries are answered without running a responder."""

    def __init__(self, count: int = 1024, payload_bytes: int = 4 * 1024 * 1024) -> None:
        self._verdicts: OrderedDict[Hashable, Verdict] = OrderedDict()
        self._count = count
        self._payload_bytes = payload_bytes
        self._used_bytes = 0

    def __len__(self) -> int:
        return len(self._verdicts)

    def remember(self, key: Hashable, verdict: Verdict) -> None:
        """Stores a verdict in place of an earlier one, and forgets the oldest beyond the limits."""
        self.forget(key)
        self._verdicts[key] = verdict
        self._used_bytes += len(verdict.content.payload)
        while len(self._verdicts) > self._count or self._used_bytes > self._payload_bytes:
            _, oldest = self._verdicts.popitem(last=False)
            self._used_bytes -= len(oldest.content.payload)

    def forget(self, key: Hashable) -> None:
        """Removes the verdict with that key, if there is one."""
        verdict = self._verdicts.pop(key, None)
        if verdict is not None:
            self._used_bytes -= len(verdict.content.payload)

    def recall(self, key: Hashable) -> Verdict | None:
        """Returns the verdict with that key."""
        return self._verdicts.get(key)
