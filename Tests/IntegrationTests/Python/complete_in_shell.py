#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completes a line in a real shell on a terminal of its own, as a user at a keyboard would.

complete_in_shell.py SHELL FOLDER LINE EXPECTED...

FOLDER has the completion scripts, as packages install them. Exits with 0 when the shell has shown
every EXPECTED after the line, and with 1 and the actual output when it has not in time.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

PATIENCE_SECONDS = 20
READY = "shell-is-ready"
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source {folder}/cascadectl"),
    "fish": (["fish", "--no-config", "-i"], "source {folder}/cascadectl.fish"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; setopt NO_BEEP",
    ),
}


class Terminal:
    def __init__(self, command, home):
        self.shown = ""
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="xterm", HOME=home, XDG_DATA_HOME=home, XDG_CONFIG_HOME=home)
            os.execvp(command[0], command)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self.end = time.monotonic() + PATIENCE_SECONDS

    def write(self, text):
        os.write(self.descriptor, text.encode())

    def reads(self, wanted):
        """Whether all expected candidates are shown in time."""
        while not all(text in self.shown for text in wanted):
            remaining = self.end - time.monotonic()
            if remaining <= 0 or not select.select([self.descriptor], [], [], remaining)[0]:
                return False
            try:
                read = os.read(self.descriptor, 65536).decode(errors="replace")
            except OSError:
                return False
            self.shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|[\r\x07]", "", read)
        return True

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def main():
    shell, folder, line, *expected = sys.argv[1:]
    command, setup = SHELLS[shell]
    terminal = Terminal(command, folder)
    try:
        # The typed text is echoed too; quotes tell the answer from it.
        terminal.write(f"{setup.format(folder=folder)}; echo {READY[:5]}''{READY[5:]}\n")
        if terminal.reads([READY]):
            terminal.shown = ""
            terminal.write(line + "\t\t")
            if terminal.reads(expected):
                return 0
        print(terminal.shown)
        return 1
    finally:
        terminal.close()


if __name__ == "__main__":
    sys.exit(main())
