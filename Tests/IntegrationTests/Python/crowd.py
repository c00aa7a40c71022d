#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Connects COUNT times to the socket at PATH as fast as it can, and sends nothing.

Keeps up to KEPT connections open, the newest. Prints `begun` after the first and `done` with the
number of successful connections at the end, then waits for the end of standard input.
"""

import collections
import socket
import sys


def main(path, count, kept):
    connections = collections.deque()
    succeeded = 0
    for number in range(count):
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(path)
            succeeded += 1
        except OSError:
            connection.close()
            continue
        connections.append(connection)
        if len(connections) > kept:
            connections.popleft().close()
        if number == 0:
            print("begun", flush=True)
    print("done", succeeded, flush=True)
    sys.stdin.readline()


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
