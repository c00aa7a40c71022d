# SPDX-License-Identifier: Apache-2.0
"""The checker finds planted violations in histories and accepts sound histories."""

import tempfile
import pathlib
import unittest

import checker

DRIVER = """\
-9000000 spawn daemon.1 /
2 spawn top.1 /top
3 spawn mid.1 /top/mid
4 spawn leaf.1 /top/mid/leaf
"""

ID = "a-1"


class Histories(unittest.TestCase):
    def promises(self, driver="", **processes):
        """Returns the invariants violated by the given lines, added to a sound history."""
        texts = {"driver": DRIVER + driver}
        texts.update({f"{name}.1": text for name, text in processes.items()})
        return [finding.promise for finding in checker.check(
            {name: checker.parsed(text) for name, text in texts.items()})]

    def leaf(self, *lines):
        return "".join(line + "\n" for line in lines)

    def test_a_sound_history_has_no_findings(self):
        self.assertEqual(self.promises(
            leaf=self.leaf(
                "10 raise Job leaf.1 1", f"11 raised Job leaf.1 1 {ID}",
                "20 ended Job leaf.1 1 handled /top"),
            mid=self.leaf(f"12 visit Job leaf.1 1 {ID} first", "13 passed Job leaf.1 1"),
            top=self.leaf(f"14 visit Job leaf.1 1 {ID} first", "15 handled Job leaf.1 1")), [])

    def test_an_incomplete_line_is_ignored(self):
        self.assertEqual(self.promises(leaf="10 begin\n11 raise Job le"), [])

    def test_a_missing_outcome_is_found(self):
        self.assertEqual(self.promises(leaf=self.leaf("10 raise Job leaf.1 1")), ["outcome"])

    def test_a_killed_origin_needs_no_outcome(self):
        self.assertEqual(
            self.promises("20 kill leaf.1\n", leaf=self.leaf("10 raise Job leaf.1 1")), [])

    def test_two_outcomes_are_found_even_if_the_origin_was_killed(self):
        self.assertEqual(self.promises(
            "30 kill leaf.1\n",
            leaf=self.leaf(
                "10 raise Job leaf.1 1", "20 ended Job leaf.1 1 unhandled",
                "21 ended Job leaf.1 1 unhandled")), ["outcome"])

    def test_an_unexplained_refusal_is_found(self):
        self.assertEqual(self.promises(leaf=self.leaf(
            "10 raise Job leaf.1 1", "20 refused Job leaf.1 1 no such node")), ["outcome"])

    def test_an_outcome_of_an_unraised_event_is_found(self):
        self.assertEqual(
            self.promises(leaf=self.leaf("20 ended Job leaf.1 1 unhandled")), ["outcome"])

    def visited(self, *visits, outcome="handled /top", driver=""):
        """Returns the invariants violated if `Job leaf.1 1` visited these processes."""
        processes = {
            "leaf": f"10 raise Job leaf.1 1\n90 ended Job leaf.1 1 {outcome}\n"}
        for process, text in visits:
            processes[process] = processes.get(process, "") + text + "\n"
        return self.promises(driver, **processes)

    def handled(self, process, time=20, event=ID, mark="first", answer="handled"):
        return process, (
            f"{time} visit Job leaf.1 1 {event} {mark}\n{time + 1} {answer} Job leaf.1 1")

    def test_an_outcome_without_a_handler_is_found(self):
        self.assertEqual(self.visited(), ["verdict"])

    def test_an_outcome_that_names_another_handler_is_found(self):
        self.assertEqual(self.visited(self.handled("mid")), ["verdict"])

    def test_an_unhandled_outcome_of_a_handled_event_is_found(self):
        self.assertEqual(self.visited(self.handled("mid"), outcome="unhandled"), ["verdict"])

    def test_a_verdict_may_be_lost_with_its_daemon(self):
        self.assertEqual(self.visited(
            self.handled("mid"), outcome="unhandled",
            driver="30 kill daemon.1\n31 spawn daemon.2 /\n"), [])

    def test_two_handlers_are_found(self):
        self.assertEqual(
            self.visited(self.handled("mid"), self.handled("top", 30)), ["repetition"])

    def test_a_redelivered_event_may_have_two_handlers(self):
        self.assertEqual(
            self.visited(self.handled("mid"), self.handled("top", 30, mark="again")), [])

    def test_a_second_handler_may_follow_a_killed_one(self):
        visits = self.handled("mid"), self.handled("top", 30)
        self.assertEqual(self.visited(*visits, driver="25 kill mid.1\n"), [])

    def test_handlers_killed_after_a_second_one_began_are_found(self):
        visits = self.handled("mid"), self.handled("top", 30)
        self.assertEqual(
            self.visited(*visits, driver="40 kill mid.1\n41 kill top.1\n"), ["repetition"])

    def test_a_node_below_a_handler_may_handle_first_if_it_was_killed(self):
        visits = self.handled("top"), self.handled("mid", 30)
        self.assertEqual(self.visited(*visits, driver="25 kill mid.1\n40 kill top.1\n"), [])

    def test_a_handler_that_handles_twice_is_found(self):
        self.assertIn(
            "repetition", self.visited(self.handled("top"), self.handled("top", 30)))

    def test_a_failure_without_a_throw_is_found(self):
        self.assertEqual(
            self.visited(self.handled("top"), outcome="failed Broken /top"), ["verdict"])
        thrown = self.handled("top", answer="threw")
        self.assertEqual(self.visited(thrown, outcome="failed Broken /top"), [])

    def test_a_lost_node_that_was_not_killed_is_found(self):
        self.assertEqual(self.visited(outcome="failed nodeLost /top"), ["verdict"])
        self.assertEqual(
            self.visited(outcome="failed nodeLost /top", driver="40 kill top.1\n"), [])

    def test_a_quarantine_without_a_killed_handler_is_found(self):
        visit, outcome = self.handled("top"), "failed quarantined /top"
        self.assertEqual(self.visited(visit, outcome=outcome), ["verdict"])
        self.assertEqual(self.visited(visit, outcome=outcome, driver="40 kill top.1\n"), [])

    def test_an_unknown_outcome_is_found(self):
        self.assertEqual(self.visited(outcome="looped looped"), ["verdict"])

    def test_two_ids_of_an_event_are_found(self):
        self.assertEqual(self.visited(
            self.handled("mid", answer="passed"), self.handled("top", 30, event="a-2")),
            ["identity"])

    def test_a_visit_of_an_unraised_event_is_found(self):
        self.assertEqual(self.promises(top=self.leaf(
            "20 visit Job leaf.1 1 a-1 first", "21 handled Job leaf.1 1")), ["identity"])

    def test_a_visit_from_the_top_down_is_found(self):
        self.assertEqual(self.visited(
            self.handled("top", 20, answer="passed"), self.handled("mid", 30),
            outcome="handled /top/mid"), ["route"])

    def test_a_visit_of_the_origin_is_found(self):
        self.assertIn("route", self.visited(
            ("leaf", f"20 visit Job leaf.1 1 {ID} first"), self.handled("top", 30)))

    def test_an_event_may_begin_anew_while_a_daemon_waits_for_nodes(self):
        visits = self.handled("mid", 20, answer="passed"), self.handled("mid", 30)
        end = {"outcome": "handled /top/mid"}
        self.assertEqual(self.visited(*visits, **end, driver="15 spawn daemon.2 /\n"), [])
        self.assertEqual(
            self.visited(*visits, **end, driver="-5000000 spawn daemon.2 /\n"),
            ["route", "order"])

    def test_the_wait_for_nodes_begins_when_the_daemon_serves(self):
        visits = self.handled("mid", 20, answer="passed"), self.handled("mid", 30)
        end = {"outcome": "handled /top/mid"}
        slow = "-5000000 spawn daemon.2 /\n{0} serve daemon.2\n"
        self.assertEqual(self.visited(*visits, **end, driver=slow.format(-2_000_000)), [])
        self.assertEqual(
            self.visited(*visits, **end, driver=slow.format(-3_000_000)), ["route", "order"])

    def numbered(self, *visits, driver=""):
        """Returns the invariants violated if jobs with these numbers and marks visit the top."""
        lines = [f"10 raise Job leaf.1 {number}" for number in range(1, 9)]
        seen = "".join(
            f"{time} visit Job leaf.1 {number} a-{number} {mark}\n"
            f"{time} passed Job leaf.1 {number}\n"
            for time, number, mark in visits)
        return self.promises("99 kill leaf.1\n" + driver, leaf=self.leaf(*lines), top=seen)

    def test_an_inversion_is_found(self):
        self.assertEqual(self.numbered((20, 1, "first"), (21, 2, "first")), [])
        self.assertEqual(self.numbered((20, 2, "first"), (21, 1, "first")), ["order"])

    def test_events_that_begin_anew_may_be_late(self):
        seen = (20, 2, "first"), (21, 1, "first")
        restarted = "15 spawn daemon.2 /\n"
        self.assertEqual(self.numbered(*seen, driver=restarted), ["order"])
        self.assertEqual(self.numbered(*seen, driver=restarted + "16 kill mid.1\n"), [])
        self.assertEqual(self.numbered(*seen, driver="16 kill mid.1\n"), ["order"])

    def test_the_wait_for_nodes_excludes_stops_of_nodes_on_the_route(self):
        visits = self.handled("mid", 20, answer="passed"), self.handled("mid", 9_000_030)
        end = {"outcome": "handled /top/mid"}
        stopped = "15 spawn daemon.2 /\n25 stop {0}.1\n9000000 continue {0}.1\n"
        self.assertEqual(self.visited(*visits, **end, driver=stopped.format("mid")), [])
        self.assertEqual(
            self.visited(*visits, **end, driver=stopped.format("top")), ["route", "order"])

    def test_a_killed_process_may_act_until_it_is_dead(self):
        leaf = self.leaf("11 raise Job leaf.1 1", f"12 raised Job leaf.1 1 {ID}")
        top = self.leaf(f"15 visit Job leaf.1 1 {ID} first", "16 handled Job leaf.1 1")
        killed = "10 kill leaf.1\n"
        self.assertEqual(self.promises(killed + "14 dead leaf.1\n", leaf=leaf, top=top), [])
        self.assertIn("identity", self.promises(killed, leaf=leaf, top=top))

    def test_events_that_begin_anew_at_a_stopped_node_may_be_late(self):
        seen = (9_000_021, 2, "first"), (9_000_022, 1, "first")
        lines = [f"10 raise Job leaf.1 {number}" for number in range(1, 3)]
        numbers = "".join(
            f"{time} visit Job leaf.1 {number} a-{number} {mark}\n"
            f"{time} passed Job leaf.1 {number}\n" for time, number, mark in seen)
        mid = "20 visit Job leaf.1 1 a-1 first\n20 passed Job leaf.1 1\n"
        mid += "9000015 visit Job leaf.1 2 a-2 first\n9000015 passed Job leaf.1 2\n"
        mid += "9000016 visit Job leaf.1 1 a-1 first\n9000016 passed Job leaf.1 1\n"
        killed = "9999999 kill leaf.1\n15 spawn daemon.2 /\n"
        stopped = killed + "25 stop mid.1\n9000010 continue mid.1\n"

        def promises(driver):
            return self.promises(driver, leaf=self.leaf(*lines), mid=mid, top=numbers)

        self.assertEqual(promises(stopped), [])
        self.assertIn("order", promises(killed))

    def test_an_event_on_another_route_may_be_late(self):
        leaf = self.leaf("10 raise Job leaf.1 1 3", "11 raise Job leaf.1 2 1")
        seen = self.leaf("20 visit Job leaf.1 2 a-2 first", "21 visit Job leaf.1 1 a-1 first")
        killed = "99 kill leaf.1\n"
        self.assertEqual(self.promises(killed, leaf=leaf, top=seen), ["order"])
        choosy = "5 spawn mid.1 /top/mid choosy\n"
        self.assertEqual(self.promises(killed + choosy, leaf=leaf, top=seen), [])

    def test_redelivered_events_keep_their_order(self):
        again = (20, 1, "first"), (21, 2, "first"), (30, 1, "again"), (31, 2, "again")
        self.assertEqual(self.numbered(*again, (32, 3, "first")), [])
        self.assertEqual(self.numbered((30, 2, "again"), (31, 1, "again")), ["order"])
        self.assertEqual(
            self.numbered((30, 1, "again"), (31, 3, "again"), (32, 2, "first")), ["order"])
        self.assertEqual(self.numbered(
            (30, 1, "again"), (31, 2, "again"), (50, 1, "again"), driver="40 kill daemon.1\n"), [])

    def test_an_emitted_event_handled_twice_is_found(self):
        self.assertIn("emission", self.promises(
            leaf=self.leaf("10 emit Tick leaf.1 1"),
            top=self.leaf(
                "20 visit Tick leaf.1 1 - first", "21 handled Tick leaf.1 1",
                "22 visit Tick leaf.1 1 - first", "23 handled Tick leaf.1 1")))
        self.assertEqual(["emission"], self.promises(
            leaf=self.leaf("10 emit Tick leaf.1 1"),
            top=self.leaf("20 visit Tick leaf.1 1 - again")))

    def test_an_emitted_event_may_be_lost(self):
        self.assertEqual(self.promises(leaf=self.leaf("10 emit Tick leaf.1 1")), [])

    def test_a_delivery_needs_its_recipient(self):
        origin = self.leaf(
            "10 raise Notice mid.1 1", "30 ended Notice mid.1 1 delivered /top/mid/leaf")
        self.assertEqual(self.promises(mid=origin), ["verdict"])
        received = self.leaf("20 visit Notice mid.1 1 a-1 first", "21 handled Notice mid.1 1")
        self.assertEqual(self.promises(mid=origin, leaf=received), [])
        self.assertIn("route", self.promises(mid=origin, leaf=received, top=received))

    def test_an_exit_by_a_signal_is_found(self):
        self.assertEqual(self.promises("50 exit top.1 -11\n"), ["exit"])

    def test_read(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "leaf.1.history").write_text("10 raise Job leaf.1 1\n")
            findings = checker.check(checker.read(folder))
        self.assertEqual([str(finding.key.number) for finding in findings], ["1"])


class DurableEvents(unittest.TestCase):
    """A leaf that triggers durable events and is killed in most of these tests."""

    KILLED = "30 kill leaf.1\n31 dead leaf.1\n40 spawn leaf.2 /top/mid/leaf\n"

    def told(self, *lines, raised=True, visit="", driver=KILLED, **processes):
        """Returns the invariants violated if `Job leaf.1 1` is durable and leaf.2 has these lines."""
        origin = "10 raise Job leaf.1 1 1 durable\n"
        if raised:
            origin += f"11 raised Job leaf.1 1 {ID}\n"
        later = "".join(f"{line}\n" for line in lines)
        return self.judged(origin, later, visit, driver, **processes)

    def judged(self, origin, later, visit, driver, **processes):
        texts = {"mid.1": "", "leaf.1": origin, "leaf.2": later, "top.1": visit}
        texts.update({f"{name}.1": text for name, text in processes.items()})
        texts = {name: "5 attached\n" + text for name, text in texts.items()}
        texts["driver"] = DRIVER + driver
        return [finding.promise for finding in checker.check(
            {name: checker.parsed(text) for name, text in texts.items()})]

    def handled_at(self, time, mark="first"):
        return f"{time} visit Job leaf.1 1 {ID} {mark}\n{time + 1} handled Job leaf.1 1\n"

    def test_an_outcome_may_reach_the_next_process(self):
        self.assertEqual(
            self.told(f"60 told {ID} handled /top", visit=self.handled_at(50)), [])

    def test_a_lost_durable_outcome_is_found(self):
        self.assertEqual(self.told(visit=self.handled_at(50)), ["outcome"])

    def test_a_lost_durable_event_is_found(self):
        self.assertEqual(self.told(), ["outcome"])

    def test_a_durable_event_that_was_not_accepted_may_be_lost(self):
        self.assertEqual(self.told(raised=False), [])

    def test_an_outcome_may_have_reached_the_origin_before_the_kill(self):
        self.assertEqual(self.told(visit=self.handled_at(20)), [])
        late = self.KILLED
        for time in ("30", "31", "40"):
            late = late.replace(time, f"90000{time}")
        self.assertEqual(self.told(visit=self.handled_at(20), driver=late), ["outcome"])

    def test_a_wrong_durable_outcome_is_found(self):
        self.assertEqual(
            self.told(f"60 told {ID} handled /top/mid", visit=self.handled_at(50)), ["verdict"])
        self.assertIn("verdict", self.told(
            f"60 told {ID} failed nodeLost /top", visit=self.handled_at(50),
            driver=self.KILLED + "55 kill top.1\n"))

    def test_a_repeated_durable_outcome_is_found_unless_the_daemon_was_killed(self):
        lines = f"60 told {ID} handled /top", f"61 told {ID} handled /top"
        self.assertEqual(self.told(*lines, visit=self.handled_at(50)), ["outcome"])
        restarted = self.KILLED + "60 kill daemon.1\n61 spawn daemon.2 /\n"
        self.assertEqual(
            self.told(*lines, visit=self.handled_at(50), driver=restarted), [])

    def test_different_durable_outcomes_are_found(self):
        lines = f"60 told {ID} handled /top", f"62 told {ID} unhandled"
        restarted = self.KILLED + "61 kill daemon.1\n61 spawn daemon.2 /\n"
        self.assertEqual(
            self.told(*lines, visit=self.handled_at(50), driver=restarted), ["outcome"])

    def test_a_durable_outcome_at_another_process_is_found_if_the_origin_lives(self):
        self.assertEqual(
            self.told(f"60 told {ID} handled /top", visit=self.handled_at(50), driver=""),
            ["outcome", "outcome"])

    def test_an_outcome_of_another_process_that_was_not_durable_is_found(self):
        self.assertEqual(self.judged(
            f"10 raise Job leaf.1 1 1\n11 raised Job leaf.1 1 {ID}\n",
            f"60 told {ID} handled /top\n", self.handled_at(50), self.KILLED), ["outcome"])

    def test_a_durable_event_handled_twice_is_found(self):
        self.assertIn("repetition", self.told(
            f"90 told {ID} handled /top",
            visit=self.handled_at(50) + self.handled_at(70)))

    def test_a_held_durable_event_may_begin_anew_when_a_node_attaches(self):
        passed = f"20 visit Job leaf.1 1 {ID} first\n21 passed Job leaf.1 1\n"
        passed += passed.replace("20", "9000020").replace("21", "9000021")
        end = f"9000060 told {ID} handled /top"
        visit = self.handled_at(9000050)
        arrived = self.KILLED + "9000010 spawn top.2 /top\n"
        self.assertEqual(self.told(end, visit=visit, driver=arrived, mid=passed), [])
        self.assertIn("route", self.told(end, visit=visit, mid=passed))

    def mixed(self, *visits, driver=""):
        """Returns the invariants violated if leaf.1 raised three jobs, the second one durable, and they
        visited mid in this order."""
        origin = "".join(
            f"10 raise Job leaf.1 {number} 2{' durable' if number == 2 else ''}\n"
            for number in (1, 2, 3))
        seen = "".join(
            f"{time} visit Job leaf.1 {number} a-{number} {mark}\n"
            f"{time} handled Job leaf.1 {number}\n" for time, number, mark in visits)
        ends = "".join(
            f"9000099 ended Job leaf.1 {number} handled /top/mid\n" for number in (1, 2, 3))
        return self.judged(origin + ends, "", "", driver, mid=seen)

    def test_durable_and_other_events_keep_one_order(self):
        good = (20, 1, "first"), (21, 2, "first"), (22, 3, "first")
        self.assertEqual(self.mixed(*good), [])
        for first, second, third in ((2, 1, 3), (1, 3, 2)):
            self.assertIn("order", self.mixed(
                (20, first, "first"), (21, second, "first"), (22, third, "first")))

    def two_sessions(self, *visits, durable=("leaf.1", "side.1")):
        """Returns the invariants violated if two sessions raised two jobs each, those of `durable`
        durably, and they visited the top in this order, as (process, number)."""
        texts = {"top.1": "", "leaf.1": "", "side.1": "", "mid.1": ""}
        for origin in ("leaf.1", "side.1"):
            for number in (1, 2):
                end = " durable" if origin in durable else ""
                texts[origin] += f"1{number} raise Job {origin} {number} 2{end}\n"
        for time, (origin, number) in enumerate(visits):
            texts["top.1"] += (
                f"{20 + time} visit Job {origin} {number} {origin[0]}-{number} first\n"
                f"{20 + time} handled Job {origin} {number}\n")
            texts[origin] += f"9000099 ended Job {origin} {number} handled /top\n"
        texts = {name: "5 attached\n" + text for name, text in texts.items()}
        texts["driver"] = DRIVER + "4 spawn side.1 /top/side\n"
        return [finding.promise for finding in checker.check(
            {name: checker.parsed(text) for name, text in texts.items()})]

    def test_only_events_of_one_session_have_an_order(self):
        leaf, side = [("leaf.1", 1), ("leaf.1", 2)], [("side.1", 1), ("side.1", 2)]
        for durable in ((), ("leaf.1",), ("leaf.1", "side.1")):
            # Only the messages of one session have an order.
            for visits in (leaf + side, side + leaf, [leaf[0], *side, leaf[1]],
                           [side[0], *leaf, side[1]]):
                self.assertEqual(self.two_sessions(*visits, durable=durable), [])
            for visits in (leaf[::-1] + side, side + leaf[::-1], [leaf[1], *side, leaf[0]],
                           [side[1], *leaf, side[0]]):
                self.assertEqual(self.two_sessions(*visits, durable=durable), ["order"])

    def test_an_inversion_is_found_whichever_event_is_durable(self):
        """An inversion is found whichever of the two is durable, also without any other event."""
        for durable in ((), (1,), (2,), (1, 2)):
            origin = "".join(
                f"10 raise Job leaf.1 {number} 2{' durable' if number in durable else ''}\n"
                f"9000099 ended Job leaf.1 {number} handled /top/mid\n" for number in (1, 2))
            for numbers, findings in (((1, 2), []), ((2, 1), ["order"])):
                seen = "".join(
                    f"2{place} visit Job leaf.1 {number} a-{number} first\n"
                    f"2{place} handled Job leaf.1 {number}\n"
                    for place, number in enumerate(numbers))
                self.assertEqual(self.judged(origin, "", "", "", mid=seen), findings)

    def test_redelivered_durable_and_other_events_have_separate_orders(self):
        restarted = "15 kill daemon.1\n15 dead daemon.1\n16 spawn daemon.2 /\n"
        # The daemon starts the durable events itself; the origin sends the others again.
        later = 9_000_000
        self.assertEqual(self.mixed(
            (later + 20, 2, "again"), (later + 21, 1, "again"), (later + 22, 3, "again"),
            driver=restarted), [])
        self.assertIn("order", self.mixed(
            (later + 20, 2, "again"), (later + 21, 3, "again"), (later + 22, 1, "again"),
            driver=restarted))


if __name__ == "__main__":
    unittest.main()
