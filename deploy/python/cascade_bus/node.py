# SPDX-License-Identifier: Apache-2.0
"""A node: its responders and subscriptions, its values, and what it raises."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, TypeVar

from . import requests, wire
from .declaration import NO_VALUE, Declaration, Preference, Responder, Setting
from .errors import NodeDetached, Refused
from .names import EventID, checked_name
from .notices import EnvironmentChanged
from .outcome import Outcome
from .records import NodeRecord
from .responding import Handler
from .subscription import Subscription
from .upward import Raiser
from .vocabulary import Command, ErrorCode, Reducer, ResponderKind, Tag
from .watched import Watched

if TYPE_CHECKING:
    from .bus import Bus

H = TypeVar("H", bound=Handler)
OutcomeHandler = Callable[[EventID, str, Outcome], Any]

_log = logging.getLogger("cascade_bus")


class Answering(NamedTuple):
    """What answers a responder's visits, and the name under which it replaces."""

    handler: Handler
    replacement_name: str | None


class Node(Raiser):
    """A place in the tree that this process holds, or will hold.

    Responders are asked in the order in which they are declared. Each handler gets one message, and
    may be a coroutine function or a plain one; a plain one must not block.
    """

    def __init__(self, bus: Bus, declaration: Declaration) -> None:
        self._bus = bus
        self._declaration = declaration
        self._record: NodeRecord | None = None
        self._subscribers: dict[str, Handler] = {}
        self._edits: list[Callable[[Declaration], None]] = []
        self._changing: asyncio.Task[None] | None = None
        self._snapshot = asyncio.Event()
        self._detached: asyncio.Future[NodeDetached] | None = None
        self._outcome_handler: OutcomeHandler | None = None
        self.environment = Watched(self, is_preferences=False)
        self.preferences = Watched(self, is_preferences=True)

    def __repr__(self) -> str:
        return f"<Node {self.path}>"

    @property
    def path(self) -> str:
        """The node's path, which an administrator may change."""
        return self._declaration.path if self._record is None else self._record.path

    @property
    def is_attached(self) -> bool:
        """Whether the node is in the tree, as far as the session knows."""
        return self._record is not None and self._record.is_attached

    # Responders.

    def receive(self, name: str = "*", *, when: str | None = None) -> Callable[[H], H]:
        """Decorates a responder of events that returns True if it has handled the event."""
        return self._responder(ResponderKind.RECEIVE, name, when)

    def handle(self, name: str = "*", *, when: str | None = None) -> Callable[[H], H]:
        """Decorates a responder that handles every event."""
        return self._responder(ResponderKind.HANDLE, name, when)

    def transform(
        self, name: str = "*", *, to: str | None = None, when: str | None = None
    ) -> Callable[[H], H]:
        """Decorates a responder that returns the payload, or `Replacement`, of the new event."""
        return self._responder(ResponderKind.TRANSFORM, name, when, to)

    def observe(self, name: str = "*", *, when: str | None = None) -> Callable[[H], H]:
        """Decorates a responder that sees events, requests and cascades, and never stops them."""
        return self._responder(ResponderKind.OBSERVE, name, when)

    def answer(self, name: str = "*", *, when: str | None = None) -> Callable[[H], H]:
        """Decorates a responder of requests that returns the reply, or None to pass.

        `Reply()` replies with JSON's null.
        """
        return self._responder(ResponderKind.RESPOND, name, when)

    def catch(
        self, name: str = "*", *, to: str | None = None, when: str | None = None
    ) -> Callable[[H], H]:
        """Decorates a responder that puts an event in the place of an error.

        It returns a `Replacement`, or the payload of the event named `to`.
        """
        return self._responder(ResponderKind.CATCH, name, when, to)

    def receive_error(self, name: str = "*", *, when: str | None = None) -> Callable[[H], H]:
        """Decorates a responder of errors that returns True if it has handled the error."""
        return self._responder(ResponderKind.RECEIVE_ERROR, name, when)

    def handle_error(self, name: str = "*", *, when: str | None = None) -> Callable[[H], H]:
        """Decorates a responder that handles every error."""
        return self._responder(ResponderKind.HANDLE_ERROR, name, when)

    def transform_error(
        self, name: str = "*", *, to: str | None = None, when: str | None = None
    ) -> Callable[[H], H]:
        """Decorates a responder that returns the payload, or `Replacement`, of another error."""
        return self._responder(ResponderKind.TRANSFORM_ERROR, name, when, to)

    def subscribe(self, name: str) -> Subscription:
        """Returns a subscription: a decorator, or an asynchronous iterator of publications."""
        return Subscription(self, checked_name(name))

    def outcomes(self, handler: OutcomeHandler) -> OutcomeHandler:
        """Decorates a function that gets outcomes of durable events of earlier sessions.

        It is called with the event's ID, its name and the outcome, which the daemon forgets when
        the function has returned.
        """
        self._outcome_handler = handler
        self._edit(lambda declaration: setattr(declaration, "wants_outcomes", True))
        return handler

    async def declared(self) -> None:
        """Waits until the daemon has confirmed all responders and subscriptions.

        Raises `Refused` if the daemon has refused them.
        """
        if self._changing is not None:
            await asyncio.shield(self._changing)

    # Values and preferences.

    async def set(
        self, values: Mapping[str, Any], *, for_itself: bool = False, sticky: bool = False
    ) -> None:
        """Sets values of the environment for the nodes below, all in one transaction.

        With `for_itself` the node reads them, too; with `sticky` they stay when it is detached.
        """
        await self._set_values({
            key: Setting(value, for_itself, sticky) for key, value in values.items()})

    async def unset(self, *keys: str) -> None:
        """Removes values that the node has set."""
        await self._set_values({key: Setting(NO_VALUE) for key in keys})

    async def prefer(self, key: str, value: Any, *, reducer: Reducer = Reducer.FIRST) -> None:
        """Offers a preference upward, in place of an earlier offer."""
        await self._offer(key, Preference(value, reducer))

    async def withdraw(self, key: str, *, reducer: Reducer = Reducer.FIRST) -> None:
        """Withdraws the offer of a preference."""
        offered = self._current.preferences.get(key)
        await self._offer(key, Preference(NO_VALUE, offered.reducer if offered else reducer))

    async def _set_values(self, settings: dict[str, Setting]) -> None:
        fields = requests.settings_fields(settings)

        def edit(declaration: Declaration) -> None:
            for key, setting in settings.items():
                declaration.values.pop(key, None)
                if setting.value is not NO_VALUE:
                    declaration.values[key] = setting

        await self._apply(edit, fields)

    async def _offer(self, key: str, offer: Preference) -> None:
        def edit(declaration: Declaration) -> None:
            declaration.preferences.pop(key, None)
            if offer.value is not NO_VALUE:
                declaration.preferences[key] = offer

        await self._apply(edit, requests.preferences_fields({key: offer}))

    async def _watch(self, keys: tuple[str, ...], preferences: tuple[str, ...]) -> None:
        def edit(declaration: Declaration) -> None:
            declaration.watched_keys += [
                key for key in keys if key not in declaration.watched_keys]
            declaration.watched_preferences += [
                key for key in preferences if key not in declaration.watched_preferences]

        fields = [(Tag.WATCHED_KEY, wire.text(checked_name(key))) for key in keys]
        fields += [
            (Tag.WATCHED_PREFERENCE, wire.text(checked_name(key))) for key in preferences]
        await self._apply(edit, fields)

    async def _apply(
        self, edit: Callable[[Declaration], None], fields: list[tuple[int, bytes]]
    ) -> None:
        if self._record is None:
            edit(self._declaration)
        else:
            await self._bus.ask(requests.editing(
                self._record, Command.SET, edit, lambda: fields))

    # The node's place.

    async def activate(self) -> None:
        """Makes the node count as a subscriber, and as the most recent one."""
        await self._bus.ask(requests.activating(self.path, True))

    async def deactivate(self) -> None:
        """Makes the node, and all below it, not count as subscribers."""
        await self._bus.ask(requests.activating(self.path, False))

    async def leave(self) -> None:
        """Leaves the tree when the visits at hand are answered."""
        if self._record is not None:
            await self._bus.ask(requests.leaving(self._record))

    async def wait_detached(self) -> NodeDetached:
        """Waits until the node is detached, for whatever reason, and returns the reason."""
        if self._detached is None:
            raise Refused(ErrorCode.NO_SUCH_NODE, f"the node {self.path} is not attached")
        return await asyncio.shield(self._detached)

    # For the bus.

    @property
    def _current(self) -> Declaration:
        return self._declaration if self._record is None else self._record.declaration

    def _raising_node(self) -> NodeRecord | None:
        if self._record is None:
            raise Refused(ErrorCode.NO_SUCH_NODE, f"the node {self.path} is not attached")
        return self._record

    def _raising_path(self) -> str | None:
        return None

    def _attaching(self, record: NodeRecord) -> None:
        record.context = self
        self._record = record
        self._snapshot.clear()
        self._detached = asyncio.get_running_loop().create_future()

    def _was_detached(self, record: NodeRecord, reason: NodeDetached) -> None:
        if self._record is not record:
            return
        self._declaration = record.declaration.copy()
        self._record = None
        self._snapshot.set()
        if self._detached is not None and not self._detached.done():
            self._detached.set_result(reason)

    def _environment_changed(self, notice: EnvironmentChanged) -> None:
        for change in notice.changes:
            (self.preferences if change.is_preference else self.environment)._changed(change)
        self._snapshot.set()

    def _responder(
        self, kind: ResponderKind, name: str, predicate: str | None,
        replacement_name: str | None = None,
    ) -> Callable[[H], H]:
        if replacement_name is not None:
            checked_name(replacement_name)

        def register(handler: H) -> H:
            responder = Responder(kind, name, predicate, Answering(handler, replacement_name))
            self._edit(lambda declaration: declaration.responders.append(responder))
            return handler

        return register

    def _subscribe(self, name: str, handler: Handler) -> None:
        if name in self._subscribers:
            raise ValueError(f"{self.path} has subscribed to {name} already")
        self._subscribers[name] = handler
        self._edit(lambda declaration: declaration.subscriptions.append(name))

    def _unsubscribe(self, name: str, handler: Handler) -> None:
        if self._subscribers.get(name) is handler:
            del self._subscribers[name]
            self._edit(lambda declaration: declaration.subscriptions.remove(name))

    def _edit(self, edit: Callable[[Declaration], None]) -> None:
        if self._record is None:
            edit(self._declaration)
            return
        self._edits.append(edit)
        if self._changing is None or self._changing.done():
            # Several declarations in a row become one change.
            self._changing = asyncio.get_running_loop().create_task(self._change())
            self._changing.add_done_callback(self._report_change)

    async def _change(self) -> None:
        while self._edits and self._record is not None:
            edits, self._edits = self._edits, []

            def edit(declaration: Declaration) -> None:
                for each in edits:
                    each(declaration)

            await self._bus.ask(requests.editing(self._record, Command.CHANGE, edit))

    def _report_change(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            _log.warning("%s: the declaration did not change: %s", self.path, task.exception())
