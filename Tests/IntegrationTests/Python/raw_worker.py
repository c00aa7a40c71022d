#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A worker on a bare socket that kills itself at a chosen point of the protocol.

Attaches PATH, prints `attached`, prints `visited` when the first visit of EVENT has arrived, waits
for a line on standard input, acts as WAY says and ends by SIGKILL:

    answer   accepts and answers first; the kernel has both messages when the process is killed
    fork     forks a child that keeps the connection open, prints `kept`, and lives as long as
             standard input is open
"""

import os
import secrets
import signal
import sys

from cascade_wire import Command, Kind, Message, Verdict, attach, declaration, hello
from zmtp_stream import Stream

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
