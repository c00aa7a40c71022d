# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the package."""

from __future__ import annotations

from typing import Any, Mapping

from .vocabulary import error_name


class CascadeError(Exception):
    """The base of all exceptions of this package."""


class InvalidName(CascadeError, ValueError):
    """A name, key or path that breaks the protocol's rule."""


class Refused(CascadeError):
    """The daemon refused a request, an event or a publication; nothing has changed."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(f"{sentence} ({error_name(code)})")
        self.code = code
        self.name = error_name(code)
        self.sentence = sentence


class SessionEnded(CascadeError):
    """The daemon ended the session for a violation, and the session does not resume."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(f"{sentence} ({error_name(code)})")
        self.code = code
        self.name = error_name(code)
        self.sentence = sentence


class BusClosed(CascadeError):
    """The bus was closed before the operation ended."""


class BusUnavailable(CascadeError):
    """No daemon answered at the endpoint within the given time."""


class NodeDetached(CascadeError):
    """The node has been detached; `code` is the reason's number, `sentence` its text."""

    def __init__(self, path: str, code: int, sentence: str) -> None:
        super().__init__(f"{path}: {sentence} ({error_name(code)})")
        self.path = path
        self.code = code
        self.name = error_name(code)
        self.sentence = sentence


class RequestFailed(CascadeError):
    """A request ended without a reply; `outcome` is its outcome."""

    def __init__(self, name: str, outcome: Any) -> None:
        super().__init__(f"{name}: {outcome}")
        self.name = name
        self.outcome = outcome


class Failure(CascadeError):
    """An error under a name of its own, for responders to raise.

    A responder that raises any other exception fails with the name of the exception's class.
    A `title` makes the error alertable: a sink above shows it to a user.
    """

    def __init__(
        self,
        name: str,
        message: str | None = None,
        *,
        title: str | None = None,
        payload: Any = None,
        attributes: Mapping[str, str] | None = None,
        content_type: str | None = None,
    ) -> None:
        super().__init__(f"{name}: {message}" if message else name)
        self.name = name
        self.message = message
        self.title = title
        self.payload = payload
        self.attributes = dict(attributes or {})
        self.content_type = content_type
