# SPDX-License-Identifier: Apache-2.0
"""The recovery times of the bus: from the kill of a daemon until an event is handled again."""


def recoveries(observed):
    """Returns the recovery times of the killed daemons, in milliseconds: until an event of the next daemon
    was handled. A time is omitted if the next daemon was killed or stopped before."""
    changes = [
        line for line in observed.driver
        if line.words and line.words[0].startswith("daemon.")
        and line.verb not in ("exit", "dead")]
    handled = sorted(
        (visit.answered, observed.raised[visit.key].time, visit.is_again)
        for visits in observed.visits.values() for visit in visits
        if visit.answer == "handled" and visit.key in observed.raised)
    times = []
    for kill, spawn, *following in windows(changes):
        end = following[0].time if following else float("inf")
        # Messages under way when the daemon was killed do not count.
        first = next((
            answered for answered, raised, is_again in handled
            if answered > spawn.time and (is_again or raised > kill.time)), None)
        if first is not None and first < end:
            times.append((first - kill.time) / 1000)
    return times


def windows(changes):
    """Yields each kill of a daemon, with the restart and the next action after it."""
    for index, change in enumerate(changes):
        following = changes[index:index + 3]
        if change.verb == "kill" and len(following) > 1 and following[1].verb == "spawn":
            yield following
