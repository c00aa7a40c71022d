# SPDX-License-Identifier: Apache-2.0
"""Measures connections and sessions: the memory of each in the daemon, the time in which COUNT sessions
attach, and the time in which a new session attaches while another user opens connections in a loop. The
exit code is 1 if the 99th percentile of that time exceeds 100 ms.

It needs root for the two users. It uses plain sockets, so that one process can have all of them. COUNT is
at most the number of connections that the daemon accepts of one user on a bus that no other user can open:
nearly half of its descriptors.
"""

import argparse
import os
import pathlib
import resource
import secrets
import signal
import socket
import struct
import sys
import time

from bus import ANNA, FOLDER, MALLORY, Bus
from measurements import quantile, resident

PYTHON = FOLDER.parent / "IntegrationTests" / "Python"
sys.path.insert(0, str(PYTHON))

from cascade_wire import Command, Message, attach, declaration, hello  # noqa: E402

GREETING = b"\xff" + b"\0" * 8 + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + b"\0" * 32
READY_BODY = b"\x05READY\x0bSocket-Type" + struct.pack(">I", 6) + b"DEALER"
READY = b"\x04" + bytes([len(READY_BODY)]) + READY_BODY
PATIENCE_SECONDS = 20
# The goal for the 99th percentile of a newcomer's time during a flood.
NEWCOMER_MILLISECONDS = 100
# The descriptors that the daemon needs beside its connections, and more.
OTHER_DESCRIPTORS = 128
# Half of the connections without a welcomed session that the daemon allows a user.
CONNECTIONS_AT_ONCE = 32


def framed(message):
    content = message.encoded()
    if len(content) > 255:
        return b"\x02" + struct.pack(">Q", len(content)) + content
    return b"\x00" + bytes([len(content)]) + content


class Connection:
    """A connection that sends its greeting and messages in one write."""

    def __init__(self, path, *messages):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_SECONDS)
        self.socket.connect(path)
        self.socket.sendall(GREETING + READY + b"".join(map(framed, messages)))
        self.received = b""

    def read(self):
        data = self.socket.recv(65_536)
        if not data:
            raise ConnectionError("the daemon has closed a connection")
        self.received += data

    def await_command(self, command):
        """Waits for a message with this command."""
        while True:
            rest = self.received[len(GREETING):]
            while len(rest) > 1:
                flags = rest[0]
                head = 9 if flags & 2 else 2
                size = struct.unpack(">Q", rest[1:9])[0] if flags & 2 else rest[1]
                if len(rest) < head + size:
                    break
                content = rest[head:head + size]
                if not flags & 4:
                    message = Message.decoded(content)
                    if message.command == command:
                        return
                    if message.command == Command.REFUSED:
                        raise ConnectionError("a session was refused")
                rest = rest[head + size:]
            self.read()

    def close(self):
        self.socket.close()


def greeting():
    return hello(secrets.token_bytes(16), "connections.py", os.getpid(), False)


def attach_one(number):
    return attach(1, [declaration(f"/node-{number}", [])], ())


class Measurement:
    def __init__(self, options):
        self.options = options
        self.missed = []
        self.bus = self.path = None

    def start_daemon(self, title, is_private):
        self.bus = Bus(
            self.options.programs, Bus.make_folder("connections."), is_private=is_private)
        self.path = self.bus.endpoint.removeprefix("ipc://")
        daemon = self.bus.start_daemon(
            title, "--limit", f"connectionsPerUser={2 * self.options.count}",
            "--limit", f"sessionsPerUser={2 * self.options.count}")
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end and not self.bus.has(title, f"serve {title}"):
            if pathlib.Path(self.path).exists() and "serving" in self.bus.log(title):
                break
            time.sleep(0.01)
        return daemon

    def stop(self, daemon):
        daemon.send_signal(signal.SIGTERM)
        daemon.wait()

    def measure(self, title, messages, awaited):
        """Returns the daemon's memory for each connection in bytes, the time in which all connections were
        opened in seconds, and their number."""
        daemon = self.start_daemon(title, is_private=True)
        before = resident(daemon.pid)[0]
        start = time.monotonic()
        connections = []
        while len(connections) < self.options.count:
            new = [
                Connection(self.path, *messages(len(connections) + number))
                for number in range(CONNECTIONS_AT_ONCE)]
            for connection in new:
                connection.await_command(awaited)
            connections += new
        seconds = time.monotonic() - start
        after = resident(daemon.pid)[0]
        for connection in connections:
            connection.close()
        self.stop(daemon)
        return (after - before) / len(connections), seconds, len(connections)

    def idle(self):
        size, *_ = self.measure("idle", lambda _: [greeting()], Command.WELCOME)
        return f"connection with a session and no node: {size / 1024:.1f} KiB"

    def sessions(self):
        size, seconds, count = self.measure(
            "sessions", lambda number: [greeting(), attach_one(number)], Command.ATTACHED)
        return (
            f"session with one node: {size / 1024:.1f} KiB; "
            f"{count:,} attached in {seconds:.2f} s, the time of this program included")

    def newcomers(self):
        """Returns the times in which a new session attaches, at rest and during a flood of connections by
        another user."""
        daemon = self.start_daemon("newcomers", is_private=False)
        rows = []
        for title in ("at rest", "during a flood"):
            flood = None
            if title != "at rest":
                flood = self.bus.start(
                    "flood", [
                        sys.executable,
                        str(PYTHON / "crowd.py"), self.path, "10000000", "4096"], MALLORY)
                end = time.monotonic() + PATIENCE_SECONDS
                while time.monotonic() < end and "begun" not in self.bus.log("flood"):
                    time.sleep(0.01)
            times = []
            for number in range(self.options.newcomers):
                start = time.monotonic()
                connection = Connection(self.path, greeting(), attach_one(number))
                connection.await_command(Command.ATTACHED)
                times.append((time.monotonic() - start) * 1000)
                connection.close()
            if flood:
                flood.kill()
                flood.wait()
            p99 = quantile(times, .99)
            if flood and p99 > NEWCOMER_MILLISECONDS:
                self.missed.append(
                    f"the newcomer's p99 is {p99:.2f} ms, and the goal is {NEWCOMER_MILLISECONDS} ms")
            rows.append(
                f"newcomer {title}: p50 {quantile(times, .5):.2f} ms, "
                f"p99 {p99:.2f} ms, longest {max(times):.2f} ms")
        self.stop(daemon)
        return "\n".join(rows)

    def run(self):
        """Measures, and returns the exit code."""
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        # In whole groups of connections that are opened at once.
        groups = (hard // 2 - OTHER_DESCRIPTORS) // CONNECTIONS_AT_ONCE
        self.options.count = min(self.options.count, groups * CONNECTIONS_AT_ONCE)
        for measured in (self.idle, self.sessions, self.newcomers):
            print(measured(), flush=True)
        for sentence in self.missed:
            print(f"goal missed: {sentence}", flush=True)
        return 1 if self.missed else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--count", type=int, default=10_000, help="number of connections and of sessions")
    parser.add_argument(
        "--newcomers", type=int, default=500, help="number of new sessions in each measurement")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(Measurement(arguments()).run())
