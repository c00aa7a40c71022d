#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A process with two sessions that dies when each has asked for the node of the other.

Attaches FIRST and SECOND, prints `attached`, waits for a line on standard input, asks by each session
for the node of the other one, and ends by SIGKILL.
"""

import os
import secrets
import signal
import sys

from cascade_wire import Command, attach, declaration, hello
from zmtp_stream import Stream


def attached(path, node):
    stream = Stream(path)
    stream.write(hello(secrets.token_bytes(16), "crossed worker", os.getpid(), False).encoded())
    stream.next(Command.WELCOME)
    stream.write(attach(1, [declaration(node, [])], []).encoded())
    stream.next(Command.ATTACHED)
    return stream


def main(path, first, second):
    one, other = attached(path, first), attached(path, second)
    print("attached", flush=True)
    sys.stdin.readline()
    one.write(attach(2, [declaration(second, [])], []).encoded())
    other.write(attach(2, [declaration(first, [])], []).encoded())
    os.kill(os.getpid(), signal.SIGKILL)


main(*sys.argv[1:])
