# SPDX-License-Identifier: Apache-2.0
"""Measures events that go up one site, beside the NATS server of the same link and the local bus, in turn in
one run; the messages of an idle link; and the time until a site is mounted again. The exit code is 1 if a goal
is missed."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

from site_pair import SitePair, wait_until

# The receiver of `cascadectl bench` on hq's bus is above this mount.
MOUNT = "/receiver0/ulm"
# An event up one site takes at most so many times a NATS request and two local round trips.
RATIO_MAX = 1.5
# With 256 events under way, at least this part of the local rate.
RATE_PART_MIN = 0.25
IDLE_MESSAGES_MAX = 2
IDLE_SECONDS = 10
REMOUNT_SECONDS_MAX = 2


class Figures:
    def __init__(self, options):
        self.options, self.missed = options, []
        self.pair = SitePair(options.programs, MOUNT)
        self.control = str(options.programs / "cascadectl")

    def run(self):
        try:
            self.pair.start()
            self.measure_round_trips()
            self.measure_idle_link()
            self.measure_remounting()
        finally:
            self.pair.stop()
        for sentence in self.missed:
            print(f"goal missed: {sentence}", flush=True)
        return 1 if self.missed else 0

    def check(self, figure, is_met, goal):
        print(f"{figure}; goal: {goal}", flush=True)
        if not is_met:
            self.missed.append(f"{figure}, and the goal is {goal}")

    # Round trips and rates

    def measure_round_trips(self):
        rounds = {"nats": [], "local": [], "up": [], "local rate": [], "up rate": []}
        for _ in range(self.options.rounds):
            rounds["nats"].append(self.request() / 1000)
            rounds["local"].append(self.events("ulm", "rtt", self.options.count)[0] / 1000)
            rounds["up"].append(self.events("hq", "rtt", self.options.count)[0] / 1000)
            for title, bus in (("local rate", "ulm"), ("up rate", "hq")):
                start, end = self.events(bus, "acked", self.options.window_count)
                rounds[title].append(self.options.window_count * 1e9 / (end - start))
        nats, local, up, local_rate, up_rate = (
            statistics.median(samples) for samples in rounds.values())
        print(f"NATS request {nats:.0f} µs, local event {local:.0f} µs, event up one site {up:.0f} µs")
        ratio = up / (nats + 2 * local)
        self.check(f"event up one site: {ratio:.2f} × (NATS request + 2 × local event)",
                   ratio <= RATIO_MAX, f"at most {RATIO_MAX}")
        print(f"256 under way: local {local_rate:,.0f}/s, up one site {up_rate:,.0f}/s")
        part = up_rate / local_rate
        self.check(f"256 under way: {part:.2f} of the local rate", part >= RATE_PART_MIN,
                   f"at least {RATE_PART_MIN}")

    def request(self):
        output = subprocess.run(
            [self.options.programs / "site-benchmark", self.pair.url, str(self.options.count)],
            check=True, capture_output=True, text=True).stdout
        return int(output.split()[0])

    def events(self, receivers_bus, test, count):
        """Has a sender on ulm's bus raise events to a receiver on a bus. Returns the sender's two numbers."""
        receiver = self.bench("receiver", test, count, "--index", "0",
                              "--bus", self.pair.endpoint(receivers_bus))
        sender = None
        try:
            receiver.stdout.readline()
            if receivers_bus != "ulm":
                self.wait_for_responder()
            sender = self.bench("sender", test, count, "--bus", self.pair.endpoint("ulm"))
            sender.stdout.readline()
            return tuple(float(word) for word in sender.stdout.readline().split())
        finally:
            for process in filter(None, (sender, receiver)):
                process.kill()
                process.wait()
            for bus in {"ulm", receivers_bus}:
                self.wait_until_empty(bus)

    def bench(self, role, test, count, *options):
        return subprocess.Popen(
            [self.control, f"bench-{role}", test, "--count", str(count), *options],
            stdout=subprocess.PIPE, text=True)

    def wait_for_responder(self):
        """Waits until ulm knows that there is a responder above."""
        wait_until("ulm knows of the responder above", lambda: subprocess.run(
            [self.control, "route", "Bench", "--bus", self.pair.endpoint("ulm")],
            capture_output=True).returncode == 0)

    def wait_until_empty(self, bus):
        """Takes the nodes of ended processes out of the tree."""
        for node in ("/receiver0/sender", "/receiver0"):
            subprocess.run([self.control, "detach", node, "--bus", self.pair.endpoint(bus)],
                           capture_output=True)

    # The link

    def counts(self):
        told = json.loads(self.pair.statistics())
        return told["in_msgs"], told["out_msgs"]

    def measure_idle_link(self):
        before = self.counts()
        time.sleep(IDLE_SECONDS)
        # Messages of both sites enter the server: half of them go each way.
        rate = (self.counts()[0] - before[0]) / IDLE_SECONDS / 2
        self.check(f"idle link: {rate:.2f} messages a second each way", rate <= IDLE_MESSAGES_MAX,
                   f"at most {IDLE_MESSAGES_MAX}")

    def measure_remounting(self):
        pair = self.pair
        pair.server.kill()
        pair.sites["ulm"].wait_for("cut off from 'hq'")
        # The log of a site goes on: what it says again is counted.
        log = pair.sites["ulm"].log
        linked = log.read_text(errors="replace").count("linked to 'hq'")
        ready = pair.server.start().wait_for("Server is ready")
        dialled = wait_until("the server has a client of ulm", self.has_two_clients)
        mounted = wait_until("ulm is linked again", lambda: log.read_text(
            errors="replace").count("linked to 'hq'") > linked)
        print(f"dialled {dialled - ready:.2f} s after the server's start")
        self.check(f"mounted again {max(0, mounted - dialled):.2f} s after the dial",
                   mounted - dialled <= REMOUNT_SECONDS_MAX, f"at most {REMOUNT_SECONDS_MAX} s")

    def has_two_clients(self):
        return json.loads(self.pair.statistics())["connections"] >= 2


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds")
    parser.add_argument("--count", type=int, default=10_000, help="number of round trips")
    parser.add_argument(
        "--window-count", type=int, default=100_000, help="number of events with 256 under way")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(Figures(arguments()).run())
