# SPDX-License-Identifier: Apache-2.0
"""Running responders: what a handler returns or raises becomes a verdict."""

from __future__ import annotations

import asyncio
import inspect
import logging
from typing import Any, Awaitable, Callable, Union

from .content import Content
from .errors import Failure
from .messages import Incoming, Replacement, Reply, current_message
from .verdict import HANDLED, PASSED, Verdict
from .vocabulary import ResponderKind

Handler = Callable[[Any], Union[Any, Awaitable[Any]]]

_log = logging.getLogger("cascade_bus")

_DECIDING = (ResponderKind.RECEIVE, ResponderKind.RECEIVE_ERROR)
_HANDLING = (ResponderKind.HANDLE, ResponderKind.HANDLE_ERROR)
_REPLACING = (ResponderKind.TRANSFORM, ResponderKind.TRANSFORM_ERROR, ResponderKind.CATCH)


async def respond(
    handler: Handler, message: Incoming, kind: ResponderKind | None, replacement_name: str | None
) -> Verdict:
    """Runs a handler and returns its verdict; without a kind it is a subscriber's.

    `replacement_name` is the name under which a value that is no `Replacement` replaces.
    """
    current_message.set(message)
    try:
        result = handler(message)
        if inspect.isawaitable(result):
            result = await result
        return _verdict(result, message, kind, replacement_name)
    except asyncio.CancelledError:
        return Verdict.failed("cancelled", "the responder was cancelled")
    except Failure as failure:
        return Verdict.failed(failure.name, failure.message, failure.title, Content.of(
            failure.payload, failure.attributes, failure.content_type))
    except Exception as error:
        _log.exception("%s: the responder of %s failed", message.path, message.name)
        return Verdict.failed(type(error).__name__, str(error) or None)


def _verdict(
    result: Any, message: Incoming, kind: ResponderKind | None, replacement_name: str | None
) -> Verdict:
    if kind is None or kind in _HANDLING:
        return HANDLED
    if kind is ResponderKind.OBSERVE:
        return PASSED
    if kind in _DECIDING:
        return HANDLED if result else PASSED
    if kind in _REPLACING:
        if not isinstance(result, Replacement):
            result = Replacement(result)
        return result.verdict(replacement_name or message.name)
    if isinstance(result, Reply):
        return result.verdict()
    return PASSED if result is None else Reply(result).verdict()
