# SPDX-License-Identifier: Apache-2.0
"""Workers at a real daemon: what they attach, raise, answer and read."""

from __future__ import annotations

import asyncio
import unittest

import support
from cascade_bus import (
    Bus, BusClosed, BusUnavailable, Destination, Event, EventID, Failure, OutcomeCode, Publication,
    Query, Reducer, Refused, Replacement, Reply, ReportedError, RequestFailed, Safety)


class Attaching(support.DaemonTestCase):
    """Nodes in the tree, and refusals."""

    async def test_a_node_attaches_and_leaves(self) -> None:
        async with self.connect() as bus:
            self.assertEqual(bus.limits["depth"], 1024)
            printer = await bus.attach("/shop/printer")
            self.assertTrue(printer.is_attached)
            await printer.leave()
            self.assertEqual((await printer.wait_detached()).name, "left")
            self.assertFalse(printer.is_attached)
            await bus.attach(printer)
            self.assertTrue(printer.is_attached)

    async def test_a_taken_path_is_refused_with_code_and_sentence(self) -> None:
        async with self.connect() as first, self.connect() as second:
            await first.attach("/shop")
            with self.assertRaises(Refused) as refused:
                await second.attach("/shop")
            self.assertEqual((refused.exception.name, refused.exception.code), ("pathTaken", 34))
            self.assertIn("/shop", refused.exception.sentence)
            # All or none: the other node of the same attach is refused with it.
            with self.assertRaises(Refused):
                await second.attach_all(second.node("/free"), second.node("/shop"))
            await first.attach("/free")

    async def test_a_takeover_detaches_the_holder(self) -> None:
        async with self.connect() as first, self.connect() as second:
            shop = await first.attach("/shop")
            await second.attach("/shop", takes_over=True)
            self.assertEqual((await shop.wait_detached()).name, "takenOver")
            with self.assertRaises(Refused) as refused:
                await shop.trigger("Anything")
            self.assertEqual(refused.exception.name, "noSuchNode")

    async def test_an_unreadable_predicate_is_refused(self) -> None:
        async with self.connect() as bus:
            shop = bus.node("/shop")
            shop.handle("Job", when="pages >")(lambda event: None)
            with self.assertRaises(Refused) as refused:
                await bus.attach(shop)
            self.assertEqual(refused.exception.name, "badPredicate")

    async def test_responders_declared_after_attaching_are_one_change(self) -> None:
        async with self.connect() as bus:
            shop = await bus.attach("/shop")

            @shop.handle("Job")
            async def job(event: Event) -> None:
                pass

            @shop.observe("Other")
            async def other(event: Event) -> None:
                pass

            await shop.declared()
            outcome = await bus.outside("/shop").trigger("Job")
            self.assertEqual((outcome.code, outcome.by), (OutcomeCode.HANDLED, "/shop"))

    async def test_no_daemon_is_reported(self) -> None:
        self.daemon.kill()
        with self.assertRaisesRegex(BusUnavailable, "cascaded --user"):
            async with Bus.connect(self.daemon.endpoint, timeout=0.2):
                pass
        self.daemon.start()

    async def test_after_leaving_the_bus_is_closed(self) -> None:
        async with self.connect() as bus:
            shop = await bus.attach("/shop")
        with self.assertRaises((BusClosed, Refused)):
            await shop.trigger("Job")


class Upward(support.DaemonTestCase):
    """Events, errors, requests and cascades."""

    async def test_each_kind_of_responder(self) -> None:
        seen: list[str] = []
        async with self.connect() as bus:
            shop, printer = bus.node("/shop"), bus.node("/shop/printer")

            @printer.receive("Job")
            def small_jobs(event: Event) -> bool:
                seen.append(f"receive {event.payload['pages']}")
                return event.payload["pages"] < 10

            @printer.transform("Job", to="BigJob")
            def enlarge(event: Event) -> dict[str, int]:
                return {"pages": event.payload["pages"] * 2}

            @printer.observe("BigJob")
            async def watch(event: Event) -> None:
                seen.append(f"observe {event.payload['pages']}")

            @shop.handle("BigJob")
            async def handle(event: Event) -> None:
                seen.append(f"handle {event.payload['pages']} of {event.origin}")

            await bus.attach_all(shop, printer)
            tray = await bus.attach("/shop/printer/tray")
            small = await tray.trigger("Job", {"pages": 3})
            self.assertEqual((small.code, small.by), (OutcomeCode.HANDLED, "/shop/printer"))
            big = await tray.trigger("Job", {"pages": 30}, with_trail=True)
            self.assertEqual((big.code, big.by), (OutcomeCode.HANDLED, "/shop"))
            self.assertEqual(
                [visit.name for visit in big.trail], ["Job", "Job", "BigJob", "BigJob"])
            times = [visit.at for visit in big.trail]
            self.assertEqual(times, sorted(time for time in times if time is not None))
            self.assertEqual(seen, [
                "receive 3", "receive 30", "observe 60", "handle 60 of /shop/printer/tray"])
            none = await tray.trigger("Unknown")
            self.assertEqual(none.code, OutcomeCode.UNHANDLED)

    async def test_an_itinerary_over_several_nodes_of_one_session(self) -> None:
        async with self.connect() as bus:
            nodes = [bus.node(path) for path in ("/a", "/a/b", "/a/b/c")]
            asked: list[str] = []
            for node in nodes:
                @node.receive("Job")
                async def receive(event: Event) -> bool:
                    asked.append(event.path)
                    await asyncio.sleep(0)
                    return event.path == "/a"
            await bus.attach_all(*nodes)
            for _ in range(3):
                outcome = await bus.outside("/a/b/c").trigger("Job")
                self.assertEqual((outcome.by, outcome.responder), ("/a", 0))
            self.assertEqual(asked, ["/a/b/c", "/a/b", "/a"] * 3)

    async def test_a_failure_is_caught_above(self) -> None:
        async with self.connect() as bus:
            shop, printer = bus.node("/shop"), bus.node("/shop/printer")

            @printer.handle("Job")
            async def fail(event: Event) -> None:
                raise Failure("PaperJam", "tray 2", title="Paper jam", payload={"tray": 2})

            @printer.transform_error("PaperJam", to="Jam")
            def rename(error: ReportedError) -> Replacement:
                return Replacement({"tray": error.payload["tray"] + 1}, message="in a tray")

            @shop.catch("Jam", to="Maintenance")
            def catch(error: ReportedError) -> dict[str, object]:
                return {"tray": error.payload["tray"], "text": error.message, "at": error.error.node}

            caught: list[object] = []

            @shop.handle("Maintenance")
            def maintain(event: Event) -> None:
                caught.append(event.payload)

            await bus.attach_all(shop, printer)
            outcome = await bus.outside("/shop/printer").trigger("Job")
            self.assertEqual((outcome.code, outcome.by), (OutcomeCode.CAUGHT, "/shop"))
            self.assertEqual(caught, [{"tray": 3, "text": "in a tray", "at": "/shop/printer"}])

    async def test_an_exception_is_an_error_under_the_name_of_its_class(self) -> None:
        async with self.connect() as bus:
            shop = bus.node("/shop")

            @shop.handle("Job")
            async def fail(event: Event) -> None:
                raise ValueError("no pages")

            await bus.attach(shop)
            outcome = await bus.outside("/shop").trigger("Job")
            assert outcome.error is not None
            self.assertEqual(outcome.code, OutcomeCode.FAILED)
            self.assertEqual((outcome.error.name, outcome.error.message), ("ValueError", "no pages"))

    async def test_a_report(self) -> None:
        async with self.connect() as bus:
            shop = bus.node("/shop")
            titles: list[str | None] = []

            @shop.handle_error("PaperJam")
            def show(error: ReportedError) -> None:
                titles.append(error.title)

            await bus.attach(shop)
            printer = await bus.attach("/shop/printer")
            outcome = await printer.report("PaperJam", "tray 2", title="Paper jam")
            self.assertEqual((outcome.code, titles), (OutcomeCode.HANDLED, ["Paper jam"]))
            ignored = await printer.report("NoToner")
            self.assertEqual(ignored.code, OutcomeCode.FAILED)

    async def test_requests(self) -> None:
        async with self.connect() as bus:
            shop, printer = bus.node("/shop"), bus.node("/shop/printer")
            printer.answer("Price")(lambda request: None)
            shop.answer("Price")(lambda request: request.payload["pages"] * 5)
            shop.answer("Nothing")(lambda request: Reply())
            shop.answer("Raw")(lambda request: Reply(b"\x00\xff", "image/png"))

            @shop.answer("Broken")
            def broken(request: Event) -> None:
                raise Failure("NoPrice", "unknown")

            await bus.attach_all(shop, printer)
            tray = await bus.attach("/shop/printer/tray")
            self.assertEqual(await tray.request("Price", {"pages": 3}), 15)
            self.assertIsNone(await tray.request("Nothing"))
            self.assertEqual(await tray.request("Raw"), b"\x00\xff")
            with self.assertRaises(RequestFailed) as failed:
                await tray.request("Broken")
            self.assertEqual(failed.exception.outcome.error.name, "NoPrice")
            with self.assertRaises(RequestFailed) as unhandled:
                await tray.request("Unknown")
            self.assertEqual(unhandled.exception.outcome.code, OutcomeCode.UNHANDLED)

    async def test_a_cancelled_request_cancels_its_responder(self) -> None:
        async with self.connect() as bus, self.connect() as other:
            shop = bus.node("/shop")
            started, cancelled = asyncio.Event(), asyncio.Event()

            @shop.answer("Slow")
            async def slow(request: Event) -> None:
                started.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    cancelled.set()

            shop.handle("Next")(lambda event: None)
            await bus.attach(shop)
            requesting = asyncio.create_task(other.outside("/shop").request("Slow"))
            await started.wait()
            requesting.cancel()
            await cancelled.wait()
            # The responder's place is free again.
            self.assertEqual(
                (await other.outside("/shop").trigger("Next")).code, OutcomeCode.HANDLED)

    async def test_a_cascade_lists_who_ran(self) -> None:
        async with self.connect() as bus:
            shop, printer = bus.node("/shop"), bus.node("/shop/printer")
            shop.handle("Close")(lambda event: None)
            printer.observe("Close")(lambda event: None)
            await bus.attach_all(shop, printer)
            outcome = await bus.outside("/shop/printer").cascade("Close")
            self.assertEqual(
                (outcome.code, outcome.recipients),
                (OutcomeCode.CASCADED, ("/shop/printer", "/shop")))

    async def test_causes_travel_with_what_a_responder_raises(self) -> None:
        async with self.connect() as bus:
            shop, printer = bus.node("/shop"), bus.node("/shop/printer")

            @printer.handle("Again")
            async def again(event: Event) -> None:
                # A new task inherits the cause.
                asyncio.create_task(printer.trigger("Again", including_self=True))
                causes.append(event.causes)

            causes: list[int] = []
            looped = asyncio.Event()

            @shop.handle("Done")
            async def done(event: Event) -> None:
                looped.set()

            await bus.attach_all(shop, printer)
            outcome = await printer.trigger("Again", including_self=True)
            self.assertEqual(outcome.code, OutcomeCode.HANDLED)
            while not causes or causes[-1] < 32:
                await bus.document(Query.CHECK)
            self.assertEqual(causes, list(range(33)))

    async def test_an_event_under_way_is_listed_with_who_has_it(self) -> None:
        async with self.connect() as bus:
            shop, done = bus.node("/shop"), asyncio.Event()

            @shop.handle("Job")
            async def work(event: Event) -> None:
                await done.wait()

            await bus.attach_all(shop)
            job = asyncio.create_task(bus.outside("/shop").trigger("Job", {}))
            while not (found := (await bus.document(Query.UNDER_WAY))["underWay"]):
                pass
            self.assertEqual([(event["name"], event["by"]) for event in found], [("Job", "/shop")])
            done.set()
            self.assertEqual((await job).code, OutcomeCode.HANDLED)
            self.assertEqual((await bus.document(Query.UNDER_WAY))["underWay"], [])

    async def test_a_held_event_waits_for_its_responder(self) -> None:
        async with self.connect() as bus:
            shop = await bus.attach("/shop")
            held = asyncio.create_task(bus.outside("/shop").trigger("Job", hold=60))
            while not (await bus.document(Query.UNDELIVERED))["undelivered"]:
                pass
            shop.handle("Job")(lambda event: None)
            self.assertEqual((await held).code, OutcomeCode.HANDLED)

    async def test_an_undelivered_event_is_retried(self) -> None:
        async with self.connect() as bus:
            shop = await bus.attach("/shop")
            lost = await bus.outside("/shop").trigger("Job", {"pages": 1})
            self.assertEqual(lost.code, OutcomeCode.UNHANDLED)
            shop.handle("Job")(lambda event: None)
            await shop.declared()
            assert lost.event_id is not None
            self.assertEqual((await bus.retry(str(lost.event_id))).code, OutcomeCode.HANDLED)
            with self.assertRaises(Refused) as refused:
                await bus.retry(EventID(bytes(16), 1))
            self.assertEqual(refused.exception.name, "noSuchEvent")

    async def test_the_deadline(self) -> None:
        async with self.connect() as bus:
            shop = bus.node("/shop")
            release = asyncio.Event()

            @shop.handle("Slow")
            async def slow(event: Event) -> None:
                self.assertLess(event.remaining, 0.1)
                await release.wait()

            await bus.attach(shop)
            outcome = await bus.outside("/shop").trigger("Slow", deadline=0.05)
            self.assertEqual(outcome.code, OutcomeCode.TIMED_OUT)
            release.set()

    async def test_strict_safety_rejects(self) -> None:
        async with self.connect() as bus:
            await bus.attach("/shop", safety=Safety.STRICT, triggers=["Known"])
            printer = await bus.attach("/shop/printer")
            outcome = await printer.trigger("Unknown")
            self.assertEqual(outcome.code, OutcomeCode.REJECTED)
            assert outcome.error is not None
            self.assertEqual(outcome.error.name, "undeclared")

    async def test_refusals_of_events(self) -> None:
        async with self.connect() as bus:
            shop = await bus.attach("/shop")
            with self.assertRaises(Refused) as reserved:
                await shop.trigger("cascade.Mine")
            self.assertEqual(reserved.exception.name, "reservedName")
            with self.assertRaises(Refused) as nowhere:
                await bus.outside("/nowhere").trigger("Job")
            self.assertEqual(nowhere.exception.name, "noSuchNode")
            with self.assertRaises(Refused) as large:
                await shop.trigger("Large", b"x" * (bus.limits["messageBytes"] + 1))
            self.assertEqual(large.exception.name, "limitReached")
            # A refusal returns the credit, and leaves no gap in the numbers.
            self.assertEqual((await shop.trigger("Small")).code, OutcomeCode.UNHANDLED)

    async def test_emitted_events_return_their_credit(self) -> None:
        self.daemon.kill()
        self.daemon = self.daemon.again("--limit", "credit=8")
        async with self.connect() as bus:
            shop = bus.node("/shop", prefetch=4)
            seen, enough = [], asyncio.Event()

            @shop.handle("Tick")
            async def tick(event: Event) -> None:
                seen.append(event.payload)
                if len(seen) == 100:
                    enough.set()

            await bus.attach(shop)
            for number in range(100):
                await bus.outside("/shop").emit("Tick", number)
            await enough.wait()
            self.assertEqual(seen, list(range(100)))

    async def test_concurrency(self) -> None:
        async with self.connect() as bus:
            shop = bus.node("/shop", concurrency=3)
            running, most, all_here = 0, 0, asyncio.Event()

            @shop.handle("Job")
            async def job(event: Event) -> None:
                nonlocal running, most
                running += 1
                most = max(most, running)
                if running == 3:
                    all_here.set()
                await all_here.wait()
                running -= 1

            await bus.attach(shop)
            outside = bus.outside("/shop")
            outcomes = await asyncio.gather(*(outside.trigger("Job") for _ in range(9)))
            self.assertTrue(all(outcome.succeeded for outcome in outcomes))
            self.assertEqual(most, 3)


class Downward(support.DaemonTestCase):
    """Publications."""

    async def test_destinations(self) -> None:
        async with self.connect() as bus, self.connect() as other:
            got: list[str] = []
            for path, session in (("/shop", bus), ("/shop/a", bus), ("/shop/b", other)):
                node = session.node(path)

                @node.subscribe("Menu")
                async def menu(publication: Publication) -> None:
                    got.append(publication.path)

                await session.attach(node)
            last = await bus.publish("Menu", ["soup"])
            self.assertEqual((last.code, last.recipients), (OutcomeCode.DELIVERED, ("/shop/b",)))
            every = await bus.publish("Menu", ["soup"], to=Destination.ALL)
            self.assertEqual(set(every.recipients), {"/shop", "/shop/a", "/shop/b"})
            self.assertEqual(sorted(got), ["/shop", "/shop/a", "/shop/b", "/shop/b"])
            self.assertEqual(
                (await bus.publish("Nothing")).code, OutcomeCode.NO_SUBSCRIBER)

    async def test_deactivation(self) -> None:
        async with self.connect() as bus:
            nodes = [bus.node("/a"), bus.node("/b")]
            for node in nodes:
                node.subscribe("Menu")(lambda publication: None)
            await bus.attach_all(*nodes)
            self.assertEqual((await bus.publish("Menu")).recipients, ("/b",))
            await nodes[1].deactivate()
            self.assertEqual((await bus.publish("Menu")).recipients, ("/a",))

    async def test_an_iterated_subscription(self) -> None:
        async with self.connect() as bus:
            shop = await bus.attach("/shop")
            got: list[object] = []

            async def read() -> None:
                async for publication in shop.subscribe("Menu"):
                    got.append(publication.payload)
                    if len(got) == 3:
                        break

            reading = asyncio.create_task(read())
            while (await bus.publish("Menu", 0)).code is OutcomeCode.NO_SUBSCRIBER:
                pass
            self.assertEqual((await bus.publish("Menu", 1)).code, OutcomeCode.DELIVERED)
            self.assertEqual((await bus.publish("Menu", 2)).code, OutcomeCode.DELIVERED)
            await reading
            self.assertEqual(got, [0, 1, 2])
            # The loop has ended, and the subscription with it.
            await shop.declared()
            self.assertEqual((await bus.publish("Menu", 3)).code, OutcomeCode.NO_SUBSCRIBER)

    async def test_a_retained_value_reaches_a_later_subscriber(self) -> None:
        async with self.connect() as bus:
            await bus.publish("Menu", ["soup"], retained=True)
            shop = bus.node("/shop")
            got: asyncio.Queue[Publication] = asyncio.Queue()
            shop.subscribe("Menu")(got.put)
            await bus.attach(shop)
            publication = await got.get()
            self.assertEqual((publication.payload, publication.is_retained), (["soup"], True))

    async def test_a_failing_subscriber(self) -> None:
        async with self.connect() as bus:
            shop = bus.node("/shop")

            @shop.subscribe("Menu")
            def fail(publication: Publication) -> None:
                raise Failure("Closed")

            await bus.attach(shop)
            outcome = await bus.publish("Menu")
            assert outcome.error is not None
            self.assertEqual((outcome.code, outcome.error.name), (OutcomeCode.FAILED, "Closed"))

    async def test_unacknowledged_publications(self) -> None:
        async with self.connect() as bus:
            shop = bus.node("/shop", prefetch=4)
            got: asyncio.Queue[Publication] = asyncio.Queue()
            shop.subscribe("Menu")(got.put)
            await bus.attach(shop)
            for number in range(50):
                await bus.publish_unacknowledged("Menu", number)
            self.assertEqual([(await got.get()).payload for _ in range(50)], list(range(50)))


class Environment(support.DaemonTestCase):
    """Values that flow down, and preferences that flow up."""

    async def test_values_and_changes(self) -> None:
        async with self.connect() as bus, self.connect() as other:
            shop = await bus.attach("/shop")
            await shop.set({"paper.size": "a4", "copies": 1})
            printer = other.node("/shop/printer")
            await printer.environment.watch("paper.size", "copies")
            changes: asyncio.Queue[tuple[object, object]] = asyncio.Queue()
            printer.environment.on_change("copies")(
                lambda change: changes.put((change.old, change.new)))
            await other.attach(printer)
            # The snapshot comes with the node.
            self.assertEqual(dict(printer.environment.items()), {"paper.size": "a4", "copies": 1})
            await shop.set({"copies": 2})
            self.assertEqual(await printer.environment.wait_for("copies", lambda n: n == 2), 2)
            await shop.unset("copies")
            while "copies" in printer.environment:
                await changes.get()
            self.assertEqual(printer.environment.get("copies", 7), 7)

    async def test_keys_watched_later(self) -> None:
        async with self.connect() as bus:
            shop = await bus.attach("/shop")
            await bus.outside("/shop").set({"copies": 3})
            await shop.environment.watch("copies")
            self.assertEqual(shop.environment["copies"], 3)
            await bus.outside("/shop").unset("copies")
            with self.assertRaises(Refused) as refused:
                await bus.outside("/shop").unset("copies")
            self.assertEqual(refused.exception.name, "noSuchKey")

    async def test_a_change_comes_before_the_event_behind_it(self) -> None:
        async with self.connect() as bus, self.connect() as other:
            shop = await bus.attach("/shop")
            printer = other.node("/shop/printer")
            await printer.environment.watch("copies")
            read: list[object] = []
            printer.subscribe("Print")(
                lambda publication: read.append(printer.environment.get("copies")))
            await other.attach(printer)
            for number in range(20):
                await shop.set({"copies": number})
                await shop.publish("Print")
            self.assertEqual(read, list(range(20)))

    async def test_preferences(self) -> None:
        async with self.connect() as bus:
            shop, a, b = bus.node("/shop"), bus.node("/shop/a"), bus.node("/shop/b")
            await shop.preferences.watch("orders")
            await bus.attach_all(shop, a, b)
            await a.prefer("orders", 2, reducer=Reducer.SUM)
            await b.prefer("orders", 3, reducer=Reducer.SUM)
            await shop.preferences.wait_for("orders", lambda orders: orders == 5)
            await a.withdraw("orders")
            await shop.preferences.wait_for("orders", lambda orders: orders == 3)
            with self.assertRaises(Refused) as refused:
                await a.prefer("orders", 1, reducer=Reducer.MAX)
            self.assertEqual(refused.exception.name, "otherReducer")


class Durable(support.DaemonTestCase):
    """Durable events."""

    def setUp(self) -> None:
        super().setUp()
        self.daemon.kill()
        self.daemon = self.daemon.again("--state-directory", self.daemon.state_directory)

    async def test_a_durable_event_survives_the_daemon(self) -> None:
        async with self.connect() as bus:
            oven = await bus.attach("/kitchen/oven")
            order = await oven.trigger_durable("Coal", {"kilos": 20})
            self.daemon.kill()
            self.daemon.start()
            async with self.connect() as other:
                kitchen = other.node("/kitchen")
                got: asyncio.Queue[Event] = asyncio.Queue()
                kitchen.handle("Coal")(got.put)
                await other.attach(kitchen)
                event = await got.get()
                self.assertEqual((event.payload, event.event_id), ({"kilos": 20}, order.event_id))
                outcome = await order.outcome()
                self.assertEqual((outcome.code, outcome.by), (OutcomeCode.HANDLED, "/kitchen"))

    async def test_a_later_session_gets_the_outcome(self) -> None:
        async with self.connect() as bus:
            oven = await bus.attach("/kitchen/oven")
            order = await oven.trigger_durable("Coal")
        async with self.connect() as bus:
            kitchen, oven = bus.node("/kitchen"), bus.node("/kitchen/oven")
            kitchen.handle("Coal")(lambda event: None)
            got: asyncio.Queue[tuple[EventID, str, OutcomeCode]] = asyncio.Queue()

            @oven.outcomes
            async def settled(event_id: EventID, name: str, outcome: object) -> None:
                await got.put((event_id, name, outcome.code))

            await bus.attach_all(kitchen, oven)
            self.assertEqual(
                await got.get(), (order.event_id, "Coal", OutcomeCode.HANDLED))


if __name__ == "__main__":
    unittest.main()
