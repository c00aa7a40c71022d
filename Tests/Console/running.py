# SPDX-License-Identifier: Apache-2.0
"""A bus with nodes of the command line, and a console that looks at it, for the tests."""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BINARIES = os.environ.get("CASCADE_CONSOLE_BINARIES", "")
PAGE = os.environ.get("CASCADE_CONSOLE_PAGE", "")
# The files that the page is made of.
PAGE_FOLDER = HERE.parents[1] / "Sources/CConsoleAssets/Page"
# Has a console serve each module of the page as a file of its own, for tests of one module.
EACH_MODULE = ["--page-directory", str(PAGE_FOLDER)]
PATIENCE_SECONDS = 30
# Whether times are held against the goals; otherwise against five times as much, because CI is busy.
MEASURES = bool(os.environ.get("CASCADE_MEASURE"))


def program(name):
    """The path of a program that was built."""
    return os.path.join(BINARIES, name) if BINARIES else name


def goal(value):
    """The most that a time may be whose goal is the value."""
    return value if MEASURES else 5 * value


def await_true(condition, what, seconds=PATIENCE_SECONDS):
    """Waits for a condition, and returns its value. Fails if it does not hold in time."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds} s"
        time.sleep(0.01)


def resident_bytes(process):
    """The resident memory of a process, in bytes."""
    with open(f"/proc/{process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4_096


class Bus:
    """A daemon on a socket in a temporary directory, and the nodes of its tests."""

    def __init__(self, *arguments):
        self.directory = tempfile.mkdtemp(prefix="console-")
        self.socket = os.path.join(self.directory, "bus.sock")
        self.endpoint = f"ipc://{self.socket}"
        self.environment = dict(os.environ, CASCADE_BUS=self.endpoint)
        self.arguments = arguments
        self.nodes = []
        self.daemon = None
        self.start()

    def start(self):
        self.daemon = subprocess.Popen(
            [program("cascaded"), "--listen", self.endpoint, *self.arguments],
            stderr=subprocess.DEVNULL,
        )
        await_true(lambda: os.path.exists(self.socket), "the start of the bus")

    def kill(self):
        self.daemon.kill()
        self.daemon.wait()

    def attach(self, path, *arguments):
        """Attaches a node, and returns its process when it is live."""
        process = subprocess.Popen(
            [program("cascadectl"), "attach", path, *arguments],
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL, text=True,
        )
        self.nodes.append(process)
        assert process.stdout.readline(), f"the node {path} did not attach"
        # What it prints is read, or it would wait for somebody to read it.
        threading.Thread(target=self._read, args=[process.stdout], daemon=True).start()
        return process

    def serve(self, script, *arguments):
        """Starts a script of this directory that attaches nodes, and returns its process when they are live."""
        process = subprocess.Popen(
            [sys.executable, str(HERE / script), *map(str, arguments)],
            env=dict(self.environment, PYTHONPATH=str(HERE.parents[1] / "deploy/python")),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.nodes.append(process)
        line = process.stdout.readline()
        assert line == "attached\n", f"{script} printed '{line}'"
        return process

    @staticmethod
    def _read(output):
        with output:
            output.read()

    def ctl(self, *arguments):
        """Runs a command of cascadectl, and returns its document."""
        result = subprocess.run(
            [program("cascadectl"), *arguments, "--json"],
            env=self.environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS,
        )
        assert result.stdout, result.stderr
        return json.loads(result.stdout.splitlines()[-1])

    def close(self):
        for node in self.nodes:
            node.send_signal(signal.SIGKILL)
            node.wait()
            for end in (node.stdin, node.stdout):
                if end:
                    end.close()
        self.daemon.terminate()
        self.daemon.wait()
        shutil.rmtree(self.directory)


class Console:
    """A console that looks at a bus."""

    def __init__(self, bus, *arguments, log=None, name=None, ignores_size_limit=False):
        """Starts a console; its log goes to the file at `log`. With several buses the first has a name. A console that
        ignores the signal of a limit for files gets an error from a write beyond it, as on a full disk."""
        shown = f"{name}={bus.endpoint}" if name else bus.endpoint
        page = ["--page-directory", PAGE] if PAGE else []
        with open(log or os.devnull, "w") as errors:
            self.process = subprocess.Popen(
                [program("cascade-console"), "--bus", shown, *page, *arguments],
                stdout=subprocess.PIPE, stderr=errors, text=True,
                # Python ignores the signal itself, and gives it back to what it starts.
                restore_signals=not ignores_size_limit,
            )
        self.link = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#key=([0-9a-f]{32})", self.link)
        assert match, f"no link: {self.link}"
        self.port, self.key = int(match[1]), match[2]
        self.token = None

    def ask(self, method, path, body=None, headers=None, connection=None):
        """Sends a request as a page would. Returns the status, the headers and the body."""
        own = connection is None
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        sent = {} if body is None else {"Content-Type": "application/json"}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        sent.update(headers or {})
        text = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        connection.request(method, path, text, sent)
        response = connection.getresponse()
        content = response.read()
        if own:
            connection.close()
        return response.status, dict(response.getheaders()), content

    def open_session(self):
        status, _, content = self.ask("POST", "/v1/session", {"key": self.key})
        assert status == 200, content
        self.token = json.loads(content)["token"]
        return json.loads(content)

    def frame(self, **members):
        status, _, content = self.ask("POST", "/v1/frame", {"page": "test", **members})
        assert status == 200, content
        return json.loads(content)

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


class UnixConnection(http.client.HTTPConnection):
    """A connection by a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=10)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class PlacedTests(unittest.TestCase):
    """Tests with a bus, and a console that listens at a port and at a Unix socket."""

    # What the nodes of the bus declare, by their paths.
    nodes = {"/shop": ["--handle", "Order"]}

    @classmethod
    def setUpClass(cls):
        cls.bus = Bus()
        for path, arguments in cls.nodes.items():
            cls.bus.attach(path, *arguments)
        cls.directory = tempfile.TemporaryDirectory()
        cls.socket = os.path.join(cls.directory.name, "console.sock")
        cls.console = Console(
            cls.bus, "--listen", "127.0.0.1:0", "--listen", f"unix:{cls.socket}")
        cls.console.open_session()

    @classmethod
    def tearDownClass(cls):
        cls.console.close()
        cls.bus.close()
        cls.directory.cleanup()
