#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A worker on the Python package: attaches PATH with responders, in the order of their options.

Each occurrence is one line of JSON on standard output. SIGTERM leaves gracefully.
"""

import argparse
import asyncio
import json
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "deploy" / "python"))

from cascade_bus import Bus, Failure, Outcome, ReportedError  # noqa: E402

KINDS = ("handle", "observe", "answer", "handle_error")


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def tell(what, **details):
    print(json.dumps({"what": what, **details}), flush=True)


class Responder:
    """A responder, and what it raises at each visit."""

    def __init__(self, node, kind, name):
        self.node, self.kind, self.name = node, kind, name
        self.triggered = self.requested = self.thrown = None
        self.tasks = set()

    async def __call__(self, message):
        is_error = isinstance(message, ReportedError)
        tell("visit", lane="error" if is_error else message.lane.name.lower(), kind=self.kind,
             name=message.name, causes=message.causes, payload=compact(message.payload),
             node=message.error.node if is_error else None)
        for raising in (self.triggered, self.requested):
            if raising:
                # The responder ends before what it raises.
                task = asyncio.create_task(self.follow(raising, message.payload))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
        if self.thrown:
            raise Failure(self.thrown, payload=message.payload)
        return message.payload

    async def follow(self, name, payload):
        if name == self.requested:
            reply = await self.node.request(name, payload)
            tell("reply", name=name, reply=compact(reply))
        else:
            outcome: Outcome = await self.node.trigger(name, payload)
            tell("outcome", outcome=outcome.code.name.lower(), by=outcome.by)


class AddResponder(argparse.Action):
    def __call__(self, parser, arguments, name, option=None):
        kind = option.removeprefix("--").replace("-", "_")
        arguments.responders.append(Responder(None, kind, name))


class ChangeResponder(argparse.Action):
    """Configures the last responder."""

    def __call__(self, parser, arguments, value, option=None):
        setattr(arguments.responders[-1], self.dest, value)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.set_defaults(responders=[])
    parser.add_argument("endpoint", metavar="ENDPOINT")
    parser.add_argument("path", metavar="PATH")
    for kind in KINDS:
        parser.add_argument(
            f"--{kind.replace('_', '-')}", metavar="NAME", action=AddResponder)
    behind = {"action": ChangeResponder, "default": argparse.SUPPRESS}
    parser.add_argument("--trigger", metavar="NAME", dest="triggered", **behind)
    parser.add_argument("--request", metavar="NAME", dest="requested", **behind)
    parser.add_argument("--throw", metavar="ERROR", dest="thrown", **behind)
    return parser.parse_args()


async def main(given):
    async with Bus.connect(given.endpoint) as bus:
        node = bus.node(given.path)
        for responder in given.responders:
            responder.node = node
            getattr(node, responder.kind)(responder.name)(responder)
        await bus.attach(node)
        tell("attached", path=node.path)
        detached = asyncio.create_task(node.wait_detached())
        await bus.run()
    tell("detached", sentence=(await detached).sentence)


if __name__ == "__main__":
    # A parent with many threads may have blocked the signal, and children inherit the mask.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    asyncio.run(main(arguments()))
