# SPDX-License-Identifier: Apache-2.0
"""Attaches PATH, which handles Order and fails at Broken, and a node below it that raises COUNT orders a
second. A line on standard input is the name of one more event that it raises."""

import asyncio
import sys

from cascade_bus import Bus


async def main(path, count):
    async with Bus.connect() as bus:
        shop, desk = bus.node(path), bus.node(f"{path}/desk")

        @shop.handle("Order")
        async def order(event):
            pass

        @shop.handle("Broken")
        async def broken(event):
            raise ValueError("the shop is on fire")

        await bus.attach_all(shop, desk)
        print("attached", flush=True)
        loop = asyncio.get_running_loop()

        async def raise_each():
            begun, number, tasks = loop.time(), 0, set()
            while count:
                # The rate holds on average, however long one takes.
                await asyncio.sleep(max(0, begun + number / count - loop.time()))
                number += 1
                task = asyncio.create_task(desk.trigger("Order", {"number": number, "text": "x" * 200}))
                tasks.add(task)
                task.add_done_callback(tasks.discard)

        async def raise_asked():
            while line := await loop.run_in_executor(None, sys.stdin.readline):
                outcome = await desk.trigger(line.strip(), {})
                print(outcome.code.name, flush=True)

        await asyncio.gather(raise_each(), raise_asked())


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
