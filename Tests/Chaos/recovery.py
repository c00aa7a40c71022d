# SPDX-License-Identifier: Apache-2.0
"""The time that the bus was away: from the kill of a daemon until an event is handled again."""


def recoveries(happened):
    """Milliseconds, for each killed daemon, until an event was handled that came from the next one.
    Omitted if the next daemon was killed or stopped before."""
    changes = [
        line for line in happened.driver
        if line.words and line.words[0].startswith("daemon.")
        and line.verb not in ("exit", "dead")]
    handled = sorted(
        (visit.answered, happened.raised[visit.key].time, visit.is_again)
        for visits in happened.visits.values() for visit in visits
        if visit.answer == "handled" and visit.key in happened.raised)
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
    """Each kill with the actions on the daemon after it, up to the next but one."""
    for place, change in enumerate(changes):
        following = changes[place:place + 3]
        if change.verb == "kill" and len(following) > 1 and following[1].verb == "spawn":
            yield following


def quantile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]
