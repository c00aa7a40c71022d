# SPDX-License-Identifier: Apache-2.0
"""Two sites of real processes in a folder of their own: `hq` with a nats-server, and `ulm` below it."""

import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

SERVER = "/usr/sbin/nats-server"
PATIENCE_SECONDS = 30

# Key pairs of NATS users that serve tests alone: the secret and the public part.
KEYS = {
    "hq": ("SUAACAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAN7EY",
           "UCFIRY65OQE7DFP5KLNS2PF2LVZMUZYJX4OZIEQ36N2IQANUB5XVZ45L"),
    "ulm": ("SUAAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAT6EE",
            "UCATS5YOVB6ROX2WUNKGNQ2MP3GMXDMKSG2O4N5CLX3A6W4PZGZZJPJO"),
}


class Failure(Exception):
    """A process that does not do what it should."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(what, is_done, seconds=PATIENCE_SECONDS):
    """Waits for a condition. Returns the time at which it held."""
    end = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds} s")
        time.sleep(0.005)
    return time.monotonic()


class Process:
    """A program with a log of its own."""

    def __init__(self, folder, title, command):
        self.command, self.log = [str(word) for word in command], folder / f"{title}.log"
        self.title, self.process = title, None

    def start(self):
        # The log has the messages of the present process alone.
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def says(self, words):
        return words in self.log.read_text(errors="replace")

    def wait_for(self, words):
        return wait_until(f"{self.title} says '{words}'", lambda: self.says(words))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()


class SitePair:
    """The processes of both sites. `mount` is the place of ulm on the bus of hq."""

    def __init__(self, programs, mount):
        self.programs = pathlib.Path(programs)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cascade-sites."))
        self.mount, self.port, self.monitoring_port = mount, free_port(), free_port()
        for name, (secret, _) in KEYS.items():
            key = self.folder / f"{name}.key"
            key.touch(0o600)
            key.write_text(secret + "\n")
        (self.folder / "hq.policy").write_text(
            f"allow attach, subscribe, trigger, inspect, uplink {mount} to key ulm\n")
        (self.folder / "server.conf").write_text(self.server_configuration())
        address = f"localhost:{self.port}"
        self.configure("hq", f'server: {{address: "{address}", key: "{self.folder}/hq.key", trust: none}}\n'
                             f"children: {{ulm: {mount}}}\n")
        self.configure("ulm", f'parent: {{name: hq, server: "{address}", key: "{self.folder}/ulm.key", '
                              f"trust: none}}\n")
        self.server = Process(self.folder, "server", [SERVER, "--config", self.folder / "server.conf"])
        self.daemons = [
            Process(self.folder, f"{name}-daemon", [
                self.programs / "cascaded", "--listen", self.endpoint(name),
                "--state-directory", self.state_folder(name), *options])
            for name, options in (("hq", ["--policy", self.folder / "hq.policy"]), ("ulm", []))]
        self.sites = {
            name: Process(self.folder, f"{name}-site", [
                self.programs / "cascade-site", "--config", self.folder / f"{name}.yaml"])
            for name in ("hq", "ulm")}

    def state_folder(self, name):
        folder = self.folder / f"{name}-state"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def endpoint(self, name):
        return f"ipc://{self.folder}/{name}.sock"

    def configure(self, name, links):
        (self.folder / f"{name}.yaml").write_text(
            f'name: {name}\nbus: "{self.endpoint(name)}"\n{links}')

    def server_configuration(self):
        return f"""
            listen: "127.0.0.1:{self.port}"
            http: "127.0.0.1:{self.monitoring_port}"
            ping_interval: "2s"
            ping_max: 2
            authorization {{ users: [
              {{ nkey: {KEYS["hq"][1]}, permissions: {{
                  publish: ["cascade.main.down.*.hq.>"], subscribe: ["cascade.main.up.hq.>"] }} }}
              {{ nkey: {KEYS["ulm"][1]}, permissions: {{
                  publish: ["cascade.main.up.hq.ulm.>"], subscribe: ["cascade.main.down.ulm.hq.>"] }} }}
              {{ user: benchmark, password: benchmark }}
            ] }}
            """

    @property
    def url(self):
        return f"nats://benchmark:benchmark@127.0.0.1:{self.port}"

    def statistics(self):
        """Returns what the server's monitoring tells, as text."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.monitoring_port}/varz") as answer:
            return answer.read().decode()

    def start(self):
        self.server.start().wait_for("Server is ready")
        for daemon in self.daemons:
            daemon.start()
        for daemon in self.daemons:
            daemon.wait_for("serving")
        for site in self.sites.values():
            site.start()
        self.wait_until_linked()

    def wait_until_linked(self):
        return self.sites["ulm"].wait_for("linked to 'hq'")

    @property
    def processes(self):
        return [*self.sites.values(), *self.daemons, self.server]

    def stop(self):
        for process in self.processes:
            process.stop()
