# SPDX-License-Identifier: Apache-2.0
"""Checks the histories of a round of chaos against the promises of the bus.

It shares neither code nor a programming language with the bus.

A history is a file `NAME.INCARNATION.history` of one process. Each line begins with a time, in
microseconds of the machine's monotonic clock. A key is `KIND ORIGIN NUMBER`: the kind of a message,
the process that raised it, and its number among the messages of that kind and process.

    begin | attached | quiet | left
    raise KEY MANNER [durable]     the message will be raised next, and must have an outcome
    raised KEY ID                  the bus has assigned the ID; a durable event is accepted
    emit KEY MANNER                the message will be raised next, without an outcome
    ended KEY OUTCOME WORDS…       the outcome
    refused KEY WORDS…             the reason why the message has no outcome
    visit KEY ID first|again       a node is visited; `again` if the message is marked as redelivered
    passed | handled | threw KEY   the answer that the node will send next
    told ID OUTCOME WORDS…         the outcome of a durable event of another process

`driver.history` contains the actions on the processes:

    spawn PROCESS PATH [choosy]    `choosy`: only some of the events on its path visit it
    serve DAEMON                   the daemon has notified that it is ready
    kill PROCESS | dead PROCESS | stop PROCESS | continue PROCESS
    exit PROCESS CODE              the process has exited after SIGTERM, or by itself
    over                           the end of all disturbances

A daemon is a process `daemon.INCARNATION` with the path `/`.
"""

import collections
import pathlib

Key = collections.namedtuple("Key", "kind origin number")
Line = collections.namedtuple("Line", "time verb key words")
Visit = collections.namedtuple("Visit", "time process key id is_again answer answered")


class Finding(collections.namedtuple("Finding", "promise sentence key")):
    """A violated invariant."""

    @property
    def is_open(self):
        """Whether the invariant may still be met at a later time."""
        return self.sentence in (NO_OUTCOME, NO_DURABLE_OUTCOME)


NO_OUTCOME = "has no outcome, although its origin was not killed"
NO_DURABLE_OUTCOME = "was accepted, but no process received its outcome"
KEYED = {"raise", "raised", "emit", "ended", "refused", "visit", "passed", "handled", "threw"}
ANSWERS = {"passed", "handled", "threw"}
RAISED = {"raise", "emit"}

# The time for which a daemon waits for its nodes, with a margin for its messages afterwards.
REATTACH_MICROSECONDS = 2_500_000

# The longest time from the last visit of an event to the arrival of its outcome, including a deadline.
OUTCOME_MICROSECONDS = 6_000_000

# The longest time in which a process without an `attached` line attaches.
ATTACH_MICROSECONDS = 2_000_000


def parsed(text):
    """Returns the lines of a history, without a last line that was not written completely."""
    lines = []
    for text_line in text.split("\n")[:-1]:
        time, verb, *words = text_line.split(" ")
        key = None
        if verb in KEYED:
            key = Key(words[0], words[1], int(words[2]))
            words = words[3:]
        lines.append(Line(int(time), verb, key, words))
    return lines


def read(folder):
    """Returns the histories in a folder, by their processes."""
    return {
        path.name.removesuffix(".history"): parsed(path.read_text())
        for path in sorted(pathlib.Path(folder).glob("*.history"))}


class Round:
    """The observations of a round, by process and by key."""

    def __init__(self, histories):
        self.driver = histories.get("driver", [])
        self.lines = {name: lines for name, lines in histories.items() if name != "driver"}
        self.stops = collections.defaultdict(list)
        self.paths, self.killed, self.exits = {}, {}, {}
        # The times at which killed processes had ended. A process may continue between the two times.
        self.dead = {}
        self.disturbances, self.choosy = collections.defaultdict(list), set()
        for line in self.driver:
            process = line.words[0] if line.words else None
            if line.verb == "spawn":
                self.paths[process] = line.words[1]
                if "choosy" in line.words:
                    self.choosy.add(line.words[1])
            elif line.verb == "kill":
                self.killed[process] = line.time
            elif line.verb == "dead":
                self.dead[process] = line.time
            elif line.verb == "exit":
                self.exits[process] = line.words[1]
            if process:
                name = "daemon" if process.startswith("daemon.") else process
                self.disturbances[name].append(line.time)
                if line.verb == "stop":
                    self.stops[name].append((line.time, float("inf")))
                elif line.verb in ("continue", "kill") and self.stops[name]:
                    begin, end = self.stops[name][-1]
                    self.stops[name][-1] = begin, min(end, line.time)
        self.raised, self.ends, self.ids = {}, collections.defaultdict(list), {}
        self.visits = collections.defaultdict(list)
        for process, lines in self.lines.items():
            self.add(process, lines)
        self.told = self.outcomes_at_other_processes()
        self.arrivals = list(self.arrivals_of_nodes())

    def add(self, process, lines):
        open_visits = {}
        end = self.dead.get(process, self.killed.get(process, float("inf")))
        for line in lines:
            if line.time > end:
                break  # A child of a killed process continues, but its answers are lost.
            if line.verb in RAISED:
                self.raised[line.key] = line
            elif line.verb == "raised":
                self.ids[line.key] = line.words[0]
            elif line.verb in ("ended", "refused"):
                self.ends[line.key].append(line)
            elif line.verb == "visit":
                # A visit during another visit of the same event counts as a separate visit.
                open_visits[line.key] = len(self.visits[process])
                self.visits[process].append(Visit(
                    line.time, process, line.key, line.words[0], line.words[1] == "again",
                    None, None))
            elif line.verb in ANSWERS and line.key in open_visits:
                index = open_visits.pop(line.key)
                self.visits[process][index] = self.visits[process][index]._replace(
                    answer=line.verb, answered=line.time)

    @property
    def durable(self):
        return [key for key, line in self.raised.items() if is_durable(line)]

    def outcomes_at_other_processes(self):
        """Returns the outcomes that another process than the origin received, by key, each as (process,
        `ended` line)."""
        keys = {visit.id: visit.key for visits in self.visits.values() for visit in visits}
        keys.update((id, key) for key, id in self.ids.items())
        told = collections.defaultdict(list)
        for process, lines in self.lines.items():
            end = self.dead.get(process, self.killed.get(process, float("inf")))
            for line in lines:
                # An unknown ID belongs to an event whose origin was killed before it received the ID.
                if line.verb == "told" and line.time <= end and line.words[0] in keys:
                    key = keys[line.words[0]]
                    told[key].append((process, Line(line.time, "ended", key, line.words[1:])))
        return told

    def visits_by_key(self):
        visits = collections.defaultdict(list)
        for of_process in self.visits.values():
            for visit in of_process:
                visits[visit.key].append(visit)
        return visits

    def may_have_lost_connection(self, origin, start, end):
        """Returns whether the origin may have lost a connection within that time."""
        disturbances = self.disturbances["daemon"] + self.disturbances[origin]
        return any(start <= time <= end for time in disturbances)

    def daemon_start(self, time):
        """Returns the start of the daemon that ran at that time."""
        return max((
            line.time for line in self.driver if line.verb == "spawn" and line.time <= time
            and line.words[0].startswith("daemon.")), default=0)

    def ready_since(self, start):
        """Returns the time at which the daemon with this start was ready. Without a notification it is the
        start."""
        later = (line for line in self.driver if line.time > start and line.verb in (
            "spawn", "serve") and line.words[0].startswith("daemon."))
        following = min(later, key=lambda line: line.time, default=None)
        return following.time if following and following.verb == "serve" else start

    def manner(self, key):
        """Returns the properties shared by all messages with the same route."""
        origin = self.path(key.origin)
        has_routes = any(is_ancestor(path, origin) for path in self.choosy)
        return self.raised[key].words[0] if has_routes and key in self.raised else None

    def was_held(self, visit):
        """Returns whether a durable event may have been held, and have started again when a node on its
        route attached."""
        raised, origin = self.raised.get(visit.key), self.path(visit.key.origin)
        return is_durable(raised) and any(
            begin <= visit.time and raised.time <= end and is_ancestor(path, origin)
            for path, begin, end in self.arrivals)

    def may_have_received_outcome(self, key, visits):
        """Returns whether a killed origin may have received the outcome without recording it: the event may
        have ended shortly before the kill."""
        dead = self.dead.get(key.origin, self.killed[key.origin])
        last = max((visit.time for visit in visits), default=float("inf"))
        return dead - OUTCOME_MICROSECONDS <= last <= dead

    def arrivals_of_nodes(self):
        """Yields the paths, and the times between which a process attached there."""
        for line in self.driver:
            if line.verb == "spawn" and not line.words[0].startswith("daemon."):
                process, path = line.words[:2]
                attached = (
                    other.time for other in self.lines.get(process, [])
                    if other.verb == "attached")
                # Some programs write no such line.
                yield path, line.time, min(
                    next(attached, line.time + ATTACH_MICROSECONDS),
                    self.dead.get(process, float("inf")))
        for process, stops in self.stops.items():
            for begin, end in stops:
                # A process that was stopped when the daemon started attaches when it continues.
                if process in self.paths and begin <= self.daemon_start(end) + REATTACH_MICROSECONDS:
                    yield self.path(process), end, end + ATTACH_MICROSECONDS

    def was_killed_before(self, process, time):
        """Returns whether a process was killed before that time."""
        return self.killed.get(process, time) < time

    def awaits_nodes(self, visit, others=()):
        """Returns whether a visit may have been sent while the daemon waited for nodes to attach again. The
        time for which the daemon, the visited process or another one on the route was stopped does not
        count."""
        start = self.ready_since(self.daemon_start(visit.time))
        names = {"daemon", visit.process, *(
            other.process for other in others if start <= other.time <= visit.time)}
        stops = sorted(stop for name in names for stop in self.stops[name])
        stopped, last = 0, start
        for begin, end in stops:
            stopped += max(0, min(end, visit.time) - max(begin, last))
            last = max(last, min(end, visit.time))
        return visit.time - stopped <= start + REATTACH_MICROSECONDS

    def path(self, process):
        return self.paths.get(process, "?")


def check(histories):
    """Returns the findings of a round; none if all invariants hold."""
    observed = Round(histories)
    by_key = observed.visits_by_key()
    return [
        *outcomes(observed),
        *durable_outcomes(observed, by_key),
        *identities(observed, by_key),
        *routes(observed, by_key),
        *repetitions(observed, by_key),
        *verdicts(observed, by_key),
        *emissions(observed, by_key),
        *order(observed, by_key),
        *exits(observed),
    ]


def outcomes(observed):
    """A raised message has exactly one outcome, or at most one if its origin was killed."""
    for key, raised in observed.raised.items():
        ends = observed.ends.get(key, [])
        if raised.verb == "raise" and not ends and key.origin not in observed.killed:
            yield Finding("outcome", NO_OUTCOME, key)
        if len(ends) > 1:
            yield Finding("outcome", f"has {len(ends)} outcomes", key)
        for end in ends:
            if end.verb == "refused":
                yield Finding("outcome", f"was refused: {' '.join(end.words)}", key)
    for key in observed.ends:
        if key not in observed.raised:
            yield Finding("outcome", "has an outcome, but was never raised", key)


def durable_outcomes(observed, by_key):
    """An accepted durable event has one outcome, even if its origin was killed. In that case a later
    process at the path of its origin receives the outcome, and again only if that process or the
    daemon may have been killed before the confirmation. The outcome is the same each time. An origin
    that was killed shortly after the end of the event may have received the outcome without recording
    it."""
    for key in observed.durable:
        told, ends = observed.told.get(key, []), observed.ends.get(key, [])
        if key.origin in observed.killed:
            may_have_outcome = observed.may_have_received_outcome(key, by_key.get(key, []))
            if key in observed.ids and not told and not ends and not may_have_outcome:
                yield Finding("outcome", NO_DURABLE_OUTCOME, key)
        elif told:
            yield Finding(
                "outcome",
                f"has an outcome at {told[0][0]}, although its origin was not killed", key)
        told.sort(key=lambda entry: entry[1].time)
        for (process, before), (_, after) in zip(told, told[1:]):
            if process not in observed.killed and not observed.may_have_lost_connection(
                    process, before.time, after.time):
                yield Finding(
                    "outcome", f"has an outcome again, after {process} had received it", key)
        if len({tuple(end.words) for end in [*ends, *(end for _, end in told)]}) > 1:
            yield Finding("outcome", "has several different outcomes", key)
    for key, told in observed.told.items():
        if key not in observed.raised or not is_durable(observed.raised[key]):
            yield Finding(
                "outcome", f"has an outcome at {told[0][0]}, but was not durable", key)


def identities(observed, by_key):
    """No node is visited by a message that was not raised, or that has another ID."""
    keys = {}
    for key, visits in by_key.items():
        if key not in observed.raised:
            yield Finding("identity", "visits a node, but was never raised", key)
        if len({visit.id for visit in visits}) > 1:
            yield Finding("identity", "has several IDs in its visits", key)
        known = observed.ids.get(key)
        if known is not None and visits[0].id != known:
            yield Finding(
                "identity", f"was raised as {known}, but has the ID {visits[0].id} in visits", key)
        other = keys.setdefault(visits[0].id, key)
        if other != key:
            yield Finding("identity", f"has the ID of {' '.join(map(str, other))}", key)


def routes(observed, by_key):
    """An event that is not redelivered visits its origin's ancestors, each once, nearest first. An
    unhandled event starts again only while a restarted daemon waits for its nodes, and a durable
    event also after it was held until a node attached."""
    for key, visits in by_key.items():
        origin = observed.path(key.origin)
        if key.kind == "Notice":
            for visit in visits:
                if not is_ancestor(origin, observed.path(visit.process)):
                    yield Finding(
                        "route", f"visits {visit.process}, which is not below the publisher", key)
            continue
        for visit in visits:
            path = observed.path(visit.process)
            if path == origin or not is_ancestor(path, origin):
                yield Finding("route", f"visits {path}, which is not above it", key)
        first = sorted(visit for visit in visits if not visit.is_again)
        for before, after in zip(first, first[1:]):
            is_higher = depth(observed.path(after.process)) < depth(observed.path(before.process))
            is_unhandled = (
                before.answer == "passed"
                or observed.was_killed_before(before.process, after.time))
            may_start_again = is_unhandled and (
                observed.awaits_nodes(after) or observed.was_held(after))
            if not is_higher and not may_start_again:
                yield Finding(
                    "route", f"visits {after.process} after {before.process}, unmarked", key)


def repetitions(observed, by_key):
    """No event is handled twice, unless it is marked as redelivered, or its handler was killed, so that
    the verdict may not have been sent."""
    for key, visits in by_key.items():
        handled = [visit for visit in visits if visit.answer == "handled" and not visit.is_again]
        surviving = [visit for visit in handled if visit.process not in observed.killed]
        is_repeated = len(handled) > 1 and not surviving and not were_killed_in_turn(observed, handled)
        if len(surviving) > 1 or is_repeated:
            handlers = ", ".join(visit.process for visit in handled)
            yield Finding("repetition", f"is handled by {handlers}, unmarked", key)


def were_killed_in_turn(observed, handled):
    """Returns whether each of several handlers was killed before the next one began."""
    ordered = sorted(handled)
    return all(
        observed.killed[before.process] <= after.time
        for before, after in zip(ordered, ordered[1:]))


def verdicts(observed, by_key):
    """An outcome agrees with the verdicts of the nodes."""
    for key in {**observed.ends, **observed.told}:
        visits = by_key.get(key, [])
        for end in [*observed.ends.get(key, []), *(end for _, end in observed.told.get(key, []))]:
            if end.verb == "ended":
                sentence = contradiction(observed, end, visits)
                if sentence:
                    yield Finding("verdict", sentence, key)


def contradiction(observed, end, visits):
    """Returns a sentence about a contradiction between an outcome and the verdicts; `None` without one."""
    outcome, *details = end.words
    handlers = {observed.path(visit.process) for visit in visits if visit.answer == "handled"}
    if outcome == "handled" and details[0] not in handlers:
        return f"has the outcome handled by {details[0]}, which did not handle it"
    if outcome == "delivered" and not handlers.issuperset(details):
        return (
            f"has the outcome delivered to {' '.join(details)}, but was received by "
            f"{sorted(handlers)}")
    if outcome in ("unhandled", "noSubscriber"):
        start = observed.daemon_start(end.time)
        for visit in visits:
            if (visit.answer == "handled" and visit.process not in observed.killed
                    and start <= visit.time and visit.answered <= end.time):
                return f"has the outcome {outcome}, but {visit.process} handled it"
    if outcome in ("failed", "caught"):
        return error_contradiction(observed, end.key, details, visits)
    if outcome not in ("handled", "delivered", "unhandled", "noSubscriber", "timedOut"):
        return f"has the outcome {outcome}"
    return None


def error_contradiction(observed, key, details, visits):
    name, node, *_ = details
    if name == "Broken":
        throwers = {observed.path(visit.process) for visit in visits if visit.answer == "threw"}
        return None if node in throwers else f"failed at {node}, which did not throw"
    if name == "nodeLost" and is_durable(observed.raised.get(key)):
        return "was durable, but failed because a node was lost"
    if name == "nodeLost":
        lost = {observed.path(process) for process in observed.killed}
        return None if node in lost else f"failed because {node} was lost, which was not killed"
    if name == "quarantined":
        victims = {visit.process for visit in visits if visit.process in observed.killed}
        return None if victims else "was quarantined, but none of its handlers was killed"
    return None if name == "timedOut" else f"failed with {name}"


def emissions(observed, by_key):
    """An emitted event is handled at most once, and never redelivered."""
    for key, visits in by_key.items():
        if key in observed.raised and observed.raised[key].verb == "emit":
            handlers = sorted(visit.process for visit in visits if visit.answer == "handled")
            if len(handlers) > 1:
                yield Finding("emission", f"was emitted, but handled by {handlers}", key)
            if any(visit.is_again and not observed.awaits_nodes(visit) for visit in visits):
                yield Finding("emission", "was emitted, but redelivered", key)


def order(observed, by_key):
    """The messages of one origin reach a node in the order in which they were raised. Redelivered
    messages arrive in order too, once for each possible loss of a connection; a restarted daemon
    starts the durable ones itself, so durable and other redelivered messages have separate orders.
    Messages that start again, because a daemon waited for its nodes or a durable event was held, arrive
    after the others. Messages with different routes have no order."""
    for process, visits in observed.visits.items():
        streams = collections.defaultdict(Stream)
        for visit in visits:
            route = visit.key.kind, visit.key.origin, observed.manner(visit.key)
            stream_key = route, visit.is_again and level(observed.raised.get(visit.key))
            stream = streams[stream_key]
            if visit.is_again and observed.may_have_lost_connection(
                    visit.key.origin, stream.time, visit.time):
                stream = streams[stream_key] = Stream()
            first = streams[route, False]
            mark = "again" if visit.is_again else "first"
            if rank(visit) <= stream.last and not may_start_again(observed, visit, by_key):
                yield Finding(
                    "order", f"reaches {process} {mark} after {stream.last}", visit.key)
            stream.add(visit)
            if visit.is_again:
                # A message that is sent for the first time must not be older than a redelivered one.
                first.last = max(first.last, rank(visit))


def may_start_again(observed, visit, by_key):
    """Returns whether the event may have started again: it was held, or it was at another node or on its
    way to a killed process while the daemon waited for its nodes."""
    if observed.was_held(visit):
        return True
    if not observed.awaits_nodes(visit, by_key[visit.key]):
        return False
    raised, origin = observed.raised.get(visit.key), observed.path(visit.key.origin)
    was_lost = raised and any(
        raised.time < time < visit.time and is_ancestor(observed.path(process), origin)
        for process, time in observed.killed.items())
    return was_lost or any(before.time < visit.time for before in by_key[visit.key])


def rank(visit):
    """Returns the number of an event among those of its origin: that of its ID, because an origin that
    raises several events at once does not know their order; that of its key if the node does not know the
    ID."""
    number = visit.id.rpartition("-")[2]
    return int(number) if number.isdigit() else visit.key.number


class Stream:
    """The messages of one origin at one node."""

    def __init__(self):
        self.last, self.time = 0, 0

    def add(self, visit):
        self.last, self.time = max(self.last, rank(visit)), visit.time


def exits(observed):
    """A process exits with 0, and only after SIGTERM."""
    for process, code in observed.exits.items():
        if code != "0":
            yield Finding("exit", f"{process} exited with {code}", None)


def is_durable(raised):
    """Returns whether an event is durable, according to the line before it was raised."""
    return raised is not None and "durable" in raised.words


def level(raised):
    return "durable" if is_durable(raised) else "plain"


def is_ancestor(path, other):
    """Returns whether `path` is `other` or above it."""
    return path == "/" or (other + "/").startswith(path + "/")


def depth(path):
    return 0 if path == "/" else path.count("/")
