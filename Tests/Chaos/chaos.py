# SPDX-License-Identifier: Apache-2.0
"""Runs a bus of real processes, kills, stops and restarts them at random, and has the histories of
all of them judged. `deploy/chaos` builds what this needs and calls it.

The seed decides what is done to whom and when; how the processes meet it is up to the machine.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import checker
from recovery import recoveries, quantile

FOLDER = pathlib.Path(__file__).parent
PATIENCE_SECONDS = 40
NO_BUS = 69

# The nodes, by their names: what program holds them and what they stand below.
SWIFT, SHELL, PYTHON = "swift", "shell", "python"
NODES = {
    "line": (SWIFT, "/"),
    "shift": (SWIFT, "/line"),
    "cell": (SWIFT, "/line/shift"),
    "shell": (SHELL, "/line/shift"),
    "python": (PYTHON, "/line/shift"),
    "press": (SWIFT, "/line/shift/cell"),
    "drill": (SWIFT, "/line/shift/cell"),
    "saw": (SWIFT, "/line/shift/shell"),
    "lathe": (SWIFT, "/line/shift/python"),
}

# A job in a shell: both lines at once, since nothing lies between them.
RECORD = r"""
job=$(cat)
case $job in *\}) ;; *) exit 2 ;; esac  # Whoever was to write the rest has been killed.
number=${job#*\"number\":} number=${number%%[!0-9]*}
origin=${job#*\"origin\":\"} origin=${origin%%\"*}
moment=$((${EPOCHREALTIME/./} + CLOCK_OFFSET)) key="Job $origin $number" mark=first
[ -z "$CASCADE_SENT_AGAIN" ] || mark=again
printf '%s visit %s %s %s\n%s handled %s\n' \
    "$moment" "$key" "$CASCADE_ID" "$mark" "$moment" "$key" >>"$HISTORY"
"""


def path_of(name):
    below = NODES[name][1]
    return f"/{name}" if below == "/" else f"{below}/{name}"


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000


class Failure(Exception):
    """Something that no history tells."""


class Worker:
    """A process that holds a node, and those that held it before."""

    def __init__(self, name, chaos):
        self.name, self.chaos, self.incarnation = name, chaos, 0
        self.process, self.is_stopped = None, False

    @property
    def title(self):
        return f"{self.name}.{self.incarnation}"

    def spawn(self):
        self.incarnation += 1
        self.is_stopped = False
        program, below = NODES[self.name]
        command = getattr(self, f"{program}_command")(below)
        choosy = ["choosy"] if program == SHELL else []
        self.chaos.note("spawn", self.title, path_of(self.name), *choosy)
        self.process = self.chaos.start(self.title, command)

    def swift_command(self, below):
        interval = str(self.chaos.options.interval)
        return [
            self.chaos.program("chaos-worker"), self.name, str(self.incarnation), below,
            str(self.chaos.folder), interval]

    def shell_command(self, below):
        return [
            self.chaos.program("cascadectl"), "attach", path_of(self.name), "--handle", "Job",
            "--when", f"depth >= {path_of(self.name).count('/')}", "--", "bash", "-c", RECORD]

    def python_command(self, below):
        return [
            sys.executable, str(FOLDER / "python_worker.py"), self.chaos.endpoint,
            path_of(self.name), str(self.chaos.folder / f"{self.title}.history"), self.title]

    def signal(self, verb, number):
        self.chaos.note(verb, self.title)
        self.process.send_signal(number)

    def kill(self):
        self.signal("kill", signal.SIGKILL)
        self.process.wait()
        # Until now it may have gone on.
        self.chaos.note("dead", self.title)
        self.process = None
        self.chaos.counts["worker kills"] += 1

    def toggle(self):
        self.is_stopped = not self.is_stopped
        if self.is_stopped:
            self.signal("stop", signal.SIGSTOP)
            self.chaos.counts["worker stops"] += 1
        else:
            self.signal("continue", signal.SIGCONT)


class Daemon(Worker):
    """The daemon, which is restarted as systemd would: at once."""

    def spawn(self):
        self.incarnation += 1
        self.is_stopped = False
        self.chaos.note("spawn", self.title, "/")
        self.process = self.chaos.start(self.title, [
            self.chaos.program("cascaded"), "--listen", self.chaos.endpoint,
            "--rules", str(self.chaos.folder / "rules")])

    def kill(self):
        self.signal("kill", signal.SIGKILL)
        self.process.wait()
        # Until now it may have gone on.
        self.chaos.note("dead", self.title)
        self.process = None
        self.chaos.counts["daemon kills"] += 1


class Chaos:
    """A round: a bus of its own in a folder of its own."""

    def __init__(self, options, seed, folder, counts):
        self.options, self.folder, self.counts = options, folder, counts
        self.random = random.Random(seed)
        self.endpoint = f"ipc://{folder}/bus"
        self.history = os.open(
            folder / "driver.history", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.workers = [Worker(name, self) for name in NODES]
        self.daemon = Daemon("daemon", self)
        self.later = []  # (moment, what is to be done then), in no order.
        (folder / "rules").mkdir()

    def program(self, name):
        return str(pathlib.Path(self.options.programs) / name)

    def note(self, *words):
        os.write(self.history, (" ".join([str(now()), *words]) + "\n").encode())

    def start(self, title, command):
        environment = dict(
            os.environ, CASCADE_BUS=self.endpoint, PYTHONDONTWRITEBYTECODE="1",
            CLOCK_OFFSET=str(now() - time.time_ns() // 1000), HISTORY=str(self.folder / f"{title}.history"))
        with open(self.folder / f"{title}.log", "ab") as log:
            return subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)

    # MARK: - What happens

    def run(self):
        try:
            self.daemon.spawn()
            for worker in self.workers:
                worker.spawn()
            self.await_all("attached", self.workers_that("write"))
            self.disturb()
            self.calm()
            self.leave()
        finally:
            self.end()

    def disturb(self):
        end = time.monotonic() + self.options.round
        moment = time.monotonic()
        while moment < end:
            moment += self.random.expovariate(self.options.rate)
            self.wait(moment)
            self.act()
        self.wait(max([moment for moment, _ in self.later], default=0))

    def wait(self, moment):
        """Lets time pass until then, and does what is due meanwhile."""
        while True:
            due = min(self.later, key=lambda entry: entry[0], default=(moment, None))
            target = min(moment, due[0])
            time.sleep(max(0, target - time.monotonic()))
            self.check_alive()
            if due[0] > moment or due[1] is None:
                return
            self.later.remove(due)
            due[1]()

    def after(self, seconds, what):
        self.later.append((time.monotonic() + seconds, what))

    def act(self):
        """Does something to somebody who runs, and undoes it later."""
        dice = self.random.random()
        pause = self.random.choice([0, 0, 0.02, 0.3, 1])
        victim = self.random.choice(self.workers)
        if dice < 0.09:
            self.disturb_daemon(self.daemon.kill, self.daemon.spawn, 0)
        elif dice < 0.12:
            self.disturb_daemon(self.daemon.toggle, self.daemon.toggle, pause)
        elif victim.process and not victim.is_stopped:
            if dice < 0.92:
                victim.kill()
                self.after(pause, victim.spawn)
            else:
                victim.toggle()
                stopped = victim.process
                # Some are stopped for longer than the deadline of an event.
                self.after(
                    self.random.choice([pause, pause, 4]),
                    lambda: victim.process is stopped and victim.toggle())

    def disturb_daemon(self, begin, end, pause):
        if self.daemon.process and not self.daemon.is_stopped:
            begin()
            self.after(pause, end)

    def check_alive(self):
        for worker in [self.daemon, *self.workers]:
            if worker.process and worker.process.poll() is not None:
                code = worker.process.returncode
                worker.process = None
                if code == NO_BUS and worker.name == "shell":
                    # It does not wait for a bus that is not there when it starts.
                    worker.spawn()
                    continue
                self.note("exit", worker.title, str(code))
                raise Failure(f"{worker.title} ended by itself, with {code}")

    # MARK: - The end

    def workers_that(self, what):
        programs = {"write": (SWIFT, PYTHON), "raise": (SWIFT,), "follow": (PYTHON,)}[what]
        return [worker for worker in self.workers if NODES[worker.name][0] in programs]

    def await_all(self, word, workers):
        """Waits until a word stands in the histories of processes."""
        end = time.monotonic() + PATIENCE_SECONDS
        missing = list(workers)
        while missing:
            self.check_alive()
            missing = [worker for worker in missing if not self.has(worker, word)]
            if time.monotonic() > end:
                names = ", ".join(worker.title for worker in missing)
                raise Failure(f"{names}: not {word} within {PATIENCE_SECONDS} s")
            time.sleep(0.01)

    def has(self, worker, word):
        file = self.folder / f"{worker.title}.history"
        return file.exists() and f" {word}\n" in file.read_text()

    def calm(self):
        """Nothing is done any more, and everything that was raised comes to its end."""
        for worker in self.workers:
            if worker.is_stopped:
                worker.toggle()
        if self.daemon.is_stopped:
            self.daemon.toggle()
        self.note("over")
        self.await_all("attached", self.workers_that("write"))
        for group in ("raise", "follow"):
            # Those that follow raise only while others do.
            for worker in self.workers_that(group):
                worker.process.send_signal(signal.SIGUSR1)
            self.await_all("quiet", self.workers_that(group))

    def leave(self):
        for group in (self.workers, [self.daemon]):
            for worker in group:
                worker.process.terminate()
            for worker in group:
                self.note("exit", worker.title, str(worker.process.wait(PATIENCE_SECONDS)))
                worker.process = None

    def end(self):
        for worker in [*self.workers, self.daemon]:
            if worker.process:
                worker.process.kill()
                worker.process.wait()
        os.close(self.history)


class Run:
    """Rounds, one after the other, each with a seed of its own."""

    def __init__(self, options):
        self.options = options
        self.start = time.monotonic()
        self.counts = dict.fromkeys([
            "rounds", "worker kills", "daemon kills", "worker stops", "events", "visits",
            "sent again"], 0)
        self.recoveries = []
        self.is_terminal = sys.stdout.isatty()

    @property
    def seconds(self):
        return time.monotonic() - self.start

    def run(self):
        end = self.options.minutes * 60 if self.options.minutes else 0
        while True:
            is_good = self.round(self.options.seed + self.counts["rounds"])
            self.show()
            if not is_good or self.seconds >= end:
                break
        self.summarise(is_good)
        return 0 if is_good else 1

    def round(self, seed):
        """Runs one; returns whether all was well."""
        self.counts["rounds"] += 1
        folder = pathlib.Path(tempfile.mkdtemp(prefix="chaos-"))
        trouble = None
        try:
            Chaos(self.options, seed, folder, self.counts).run()
        except Failure as failure:
            trouble = failure
        histories = checker.read(folder)
        findings = checker.check(histories)
        if trouble:
            # It was broken off, with much under way.
            findings = [finding for finding in findings if not finding.is_open]
        self.count(histories)
        if trouble or findings:
            self.report(seed, folder, trouble, findings, histories)
            return False
        if self.options.keep:
            print(folder)
        else:
            shutil.rmtree(folder)
        return True

    def count(self, histories):
        happened = checker.Round(histories)
        visits = [visit for of_process in happened.visits.values() for visit in of_process]
        self.counts["events"] += len(happened.raised)
        self.counts["visits"] += len(visits)
        self.counts["sent again"] += sum(visit.is_again for visit in visits)
        self.recoveries += recoveries(happened)

    # MARK: - Words

    def show(self):
        if self.is_terminal:
            words = ", ".join(f"{count:,} {what}" for what, count in self.counts.items())
            print(f"\r{self.seconds:,.0f} s: {words}\033[K", end="", flush=True)

    def summarise(self, is_good):
        if self.is_terminal:
            print()
        for what, count in self.counts.items():
            print(f"{what:14} {count:>12,}")
        if self.recoveries:
            print(
                f"recovery       median {quantile(self.recoveries, .5):.0f} ms, "
                f"p99 {quantile(self.recoveries, .99):.0f} ms, of {len(self.recoveries)}")
        words = "no promise was broken" if is_good else "the last round broke a promise"
        print(f"{words}, in {self.seconds:.0f} s, from seed {self.options.seed}")

    def report(self, seed, folder, trouble, findings, histories):
        print(f"\nseed {seed} fails; the files are in {folder}")
        if trouble:
            print(f"  {trouble}")
        for finding in findings[:20]:
            key = " ".join(map(str, finding.key)) if finding.key else ""
            print(f"  {finding.promise}: {key} {finding.sentence}")
        if len(findings) > 20:
            print(f"  … and {len(findings) - 20} more")
        first = next((finding.key for finding in findings if finding.key), None)
        if first:
            print(f"the history of {' '.join(map(str, first))}:")
            for line in story(histories, first):
                print(f"  {line}")
        print(f"again: deploy/chaos --seed {seed}")


def story(histories, key):
    """What all processes say about a key, and what was done to them meanwhile."""
    lines = [
        (line.time, process, line) for process, lines in histories.items() for line in lines
        if line.key == key]
    if not lines:
        return []
    start, end = min(lines)[0], max(lines, key=lambda entry: entry[0])[0]
    lines += [
        (line.time, "driver", line) for line in histories.get("driver", [])
        if start <= line.time <= end + 1_000_000]
    return [
        f"{(time - start) / 1000:10.3f} ms  {process:12} {line.verb} {' '.join(line.words)}"
        for time, process, line in sorted(lines, key=lambda entry: entry[:2])][:60]


def arguments():
    parser = argparse.ArgumentParser(prog="deploy/chaos", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--minutes", type=float, default=0, help="for how long; without it, one round")
    parser.add_argument("--seed", type=int, default=1, help="of the first round; each has the next")
    parser.add_argument(
        "--round", type=float, default=30, metavar="SECONDS", help="how long a round is disturbed")
    parser.add_argument(
        "--rate", type=float, default=6, help="how many times a second something is done")
    parser.add_argument(
        "--interval", type=int, default=20, metavar="MS",
        help="how long each worker waits between two events")
    parser.add_argument("--keep", action="store_true", help="keep the histories of good rounds too")
    parser.add_argument("--programs", required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    # Whoever ends this ends the processes of the round, too.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(Run(arguments()).run())
