#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The conformance worker of the Python package with one planted FAULT:

    twice     sends each verdict twice
    greedy    ignores credit
    forgetful sends nothing again after a reconnect
    deaf      runs the responder again for a redelivery whose answer it knows
"""

import asyncio
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "deploy" / "python"))

from cascade_bus import conformance, raising, session, verdict  # noqa: E402
from cascade_bus.vocabulary import Command  # noqa: E402


def twice():
    send = session.Session._send

    def send_twice(self, message):
        send(self, message)
        if message.command == Command.VERDICT:
            send(self, message)

    session.Session._send = send_twice


def greedy():
    connected = raising.Raises.connected
    raising.Raises.connected = lambda self, credit, size: connected(self, 1_000_000, size)


def forgetful():
    disconnected = raising.Raises.disconnected

    def forget(self):
        disconnected(self)
        self._resending.clear()

    raising.Raises.disconnected = forget


def deaf():
    verdict.VerdictMemory.recall = lambda self, key: None


if __name__ == "__main__":
    {"twice": twice, "greedy": greedy, "forgetful": forgetful, "deaf": deaf}[sys.argv[1]]()
    sys.exit(asyncio.run(conformance.main()))
