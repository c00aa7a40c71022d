# SPDX-License-Identifier: Apache-2.0
"""Cuts the link between two sites, and kills their processes, while workers below raise events that a worker
above handles, and publications come down. Checks then that each message had one outcome, that no durable event
was lost, and that nothing took effect twice without the mark that it was sent again."""

import argparse
import collections
import pathlib
import random
import select
import shutil
import signal
import socket
import sys
import threading
import time

import checker
from site_pair import Program, SitePair, wait_until

MOUNT = "/shop/ulm"
INTERVAL_MILLISECONDS = 20
# The times for which a cut or a killed process stays away: most within the patience of 5 s.
PAUSES = [0, 0, 0, 0.05, 0.3, 1, 1, 3, 6.5]
QUIET_SECONDS = 60


class Relay:
    """A relay of TCP connections, which can be cut."""

    def __init__(self, port):
        self.target, self.pairs, self.is_open = port, [], True
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            try:
                far = socket.create_connection(("127.0.0.1", self.target), 1) if self.is_open else None
            except OSError:
                far = None
            if not far:
                near.close()
                continue
            self.pairs.append((near, far))
            threading.Thread(target=self.copy, args=(near, far), daemon=True).start()

    def copy(self, near, far):
        try:
            while True:
                for source in select.select([near, far], [], [])[0]:
                    data = source.recv(65_536)
                    if not data:
                        return
                    (far if source is near else near).sendall(data)
        except (OSError, ValueError):
            pass
        finally:
            near.close()
            far.close()

    def cut(self):
        for pair in self.pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self.pairs = []


class Worker(Program):
    """A node with the program chaos-worker. Each of its processes has an incarnation of its own."""

    def __init__(self, chaos, name, below, bus):
        self.chaos, self.name, self.below, self.incarnation = chaos, name, below, 0
        super().__init__(bus=chaos.pair.endpoint(bus))

    @property
    def title(self):
        return f"{self.name}.{self.incarnation}"

    def start(self):
        self.incarnation += 1
        self.command = [
            str(self.chaos.options.programs / "chaos-worker"), self.name, str(self.incarnation),
            self.below, str(self.chaos.histories), str(INTERVAL_MILLISECONDS)]
        self.chaos.record("spawn", self.title, f"{self.below.rstrip('/')}/{self.name}")
        super().start()

    def has(self, word):
        file = self.chaos.histories / f"{self.title}.history"
        return file.exists() and f" {word}\n" in file.read_text()


class Chaos:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.relay = None
        self.pair = SitePair(options.programs, mount=MOUNT, relay=self.make_relay)
        self.histories = self.pair.folder / "histories"
        self.histories.mkdir()
        self.driver = open(self.histories / "driver.history", "a", buffering=1, encoding="utf-8")
        self.workers = [
            Worker(self, "shop", "/", "hq"), Worker(self, "desk", "/till", "ulm"),
            Worker(self, "lamp", "/till", "ulm")]
        self.counts, self.daemon_kills = collections.Counter(), 0

    def make_relay(self, port):
        self.relay = Relay(port)
        return self.relay.port

    def record(self, *words):
        moment = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self.driver.write(" ".join([str(moment), *words]) + "\n")

    # Steps

    def run(self):
        try:
            for worker in self.workers:
                self.wait_for(worker, "attached")
            self.disturb()
            self.calm()
        finally:
            for process in [*self.workers, *self.pair.processes]:
                process.stop()

    def disturb(self):
        remaining = [self.cut] * self.options.cuts + [self.kill] * self.options.kills
        self.random.shuffle(remaining)
        for act in remaining:
            time.sleep(self.random.expovariate(1 / self.options.interval))
            act(self.random.choice(PAUSES))

    def cut(self, pause):
        self.relay.is_open = False
        self.relay.cut()
        time.sleep(pause)
        self.relay.is_open = True
        self.counts["cuts"] += 1

    def kill(self, pause):
        victim = self.random.choice([*self.workers, *self.pair.processes])
        title = self.title(victim)
        if title:
            self.record("kill", title)
        victim.stop(signal.SIGKILL)
        if title:
            self.record("dead", title)
        time.sleep(pause)
        victim.start()
        if victim is self.pair.server:
            victim.line("Server is ready")
        self.counts["kills"] += 1

    def title(self, process):
        """The name of a process in the histories; none for those that the checker does not know."""
        if process in self.workers:
            return process.title
        if process in self.pair.daemons:
            # The checker knows the processes of one daemon.
            self.daemon_kills += 1
            title = f"daemon.{self.daemon_kills}"
            self.record("spawn", title, "/")
            return title
        return None

    def calm(self):
        """Waits until all messages have ended."""
        self.record("over")
        for worker in self.workers:
            self.wait_for(worker, "attached")
            worker.process.send_signal(signal.SIGUSR1)
        for worker in self.workers:
            self.wait_for(worker, "quiet")
        wait_until("each durable event has its outcome", lambda: not any(
            finding.is_open for finding in self.findings()), QUIET_SECONDS)

    def wait_for(self, worker, word):
        wait_until(f"{worker.title} is {word}", lambda: worker.has(word), QUIET_SECONDS)

    # The promises

    def findings(self):
        observed = checker.Round(checker.read(self.histories))
        visits = observed.visits_by_key()
        return [
            *checker.outcomes(observed), *checker.durable_outcomes(observed, visits),
            *effects(observed, visits)]

    def count(self):
        observed = checker.Round(checker.read(self.histories))
        self.counts["messages"] = len(observed.raised)
        self.counts["durable"] = len(observed.durable)
        self.counts["visits"] = sum(map(len, observed.visits.values()))
        self.counts["sent again"] = sum(
            visit.is_again for visits in observed.visits.values() for visit in visits)
        self.counts["handled"] = sum(
            line.words[0] == "handled" for lines in observed.ends.values() for line in lines
            if line.words)


def effects(observed, visits_by_key):
    """An event visits one node for the first time once. An outcome `handled` has a visit that was handled."""
    for key, visits in visits_by_key.items():
        firsts = [visit for visit in visits if not visit.is_again]
        if key.kind == "Job" and len(firsts) > 1:
            yield checker.Finding("effect", f"has {len(firsts)} visits without a mark", key)
    for key, ends in observed.ends.items():
        is_handled = any(line.words and line.words[0] == "handled" for line in ends)
        if is_handled and not any(visit.answer == "handled" for visit in visits_by_key.get(key, [])):
            yield checker.Finding("effect", "was handled according to its outcome, but by no node", key)


def main():
    options = arguments()
    chaos, trouble = Chaos(options), None
    start = time.monotonic()
    try:
        chaos.run()
    except TimeoutError as failure:
        trouble = failure
    findings = chaos.findings()
    chaos.count()
    for what, count in chaos.counts.items():
        print(f"{what:14} {count:>12,}")
    if not trouble and not findings:
        print(f"no promise was broken, in {time.monotonic() - start:.0f} s, from seed {options.seed}")
        shutil.rmtree(chaos.pair.folder)
        return 0
    print(f"seed {options.seed} fails; the files are in {chaos.pair.folder}")
    if trouble:
        print(f"  {trouble}")
    for finding in findings[:20]:
        print(f"  {finding.promise}: {' '.join(map(str, finding.key or ()))} {finding.sentence}")
    return 1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--cuts", type=int, default=1_000, help="number of cuts of the link")
    parser.add_argument("--kills", type=int, default=300, help="number of killed processes")
    parser.add_argument(
        "--interval", type=float, default=0.4, help="mean time between two faults, in seconds")
    parser.add_argument("--seed", type=int, default=1, help="seed of the faults")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
