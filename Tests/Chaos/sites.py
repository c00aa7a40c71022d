# SPDX-License-Identifier: Apache-2.0
"""Measures two sites, hq and ulm below it, over a nats-server: the messages of an idle link, the time in
which ulm is mounted again after the server was away, and a partition of the network between the two for
some minutes, while local events of ulm go on and a durable event waits.

The exit code is 1 if a goal is missed: 2 messages a second each way; mounted 2 s after the dial, and 7 s
after the server is back; each local event handled; one outcome of the durable event. The partition needs
root, for network namespaces; otherwise it is left out, which is printed.
"""

import argparse
import datetime
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from measurements import quantile

SERVER = "/usr/sbin/nats-server"
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
PORT, MONITOR = 47_222, 47_223
PATIENCE_SECONDS = 30
IDLE_SECONDS = 20
ROUNDS = 10
# The goals.
IDLE_PER_SECOND = 2
MOUNTED_AFTER_DIAL_SECONDS = 2
MOUNTED_SECONDS = 7


class Program:
    """A process, and the lines of its standard error with the time of each."""

    def __init__(self, *command, bus=""):
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, env=dict(os.environ, CASCADE_BUS=bus))
        self.lines, self.taken = [], 0
        self.changed = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stderr:
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


class Sites:
    """The daemons and sites of hq and ulm, and the server between them."""

    def __init__(self, programs, network=None):
        self.programs, self.network = programs, network
        self.host = HOSTS["hq"] if network else "127.0.0.1"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sites."))
        self.write_files()
        self.daemons = [self.start_daemon("hq", "--policy", self.folder / "hq.policy")]
        self.daemons.append(self.start_daemon("ulm", "--state-directory", self.folder / "state"))
        self.start_server()
        self.sites = {site: self.start_site(site) for site in HOSTS}
        self.sites["ulm"].line("linked to 'hq'")

    def write(self, name, text):
        file = self.folder / name
        file.write_text(text)
        file.chmod(0o600)

    def write_files(self):
        (self.folder / "state").mkdir(mode=0o700)
        for site, seed in SEEDS.items():
            self.write(f"{site}.key", seed + "\n")
        self.write(
            "hq.policy",
            "allow attach, subscribe, trigger, inspect, uplink /shop/ulm to key ulm\n")
        address = f"{self.host}:{PORT}"
        self.write("hq.yaml", f"""\
name: hq
bus: "{self.endpoint('hq')}"
server: {{address: "{address}", key: "{self.folder}/hq.key", trust: none}}
children: {{ulm: /shop/ulm}}
""")
        self.write("ulm.yaml", f"""\
name: ulm
bus: "{self.endpoint('ulm')}"
parent: {{name: hq, server: "{address}", key: "{self.folder}/ulm.key", trust: none}}
""")
        self.write("server.conf", f"""\
listen: "{address}"
http: "127.0.0.1:{MONITOR}"
ping_interval: "2s"
ping_max: 2
authorization {{ users: [
  {{ nkey: {KEYS['hq']}, permissions: {{
      publish: ["cascade.main.down.*.hq.>"], subscribe: ["cascade.main.up.hq.>"] }} }}
  {{ nkey: {KEYS['ulm']}, permissions: {{
      publish: ["cascade.main.up.hq.ulm.>"], subscribe: ["cascade.main.down.ulm.hq.>"] }} }}
] }}
""")

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
        with urllib.request.urlopen(f"http://127.0.0.1:{MONITOR}/connz?subs=0") as reply:
            found = json.load(reply)["connections"]
        return {connection["name"]: connection for connection in found}

    def close(self):
        for program in [*self.sites.values(), self.server, *self.daemons]:
            program.stop()
        shutil.rmtree(self.folder)


class Measurement:
    def __init__(self, options):
        self.options = options
        self.missed = []

    def check(self, is_met, sentence):
        if not is_met:
            self.missed.append(sentence)

    def idle(self):
        sites = Sites(self.options.programs)
        time.sleep(3)
        before, start = sites.connections(), time.monotonic()
        time.sleep(IDLE_SECONDS)
        after, seconds = sites.connections(), time.monotonic() - start
        rows = []
        for site, way in (("ulm", "up"), ("hq", "down")):
            name = f"cascade-site {site}"
            rate = (after[name]["in_msgs"] - before[name]["in_msgs"]) / seconds
            rows.append(f"idle link, {way}: {rate:.2f} messages/s")
            self.check(rate <= IDLE_PER_SECOND, rows[-1])
        sites.close()
        return "\n".join(rows)

    def mounting(self):
        sites = Sites(self.options.programs)
        after_dial, in_all = [], []
        for _ in range(ROUNDS):
            sites.server.stop(signal.SIGKILL)
            sites.sites["ulm"].line("cut off from 'hq'")
            ready = sites.start_server()
            linked = sites.sites["ulm"].line("linked to 'hq'")
            # Nanoseconds are more than this type has.
            text = sites.connections()["cascade-site ulm"]["start"]
            dialled = datetime.datetime.fromisoformat(text[:26].rstrip("Z") + "+00:00").timestamp()
            after_dial.append(linked - dialled)
            in_all.append(linked - ready)
        sites.close()
        self.check(max(after_dial) <= MOUNTED_AFTER_DIAL_SECONDS, "mounted too late after the dial")
        self.check(max(in_all) <= MOUNTED_SECONDS, "mounted too late after the server is back")
        return (
            f"mounted after the dial: median {quantile(after_dial, .5):.3f} s, longest "
            f"{max(after_dial):.3f} s; after the server is back: median "
            f"{quantile(in_all, .5):.2f} s, longest {max(in_all):.2f} s")

    def partition(self):
        if os.geteuid() != 0:
            return "partition: left out, because only root may create network namespaces"
        network = Network()
        sites = Sites(self.options.programs, network)
        shop = sites.attach("hq", "/shop", "--handle", "Order")
        local = sites.attach("ulm", "/local", "--handle", "Local")
        network.set_cable("down")
        sites.sites["ulm"].line("cut off from 'hq'")
        sites.run("trigger", "Order", "--durable", "--no-wait", "--from", "/local", "--hold")
        end = time.monotonic() + self.options.minutes * 60
        count = handled = 0
        while time.monotonic() < end:
            count += 1
            outcome = json.loads(sites.run("trigger", "Local", "--from", "/local", "--json"))
            handled += outcome["outcome"] == "handled"
            time.sleep(1)
        network.set_cable("up")
        start = time.time()
        linked = sites.sites["ulm"].line("linked to 'hq'", 60) - start
        wait_end = time.monotonic() + PATIENCE_SECONDS
        waiting = None
        while waiting != 0 and time.monotonic() < wait_end:
            counters = json.loads(sites.run("status", "--json"))["counters"]
            waiting = counters["durableUnderWay"]
        self.check(handled == count, f"{count - handled} local events were not handled")
        self.check(waiting == 0, "the durable event has no outcome")
        self.check(linked <= MOUNTED_SECONDS, "mounted too late after the partition")
        for node in (shop, local):
            node.stop()
        sites.close()
        network.close()
        return (
            f"partition of {self.options.minutes:g} min: {handled} of {count} local events handled; "
            f"mounted {linked:.2f} s after its end")

    def run(self):
        """Measures, and returns the exit code."""
        for measured in (self.idle, self.mounting, self.partition):
            print(measured(), flush=True)
        for sentence in self.missed:
            print(f"goal missed: {sentence}", flush=True)
        return 1 if self.missed else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--minutes", type=float, default=10, help="duration of the partition, in minutes")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(Measurement(arguments()).run())
