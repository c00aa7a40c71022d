# SPDX-License-Identifier: Apache-2.0
"""Faults at a real daemon: restarts, killed workers, and sessions that resume."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import unittest
import unittest.mock

import support
from cascade_bus import Bus, Event, OutcomeCode, Publication, Query, Refused, SessionEnded
from cascade_bus.vocabulary import Command, NodeStateCode, Tag
from cascade_bus.wire import Message, Parts, decode_fields

#: A worker that handles one event until it is killed.
STUCK_WORKER = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from cascade_bus import Bus

async def main():
    async with Bus.connect(sys.argv[2]) as bus:
        shop = bus.node("/shop/printer")

        @shop.handle("Job")
        async def job(event):
            print("working", flush=True)
            await asyncio.Event().wait()

        await bus.attach(shop)
        # Printed as soon as the signals are handled.
        asyncio.get_running_loop().call_soon(lambda: print("attached", flush=True))
        await bus.run()

asyncio.run(main())
"""


class Restarts(support.DaemonTestCase):
    """A daemon that is killed and started again."""

    arguments = ("--reattach", "5s")

    async def test_nothing_is_lost_when_the_daemon_is_killed(self) -> None:
        async with self.connect() as worker, self.connect() as origin:
            shop = worker.node("/shop")
            handled: dict[int, list[str]] = {}

            @shop.handle("Job")
            async def job(event: Event) -> None:
                await asyncio.sleep(0)
                handled.setdefault(event.payload, []).append(str(event.event_id))

            await worker.attach(shop)
            printer = await origin.attach("/shop/printer")
            count, done = 600, 0

            async def trigger(number: int) -> OutcomeCode:
                nonlocal done
                outcome = await printer.trigger("Job", number)
                done += 1
                if done in (100, 300):
                    self.daemon.kill()
                    self.daemon.start()
                return outcome.code

            outcomes = await asyncio.gather(*(trigger(number) for number in range(count)))
            self.assertEqual(set(outcomes), {OutcomeCode.HANDLED})
            self.assertEqual(sorted(handled), list(range(count)))
            # Each under one ID, and deduplicated by the worker: no effect came twice.
            self.assertEqual([len(ids) for ids in handled.values()], [1] * count)
            # In the order in which they were triggered.
            sequences = [int(handled[number][0].split("-")[1]) for number in range(count)]
            self.assertEqual(sequences, sorted(sequences))

    async def test_events_raised_without_a_daemon_wait_for_the_next(self) -> None:
        async with self.connect() as bus:
            shop = bus.node("/shop")
            shop.handle("Job")(lambda event: None)
            shop.answer("Price")(lambda request: 5)
            await bus.attach(shop)
            self.daemon.kill()
            await bus.wait_disconnected()
            self.assertFalse(bus.is_connected)
            outside = bus.outside("/shop")
            waiting = [
                asyncio.create_task(outside.trigger("Job")),
                asyncio.create_task(outside.request("Price")),
                asyncio.create_task(shop.set({"copies": 1})),
                asyncio.create_task(bus.attach("/shop/new")),
            ]
            self.daemon.start()
            outcome, price, _, new = await asyncio.gather(*waiting)
            self.assertEqual((outcome.code, price), (OutcomeCode.HANDLED, 5))
            self.assertTrue(new.is_attached)

    async def test_a_responder_under_way_answers_the_redelivery(self) -> None:
        async with self.connect() as worker, self.connect() as origin:
            shop = worker.node("/shop")
            runs: list[bool] = []
            started, release = asyncio.Event(), asyncio.Event()

            @shop.handle("Job")
            async def job(event: Event) -> None:
                runs.append(event.is_redelivery)
                started.set()
                await release.wait()

            await worker.attach(shop)
            printer = await origin.attach("/shop/printer")
            triggering = asyncio.create_task(printer.trigger("Job"))
            await started.wait()
            self.daemon.kill()
            await worker.wait_disconnected()
            self.daemon.start()
            await worker.wait_resumed()
            release.set()
            self.assertEqual((await triggering).code, OutcomeCode.HANDLED)
            self.assertEqual(runs, [False])

    async def test_declarations_values_and_subscriptions_return(self) -> None:
        async with self.connect() as bus, self.connect() as other:
            shop, printer = bus.node("/shop"), other.node("/shop/printer")
            await printer.environment.watch("copies")
            await bus.attach(shop)
            await shop.set({"copies": 1, "paper": "a4"})
            got: asyncio.Queue[Publication] = asyncio.Queue()
            printer.subscribe("Menu")(got.put)
            await other.attach(printer)
            changes: list[object] = []
            printer.environment.on_change()(
                lambda change: changes.append((change.key, change.new)))
            await shop.set({"copies": 2})
            await printer.environment.wait_for("copies", lambda copies: copies == 2)
            self.daemon.kill()
            await asyncio.gather(bus.wait_disconnected(), other.wait_disconnected())
            self.daemon.start()
            await asyncio.gather(bus.wait_resumed(), other.wait_resumed())
            outcome = await shop.publish("Menu", "soup")
            self.assertEqual(outcome.recipients, ("/shop/printer",))
            self.assertEqual((await got.get()).payload, "soup")
            await printer.environment.wait_for("copies", lambda copies: copies == 2)
            self.assertEqual(changes[0], ("copies", 2))

    async def test_an_orderly_stop_of_the_daemon(self) -> None:
        async with self.connect() as bus:
            shop = bus.node("/shop")
            shop.handle("Job")(lambda event: None)
            await bus.attach(shop)
            self.daemon.terminate()
            await bus.wait_disconnected()
            triggering = asyncio.create_task(bus.outside("/shop").trigger("Job"))
            self.daemon.start()
            self.assertEqual((await triggering).code, OutcomeCode.HANDLED)

    async def test_the_order_of_activation_returns(self) -> None:
        async with self.connect() as first, self.connect() as second:
            for session, path in ((first, "/a"), (second, "/b")):
                node = session.node(path)
                node.subscribe("Menu")(lambda publication: None)
                await session.attach(node)
            a = first.outside("/")
            self.assertEqual((await a.publish("Menu")).recipients, ("/b",))
            self.daemon.kill()
            await asyncio.gather(first.wait_disconnected(), second.wait_disconnected())
            self.daemon.start()
            await asyncio.gather(first.wait_resumed(), second.wait_resumed())
            self.assertEqual((await a.publish("Menu")).recipients, ("/b",))

    async def test_a_path_that_was_taken_meanwhile_is_detached_alone(self) -> None:
        async with self.connect() as bus:
            shop, till = bus.node("/shop"), bus.node("/till")
            await bus.attach_all(shop, till)
            self.daemon.kill()
            await bus.wait_disconnected()
            # Keeps the session away until the other one has its path.
            endpoint, bus.endpoint = bus.endpoint, self.daemon.endpoint + ".none"
            self.daemon.start()
            async with self.connect() as other:
                await other.attach("/till")
                bus.endpoint = endpoint
                self.assertEqual((await till.wait_detached()).name, "pathTaken")
                await bus.wait_resumed()
                self.assertTrue(shop.is_attached)
                with self.assertRaises(Refused):
                    await till.trigger("Job")
                self.assertEqual((await shop.trigger("Job")).code, OutcomeCode.UNHANDLED)


class Workers(support.DaemonTestCase):
    """Workers that are killed, superseded or refused."""

    async def start_worker(self) -> asyncio.subprocess.Process:
        worker = await asyncio.create_subprocess_exec(
            sys.executable, "-c", STUCK_WORKER, str(support.PACKAGE), self.daemon.endpoint,
            stdout=subprocess.PIPE)
        assert worker.stdout is not None
        self.assertEqual(await worker.stdout.readline(), b"attached\n")
        return worker

    async def test_a_killed_worker_fails_the_event_it_had_accepted(self) -> None:
        worker = await self.start_worker()
        async with self.connect() as bus:
            outside = bus.outside("/shop/printer")
            first = asyncio.create_task(outside.trigger("Job", 1))
            assert worker.stdout is not None
            self.assertEqual(await worker.stdout.readline(), b"working\n")
            shop = bus.node("/shop")
            shop.handle("Job")(lambda event: None)
            await bus.attach(shop)
            second = asyncio.create_task(outside.trigger("Job", 2))
            worker.kill()
            lost, skipped = await asyncio.gather(first, second)
            await worker.wait()
            assert lost.error is not None
            self.assertEqual((lost.code, lost.error.name), (OutcomeCode.FAILED, "nodeLost"))
            self.assertEqual((skipped.code, skipped.by), (OutcomeCode.HANDLED, "/shop"))

    async def test_a_terminated_worker_leaves(self) -> None:
        worker = await self.start_worker()
        worker.terminate()
        self.assertEqual(await worker.wait(), 0)
        async with self.connect() as bus:
            # A place that was left is free at once, and not vacant.
            await bus.attach("/shop/printer")

    async def test_another_connection_of_the_session_supersedes_this_one(self) -> None:
        async with self.connect() as bus:
            shop = await bus.attach("/shop")
            twin = Bus.connect(self.daemon.endpoint)
            twin._session._secret, twin._session.id = bus._session._secret, bus._session.id
            async with twin:
                with self.assertRaises(SessionEnded) as ended:
                    await bus._dispatcher.over
                    await shop.trigger("Job")
                self.assertEqual(ended.exception.name, "superseded")

    async def test_a_session_without_its_secret_is_refused(self) -> None:
        async with self.connect() as bus:
            thief = Bus.connect(self.daemon.endpoint)
            thief._session.id = bus._session.id
            with self.assertRaises(SessionEnded) as ended:
                async with thief:
                    pass
            self.assertEqual(ended.exception.name, "notYours")
            await bus.attach("/shop")

    async def test_a_lost_message_is_resent(self) -> None:
        async with self.connect() as bus:
            shop = bus.node("/shop")
            got: list[int] = []
            shop.handle("Job")(lambda event: got.append(event.payload))
            await bus.attach(shop)
            outside = bus.outside("/shop")
            await outside.trigger("Job", 0)
            connection = bus._connection
            assert connection is not None
            send, connection.send = connection.send, lambda frames: None
            lost = asyncio.create_task(outside.trigger("Job", 1))
            await asyncio.sleep(0)
            connection.send = send
            # The daemon notices the gap, and ends the connection with messageLost.
            outcome = await outside.trigger("Job", 2)
            self.assertEqual({outcome.code, (await lost).code}, {OutcomeCode.HANDLED})
            self.assertEqual(got, [0, 1, 2])

    async def test_a_beat_is_answered(self) -> None:
        self.daemon.kill()
        self.daemon = self.daemon.again("--beat", "50ms")
        async with self.connect() as bus:
            await bus.attach("/shop")
            answered, beats = asyncio.Event(), 0
            send = bus._session._send

            def count(message: Message) -> None:
                nonlocal beats
                send(message)
                beats += message.command == Command.BEAT
                if beats == 5:
                    answered.set()

            with unittest.mock.patch.object(bus._session, "_send", count):
                await answered.wait()
            node = (await bus.query(Query.TREE, path="/shop")).first(Tag.NODE)
            assert node is not None
            record = Message(0, fields=decode_fields(node)).first(Tag.RECORD)
            assert record is not None
            parts = Parts(record)
            self.assertEqual((parts.string(), parts.number(1)), ("/shop", NodeStateCode.LIVE))


if __name__ == "__main__":
    unittest.main()
