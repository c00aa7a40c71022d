# SPDX-License-Identifier: Apache-2.0
"""What the tests share: the package on the path, the document's examples, and a real daemon."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Awaitable, Callable

PACKAGE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PACKAGE))

from cascade_bus import Bus  # noqa: E402

# Failing responders are a part of the tests; so is a busy machine, of which asyncio complains.
for logger in ("cascade_bus", "asyncio"):
    logging.getLogger(logger).setLevel(logging.CRITICAL)

#: The document of the protocol, whose examples are fixtures; absent outside of the repository.
PROTOCOL = PACKAGE.parent.parent / "Sources/CascadeWire/CascadeWire.docc/Protocol.md"

#: Seconds after which a test that waits for a condition has failed.
PATIENCE = 20.0


def examples() -> dict[str, bytes]:
    """Returns the whole messages of the protocol's document, by their titles."""
    found: dict[str, bytes] = {}
    for block in re.findall(r"```hex\n(.*?)```", PROTOCOL.read_text(encoding="utf-8"), re.S):
        title, *lines = block.splitlines()
        octets = " ".join(line.split("#")[0] for line in lines)
        found[title.removeprefix("# ")] = bytes.fromhex(octets)
    return found


class Daemon:
    """A daemon of its own, in a new folder, which can be killed and started again."""

    def __init__(self, *arguments: str) -> None:
        program = os.environ.get("CASCADED")
        if not program:
            raise unittest.SkipTest("CASCADED names no daemon")
        self._program = program
        self._arguments = arguments
        self._folder = tempfile.TemporaryDirectory(prefix="cascade-python-")
        self._process: subprocess.Popen[bytes] | None = None
        self.endpoint = f"ipc://{self._folder.name}/bus.sock"
        self.state_directory = f"{self._folder.name}/state"
        os.mkdir(self.state_directory, 0o700)

    def again(self, *arguments: str) -> Daemon:
        """Starts a daemon at the same endpoint with other arguments, and returns it."""
        self._arguments = arguments
        self.start()
        return self

    def start(self) -> None:
        """Starts the daemon; workers connect when it is ready."""
        with open(f"{self._folder.name}/log", "ab") as log:
            self._process = subprocess.Popen(
                [self._program, "--listen", self.endpoint, "--config", os.devnull,
                 *self._arguments], stdout=log, stderr=log)

    def kill(self) -> None:
        """Ends the daemon as a fault would, without a chance to say anything."""
        self._end(signal.SIGKILL)

    def terminate(self) -> None:
        """Stops the daemon in order."""
        self._end(signal.SIGTERM)

    def close(self) -> None:
        """Stops the daemon and removes its folder."""
        if self._process is not None:
            self.kill()
        self._folder.cleanup()

    def log(self) -> str:
        """Returns what the daemon has logged."""
        return Path(self._folder.name, "log").read_text(encoding="utf-8", errors="replace")

    def _end(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait()
        self._process = None


class DaemonTestCase(unittest.IsolatedAsyncioTestCase):
    """Tests against a real daemon, whose path is in the variable CASCADED."""

    arguments: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, member in list(vars(cls).items()):
            if name.startswith("test_"):
                setattr(cls, name, _bounded(member))

    def setUp(self) -> None:
        self.daemon = Daemon(*self.arguments)
        self.addCleanup(self.daemon.close)
        self.daemon.start()

    def connect(self, **options: Any) -> Bus:
        """Returns a bus for `async with`, at the test's daemon."""
        return Bus.connect(self.daemon.endpoint, timeout=PATIENCE, **options)


def _bounded(
    test: Callable[[DaemonTestCase], Awaitable[None]]
) -> Callable[[DaemonTestCase], Awaitable[None]]:
    # Each wait in a test is for a condition; this bounds the test as a whole.
    @functools.wraps(test)
    async def run(self: DaemonTestCase) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await test(self)
        except TimeoutError:
            self.fail(f"not within {PATIENCE} s; the daemon's log:\n{self.daemon.log()}")

    return run
