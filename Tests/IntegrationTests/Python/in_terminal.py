#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program in a terminal of a given size, and types at its keyboard.

in_terminal.py ROWS COLUMNS EXPECTED KEYS PROGRAM ARGUMENTS...

Types KEYS once the program has shown EXPECTED, waits for its end, and prints all that the terminal
received. Exits with the program's exit code, or with 70 if EXPECTED or the end does not come in time
or the terminal's modes are not restored.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

PATIENCE_SECONDS = 20


def main():
    rows, columns, expected, keys, *command = sys.argv[1:]
    terminal, program_side = pty.openpty()
    fcntl.ioctl(program_side, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))
    modes = termios.tcgetattr(program_side)
    process = os.fork()
    if process == 0:
        login(program_side)
        os.environ["TERM"] = "xterm"
        os.execvp(command[0], command)
    shown = b""
    typed = False
    status = None
    end = time.monotonic() + PATIENCE_SECONDS
    # This end of the program's side stays open, so that the modes can be read after its end.
    while time.monotonic() < end:
        readable = select.select([terminal], [], [], 0.05)[0]
        if readable:
            shown += os.read(terminal, 65536)
        if not typed and expected.encode() in shown:
            os.write(terminal, keys.encode())
            typed = True
        if status is None:
            ended, code = os.waitpid(process, os.WNOHANG)
            status = code if ended else None
        elif not readable:
            break
    sys.stdout.buffer.write(shown)
    sys.stdout.flush()
    if status is None:
        os.kill(process, signal.SIGKILL)
        return 70
    if termios.tcgetattr(program_side)[3] != modes[3]:
        return 70
    return os.waitstatus_to_exitcode(status)


def login(descriptor):
    os.setsid()
    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)
    for number in range(3):
        os.dup2(descriptor, number)


if __name__ == "__main__":
    sys.exit(main())
