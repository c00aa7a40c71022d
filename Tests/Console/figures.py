# SPDX-License-Identifier: Apache-2.0
"""Measures what the console costs: events of a bus with 1 and 10 visible pages and with none, in turn with a bus
without a console; the latency of events beside 10,000 nodes; the memory and the processor time of the console; and how
long a browser takes from the navigation to the painted tree.

The pages pull frames as those of a browser do, and paint nothing: a browser would take the processors from the bus.
Only the last figure has a browser. The exit code is 1 if a goal is missed.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import threading
import time

import browsing
import running

SCALE_FLEETS, SCALE_DEVICES = 10, 999
LOAD_PER_SECOND = 318
# The parts of the rate without a console that are left, by the number of pages.
RATE_PARTS = {0: 0.995, 1: 0.97, 10: 0.97}
PAIRS_PER_ROUND = 2
# One run of a pair may meet other work of the machine, so that the middle one of several counts.
RUNS_PER_OPENING = 5
LATENCY_RATIO = 1.5
RESIDENT_MB = {"small bus": 20, "10,000 nodes": 60}
PROCESSOR_PARTS = {0: 0.001, 1: 0.03}
PROCESSOR_SECONDS = 30
# From the navigation until all rows of the tree that can be seen are painted, by the number of nodes.
PAINT_MILLISECONDS = {10: 150, 10_000: 500}
# The page asks again once it has painted.
FRAME_SECONDS = 1 / 60


class Page(threading.Thread):
    """Pulls frames until it is closed. Of a frame it reads no more than its number, so that what a page does with its
    frames is not measured with what they cost."""

    LENGTH = re.compile(rb"(?i)\r\ncontent-length: *([0-9]+)")
    HEAD = re.compile(rb'"epoch":"([^"]*)","frame":([0-9]+)')

    def __init__(self, console, number):
        super().__init__(daemon=True)
        self.console, self.number, self.is_closed = console, number, threading.Event()
        self.has_frame = threading.Event()
        self.start()

    def run(self):
        # Browsers may be on another machine, where they take nothing from the bus.
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        wanted = {"page": f"figures{self.number}"}
        with socket.create_connection(("127.0.0.1", self.console.port), timeout=10) as connection:
            while not self.is_closed.wait(FRAME_SECONDS):
                epoch, number = self.pull(connection, json.dumps(wanted))
                wanted |= {"after": int(number), "epoch": epoch.decode()}
                self.has_frame.set()

    def pull(self, connection, wanted):
        """Returns the epoch and the number of the next frame. A client for HTTP of Python's own takes several times as
        long for it as the console."""
        connection.sendall(
            f"POST /v1/frame HTTP/1.1\r\nHost: 127.0.0.1:{self.console.port}\r\n"
            f"Authorization: Bearer {self.console.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(wanted)}\r\n\r\n{wanted}".encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.received(connection, 65_536)
        head, _, content = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        content, byte_count = bytearray(content), int(self.LENGTH.search(head)[1])
        while len(content) < byte_count:
            content += self.received(connection, byte_count - len(content))
        return self.HEAD.search(content).groups()

    @staticmethod
    def received(connection, count):
        part = connection.recv(count)
        assert part, "the console has closed the connection"
        return part

    def close(self):
        self.is_closed.set()
        self.join()


@contextlib.contextmanager
def running_on(processors):
    """What is started runs on these processors."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def looked_at(bus, page_count):
    """A console with so many visible pages; `None`: no console."""
    if page_count is None:
        yield None
        return
    console = running.Console(bus)
    console.open_session()
    pages = [Page(console, number) for number in range(page_count)]
    try:
        for page in pages:
            assert page.has_frame.wait(running.PATIENCE_SECONDS), "a page has no frame"
        yield console
    finally:
        for page in pages:
            page.close()
        console.close()


@contextlib.contextmanager
def scaled():
    """A bus with 10,000 nodes of several processes."""
    with contextlib.closing(running.Bus()) as bus:
        for number in range(SCALE_FLEETS):
            bus.serve("fleet.py", f"/fleet{number}", SCALE_DEVICES)
        yield bus


def bench(bus, test, count):
    output = subprocess.run(
        [running.program("cascadectl"), "bench", test, "--count", str(count), "--bus", bus.endpoint, "--json"],
        check=True, capture_output=True, text=True).stdout
    return json.loads(output)


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def small():
    """A bus with 10 nodes."""
    with contextlib.closing(running.Bus()) as bus:
        bus.serve("fleet.py", "/fleet", 9)
        yield bus


class Figures:
    def __init__(self, options):
        self.options, self.missed = options, []

    def row(self, is_met, sentence):
        print(sentence, flush=True)
        if not is_met:
            self.missed.append(sentence)

    def rates(self):
        """The console has a processor of its own, so that the rate tells what the bus does for it; then the system
        places all of them, and the rate tells too what the console and the pages take."""
        processors = sorted(os.sched_getaffinity(0))
        if len(processors) > 1:
            self.rates_where("on a processor of its own", processors[:1], processors[1:])
        self.rates_where("on any processor", processors, processors)

    def rates_where(self, place, bus_processors, console_processors):
        """Each run with a console is held against the one beside it, because a machine's speed drifts."""
        parts = {pages: [] for pages in RATE_PARTS}
        withouts = []
        with running_on(bus_processors), contextlib.closing(running.Bus()) as bus:
            for number in range(self.options.rounds * PAIRS_PER_ROUND):
                for pages, found in parts.items():
                    # Each of a pair comes first as often as the other.
                    pair = {}
                    for count in (None, pages) if number % 2 == 0 else (pages, None):
                        with running_on(console_processors), looked_at(bus, count), running_on(bus_processors):
                            pair[count] = statistics.median(
                                bench(bus, "acked", self.options.count)["msgs_per_s"] for _ in range(RUNS_PER_OPENING))
                    found.append(pair[pages] / pair[None])
                    withouts.append(pair[None])
        print(f"acked without a console: {statistics.median(withouts):,.0f} a second")
        for pages, goal in RATE_PARTS.items():
            low, part, high = statistics.quantiles(parts[pages], n=4)
            self.row(
                part >= goal,
                f"acked, console {place}, {pages} pages: {part:.3f} of it (quartiles {low:.2f}, {high:.2f}; "
                f"goal {goal})")

    def latency(self):
        found = {None: [], 10: []}
        with scaled() as bus:
            for _ in range(self.options.rounds):
                for pages, values in found.items():
                    with looked_at(bus, pages):
                        values.append(bench(bus, "rtt", 5_000)["p99_us"])
        without, beside = (statistics.median(values) for values in found.values())
        self.row(
            beside <= LATENCY_RATIO * without,
            f"rtt beside 10,000 nodes, p99: {without:,.0f} µs without a console, {beside:,.0f} µs with 10 pages, "
            f"{beside / without:.2f} × (goal {LATENCY_RATIO})")

    def memory(self):
        for title, opened in (("small bus", contextlib.closing(running.Bus())), ("10,000 nodes", scaled())):
            with opened as bus, looked_at(bus, 1) as console:
                time.sleep(5)
                size = running.resident_bytes(console.process) / 1e6
            goal = RESIDENT_MB[title]
            self.row(size <= goal, f"resident, {title}, one page: {size:.1f} MB (goal {goal})")

    def processor(self):
        for pages, goal in PROCESSOR_PARTS.items():
            with contextlib.closing(running.Bus()) as bus:
                bus.serve("load.py", "/shop", LOAD_PER_SECOND)
                with looked_at(bus, pages) as console:
                    time.sleep(5)
                    before = processor_seconds(console.process)
                    time.sleep(PROCESSOR_SECONDS)
                    part = (processor_seconds(console.process) - before) / PROCESSOR_SECONDS
            self.row(
                part <= goal,
                f"processor, {pages} pages, {LOAD_PER_SECOND} events a second: {part:.2%} (goal {goal:.1%})")

    def painting(self):
        for opened, (count, goal) in zip((small, scaled), PAINT_MILLISECONDS.items()):
            with opened() as bus, contextlib.closing(running.Console(bus)) as console, contextlib.closing(
                    browsing.Browser()) as browser:
                shown = f"{count:,} nodes"
                # The first navigation has the key of the link, and waits until the console knows the tree.
                browser.paint(console.link, shown)
                times = [
                    browser.paint(f"http://127.0.0.1:{console.port}/", shown) for _ in range(self.options.rounds)]
            time_taken = statistics.median(times)
            self.row(
                time_taken <= goal,
                f"navigation to painted tree, {count:,} nodes: {time_taken:.0f} ms (goal {goal}, most {max(times):.0f})")

    def run(self):
        measured = {
            "rates": self.rates, "latency": self.latency, "memory": self.memory, "processor": self.processor,
            "painting": self.painting}
        for name in self.options.only or measured:
            measured[name]()
        for sentence in self.missed:
            print(f"goal missed: {sentence}", flush=True)
        return 1 if self.missed else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=10, help="number of rounds")
    parser.add_argument("--count", type=int, default=400_000, help="number of events in a round")
    parser.add_argument(
        "--only", action="append", choices=["rates", "latency", "memory", "processor", "painting"],
        help="figure to measure; may be repeated")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(Figures(arguments()).run())
