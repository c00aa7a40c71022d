#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A peer of the daemon at PATH that takes more than its share, in one of these ways:

    together COUNT   sends COUNT queries for the tree as one ZeroMQ message
    queries COUNT    sends COUNT queries for the tree, one by one
    subscribe COUNT  attaches nodes that subscribe to Menu, in COUNT sessions
    leave COUNT      sends COUNT leaves of a node that has an event to answer
    named [HEX]      chooses this routing ID, greets, and prints the daemon's answer: libzmq refuses it
    same [HEX]       two connections choose this routing ID, and each greets and queries

It reads none of the answers. Prints `done` when all is sent, and then waits for the end of standard
input.
"""

import os
import secrets
import sys

from cascade_wire import Command, Flag, Kind, Message, Tag, attach, declaration, hello
from zmtp_stream import Stream

TREE = 1


def session(path):
    stream = Stream(path)
    stream.write(hello(secrets.token_bytes(16), "greedy peer", os.getpid(), False).encoded())
    stream.next(Command.WELCOME)
    return stream


def write_all(stream, messages):
    """Sends messages one by one, as far as the daemon reads them."""
    for message in messages:
        try:
            stream.write(message)
        except OSError:
            break


def query(number):
    return Message(Command.QUERY, id=number, code=TREE).encoded()


def subscribe(path, number):
    stream = session(path)
    node = declaration(f"/greedy-{number}", [], ["Menu"], prefetch=1024)
    stream.write(attach(1, [node], []).encoded())
    stream.next(Command.ATTACHED)
    return stream


def leave(path, count):
    stream = session(path)
    stream.write(attach(1, [declaration("/greedy", [(Kind.HANDLE, "Order")])], []).encoded())
    stream.next(Command.ATTACHED)
    fields = [(Tag.NAME, b"Order"), (Tag.ORIGIN, b"/greedy")]
    flags = Flag.ADDRESSED_IN_FIELDS | Flag.INCLUDING_SELF
    stream.write(Message(
        Command.TRIGGER, flags=flags, sequence=1, time=60_000, fields=fields).encoded())
    stream.next(Command.VISIT)
    write_all(stream, (Message(Command.LEAVE, id=number + 2).encoded() for number in range(count)))
    return stream


def named(path, routing_id):
    stream = Stream(path, routing_id=routing_id)
    stream.write(hello(secrets.token_bytes(16), "greedy peer", os.getpid(), False).encoded())
    violation = stream.next(Command.VIOLATION)
    print("answer", violation.code, violation.text(Tag.SENTENCE), flush=True)
    while stream.socket.recv(4096):
        pass
    print("closed", flush=True)


def same(path, routing_id):
    streams = [Stream(path, routing_id=routing_id) for _ in range(2)]
    for stream in streams:
        greeting = hello(secrets.token_bytes(16), "greedy peer", os.getpid(), False)
        stream.write(greeting.encoded())
        stream.next(Command.WELCOME)
    for stream in streams:
        stream.write(query(1))
        stream.next(Command.ANSWER)
        print("answered", flush=True)
    return streams


def main(path, way, count=0):
    if way == "named":
        named(path, bytes.fromhex(count) if count else b"greedy")
        count = 0
    if way == "same":
        kept = same(path, bytes.fromhex(count))
        count = 0
    count = int(count)
    if way in ("named", "same"):
        pass
    elif way == "subscribe":
        kept = [subscribe(path, number) for number in range(count)]
    elif way == "leave":
        kept = leave(path, count)
    else:
        kept = session(path)
        if way == "together":
            kept.write_together([query(number + 1) for number in range(count)])
        else:
            write_all(kept, (query(number + 1) for number in range(count)))
    print("done", flush=True)
    sys.stdin.readline()


main(*sys.argv[1:])
