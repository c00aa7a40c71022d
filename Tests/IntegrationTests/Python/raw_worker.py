#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A worker that dies in a chosen way, on a bare socket, so that it is known what has been written.

Attaches PATH, prints `attached`, and when the first visit of EVENT has come prints `visited`, waits
for a line on standard input, does what WAY says and ends by SIGKILL:

    answer   it accepts and answers first; both are with the kernel when it dies
    fork     it leaves a child behind that keeps the connection open, prints `kept`, and lives as
             long as standard input is open
"""

import os
import secrets
import signal
import socket
import sys

from cascade_wire import Command, Kind, Message, Verdict, attach, declaration, hello

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"


class Stream:
    """ZMTP 3 with the mechanism NULL, as far as this needs it."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.socket.sendall(GREETING)
        self.read(64)
        self.write(READY, flags=4)
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

    def write(self, frame, flags=0):
        if len(frame) < 256:
            head = bytes([flags, len(frame)])
        else:
            head = bytes([flags | 2]) + len(frame).to_bytes(8, "big")
        self.socket.sendall(head + frame)

    def next(self, command):
        """The next message of this command; beats are answered, all else is passed over."""
        while True:
            message = Message.decoded(self.frame())
            if message and message.command == command:
                return message
            if message and message.command == Command.BEAT:
                self.write(Message(Command.BEAT, id=message.id).encoded())


def main(path, node, event, way):
    stream = Stream(path)
    stream.write(hello(secrets.token_bytes(16), "raw worker", os.getpid(), False).encoded())
    stream.next(Command.WELCOME)
    stream.write(attach(1, [declaration(node, [(Kind.HANDLE, event)])], []).encoded())
    stream.next(Command.ATTACHED)
    print("attached", flush=True)
    visit = stream.next(Command.VISIT)
    print("visited", flush=True)
    sys.stdin.readline()
    if way == "answer":
        stream.write(Message(Command.ACCEPT, node=visit.node, id=visit.id).encoded())
        stream.write(Message(
            Command.VERDICT, node=visit.node, id=visit.id, code=Verdict.HANDLED).encoded())
    elif os.fork() == 0:
        print("kept", flush=True)
        sys.stdin.readline()
        sys.exit(0)
    else:
        stream.write(Message(Command.ACCEPT, node=visit.node, id=visit.id).encoded())
        sys.stdin.readline()
    os.kill(os.getpid(), signal.SIGKILL)


main(*sys.argv[1:])
