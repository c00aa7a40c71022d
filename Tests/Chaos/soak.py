# SPDX-License-Identifier: Apache-2.0
"""Runs the workers of the chaos test under ordinary load without faults, and records the daemon's
resources and the times of events once a minute. `deploy/release-test --soak` calls it.

Memory is flat if the median of the last quarter of the records is at most MEMORY_TOLERANCE above that of
the quarter after the warm-up. Descriptors are released if the daemon has as many after all workers have
left as before they attached. The checker of the chaos test must have no findings.
"""

import argparse
import shutil
import signal
import statistics
import subprocess
import sys
import time

import checker
import measurements
from bus import BEN, Bus, Failure
from chaos import PATIENCE_SECONDS, Chaos
from measurements import mebibytes, milliseconds, quantile

MEMORY_TOLERANCE = 2 * measurements.MIB
# During the warm-up, which takes at least a quarter of the run, tables of the latest entries fill up.
WARM_UP_MINUTES = 5
RECORD_COUNT_MIN = 16
CALL_MILLISECONDS = 50


class Record:
    """The daemon's resources at a time, and the times of the events since the previous record."""

    def __init__(self, minutes, process, times):
        self.minutes, self.times = minutes, times
        self.memory, _ = measurements.resident(process)
        self.descriptors = measurements.descriptors(process)

    @property
    def row(self):
        times = [milliseconds(quantile(self.times, part)) for part in (0.5, 0.99, 1)]
        return [
            f"{self.minutes:.1f}", f"{self.memory / measurements.MIB:.1f}", self.descriptors,
            len(self.times), *(times if self.times else ["–"] * 3)]


HEAD = ["minute", "MiB", "descriptors", "events", "p50 ms", "p99 ms", "most ms"]


class Soak(Chaos):
    """A round without faults."""

    def __init__(self, options, folder, counts):
        super().__init__(options, 1, folder, counts)
        self.records, self.offset, self.due = [], 0, {}

    def run(self):
        try:
            self.daemon.spawn()
            self.wait_for_daemon()
            self.begin = time.monotonic()
            self.record()
            for worker in self.workers:
                worker.spawn()
            self.await_all("attached", self.workers_that("write"))
            self.start_probe()
            self.work()
            self.end_probe()
            self.calm()
            self.rest()
            self.leave()
        finally:
            for process in getattr(self, "probe", {}).values():
                process.kill()
            self.end()

    def wait_for_daemon(self):
        end = time.monotonic() + PATIENCE_SECONDS
        while subprocess.run(
                [self.program("cascadectl"), "status"], env={"CASCADE_BUS": self.endpoint},
                capture_output=True).returncode:
            if time.monotonic() > end:
                raise Failure("the daemon does not answer")
            time.sleep(0.1)

    def start_probe(self):
        """Starts two nodes, one of which calls the other at fixed times."""
        self.probe = {}
        for name, below, interval in (("probe", "/", 0), ("plain", "/probe", CALL_MILLISECONDS)):
            self.record_action("spawn", f"{name}.1", f"/{name}" if below == "/" else f"{below}/{name}")
            self.probe[name] = self.start_node(name, below, interval, 0, user=BEN)
            self.await_word(name, "attached")

    def await_word(self, name, word):
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.has(f"{name}.1", word):
            if time.monotonic() > end:
                raise Failure(f"{name} is not {word} within {PATIENCE_SECONDS} s")
            time.sleep(0.1)

    def work(self):
        end = self.begin + self.options.minutes * 60
        interval = min(60, self.options.minutes * 60 / RECORD_COUNT_MIN)
        due = time.monotonic() + interval
        while time.monotonic() < end:
            self.inspect()
            self.check_alive()
            time.sleep(min(1, interval / 4))
            if time.monotonic() >= due:
                due += interval
                self.record()

    def inspect(self):
        """Runs commands of an administrator: sessions that connect, query and leave."""
        for command in ("status", "tree"):
            subprocess.run(
                [self.program("cascadectl"), command], env={"CASCADE_BUS": self.endpoint},
                stdout=subprocess.DEVNULL, timeout=PATIENCE_SECONDS, check=False)

    def record(self):
        minutes = (time.monotonic() - self.begin) / 60
        self.records.append(Record(minutes, self.daemon.process.pid, self.new_times()))

    def new_times(self):
        """Returns the times of the round trips that have ended since the last call, in milliseconds."""
        file = self.histories / "plain.1.history"
        if not file.exists():
            return []
        with open(file) as history:
            history.seek(self.offset)
            text = history.read()
        whole = text[:text.rfind("\n") + 1]
        self.offset += len(whole)
        times = []
        for line in checker.parsed(whole):
            if line.verb == "raise":
                self.due[line.key] = int(line.words[0])
            elif line.verb == "ended":
                times.append((line.time - self.due.pop(line.key)) / 1000)
        return times

    def end_probe(self):
        self.probe["plain"].send_signal(signal.SIGUSR1)
        self.await_word("plain", "quiet")
        for name in ("plain", "probe"):
            process = self.probe[name]
            process.terminate()
            self.record_action("exit", f"{name}.1", str(process.wait(PATIENCE_SECONDS)))

    def rest(self):
        """Stops the workers before the daemon, and makes a last record."""
        for worker in self.workers:
            worker.process.terminate()
        for worker in self.workers:
            self.record_action("exit", worker.title, str(worker.process.wait(PATIENCE_SECONDS)))
            worker.process = None
        self.workers = []
        # The daemon closes ended connections a short time later.
        end = time.monotonic() + 5
        while time.monotonic() < end and self.unreleased_descriptors() > 0:
            time.sleep(0.1)
        self.record()

    def unreleased_descriptors(self):
        now = measurements.descriptors(self.daemon.process.pid)
        return now - self.records[0].descriptors

    # MARK: - Results

    def missed(self):
        """Yields the missed goals, as sentences."""
        findings = checker.check(checker.read(self.histories))
        for finding in findings[:20]:
            yield f"{finding.promise}: {finding.key} {finding.sentence}"
        busy = self.records[1:-1]
        warm_up = max(
            min(WARM_UP_MINUTES, self.options.minutes / 2), self.options.minutes / 4)
        warm = [record for record in busy if record.minutes >= warm_up]
        quarter = max(1, len(warm) // 4)
        if not warm:
            yield "no record was made after the warm-up; run the soak longer"
            return
        first, last = (
            statistics.median(record.memory for record in part)
            for part in (warm[:quarter], warm[-quarter:]))
        print(
            f"\nMemory was {first / measurements.MIB:.1f} MiB after the warm-up of "
            f"{warm_up:.1f} minutes and {last / measurements.MIB:.1f} MiB at the end; "
            f"{mebibytes(MEMORY_TOLERANCE)} MiB more are allowed.\n")
        if last - first > MEMORY_TOLERANCE:
            yield f"memory grew by {(last - first) / measurements.MIB:.1f} MiB"
        before, after = self.records[0].descriptors, self.records[-1].descriptors
        if after > before:
            yield f"{after - before} descriptors were not released"


def main(options):
    folder = Bus.make_folder("soak-")
    soak = Soak(options, folder, dict.fromkeys(["hostile", "worker kills", "daemon kills"], 0))
    missed = []
    try:
        soak.run()
    except Failure as failure:
        missed.append(str(failure))
    print(measurements.table(HEAD, [record.row for record in soak.records]))
    missed += soak.missed()
    for words in missed or ["memory is flat, descriptors were released, and nothing was lost"]:
        print(f"* {words}")
    if missed:
        print(f"* the files are in {folder}")
    else:
        shutil.rmtree(folder)
    return 1 if missed else 0


def arguments():
    parser = argparse.ArgumentParser(
        prog="deploy/release-test --soak", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--minutes", type=float, default=60, help="duration of the run, in minutes")
    parser.add_argument(
        "--interval", type=int, default=200, metavar="MS",
        help="time between two events of each worker, in milliseconds")
    parser.add_argument("--programs", required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(main(arguments()))
