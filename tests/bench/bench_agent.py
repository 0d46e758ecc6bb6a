"""What one streamed chunk costs all the way: server, provider, gateway, tool client, loop.

Run by hand: ``python -m tests.bench.bench_agent``. Compared with the least that anybody does with the same bytes (httpx
lines and ``json.loads``), in turns within one process, as the median CPU time per chunk. Exits 1 past a limit.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from contextlib import aclosing
from typing import TYPE_CHECKING

import httpx
from tests.bench.bench_wire import (
    EVENTS,
    PER_WRITE,
    Server,
    bare_call,
    bare_stream,
    calibration,
    cpu,
    our_stream,
    text_events,
)

from ironhive.agent import AgentLoop, ToolCallingClient
from ironhive.gateway import Gateway
from ironhive_plugins.providers.openai import openai_compatible

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

CHUNK_LIMIT = 2.0
CALL_LIMIT = 1.5


async def loop_stream(client: ToolCallingClient) -> int:
    """A fresh conversation, streamed."""
    count = 0
    async with aclosing(AgentLoop(client).stream("hello")) as chunks:
        async for chunk in chunks:
            count += bool(chunk.text_delta)
    return count


async def loop_call(client: ToolCallingClient) -> int:
    """A fresh conversation, whole."""
    return len((await AgentLoop(client).run("hello")).content)


async def compare(url: str, rounds: int) -> dict[str, float]:
    """The median microseconds of each way."""
    registration = openai_compatible(base_url=url, model="m", think_tags=False)
    raw = registration.client_factory()
    gateway = Gateway(providers=[registration])
    client = ToolCallingClient(gateway)
    async with httpx.AsyncClient(timeout=None) as bare:
        ways: dict[str, tuple[Callable[[], Awaitable[int]], int, int]] = {
            "chunk, bare httpx": (lambda: bare_stream(bare, url), 3, EVENTS),
            "chunk, provider": (lambda: our_stream(raw, url), 3, EVENTS),
            "chunk, gateway": (lambda: our_stream(gateway, url), 3, EVENTS),
            "chunk, loop": (lambda: loop_stream(client), 3, EVENTS),
            "call, bare httpx": (lambda: bare_call(bare, url), 50, 1),
            "call, loop": (lambda: loop_call(client), 50, 1),
        }
        for way, _, _ in ways.values():
            await way()
        found: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            for name, (way, times, per_run) in ways.items():
                found[name].append(await cpu(way, times) / per_run * 1e6)
    await raw.aclose()
    await client.aclose()
    return {name: statistics.median(values) for name, values in found.items()}


async def main() -> int:
    """Print the figures; 1 if a limit was passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    server = Server(text_events(EVENTS), PER_WRITE)
    try:
        medians = await compare(server.url, rounds)
    finally:
        server.close()
    print(f"calibration: {calibration():.1f} us for a JSON round trip of 1 KB")
    exceeded = 0
    for name, value in medians.items():
        kind = name.partition(",")[0]
        ratio = value / medians[f"{kind}, bare httpx"]
        limit = CHUNK_LIMIT if kind == "chunk" else CALL_LIMIT
        exceeded += ratio > limit
        print(
            f"{name:20}{value:10.1f} us{ratio:8.2f} x   at most {limit:g}{'   PAST THE LIMIT' if ratio > limit else ''}"
        )
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
