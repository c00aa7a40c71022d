# SPDX-License-Identifier: Apache-2.0
"""Two sites of real processes in a folder of their own: `hq` with a nats-server, and `ulm` below it."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

SERVER = "/usr/sbin/nats-server"
# Key pairs of NATS users that serve tests alone.
SEEDS = {
    "hq": "SUAACAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAN7EY",
    "ulm": "SUAAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAT6EE",
}
KEYS = {
    "hq": "UCFIRY65OQE7DFP5KLNS2PF2LVZMUZYJX4OZIEQ36N2IQANUB5XVZ45L",
    "ulm": "UCATS5YOVB6ROX2WUNKGNQ2MP3GMXDMKSG2O4N5CLX3A6W4PZGZZJPJO",
}
HOSTS = {"hq": "192.0.2.1", "ulm": "192.0.2.2"}
DEVICE = "cable"
PATIENCE_SECONDS = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(what, is_done, seconds=PATIENCE_SECONDS):
    """Waits for a condition."""
    end = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.005)


class Program:
    """A process, and the lines of its standard error with the time of each."""

    def __init__(self, *command, bus=""):
        self.command = [str(word) for word in command]
        self.environment = dict(os.environ, CASCADE_BUS=bus)
        self.changed = threading.Condition()
        self.start()

    def start(self):
        """Starts the program again, with no line taken."""
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, env=self.environment)
        self.lines, self.taken = [], 0
        threading.Thread(target=self.read, args=(self.process.stderr,), daemon=True).start()

    def read(self, output):
        for line in output:
            with self.changed:
                self.lines.append((time.time(), line))
                self.changed.notify_all()

    def line(self, words, seconds=PATIENCE_SECONDS):
        """Waits for the next line that contains the words, and returns its time."""
        end = time.monotonic() + seconds
        with self.changed:
            while True:
                while self.taken < len(self.lines):
                    moment, line = self.lines[self.taken]
                    self.taken += 1
                    if words in line:
                        return moment
                if not self.changed.wait(max(0, end - time.monotonic())):
                    raise TimeoutError(f"no '{words}' in: {''.join(l for _, l in self.lines)}")

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait()


class Network:
    """Two network namespaces joined by a cable."""

    def __init__(self):
        self.names = {site: f"cascade-{site}-{os.getpid()}" for site in HOSTS}
        for name in self.names.values():
            subprocess.run(["ip", "netns", "add", name], check=True)
        self.run(
            "hq", "ip", "link", "add", DEVICE, "type", "veth", "peer", "name", DEVICE, "netns",
            self.names["ulm"])
        for site, host in HOSTS.items():
            self.run(site, "ip", "address", "add", f"{host}/30", "dev", DEVICE)
            self.run(site, "ip", "link", "set", "lo", "up")
            self.run(site, "ip", "link", "set", DEVICE, "up")

    def wrapper(self, site):
        return ["ip", "netns", "exec", self.names[site]]

    def run(self, site, *command):
        subprocess.run([*self.wrapper(site), *command], check=True)

    def set_cable(self, state):
        self.run("hq", "ip", "link", "set", DEVICE, state)

    def close(self):
        for name in self.names.values():
            subprocess.run(["ip", "netns", "delete", name], check=False)


class SitePair:
    """The daemons and sites of hq and ulm, and the server between them."""

    def __init__(self, programs, network=None, mount="/shop/ulm", relay=None, children=None):
        self.programs, self.network = programs, network
        # The sites below hq and their mounts. Without ulm, the caller starts them.
        self.mounts = {name: f"/shop/{name}" for name in children or []} or {"ulm": mount}
        self.host = HOSTS["hq"] if network else "127.0.0.1"
        self.port, self.monitoring_port = free_port(), free_port()
        # The child may reach the server by a relay, which a function makes for the server's port.
        self.child_port = relay(self.port) if relay else self.port
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sites."))
        self.write_files()
        self.daemons = [self.start_daemon("hq", "--policy", self.folder / "hq.policy")]
        if "ulm" in self.mounts:
            self.daemons.append(self.start_daemon("ulm", "--state-directory", self.folder / "state"))
        self.start_server()
        self.sites = {site: self.start_site(site) for site in HOSTS if site in ("hq", *self.mounts)}
        if "ulm" in self.mounts:
            self.sites["ulm"].line("linked to 'hq'")

    def write(self, name, text):
        file = self.folder / name
        file.write_text(text)
        file.chmod(0o600)

    def write_files(self):
        (self.folder / "state").mkdir(mode=0o700)
        for site, seed in SEEDS.items():
            self.write(f"{site}.key", seed + "\n")
        self.write("hq.policy", "".join(
            f"allow attach, subscribe, trigger, inspect, uplink {mount} to key {name}\n"
            for name, mount in self.mounts.items()))
        address = f"{self.host}:{self.port}"
        self.write("hq.yaml", f"""\
name: hq
bus: "{self.endpoint('hq')}"
server: {{address: "{address}", key: "{self.folder}/hq.key", trust: none}}
children: {{{', '.join(f'{name}: {mount}' for name, mount in self.mounts.items())}}}
""")
        self.write("ulm.yaml", f"""\
name: ulm
bus: "{self.endpoint('ulm')}"
parent: {{name: hq, server: "{self.host}:{self.child_port}", key: "{self.folder}/ulm.key", trust: none}}
""")
        child = "ulm" if "ulm" in self.mounts else "*"
        self.write("server.conf", f"""\
listen: "{address}"
http: "127.0.0.1:{self.monitoring_port}"
ping_interval: "2s"
ping_max: 2
authorization {{ users: [
  {{ nkey: {KEYS['hq']}, permissions: {{
      publish: ["cascade.main.down.*.hq.>"], subscribe: ["cascade.main.up.hq.>"] }} }}
  {{ nkey: {KEYS['ulm']}, permissions: {{
      publish: ["cascade.main.up.hq.{child}.>"], subscribe: ["cascade.main.down.{child}.hq.>"] }} }}
  {{ user: benchmark, password: benchmark }}
] }}
""")

    @property
    def url(self):
        """The server for a client that is no site."""
        return f"nats://benchmark:benchmark@{self.host}:{self.port}"

    def endpoint(self, site):
        return f"ipc://{self.folder}/{site}.sock"

    def wrapper(self, site):
        return self.network.wrapper(site) if self.network else []

    def start_daemon(self, site, *options):
        daemon = Program(self.programs / "cascaded", "--listen", self.endpoint(site), *options)
        daemon.line("serving")
        return daemon

    def start_server(self):
        """Starts the server, and returns the time at which it is ready."""
        self.server = Program(
            *self.wrapper("hq"), SERVER, "--config", self.folder / "server.conf")
        return self.server.line("Server is ready")

    def start_site(self, site):
        return Program(
            *self.wrapper(site), self.programs / "cascade-site", "--config",
            self.folder / f"{site}.yaml")

    def attach(self, site, *arguments):
        node = Program(
            self.programs / "cascadectl", "attach", *arguments, bus=self.endpoint(site))
        subprocess.run(
            [self.programs / "cascadectl", "wait", arguments[0], "--timeout", "20s"], check=True,
            env=dict(os.environ, CASCADE_BUS=self.endpoint(site)), stdout=subprocess.DEVNULL)
        return node

    def run(self, *arguments):
        """Runs cascadectl at ulm, and returns its standard output."""
        return subprocess.run(
            [self.programs / "cascadectl", *arguments], capture_output=True, text=True,
            env=dict(os.environ, CASCADE_BUS=self.endpoint("ulm")), check=False).stdout

    def connections(self):
        """Returns the connections to the server by their names."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.monitoring_port}/connz?subs=0") as reply:
            found = json.load(reply)["connections"]
        return {connection["name"]: connection for connection in found}

    @property
    def processes(self):
        return [*self.sites.values(), self.server, *self.daemons]

    def close(self):
        for program in self.processes:
            program.stop()
        shutil.rmtree(self.folder)
