# SPDX-License-Identifier: Apache-2.0
"""Judges the histories of a round of chaos.

It knows the promises of the bus and the lines of the histories, and nothing else: it shares no
code, and no language, with what it judges.

A history is a file `NAME.INCARNATION.history` of one process. Each line begins with the moment, in
microseconds of the machine's monotonic clock. A key is `KIND ORIGIN NUMBER`: the kind of what was
raised, the process that raised it, and which of its own it was.

    begin | attached | quiet | left
    raise KEY MANNER [durable]     it is about to be raised; an outcome is to come
    raised KEY ID                  the bus has named it; a durable one is on its disk from then on
    emit KEY MANNER                the same, but nobody waits for an outcome
    ended KEY OUTCOME WORDS…       its outcome
    refused KEY WORDS…             it has none, and this is why
    visit KEY ID first|again       it comes to a node; `again` if it is marked as sent again
    passed | handled | threw KEY   what the node is about to answer
    told ID OUTCOME WORDS…         how a durable event ended that another process had raised

`driver.history` says what was done to whom:

    spawn PROCESS PATH [choosy]    choosy: not all events on its path visit it
    serve DAEMON                   it has read its journal and says that it is ready
    kill PROCESS | stop PROCESS | continue PROCESS
    exit PROCESS CODE              a process that was asked to leave has ended
    over                           nothing more is done to anybody

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
        """Whether the invariant may still be met later."""
        return self.sentence in (NO_OUTCOME, NO_DURABLE_OUTCOME)


NO_OUTCOME = "has no outcome, though its origin lived"
NO_DURABLE_OUTCOME = "was on the bus's disk, and no process was told its outcome"
KEYED = {"raise", "raised", "emit", "ended", "refused", "visit", "passed", "handled", "threw"}
ANSWERS = {"passed", "handled", "threw"}
RAISED = {"raise", "emit"}

# The time that a daemon waits for its nodes, with a margin for its messages afterwards.
REATTACH_MICROSECONDS = 2_500_000

# How long after the last visit of an event its origin may be without the outcome, including a
# deadline.
OUTCOME_MICROSECONDS = 6_000_000

# The time that a process without an `attached` line may take to attach.
ATTACH_MICROSECONDS = 2_000_000


def parsed(text):
    """The lines of a history. A line without a line break was not written completely."""
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
    """The histories in a folder, by their processes."""
    return {
        path.name.removesuffix(".history"): parsed(path.read_text())
        for path in sorted(pathlib.Path(folder).glob("*.history"))}


class Round:
    """The events of a round, by process and by key."""

    def __init__(self, histories):
        self.driver = histories.get("driver", [])
        self.lines = {name: lines for name, lines in histories.items() if name != "driver"}
        self.stops = collections.defaultdict(list)
        self.paths, self.killed, self.exits = {}, {}, {}
        # A process continues between the intention to kill it and its end.
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
        self.told = self.told_by_key()
        self.arrivals = list(self.arrivals_of_nodes())

    def add(self, process, lines):
        open_visits = {}
        end = self.dead.get(process, self.killed.get(process, float("inf")))
        for line in lines:
            if line.time > end:
                break  # A child continues, whose answers are lost.
            if line.verb in RAISED:
                self.raised[line.key] = line
            elif line.verb == "raised":
                self.ids[line.key] = line.words[0]
            elif line.verb in ("ended", "refused"):
                self.ends[line.key].append(line)
            elif line.verb == "visit":
                # A visit that arrives during another visit of the same event is a visit of its own.
                open_visits[line.key] = len(self.visits[process])
                self.visits[process].append(Visit(
                    line.time, process, line.key, line.words[0], line.words[1] == "again",
                    None, None))
            elif line.verb in ANSWERS and line.key in open_visits:
                place = open_visits.pop(line.key)
                self.visits[process][place] = self.visits[process][place]._replace(
                    answer=line.verb, answered=line.time)

    @property
    def durable(self):
        return [key for key, line in self.raised.items() if is_durable(line)]

    def told_by_key(self):
        """The outcomes of other processes' events that processes were told, each as (process, `ended`
        line)."""
        keys = {visit.id: visit.key for visits in self.visits.values() for visit in visits}
        keys.update((id, key) for key, id in self.ids.items())
        told = collections.defaultdict(list)
        for process, lines in self.lines.items():
            end = self.dead.get(process, self.killed.get(process, float("inf")))
            for line in lines:
                # An unknown key belongs to a process that was killed before it learned the ID.
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

    def broke(self, origin, start, end):
        """Whether a connection of the origin may have been lost within that time."""
        disturbances = self.disturbances["daemon"] + self.disturbances[origin]
        return any(start <= time <= end for time in disturbances)

    def daemon_start(self, time):
        """The start of the daemon that ran at that moment."""
        return max((
            line.time for line in self.driver if line.verb == "spawn" and line.time <= time
            and line.words[0].startswith("daemon.")), default=0)

    def served(self, start):
        """The moment at which the daemon started then was ready: its start, if it never notified that."""
        later = (line for line in self.driver if line.time > start and line.verb in (
            "spawn", "serve") and line.words[0].startswith("daemon."))
        following = min(later, key=lambda line: line.time, default=None)
        return following.time if following and following.verb == "serve" else start

    def manner(self, key):
        """The properties shared by all messages with the same route."""
        origin = self.path(key.origin)
        is_divided = any(is_ancestor(path, origin) for path in self.choosy)
        return self.raised[key].words[0] if is_divided and key in self.raised else None

    def was_held(self, visit):
        """Whether a durable event may have been held, and have begun anew when a node on its route
        attached."""
        raised, origin = self.raised.get(visit.key), self.path(visit.key.origin)
        return is_durable(raised) and any(
            begin <= visit.time and raised.time <= end and is_ancestor(path, origin)
            for path, begin, end in self.arrivals)

    def may_have_been_told(self, key, visits):
        """Whether an event may have ended right before its origin was killed."""
        dead = self.dead.get(key.origin, self.killed[key.origin])
        last = max((visit.time for visit in visits), default=float("inf"))
        return dead - OUTCOME_MICROSECONDS <= last <= dead

    def arrivals_of_nodes(self):
        """The paths, and the moments between which a process has attached there."""
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

    def died(self, process, time):
        """Whether a process was killed before that moment."""
        return self.killed.get(process, time) < time

    def awaits_nodes(self, visit, others=()):
        """Whether a message at that moment may have been sent while the daemon waited for nodes to
        attach again. Time during which either side, or another node on the route, was
        stopped does not count."""
        start = self.served(self.daemon_start(visit.time))
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
    """The findings of a round; none if all invariants hold."""
    happened = Round(histories)
    by_key = happened.visits_by_key()
    return [
        *outcomes(happened),
        *durable_outcomes(happened, by_key),
        *strangers(happened, by_key),
        *ways(happened, by_key),
        *repetitions(happened, by_key),
        *verdicts(happened, by_key),
        *emissions(happened, by_key),
        *order(happened, by_key),
        *exits(happened),
    ]


def outcomes(happened):
    """A raised message has exactly one outcome, or at most one if its origin was killed."""
    for key, raised in happened.raised.items():
        ends = happened.ends.get(key, [])
        if raised.verb == "raise" and not ends and key.origin not in happened.killed:
            yield Finding("outcome", NO_OUTCOME, key)
        if len(ends) > 1:
            yield Finding("outcome", f"has {len(ends)} outcomes", key)
        for end in ends:
            if end.verb == "refused":
                yield Finding("outcome", f"was refused: {' '.join(end.words)}", key)
    for key in happened.ends:
        if key not in happened.raised:
            yield Finding("outcome", "has an outcome, and was never raised", key)


def durable_outcomes(happened, by_key):
    """A durable event on disk has one outcome, even if its origin was killed: then a later process at
    the path of its origin gets the outcome, and again if that process or the daemon may have
    been killed before the confirmation. The outcome is the same each time. An origin killed
    right after the end of the event may have the outcome without having recorded it."""
    for key in happened.durable:
        told, ends = happened.told.get(key, []), happened.ends.get(key, [])
        if key.origin in happened.killed:
            may_know = happened.may_have_been_told(key, by_key.get(key, []))
            if key in happened.ids and not told and not ends and not may_know:
                yield Finding("outcome", NO_DURABLE_OUTCOME, key)
        elif told:
            yield Finding("outcome", f"is told to {told[0][0]}, though its origin lived", key)
        told.sort(key=lambda entry: entry[1].time)
        for (process, before), (_, after) in zip(told, told[1:]):
            if process not in happened.killed and not happened.broke(
                    process, before.time, after.time):
                yield Finding("outcome", f"is told once more after {process} was told", key)
        if len({tuple(end.words) for end in [*ends, *(end for _, end in told)]}) > 1:
            yield Finding("outcome", "ended in several ways", key)
    for key, told in happened.told.items():
        if key not in happened.raised or not is_durable(happened.raised[key]):
            yield Finding("outcome", f"is told to {told[0][0]}, and was not durable", key)


def strangers(happened, by_key):
    """No node is visited by a message that was not raised, or under another ID."""
    keys = {}
    for key, visits in by_key.items():
        if key not in happened.raised:
            yield Finding("identity", "visits somebody, and was never raised", key)
        if len({visit.id for visit in visits}) > 1:
            yield Finding("identity", "comes under several IDs", key)
        known = happened.ids.get(key)
        if known is not None and visits[0].id != known:
            yield Finding("identity", f"was raised as {known}, and comes as {visits[0].id}", key)
        other = keys.setdefault(visits[0].id, key)
        if other != key:
            yield Finding("identity", f"has the ID of {' '.join(map(str, other))}", key)


def ways(happened, by_key):
    """An event that is not sent again visits its origin's ancestors, each once, nearest first. An
    unhandled event begins anew only while a restarted daemon waits for its nodes, and a durable
    event where it was held until a node attached again."""
    for key, visits in by_key.items():
        origin = happened.path(key.origin)
        if key.kind == "Notice":
            for visit in visits:
                if not is_ancestor(origin, happened.path(visit.process)):
                    yield Finding("way", f"goes beside the publisher to {visit.process}", key)
            continue
        for visit in visits:
            path = happened.path(visit.process)
            if path == origin or not is_ancestor(path, origin):
                yield Finding("way", f"visits {path}, which is not above it", key)
        first = sorted(visit for visit in visits if not visit.is_again)
        for before, after in zip(first, first[1:]):
            is_higher = depth(happened.path(after.process)) < depth(happened.path(before.process))
            is_unhandled = before.answer == "passed" or happened.died(before.process, after.time)
            begins_anew = is_unhandled and (
                happened.awaits_nodes(after) or happened.was_held(after))
            if not is_higher and not begins_anew:
                yield Finding(
                    "way", f"visits {after.process} after {before.process}, unmarked", key)


def repetitions(happened, by_key):
    """No event is handled twice, unless it is marked as sent again, or its handler was killed, so that
    the verdict may not have been sent."""
    for key, visits in by_key.items():
        handled = [visit for visit in visits if visit.answer == "handled" and not visit.is_again]
        told = [visit for visit in handled if visit.process not in happened.killed]
        if len(told) > 1 or (len(handled) > 1 and not told and not is_excused(happened, handled)):
            places = ", ".join(visit.process for visit in handled)
            yield Finding("repetition", f"is handled unmarked by {places}", key)


def is_excused(happened, handled):
    """Whether each of several handlers was killed before the next one began."""
    ordered = sorted(handled)
    return all(
        happened.killed[before.process] <= after.time
        for before, after in zip(ordered, ordered[1:]))


def verdicts(happened, by_key):
    """An outcome is the verdict of a node."""
    for key in {**happened.ends, **happened.told}:
        visits = by_key.get(key, [])
        for end in [*happened.ends.get(key, []), *(end for _, end in happened.told.get(key, []))]:
            if end.verb == "ended":
                sentence = contradiction(happened, end, visits)
                if sentence:
                    yield Finding("verdict", sentence, key)


def contradiction(happened, end, visits):
    outcome, *details = end.words
    handlers = {happened.path(visit.process) for visit in visits if visit.answer == "handled"}
    if outcome == "handled" and details[0] not in handlers:
        return f"ended handled by {details[0]}, which did not handle it"
    if outcome == "delivered" and not handlers.issuperset(details):
        return f"was delivered to {' '.join(details)}, but received by {sorted(handlers)}"
    if outcome in ("unhandled", "noSubscriber"):
        start = happened.daemon_start(end.time)
        for visit in visits:
            if (visit.answer == "handled" and visit.process not in happened.killed
                    and start <= visit.time and visit.answered <= end.time):
                return f"ended {outcome}, but {visit.process} handled it"
    if outcome in ("failed", "caught"):
        return error_contradiction(happened, end.key, details, visits)
    if outcome not in ("handled", "delivered", "unhandled", "noSubscriber", "timedOut"):
        return f"ended {outcome}"
    return None


def error_contradiction(happened, key, details, visits):
    name, node, *_ = details
    if name == "Broken":
        throwers = {happened.path(visit.process) for visit in visits if visit.answer == "threw"}
        return None if node in throwers else f"failed at {node}, which did not throw"
    if name == "nodeLost" and is_durable(happened.raised.get(key)):
        return "was durable, and ended with a node that was lost"
    if name == "nodeLost":
        lost = {happened.path(process) for process in happened.killed}
        return None if node in lost else f"lost {node}, which nobody killed"
    if name == "quarantined":
        victims = {visit.process for visit in visits if visit.process in happened.killed}
        return None if victims else "is in quarantine, though nobody died of it"
    return None if name == "timedOut" else f"failed with {name}"


def emissions(happened, by_key):
    """An emitted event is handled at most once, and never sent again."""
    for key, visits in by_key.items():
        if key in happened.raised and happened.raised[key].verb == "emit":
            handlers = sorted(visit.process for visit in visits if visit.answer == "handled")
            if len(handlers) > 1:
                yield Finding("emission", f"was emitted, and handled by {handlers}", key)
            if any(visit.is_again and not happened.awaits_nodes(visit) for visit in visits):
                yield Finding("emission", "was emitted, and sent again", key)


def order(happened, by_key):
    """The messages of one origin reach a node in the order in which they were raised. Messages that
    are sent again come once more in order, once for each possible loss of a connection; the
    daemon itself begins with the durable ones, so the durable and the other messages then have
    separate orders. Messages that begin anew, because a daemon waited for its nodes or a
    durable event was held, come after those that do not. A message that has to visit a node may
    be later than one that has not."""
    for process, visits in happened.visits.items():
        streams = collections.defaultdict(Stream)
        for visit in visits:
            way = visit.key.kind, visit.key.origin, happened.manner(visit.key)
            place = way, visit.is_again and level(happened.raised.get(visit.key))
            stream = streams[place]
            if visit.is_again and happened.broke(visit.key.origin, stream.time, visit.time):
                stream = streams[place] = Stream()
            first = streams[way, False]
            mark = "again" if visit.is_again else "first"
            if rank(visit) <= stream.last and not may_begin_anew(happened, visit, by_key):
                yield Finding(
                    "order", f"reaches {process} {mark} after {stream.last}", visit.key)
            stream.add(visit)
            if visit.is_again:
                # A message sent for the first time must not be older than a redelivered one.
                first.last = max(first.last, rank(visit))


def may_begin_anew(happened, visit, by_key):
    """Whether the event was at another node, or on its way to a killed process, while the daemon waits
    for its nodes; or whether it was held."""
    if happened.was_held(visit):
        return True
    if not happened.awaits_nodes(visit, by_key[visit.key]):
        return False
    raised, origin = happened.raised.get(visit.key), happened.path(visit.key.origin)
    was_lost = raised and any(
        raised.time < time < visit.time and is_ancestor(happened.path(process), origin)
        for process, time in happened.killed.items())
    return was_lost or any(before.time < visit.time for before in by_key[visit.key])


def rank(visit):
    """The number of an event among its origin's: by its ID, since an origin that raises several at
    once does not know their order; by its key where the node was not told the ID."""
    number = visit.id.rpartition("-")[2]
    return int(number) if number.isdigit() else visit.key.number


class Stream:
    """The messages of one origin at a node."""

    def __init__(self):
        self.last, self.time = 0, 0

    def add(self, visit):
        self.last, self.time = max(self.last, rank(visit)), visit.time


def exits(happened):
    """A process that was asked to leave exits with 0."""
    for process, code in happened.exits.items():
        if code != "0":
            yield Finding("exit", f"{process} ended with {code}", None)


def is_durable(raised):
    """Whether an event is durable, by the line written before it was raised."""
    return raised is not None and "durable" in raised.words


def level(raised):
    return "durable" if is_durable(raised) else "plain"


def is_ancestor(path, other):
    """Whether one path contains the other."""
    return path == "/" or (other + "/").startswith(path + "/")


def depth(path):
    return 0 if path == "/" else path.count("/")
