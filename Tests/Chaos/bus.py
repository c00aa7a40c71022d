# SPDX-License-Identifier: Apache-2.0
"""A bus of real processes in a folder of its own.

If root runs it, it is set up as on a system: the daemon has a user of its own, its socket is open to a
group, and the workers belong to two users of that group. Otherwise all processes belong to one user.
"""

import os
import pathlib
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time

FOLDER = pathlib.Path(__file__).parent

# IDs of users and of a group that are unused on most machines.
GROUP, BUS_USER = 64_200, 64_201
ANNA, BEN, MALLORY = 64_202, 64_203, 64_204


def has_users():
    """Returns whether processes can run as several users: started by root, in a folder that all users can
    reach."""
    return os.geteuid() == 0 and all(
        folder.stat().st_mode & stat.S_IXOTH for folder in [FOLDER, *FOLDER.parents])


def now():
    """Returns the time of the machine's monotonic clock in microseconds, as in all histories."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000


class Failure(Exception):
    """A failure that the histories do not show."""


class Bus:
    """A bus. Its folder has `run` for the daemon, `histories` for all processes, and logs."""

    def __init__(self, programs, folder, is_private=False):
        self.programs, self.folder = pathlib.Path(programs), folder
        # The umask of the daemon, which determines the mode of the socket.
        self.umask = 0o077 if is_private else 0o007
        folder.chmod(0o755)
        self.histories, self.run_folder = folder / "histories", folder / "run"
        for subfolder in (self.histories, self.run_folder):
            subfolder.mkdir()
        self.histories.chmod(0o1777)
        for name, mode in (("rules", 0o755), ("state", 0o700)):
            subfolder = self.run_folder / name
            subfolder.mkdir(mode=mode)
            self.set_owner(subfolder)
        self.set_owner(self.run_folder)
        self.endpoint = f"ipc://{self.run_folder}/bus"
        self.history = os.open(
            self.histories / "driver.history", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    @staticmethod
    def make_folder(prefix):
        return pathlib.Path(tempfile.mkdtemp(prefix=prefix))

    def set_owner(self, path):
        if has_users():
            os.chown(path, BUS_USER, GROUP)

    def close(self):
        os.close(self.history)

    def program(self, name):
        return str(self.programs / name)

    def record_action(self, *words):
        """Writes a line of the history of actions, `driver.history`."""
        os.write(self.history, (" ".join([str(now()), *words]) + "\n").encode())

    def start(self, title, command, user=ANNA, **variables):
        """Starts a process as a user who is a member of the socket's group."""
        environment = dict(
            os.environ, CASCADE_BUS=self.endpoint, PYTHONDONTWRITEBYTECODE="1",
            CLOCK_OFFSET=str(now() - time.time_ns() // 1000),
            HISTORY=str(self.histories / f"{title}.history"), **variables)
        identity = dict(user=user, group=user, extra_groups=[GROUP]) if has_users() else {}
        # As with units and logins, the daemon and each process of the other users have a scheduling group
        # of their own (sched_autogroup); the processes of the hostile user share one.
        identity.update(start_new_session=user != MALLORY)
        if user == BUS_USER:
            identity.update(dict(umask=self.umask), **(dict(group=GROUP) if has_users() else {}))
        with open(self.folder / f"{title}.log", "ab") as log:
            return subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
                **identity)

    def start_daemon(self, title, *options):
        """Starts a daemon, and records its notification that it is ready, as systemd does."""
        notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = self.folder / f"{title}.notify"
        notifications.bind(str(address))
        self.set_owner(address)
        daemon = self.start(title, [
            self.program("cascaded"), "--listen", self.endpoint,
            "--rules", str(self.run_folder / "rules"),
            "--state-directory", str(self.run_folder / "state"), *options], BUS_USER,
            NOTIFY_SOCKET=str(address))
        threading.Thread(
            target=self.record_readiness, args=(title, daemon, notifications), daemon=True).start()
        return daemon

    def record_readiness(self, title, daemon, notifications):
        with notifications:
            notifications.settimeout(1)
            while daemon.poll() is None:
                try:
                    if b"READY=1" in notifications.recv(4096).split(b"\n"):
                        self.record_action("serve", title)
                        return
                except TimeoutError:
                    continue

    def start_script(self, title, name, *arguments, user=ANNA):
        return self.start(title, [sys.executable, str(FOLDER / name), *map(str, arguments)], user)

    def start_node(self, name, below, *arguments, user=ANNA, incarnation=1):
        """Starts a node with the program chaos-worker."""
        return self.start(f"{name}.{incarnation}", [
            self.program("chaos-worker"), name, str(incarnation), below, str(self.histories),
            *map(str, arguments)], user)

    def has(self, title, word):
        """Returns whether a word is a line of its own in the history of a process."""
        file = self.histories / f"{title}.history"
        return file.exists() and f" {word}\n" in file.read_text()

    def log(self, title):
        file = self.folder / f"{title}.log"
        return file.read_text(errors="replace") if file.exists() else ""
