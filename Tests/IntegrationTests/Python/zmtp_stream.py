# SPDX-License-Identifier: Apache-2.0
"""ZMTP 3 on a bare socket, for peers that misbehave in ways no library allows."""

import socket
import sys

from cascade_wire import Command, Message

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
MORE, COMMAND = 1, 4


class Stream:
    """ZMTP 3 with the mechanism NULL, as far as these peers need it."""

    def __init__(self, path, routing_id=b""):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.socket.sendall(GREETING)
        self.read(64)
        name = b"\x08Identity" + len(routing_id).to_bytes(4, "big") + routing_id
        self.write(READY + (name if routing_id else b""), flags=COMMAND)
        self.frame()

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                sys.exit("the daemon has closed the connection")
            data += part
        return data

    def frame(self):
        flags = self.read(1)[0]
        size = int.from_bytes(self.read(8 if flags & 2 else 1), "big")
        return self.read(size)

    @staticmethod
    def head(frame, flags=0):
        if len(frame) < 256:
            return bytes([flags, len(frame)])
        return bytes([flags | 2]) + len(frame).to_bytes(8, "big")

    def write(self, frame, flags=0):
        self.socket.sendall(self.head(frame, flags) + frame)

    def write_together(self, frames):
        """Sends frames as one ZeroMQ message."""
        heads = [self.head(frame, MORE) for frame in frames[:-1]] + [self.head(frames[-1])]
        self.socket.sendall(b"".join(head + frame for head, frame in zip(heads, frames)))

    def next(self, command):
        """The next message of this command; beats are answered, other messages are skipped."""
        while True:
            message = Message.decoded(self.frame())
            if message and message.command == command:
                return message
            if message and message.command == Command.BEAT:
                self.write(Message(Command.BEAT, id=message.id).encoded())
