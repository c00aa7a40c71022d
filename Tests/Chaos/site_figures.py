# SPDX-License-Identifier: Apache-2.0
"""Measures two sites, hq and ulm below it, over a nats-server: events that go up one site, beside requests of
the same server and local events, in turn; the messages of an idle link; the time in which ulm is mounted again
after the server was away, and in which 200 children are after a restart of server and gate; and a partition of
the network between the two for some minutes, while local events of ulm go on and a durable event waits.

The exit code is 1 if a goal is missed. The partition needs root, for network namespaces; otherwise it is left
out, which is printed.
"""

import argparse
import datetime
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

from measurements import quantile
from site_family import SiteFamily
from site_pair import PATIENCE_SECONDS, Network, SitePair, wait_until

# The receiver of `cascadectl bench` on the bus of hq is above this mount.
BENCH_MOUNT = "/receiver0/ulm"
IDLE_SECONDS = 20
MOUNTINGS = 10
# The goals. An event up one site takes at most so many times a NATS request and two local round trips.
RATIO = 1.5
# With 256 events under way, at least this part of the local rate.
RATE_PART = 0.25
IDLE_PER_SECOND = 2
MOUNTED_AFTER_DIAL_SECONDS = 2
MOUNTED_SECONDS = 7
CHILDREN = 200
CHILDREN_MOUNTED_SECONDS = 10


class Measurement:
    def __init__(self, options):
        self.options = options
        self.control = options.programs / "cascadectl"
        self.missed = []

    def check(self, is_met, sentence):
        if not is_met:
            self.missed.append(sentence)

    def events(self):
        sites = SitePair(self.options.programs, mount=BENCH_MOUNT)
        rounds = {"nats": [], "local": [], "up": [], "local rate": [], "up rate": []}
        for _ in range(self.options.rounds):
            rounds["nats"].append(self.request(sites) / 1000)
            for title, bus in (("local", "ulm"), ("up", "hq")):
                rounds[title].append(self.bench(sites, bus, "rtt", self.options.count)[0] / 1000)
                start, end = self.bench(sites, bus, "acked", self.options.window_count)
                rounds[f"{title} rate"].append(self.options.window_count * 1e9 / (end - start))
        sites.close()
        nats, local, up, local_rate, up_rate = map(statistics.median, rounds.values())
        ratio, part = up / (nats + 2 * local), up_rate / local_rate
        rows = [
            f"NATS request {nats:.0f} µs, local event {local:.0f} µs, event up one site {up:.0f} µs: "
            f"{ratio:.2f} × (NATS request + 2 × local event)",
            f"256 under way: local {local_rate:,.0f}/s, up one site {up_rate:,.0f}/s: {part:.2f} of it"]
        self.check(ratio <= RATIO, rows[0])
        self.check(part >= RATE_PART, rows[1])
        return "\n".join(rows)

    def request(self, sites):
        """Returns the median time of a request over the server of the link, in nanoseconds."""
        output = subprocess.run(
            [self.options.programs / "site-benchmark", sites.url, str(self.options.count)],
            check=True, capture_output=True, text=True).stdout
        return int(output.split()[0])

    def bench(self, sites, receivers_bus, test, count):
        """Has a sender at ulm raise events to a receiver on a bus. Returns the two numbers that it prints."""
        processes = []

        def start(role, bus, *options):
            process = subprocess.Popen(
                [self.control, f"bench-{role}", test, "--count", str(count), "--bus",
                 sites.endpoint(bus), *options], stdout=subprocess.PIPE, text=True)
            processes.append(process)
            process.stdout.readline()
            return process

        try:
            start("receiver", receivers_bus, "--index", "0")
            if receivers_bus != "ulm":
                wait_until("ulm knows of the responder", lambda: self.has_responder(sites))
            sender = start("sender", "ulm")
            return tuple(float(word) for word in sender.stdout.readline().split())
        finally:
            for process in processes:
                process.kill()
                process.wait()
            for bus in {"ulm", receivers_bus}:
                for node in ("/receiver0/sender", "/receiver0"):
                    subprocess.run(
                        [self.control, "detach", node, "--bus", sites.endpoint(bus)],
                        capture_output=True, check=False)

    def has_responder(self, sites):
        """Whether the root of ulm's bus knows that there is a responder above."""
        return subprocess.run(
            [self.control, "route", "Bench", "--bus", sites.endpoint("ulm")],
            capture_output=True, check=False).returncode == 0

    def idle(self):
        sites = SitePair(self.options.programs)
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
        sites = SitePair(self.options.programs)
        after_dial, in_all = [], []
        for _ in range(MOUNTINGS):
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

    def children(self):
        family = SiteFamily(self.options.programs, CHILDREN)
        seconds = family.restart(PATIENCE_SECONDS)
        family.close()
        row = (
            f"{CHILDREN} children after a restart of server and gate: the last one is mounted "
            f"{seconds:.2f} s after the server is back")
        self.check(seconds <= CHILDREN_MOUNTED_SECONDS, row)
        return row

    def partition(self):
        if os.geteuid() != 0:
            return "partition: left out, because only root may create network namespaces"
        network = Network()
        sites = SitePair(self.options.programs, network)
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
        for measured in (
                self.events, self.idle, self.mounting, self.children, self.partition):
            print(measured(), flush=True)
        for sentence in self.missed:
            print(f"goal missed: {sentence}", flush=True)
        return 1 if self.missed else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds of events")
    parser.add_argument("--count", type=int, default=10_000, help="number of round trips in a round")
    parser.add_argument(
        "--window-count", type=int, default=100_000,
        help="number of events with 256 under way in a round")
    parser.add_argument(
        "--minutes", type=float, default=10, help="duration of the partition, in minutes")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(Measurement(arguments()).run())
