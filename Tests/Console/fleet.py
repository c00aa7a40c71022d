# SPDX-License-Identifier: Apache-2.0
"""Attaches PATH and COUNT nodes below it, no two neighbours alike, and serves until it is ended."""

import asyncio
import sys

from cascade_bus import Bus


async def main(path, count):
    async with Bus.connect() as bus:
        nodes = [bus.node(path)] + [bus.node(f"{path}/dev{n:04}") for n in range(count)]
        for number, node in enumerate(nodes):
            @node.handle(f"Job{number % 7}")
            async def done(event):
                pass
        await bus.attach_all(*nodes)
        print("attached", flush=True)
        await bus.run()


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
