#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Acts as the service manager of a daemon, and checks that the daemon keeps to the protocol.

    service_manager.py CASCADED CASCADECTL

Exits with 0 if all checks pass.
"""

import array
import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE_SECONDS = 20
WATCHDOG_MICROSECONDS = 200_000


class Manager:
    """Opens the socket, keeps the stored descriptors, and starts the daemon as often as needed."""

    def __init__(self, folder, daemon, rules):
        self.daemon = daemon
        self.rules = rules
        self.endpoint = f"ipc://{folder}/bus.sock"
        self.bus = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.bus.bind(f"{folder}/bus.sock")
        self.bus.listen(16)
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(f"\0{folder}/notify")
        self.notifications = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.notify_name = f"@{folder}/notify"
        self.stored = {}
        self.process = None

    def start(self):
        descriptors = {"bus": self.bus.fileno(), **self.stored}
        child = os.fork()
        if child == 0:
            copies = [os.dup2(number, 100 + index)
                      for index, number in enumerate(descriptors.values())]
            for index, number in enumerate(copies):
                os.dup2(number, 3 + index)
            os.environ.update(
                LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(descriptors)),
                LISTEN_FDNAMES=":".join(descriptors), NOTIFY_SOCKET=self.notify_name,
                WATCHDOG_USEC=str(WATCHDOG_MICROSECONDS), WATCHDOG_PID=str(os.getpid()))
            os.execv(self.daemon, [self.daemon, "--rules", self.rules, "--grace", "60s"])
        self.process = child

    def read(self):
        """Reads each notification at once, as a service manager does: the kernel keeps ten, and the
        daemon withholds a status while they are unread."""
        size = array.array("i").itemsize
        while True:
            text, ancillary, _, _ = self.notify.recvmsg(4096, socket.CMSG_SPACE(size))
            lines = dict(line.split("=", 1) for line in text.decode().split("\n"))
            for _, _, data in ancillary:
                number = array.array("i", data[:size])[0]
                if lines.get("FDSTORE") == "1":
                    self.stored[lines["FDNAME"]] = number
            self.notifications.put(lines)

    def wait_for(self, key, part=""):
        """The next notification with the part in the key's value, as a dictionary."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            lines = self.notifications.get(timeout=max(0, end - time.monotonic()))
            if part in lines.get(key, "\0"):
                return lines

    def kill(self, number):
        os.kill(self.process, number)

    def ending(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def check(words, is_so):
    print(f"{'ok' if is_so else 'not ok'} {words}", flush=True)
    if not is_so:
        sys.exit(1)


def run(manager, control, rules):
    def command(*arguments):
        return [control, *arguments, "--bus", manager.endpoint]

    # It connects while no daemon serves the socket.
    early = subprocess.Popen(command("env", "set", 'colour="red"', "--at", "/shop"))
    manager.start()
    manager.wait_for("READY", "1")
    check("who came before the daemon is served", early.wait(PATIENCE_SECONDS) == 0)
    check("the daemon has had its state stored", "state" in manager.stored)
    worker = subprocess.Popen(command("attach", "/shop/till"), stdout=subprocess.DEVNULL)
    manager.wait_for("STATUS", "2 nodes,")
    for _ in range(3):
        manager.wait_for("WATCHDOG", "1")
    check("it gives signs of life and says how it does", True)

    manager.kill(signal.SIGKILL)
    check("it is killed", manager.ending() == -signal.SIGKILL)
    worker.kill()
    worker.wait()
    manager.start()
    manager.wait_for("READY", "1")
    value = subprocess.run(
        command("env", "get", "colour", "--at", "/shop/till"), capture_output=True, text=True)
    check("a value outlives it", value.stdout == '"red"\n')
    tree = subprocess.run(command("list", "--json"), capture_output=True, text=True).stdout
    check("and so does a place", '"/shop/till"' in tree and "vacant" in tree)

    with open(rules, "w", encoding="utf-8") as file:
        file.write("size <= \n")
    manager.kill(signal.SIGHUP)
    check("a reload has its beginning", "MONOTONIC_USEC" in manager.wait_for("RELOADING", "1"))
    status = manager.wait_for("STATUS", "undelivered; ")["STATUS"]
    check("it says what is wrong", f"{rules}:1:" in status)
    check("and has its end", manager.wait_for("READY", "1"))
    with open(rules, "w", encoding="utf-8") as file:
        file.write("size <= 1\n")
    manager.kill(signal.SIGHUP)
    while ";" in manager.wait_for("STATUS", "undelivered")["STATUS"]:
        pass
    check("what was wrong is forgotten when it is right", manager.wait_for("READY", "1"))

    manager.kill(signal.SIGTERM)
    check("it says that it stops", "EXTEND_TIMEOUT_USEC" in manager.wait_for("STOPPING", "1"))
    check("and ends without an error", manager.ending() == 0)
    check("the socket is there for the next one", os.path.exists(manager.endpoint[6:]))


def main():
    daemon, control = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        rules = f"{folder}/shop.rules"
        open(rules, "w", encoding="utf-8").close()
        manager = Manager(folder, daemon, rules)
        try:
            run(manager, control, rules)
        except queue.Empty:
            check("the daemon said what was waited for", False)
        finally:
            if manager.process:
                try:
                    manager.kill(signal.SIGKILL)
                except ProcessLookupError:
                    pass


main()
