# SPDX-License-Identifier: Apache-2.0
"""Runs a bus of real processes, kills, stops and restarts them at random, and checks their histories.
`deploy/chaos` builds the programs and calls it.

The seed determines the faults, their targets and their times; the timing of the processes depends on the
machine.
"""

import argparse
import random
import shutil
import signal
import sys
import time

import checker
from bus import ANNA, BEN, FOLDER, MALLORY, Bus, Failure, has_users
from measurements import quantile
from recovery import recoveries

PATIENCE_SECONDS = 40
NO_BUS = 69

# The nodes by name: their programs and their parents.
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

# The handler of a job in a shell. It writes both lines at once, because it does no work between them.
RECORD = r"""
job=$(cat)
case $job in *\}) ;; *) exit 2 ;; esac  # The writer was killed before it had written all of the job.
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


# The behaviours of hostile.py that are used during a round. With the others it would not end in time.
HOSTILE = ["triggers", "attach", "refused", "fill", "silent", "resume", "named"]


class Worker:
    """A process that holds a node, and the processes that held it before."""

    kill_count = "worker kills"

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
        self.chaos.record_action("spawn", self.title, path_of(self.name), *choosy)
        self.process = self.chaos.start(self.title, command, self.user)

    @property
    def user(self):
        """The user of the worker; two users alternate."""
        return (ANNA, BEN)[list(NODES).index(self.name) % 2]

    def swift_command(self, below):
        interval = str(self.chaos.options.interval)
        return [
            self.chaos.program("chaos-worker"), self.name, str(self.incarnation), below,
            str(self.chaos.histories), interval]

    def shell_command(self, below):
        return [
            self.chaos.program("cascadectl"), "attach", path_of(self.name), "--handle", "Job",
            "--when", f"depth >= {path_of(self.name).count('/')}", "--", "bash", "-c", RECORD]

    def python_command(self, below):
        return [
            sys.executable, str(FOLDER / "python_worker.py"), self.chaos.endpoint,
            path_of(self.name), str(self.chaos.histories / f"{self.title}.history"), self.title]

    def signal(self, verb, number):
        self.chaos.record_action(verb, self.title)
        self.process.send_signal(number)

    def kill(self):
        self.signal("kill", signal.SIGKILL)
        self.process.wait()
        # The process may have continued until now.
        self.chaos.record_action("dead", self.title)
        self.process = None
        self.chaos.counts[self.kill_count] += 1

    def toggle(self):
        """Stops the process, or continues it if it is stopped."""
        self.is_stopped = not self.is_stopped
        if self.is_stopped:
            self.signal("stop", signal.SIGSTOP)
            self.chaos.counts["worker stops"] += 1
        else:
            self.signal("continue", signal.SIGCONT)


class Daemon(Worker):
    """The daemon. It is restarted immediately, as by systemd."""

    kill_count = "daemon kills"

    def spawn(self):
        self.incarnation += 1
        self.is_stopped = False
        self.chaos.record_action("spawn", self.title, "/")
        self.process = self.chaos.start_daemon(self.title)


class Chaos(Bus):
    """A round, with a bus in a folder of its own."""

    def __init__(self, options, seed, folder, counts):
        super().__init__(options.programs, folder)
        self.options, self.counts = options, counts
        self.random = random.Random(seed)
        self.workers = [Worker(name, self) for name in NODES]
        self.daemon = Daemon("daemon", self)
        self.hostile, self.is_calm = {}, False  # Processes by their titles.
        self.later = []  # (time, action), unordered.

    # MARK: - Steps

    def run(self):
        try:
            self.daemon.spawn()
            for worker in self.workers:
                worker.spawn()
            self.await_all("attached", self.workers_that("write"))
            if self.options.hostile:
                self.start_hostile("hostile-1")
                self.start_hostile("hostile-2")
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
        self.is_calm = True
        for title in list(self.hostile):
            self.end_hostile(title)
        self.wait(max([moment for moment, _ in self.later], default=0))

    def wait(self, moment):
        """Waits until a time, and performs the actions that become due."""
        while True:
            due = min(self.later, key=lambda entry: entry[0], default=(moment, None))
            target = min(moment, due[0])
            time.sleep(max(0, target - time.monotonic()))
            self.check_alive()
            if due[0] > moment or due[1] is None:
                return
            self.later.remove(due)
            due[1]()

    def after(self, seconds, action):
        self.later.append((time.monotonic() + seconds, action))

    def act(self):
        """Disturbs a running process, and schedules the end of the disturbance."""
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

    def start_hostile(self, title):
        """Runs a hostile process of a third user for a few seconds, and then another one."""
        self.end_hostile(title)
        if self.is_calm:
            return
        behaviour = self.random.choice(HOSTILE)
        self.hostile[title] = self.start_script(
            title, "hostile.py", self.endpoint, behaviour, self.histories, user=MALLORY)
        self.counts["hostile"] += 1
        self.after(self.random.uniform(1, 6), lambda: self.start_hostile(title))

    def end_hostile(self, title):
        process = self.hostile.pop(title, None)
        if process:
            process.kill()
            process.wait()

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
                    # This program does not wait for a missing bus when it starts.
                    worker.spawn()
                    continue
                self.record_action("exit", worker.title, str(code))
                raise Failure(f"{worker.title} exited by itself with {code}")

    # MARK: - The end

    def workers_that(self, verb):
        """Returns the workers that write a history, raise messages by themselves, or raise one for each
        handled message (`follow`)."""
        programs = {"write": (SWIFT, PYTHON), "raise": (SWIFT,), "follow": (PYTHON,)}[verb]
        return [worker for worker in self.workers if NODES[worker.name][0] in programs]

    def await_all(self, word, workers):
        """Waits until the histories of all these workers contain a word."""
        end = time.monotonic() + PATIENCE_SECONDS
        missing = list(workers)
        while missing:
            self.check_alive()
            missing = [worker for worker in missing if not self.has(worker.title, word)]
            if time.monotonic() > end:
                names = ", ".join(worker.title for worker in missing)
                raise Failure(f"{names}: not {word} within {PATIENCE_SECONDS} s")
            time.sleep(0.01)

    def await_durable_outcomes(self):
        """Waits until the outcome of each durable event has been received, even if its origin was
        killed."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            self.check_alive()
            observed = checker.Round(checker.read(self.histories))
            findings = checker.durable_outcomes(observed, observed.visits_by_key())
            if not any(finding.is_open for finding in findings):
                return
            time.sleep(0.2)

    def calm(self):
        """Ends all disturbances, and waits until all raised messages have ended."""
        for worker in self.workers:
            if worker.is_stopped:
                worker.toggle()
        if self.daemon.is_stopped:
            self.daemon.toggle()
        self.record_action("over")
        self.await_all("attached", self.workers_that("write"))
        for group in ("raise", "follow"):
            # Workers of the second group raise messages only while those of the first do.
            for worker in self.workers_that(group):
                worker.process.send_signal(signal.SIGUSR1)
            self.await_all("quiet", self.workers_that(group))
        self.await_durable_outcomes()

    def leave(self):
        for group in (self.workers, [self.daemon]):
            for worker in group:
                worker.process.terminate()
            for worker in group:
                self.record_action("exit", worker.title, str(worker.process.wait(PATIENCE_SECONDS)))
                worker.process = None

    def end(self):
        for title in list(self.hostile):
            self.end_hostile(title)
        for worker in [*self.workers, self.daemon]:
            if worker.process:
                worker.process.kill()
                worker.process.wait()
        self.close()


class Run:
    """Rounds, one after the other, each with a seed of its own."""

    def __init__(self, options):
        self.options = options
        self.start = time.monotonic()
        self.counts = dict.fromkeys([
            "rounds", "worker kills", "daemon kills", "worker stops", "hostile", "events", "durable",
            "told later", "visits", "sent again"], 0)
        self.recoveries = []
        self.is_terminal = sys.stdout.isatty()

    @property
    def seconds(self):
        return time.monotonic() - self.start

    def run(self):
        if not has_users():
            print(
                "all processes have the same user: several users need root, and a folder that all can "
                "reach")
        end = self.options.minutes * 60 if self.options.minutes else 0
        while True:
            is_good = self.round(self.options.seed + self.counts["rounds"])
            self.show()
            if not is_good or self.seconds >= end:
                break
        self.summarise(is_good)
        return 0 if is_good else 1

    def round(self, seed):
        """Runs a round. Returns whether no invariant was violated."""
        self.counts["rounds"] += 1
        folder = Bus.make_folder("chaos-")
        trouble = None
        try:
            Chaos(self.options, seed, folder, self.counts).run()
        except Failure as failure:
            trouble = failure
        histories = checker.read(folder / "histories")
        findings = checker.check(histories)
        if trouble:
            # The round ended early, with messages under way.
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
        observed = checker.Round(histories)
        visits = [visit for of_process in observed.visits.values() for visit in of_process]
        self.counts["events"] += len(observed.raised)
        self.counts["durable"] += len(observed.durable)
        self.counts["told later"] += len(observed.told)
        self.counts["visits"] += len(visits)
        self.counts["sent again"] += sum(visit.is_again for visit in visits)
        self.recoveries += recoveries(observed)

    # MARK: - Results

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
        hostile = " --hostile" if self.options.hostile else ""
        print(f"repeat with: deploy/chaos --seed {seed}{hostile}")


def story(histories, key):
    """Returns the lines of all histories about a key, and the actions during that time."""
    id = checker.Round(histories).ids.get(key)
    lines = [
        (line.time, process, line) for process, lines in histories.items() for line in lines
        if line.key == key or line.verb == "told" and line.words[0] == id]
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
        "--minutes", type=float, default=0, help="duration of the run, in minutes (default: one round)")
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of the first round; each further round has the next")
    parser.add_argument(
        "--round", type=float, default=30, metavar="SECONDS",
        help="duration of the disturbances of each round, in seconds")
    parser.add_argument(
        "--rate", type=float, default=6, help="mean number of disturbances per second")
    parser.add_argument(
        "--interval", type=int, default=20, metavar="MS",
        help="time between two events of each worker, in milliseconds")
    parser.add_argument(
        "--hostile", action="store_true",
        help="run two hostile processes of another user in each round (hostile.py)")
    parser.add_argument(
        "--keep", action="store_true", help="keep the histories of successful rounds too")
    parser.add_argument("--programs", required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    # A signal to this process also ends the processes of the round.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(Run(arguments()).run())
