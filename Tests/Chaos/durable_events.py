# SPDX-License-Identifier: Apache-2.0
"""Triggers durable events that outlive their origin, or handles them later.

    durable_events.py ENDPOINT leave COUNT    triggers COUNT events, prints `accepted`, and waits
    durable_events.py ENDPOINT collect COUNT  handles them, and prints their numbers in order of arrival
"""

import signal
import sys
import time

from peer import Peer
from cascade_wire import Command, Flag, Kind, Message, Verdict, declaration

PLACE = "/kept"
PATIENCE_SECONDS = 30


def leave(peer, count):
    """Triggers durable events, and keeps the session open until the process is killed."""
    peer.attach(declaration(f"{PLACE}/origin", []))
    for number in range(1, count + 1):
        peer.send(peer.trigger(
            "Keep", f"{PLACE}/origin", flags=Flag.DURABLE, payload=str(number).encode()))
    while peer.counts["accepted"] < count:
        peer.read(1)
    print("accepted", flush=True)
    while True:
        peer.read(60)


def collect(peer, count):
    """Handles durable events, and prints their numbers."""
    peer.attach(declaration(PLACE, [(Kind.HANDLE, "Keep")]))
    numbers, end = [], time.monotonic() + PATIENCE_SECONDS
    while len(numbers) < count and time.monotonic() < end:
        for message in peer.read(0.5):
            if message.command == Command.VISIT:
                numbers.append(message.payload.decode())
                peer.send(
                    Message(Command.ACCEPT, node=message.node, id=message.id),
                    Message(
                        Command.VERDICT, node=message.node, id=message.id, code=Verdict.HANDLED))
    peer.send(Message(Command.LEAVE, id=99))
    peer.next(Command.DONE)
    print(*numbers, flush=True)


if __name__ == "__main__":
    endpoint, what, count = sys.argv[1:]
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    peer = Peer(endpoint)
    # The daemon may have just recovered many other events from its journal.
    peer.patience = 2 * PATIENCE_SECONDS
    peer.greet()
    {"leave": leave, "collect": collect}[what](peer, int(count))
    peer.close()
