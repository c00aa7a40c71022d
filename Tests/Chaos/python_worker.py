# SPDX-License-Identifier: Apache-2.0
"""A worker in Python for the chaos test. It handles events of other workers, raises an event for each of
them, and writes a history like chaos-worker.

Its session was written from Protocol.md alone. Unlike the library and the Python package it keeps no
answers: it handles a redelivered event again.
"""

import dataclasses
import json
import os
import pathlib
import signal
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "IntegrationTests" / "Python"))

import cascade_worker  # noqa: E402
from cascade_wire import (  # noqa: E402
    Flag, Kind, Lane, Outcome, Tag, Verdict, event_id, failure, session_of)


class History:
    def __init__(self, path):
        self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def write(self, *words):
        moment = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        os.write(self.descriptor, (" ".join(map(str, [moment, *words])) + "\n").encode())


class ChaosWorker(cascade_worker.Worker):
    def __init__(self, endpoint, path, history, process):
        super().__init__(endpoint, path, [
            cascade_worker.Responder(Kind.RECEIVE, "Job", triggered="Job")])
        self.history, self.process, self.depth = history, process, path.count("/")
        self.is_finishing = self.is_quiet = self.is_terminated = False
        self.id = "%016x%016x" % struct.unpack("<QQ", session_of(self.secret))
        self.outcomes = {}  # The outcomes by sequence number.
        for number in (signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, self.on_signal)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])

    # MARK: - Signals

    def on_signal(self, number, frame):
        if number == signal.SIGTERM:
            self.is_terminated = True
        else:
            self.is_finishing = True

    def leave(self):
        """Called after a signal: leaves after SIGTERM, and records `quiet` after SIGUSR1."""
        if self.is_terminated:
            super().leave()
        else:
            self.record_quiet()

    def record_quiet(self):
        if self.is_finishing and not self.under_way and not self.is_quiet:
            self.is_quiet = True
            self.history.write("quiet")

    def on_attached(self, attached):
        super().on_attached(attached)
        self.history.write("attached")

    # MARK: - Handling

    def respond(self, responder, visit):
        job = json.loads(visit.payload)
        key = f"Job {job['origin']} {job['number']}"
        event = f"{self.definitions['session', visit.session]}-{visit.sequence}"
        self.history.write(
            "visit", key, event, "again" if visit.flags & Flag.SENT_AGAIN else "first")
        if self.depth > job["depth"]:
            self.history.write("passed", key)
            return Verdict.PASSED, [], b""
        self.follow(visit, event)
        self.history.write("handled", key)
        return Verdict.HANDLED, [], b""

    def follow(self, visit, event):
        """Raises a job with a visit as its cause."""
        number = self.sequence + 1
        depth = 1 + number % (self.depth - 1)
        payload = json.dumps({
            "origin": self.process, "number": number, "depth": depth,
            "isBroken": False, "filling": ""}, separators=(",", ":"))
        self.history.write("raise", self.key(number), depth)
        session, sequence = event.split("-")
        self.raise_(
            Lane.event, "Job", dataclasses.replace(visit, payload=payload.encode()),
            event_id(session, int(sequence)))
        self.history.write("raised", self.key(number), f"{self.id}-{number}")

    def key(self, number):
        return f"Job {self.process} {number}"

    # MARK: - Outcomes

    def on_outcome(self, outcome):
        self.record_end(outcome.sequence, "ended", *self.words(outcome))
        super().on_outcome(outcome)
        self.record_quiet()

    def on_refused(self, refused):
        if refused.sequence:
            self.record_end(refused.sequence, "refused", refused.text(Tag.SENTENCE))
        super().on_refused(refused)
        self.record_quiet()

    def record_end(self, sequence, verb, *words):
        """Records an outcome. The same outcome may arrive on several connections and is recorded once; a
        different one is recorded too, for the checker."""
        if self.outcomes.setdefault(sequence, words) != words or sequence in self.under_way:
            self.history.write(verb, self.key(sequence), *words)

    def words(self, outcome):
        error = failure(outcome.fields)
        by = self.definitions.get(("node", outcome.node), "/")
        what, where = error.get("name", "-"), error.get("node", "/")
        name = Outcome(outcome.code).name
        return {
            "handled": (name, by), "timedOut": (name, where), "failed": (name, what, where),
            "caught": (name, what, where, by)}.get(name, (name,))


def tell(what, **details):
    """Prints only lines other than those of visits and outcomes."""
    if what not in ("visit", "outcome"):
        print(json.dumps({"what": what, **details}), flush=True)


if __name__ == "__main__":
    endpoint, path, history, process = sys.argv[1:]
    cascade_worker.tell = tell
    sys.exit(ChaosWorker(endpoint, path, History(history), process).run())
