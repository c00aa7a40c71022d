# SPDX-License-Identifier: Apache-2.0
"""Measures the effect of one user's hostile processes on another user: the round trips and losses of
that user's events, and the daemon's memory and descriptors. `deploy/release-test --adversary` calls
it.

Each behaviour of hostile.py is measured on a bus of its own, then all together on one bus. The same run
measures an idle bus, and a bus beside the same number of processes that only compute.
"""

import argparse
import collections
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import checker
import measurements
from bus import BEN, FOLDER, MALLORY, Bus, Failure, has_users, now
from measurements import mebibytes, milliseconds, quantile
from hostile import BEHAVIOURS

PATIENCE_SECONDS = 120
KEPT_COUNT = 20
# A short time for which the daemon remembers lost sessions, so that their resources are soon released.
RESUME_SECONDS = 5
PLAIN_MILLISECONDS, MIXED_MILLISECONDS = 10, 50

# The goals: the slowdown of other users relative to the same number of processes that only compute, the
# daemon's peak memory, and its growth of memory at the end.
P99_FACTOR, MEMORY_MAX, KEPT_MEMORY_MAX = 2, 768 * measurements.MIB, 128 * measurements.MIB

COMPUTE = [sys.executable, "-c", "while True: pass"]

# Behaviours that are also measured against another daemon, to show their effect on the machine's
# processors alone.
ELSEWHERE = ("triggers", "fill", "named", "all")


class Phase:
    """A bus with another user's handler and callers, and the processes that disturb them for a time."""

    def __init__(self, options, title, commands, peers=0, is_elsewhere=False):
        self.options, self.title, self.peer_count = options, title, peers
        self.is_elsewhere = is_elsewhere  # Whether the hostile processes have a daemon of their own.
        self.commands = commands  # The commands of the hostile or the computing processes.
        self.troubles, self.reports, self.times = [], [], []
        self.folder = Bus.make_folder("adversary-")
        self.bus = Bus(options.programs, self.folder)
        self.target = self.bus
        if is_elsewhere:
            (self.folder / "elsewhere").mkdir()
            self.target = Bus(options.programs, self.folder / "elsewhere")

    # MARK: - Steps

    def run(self):
        self.processes = []
        try:
            self.set_up()
            self.disturb()
            self.times = self.measured()
            self.judge()
        except Failure as failure:
            self.troubles.append(str(failure))
        finally:
            for process in self.processes:
                process.kill()
                process.wait()
            self.bus.close()
            if self.is_elsewhere:
                self.target.close()
        if not self.troubles:
            shutil.rmtree(self.folder)
        return self

    def started(self, process):
        """Adds a process to those that are killed at the end, and returns it."""
        self.processes.append(process)
        return process

    def set_up(self):
        bus = self.bus
        self.start_daemon("daemon.1")
        if self.is_elsewhere:
            self.started(self.target.start_daemon("daemon.1"))
        self.nodes = {}
        for name, below, *arguments in (
                ("probe", "/", 0, 0), ("plain", "/probe", PLAIN_MILLISECONDS, 0),
                ("mixed", "/probe", MIXED_MILLISECONDS, 3)):
            bus.record_action("spawn", f"{name}.1", f"/{name}" if below == "/" else f"{below}/{name}")
            self.nodes[name] = self.started(bus.start_node(name, below, *arguments, user=BEN))
            self.wait(f"{name} is attached", lambda: bus.has(f"{name}.1", "attached"))
        self.kept = self.started(bus.start_script(
            "kept", "durable_events.py", bus.endpoint, "leave", KEPT_COUNT, user=BEN))
        self.wait("durable events are accepted", lambda: "accepted" in bus.log("kept"))
        time.sleep(1)

    def start_daemon(self, title):
        self.bus.record_action("spawn", title, "/")
        self.daemon = self.started(self.bus.start_daemon(
            title, "--grace", "2s", "--resume", f"{RESUME_SECONDS}s"))

    def disturb(self):
        process = self.daemon.pid
        self.before = *measurements.resident(process)[:1], measurements.descriptors(process)
        sampler = measurements.Sampler(process)
        self.begin = now()
        attackers = [
            self.started(self.bus.start(f"attacker-{number}", command, MALLORY))
            for number, command in enumerate(self.commands)]
        time.sleep(min(2, self.options.seconds / 3))
        # The session ends during the disturbance, when hostile processes have seen its ID.
        self.kept.kill()
        time.sleep(self.options.seconds - min(2, self.options.seconds / 3))
        self.end = now()
        self.stop(attackers)
        self.catch_up()
        sampler.stop()
        self.peak = measurements.resident(process)[1], sampler.descriptors
        time.sleep(RESUME_SECONDS + 3)
        self.after = *measurements.resident(process)[:1], measurements.descriptors(process)

    def stop(self, attackers):
        for attacker in attackers:
            attacker.terminate()
        end = time.monotonic() + 2
        for number, attacker in enumerate(attackers):
            try:
                attacker.wait(max(0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                attacker.kill()
            lines = self.bus.log(f"attacker-{number}").splitlines()
            if lines and lines[-1].startswith("{"):
                self.reports.append(json.loads(lines[-1]))

    def catch_up(self):
        """Waits until the callers have the outcomes of all events due during the disturbance."""
        def has_caught_up():
            ends = [line for line in self.history("plain") if line.verb == "ended"]
            return bool(ends) and ends[-1].time > self.end and len(ends) >= self.due_count()
        try:
            self.wait("the callers have all outcomes", has_caught_up, interval=1)
        except Failure as failure:
            self.troubles.append(str(failure))

    def due_count(self):
        return sum(
            line.verb == "raise" and int(line.words[0]) <= self.end
            for line in self.history("plain"))

    def history(self, name):
        path = self.bus.histories / f"{name}.1.history"
        return checker.parsed(path.read_text()) if path.exists() else []

    def wait(self, what, is_reached, interval=0.1):
        end = time.monotonic() + PATIENCE_SECONDS
        while not is_reached():
            if self.daemon.poll() is not None:
                raise Failure(f"the daemon exited with {self.daemon.returncode}")
            if time.monotonic() > end:
                raise Failure(f"not reached within {PATIENCE_SECONDS} s: {what}")
            time.sleep(interval)

    # MARK: - Results

    def judge(self):
        bus = self.bus
        for name in ("plain", "mixed"):
            self.nodes[name].send_signal(signal.SIGUSR1)
        for name in ("plain", "mixed"):
            try:
                self.wait(f"{name} is quiet", lambda: bus.has(f"{name}.1", "quiet"))
            except Failure as failure:
                self.troubles.append(str(failure))
        self.restart()
        self.collect()
        for name in ("plain", "mixed", "probe"):
            self.leave(f"{name}.1", self.nodes[name])
        self.leave("daemon.2", self.daemon)
        findings = checker.check(checker.read(bus.histories))
        promises = collections.Counter(finding.promise for finding in findings)
        for promise, count in promises.items():
            first = next(finding for finding in findings if finding.promise == promise)
            key = " ".join(map(str, first.key or ()))
            self.troubles.append(f"{promise} broken {count} times, as {key} {first.sentence}")
        ends = collections.Counter(
            line.words[0] for name in ("plain", "mixed") for line in self.history(name)
            if line.verb == "ended")
        self.others = {outcome: count for outcome, count in ends.items() if outcome != "handled"}

    def restart(self):
        """Restarts the daemon, which recovers its journal."""
        self.bus.record_action("kill", "daemon.1")
        self.daemon.kill()
        self.daemon.wait()
        self.bus.record_action("dead", "daemon.1")
        self.start_daemon("daemon.2")

    def collect(self):
        """Handles the durable events whose origin has exited."""
        collector = self.started(self.bus.start_script(
            "collector", "durable_events.py", self.bus.endpoint, "collect", KEPT_COUNT,
            user=BEN))
        collector.wait(PATIENCE_SECONDS)
        words = self.bus.log("collector").splitlines() or ["nothing"]
        if words[-1].split() != [str(number) for number in range(1, KEPT_COUNT + 1)]:
            self.troubles.append(
                f"of {KEPT_COUNT} durable events these were handled: {words[-1][:100]}")

    def leave(self, title, process):
        process.terminate()
        try:
            code = process.wait(30)
        except subprocess.TimeoutExpired:
            raise Failure(f"{title} does not exit")
        self.bus.record_action("exit", title, str(code))

    def measured(self):
        """Returns the times of the round trips that were due during the disturbance, in milliseconds. A
        round trip without an outcome counts until now."""
        due, ends = {}, {}
        for line in self.history("plain"):
            if line.verb == "raise":
                due[line.key] = int(line.words[0])
            elif line.verb in ("ended", "refused"):
                ends[line.key] = line.time
        return [
            (ends.get(key, now()) - time) / 1000
            for key, time in due.items() if self.begin <= time <= self.end]


class Measurement:
    """All phases, and the table of their results."""

    def __init__(self, options):
        self.options = options
        self.phases = {}

    def plan(self):
        """Yields the phases: their titles, behaviours, and numbers of processes."""
        names = self.options.only or [*BEHAVIOURS, "all"]
        single = self.options.processes
        yield "idle", None, 0
        for count in sorted({single, len(BEHAVIOURS)} if "all" in names else {single}):
            yield f"{count} that compute", None, count
        for name in names:
            count = len(BEHAVIOURS) if name == "all" else single
            yield name, name, count
            if name in ELSEWHERE:
                yield self.elsewhere(name), name, count

    @staticmethod
    def elsewhere(name):
        return f"{name}, on another bus"

    def run(self):
        plan = list(self.plan())
        if self.options.minutes:
            # A phase needs about 18 seconds to begin and to end, in addition to the measured time.
            self.options.seconds = max(8, self.options.minutes * 60 / len(plan) - 18)
        for title, behaviour, count in plan:
            print(f"{title}…", file=sys.stderr, flush=True)
            phase = Phase(
                self.options, title, [], count, is_elsewhere=title == self.elsewhere(behaviour))
            names = [*BEHAVIOURS] if behaviour == "all" else [behaviour] * count
            phase.commands = [
                [sys.executable, str(FOLDER / "hostile.py"), phase.target.endpoint, name,
                 str(phase.target.histories)]
                if name else COMPUTE for name in names[:count]]
            self.phases[title] = phase.run()
        return self.report()

    # MARK: - Results

    def beside(self, phase):
        """Returns the phase with the same number of processes that only compute."""
        return self.phases.get(f"{phase.peer_count} that compute")

    def report(self):
        rows, missed = [], []
        for title, phase in self.phases.items():
            rows.append(self.row(title, phase))
            missed += [f"{title}: {words}" for words in self.missed(phase)]
        print(measurements.table(HEAD, rows))
        print(
            f"\n{self.options.seconds:.0f} s each; an event every {PLAIN_MILLISECONDS} ms, timed "
            f"from when it was due{'' if has_users() else '; all by one user'}.\n")
        for words in missed or ["all goals are met"]:
            print(f"* {words}")
        details = {
            title: dict(sum((collections.Counter(
                {key: value for key, value in report.items() if not key.startswith("got ")})
                for report in phase.reports), collections.Counter()))
            for title, phase in self.phases.items() if phase.reports}
        print("\nWhat the hostile processes counted:\n")
        for title, counts in details.items():
            print(f"* {title}: {json.dumps(counts)}")
        return 1 if missed else 0

    def row(self, title, phase):
        times = phase.times
        memory = [
            mebibytes(getattr(phase, name)[0]) if hasattr(phase, name) else "–"
            for name in ("before", "peak", "after")]
        files = [
            getattr(phase, name)[1] if hasattr(phase, name) else "–"
            for name in ("before", "peak", "after")]
        own, beside = quantile(times, 0.99), self.beside(phase)
        factor = own / quantile(beside.times, 0.99) if beside else float("nan")
        return [
            title, phase.peer_count, len(times),
            *(milliseconds(quantile(times, part)) for part in (0.5, 0.99, 1)),
            f"{factor:,.1f}" if beside else "–", " / ".join(memory), " / ".join(map(str, files)),
            len(phase.troubles) or "nothing"]

    def missed(self, phase):
        """Yields the missed goals of a phase, as sentences."""
        yield from phase.troubles
        if phase.troubles:
            yield f"the files are in {phase.folder}"
        others = getattr(phase, "others", {})
        if others:
            yield f"events of the other user were not handled: {others}"
        beside = self.beside(phase)
        own = quantile(phase.times, 0.99)
        if beside and beside is not phase:
            limit = P99_FACTOR * quantile(beside.times, 0.99)
            if not own <= limit:
                yield (
                    f"the other user's p99 is {milliseconds(own)} ms, more than "
                    f"{milliseconds(limit)} ms")
        if hasattr(phase, "peak") and phase.peak[0] > MEMORY_MAX:
            yield f"the daemon's peak memory was {mebibytes(phase.peak[0])} MiB"
        if hasattr(phase, "after") and phase.after[0] - phase.before[0] > KEPT_MEMORY_MAX:
            yield f"the daemon did not release {mebibytes(phase.after[0] - phase.before[0])} MiB"
        if hasattr(phase, "after") and phase.after[1] > phase.before[1]:
            yield f"the daemon did not release {phase.after[1] - phase.before[1]} descriptors"


HEAD = [
    "beside", "processes", "events", "p50 ms", "p99 ms", "most ms", "p99 / computing",
    "MiB before / most / after", "descriptors before / most / after", "lost"]


def arguments():
    parser = argparse.ArgumentParser(
        prog="deploy/release-test --adversary", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--minutes", type=float, default=0, help="approximate duration of the whole run, in minutes")
    parser.add_argument(
        "--seconds", type=float, default=10, help="duration of each behaviour, in seconds")
    parser.add_argument(
        "--processes", type=int, default=2, help="number of processes of each behaviour")
    parser.add_argument(
        "--only", nargs="*", choices=[*BEHAVIOURS, "all"], help="behaviours to measure (default: all)")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(Measurement(arguments()).run())
