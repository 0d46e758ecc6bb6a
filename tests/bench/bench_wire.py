"""What the wire costs: CPU per streamed chunk and per call, and long tool arguments.

Run by hand: ``python tests/bench/bench_wire.py``. Each figure is the median of several runs in one process, in CPU time,
with the comparisons taken in turns; the loopback server runs in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import httpx

from ironhive.chat import ChatMessage
from ironhive_plugins.providers.openai import openai_compatible

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

EVENTS = 500
PER_WRITE = 10
QUESTION = [ChatMessage.user("hello")]


def text_events(count: int) -> list[bytes]:
    """Chunks as OpenAI sends them, with a role first, and the finish reason, usage and [DONE] last."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "m"}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return b"data: " + json.dumps({**head, "choices": [choice]}).encode() + b"\n\n"

    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"content": f" word{index}"}) for index in range(count - 3)]
    events += [chunk({}, "stop"), b"data: [DONE]\n\n"]
    return events


SERVER = """
import asyncio, sys, json
per_write = int(sys.argv[1]); events = json.loads(sys.stdin.readline())
events = [event.encode() for event in events]
writes = [b"".join(events[i:i + per_write]) for i in range(0, len(events), per_write)]
whole = json.dumps({"id": "c", "model": "m", "object": "chat.completion", "choices": [{"index": 0, "finish_reason":
    "stop", "message": {"role": "assistant", "content": "hello there"}}], "usage": {"prompt_tokens": 1,
    "completion_tokens": 2, "total_tokens": 3}}).encode()
async def serve(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\\r\\n\\r\\n")).decode("latin-1").lower()
            length = int(head.split("content-length:")[1].split("\\r\\n")[0])
            body = await reader.readexactly(length)
            if b'"stream"' not in body:
                writer.write(b"HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: %d\\r\\n\\r\\n" % len(whole) + whole)
                await writer.drain()
                continue
            writer.write(b"HTTP/1.1 200 OK\\r\\ncontent-type: text/event-stream\\r\\ntransfer-encoding: chunked\\r\\n\\r\\n")
            for piece in writes:
                writer.write(b"%x\\r\\n%s\\r\\n" % (len(piece), piece))
                await writer.drain()
                await asyncio.sleep(0.0005)
            writer.write(b"0\\r\\n\\r\\n")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


class Server:
    """The loopback server with fixed bytes."""

    def __init__(self, events: list[bytes], per_write: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(per_write)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([event.decode() for event in events]) + "\n")
        self._process.stdin.flush()
        self.url = f"http://127.0.0.1:{int(self._process.stdout.readline())}/v1"

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


async def bare_stream(client: httpx.AsyncClient, url: str) -> int:
    """The least that anybody does: lines, JSON, the text."""
    count = 0
    async with client.stream("POST", f"{url}/chat/completions", json={"stream": True}) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                event = json.loads(line[6:])
                count += bool(event["choices"][0]["delta"].get("content"))
    return count


async def our_stream(client: Any, _url: str) -> int:
    count = 0
    async with aclosing(client.stream(QUESTION)) as updates:
        async for update in updates:
            count += bool(update.text)
    return count


async def bare_call(client: httpx.AsyncClient, url: str) -> int:
    response = await client.post(f"{url}/chat/completions", json={"messages": [{"role": "user", "content": "hello"}]})
    return len(json.loads(response.content)["choices"][0]["message"]["content"])


async def our_call(client: Any, _url: str) -> int:
    return len((await client.complete(QUESTION)).text)


async def cpu(run: Callable[[], Awaitable[int]], times: int) -> float:
    """Seconds of CPU per run."""
    started = time.process_time()
    for _ in range(times):
        await run()
    return (time.process_time() - started) / times


async def compare(url: str, rounds: int) -> list[tuple[str, float, float]]:
    """Rows of (name, bare, ours) in microseconds."""
    ours = openai_compatible(base_url=url, model="m", think_tags=False).client_factory()
    async with httpx.AsyncClient(timeout=None) as bare:
        samples: dict[str, list[tuple[float, float]]] = {"chunk": [], "call": []}
        await bare_stream(bare, url), await our_stream(ours, url), await bare_call(bare, url), await our_call(ours, url)
        for _ in range(rounds):
            samples["chunk"].append(
                (
                    await cpu(lambda: bare_stream(bare, url), 3) / EVENTS,
                    await cpu(lambda: our_stream(ours, url), 3) / EVENTS,
                )
            )
            samples["call"].append(
                (await cpu(lambda: bare_call(bare, url), 50), await cpu(lambda: our_call(ours, url), 50))
            )
    await ours.aclose()
    return [
        (name, statistics.median(pair[0] for pair in pairs) * 1e6, statistics.median(pair[1] for pair in pairs) * 1e6)
        for name, pairs in samples.items()
    ]


def calibration() -> float:
    """Microseconds for a JSON round trip of a fixed document of one kilobyte, to compare machines by."""
    document = {"items": [{"id": index, "name": f"item {index}", "on": True} for index in range(20)]}
    started = time.process_time()
    for _ in range(2000):
        json.loads(json.dumps(document))
    return (time.process_time() - started) / 2000 * 1e6


class Pieces(httpx.AsyncByteStream):
    """A body without a network."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


async def splitting(events: list[bytes]) -> tuple[float, float]:
    """Microseconds per event for taking a stream apart, with httpx's lines and with the reader; no JSON, no network."""
    from ironhive.http import SseReader

    pieces = [b"".join(events[start : start + PER_WRITE]) for start in range(0, len(events), PER_WRITE)]

    async def lines() -> int:
        response = httpx.Response(200, stream=Pieces(pieces))
        return len([line async for line in response.aiter_lines() if line.startswith("data: ")])

    async def reader() -> int:
        response, taken = httpx.Response(200, stream=Pieces(pieces)), SseReader()
        return sum([len(taken.feed(chunk)) async for chunk in response.aiter_raw()])

    assert await lines() == await reader() == len(events)
    return await cpu(lines, 100) / len(events) * 1e6, await cpu(reader, 100) / len(events) * 1e6


def tool_arguments(pieces: int, size: int = 1_000_000) -> float:
    """Seconds of CPU to put together one call whose arguments of ``size`` bytes come in so many pieces."""
    from ironhive_plugins.providers.openai.chat.decoder import ChatDecoder

    text = json.dumps({"content": "x" * (size - 14)})
    step = max(1, len(text) // pieces)
    cuts = [text[start : start + step] for start in range(0, len(text), step)]
    events = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": cut}}]}}]}
        for cut in cuts
    ]
    first = {"index": 0, "id": "call_1", "function": {"name": "write", "arguments": ""}}
    decoder = ChatDecoder("bench", "bench", RuntimeError)  # type: ignore[arg-type]
    started = time.process_time()
    decoder.feed({"choices": [{"index": 0, "delta": {"tool_calls": [first]}}]})
    for event in events:
        decoder.feed(event)
    decoder.done()
    last = decoder.end()
    seconds = time.process_time() - started
    assert last is not None
    assert last.tool_calls[0].arguments is not None
    return seconds


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    server = Server(text_events(EVENTS), PER_WRITE)
    try:
        rows = await compare(server.url, arguments.rounds)
    finally:
        server.close()
    print(f"calibration: {calibration():.1f} us for a JSON round trip of 1 KB")
    print(f"{'':10}{'bare httpx':>12}{'provider':>12}{'ratio':>8}")
    for name, bare, ours in rows:
        print(f"{name:10}{bare:9.1f} us{ours:9.1f} us{ours / bare:8.2f}")
    by_lines, by_reader = await splitting(text_events(EVENTS))
    print(f"splitting alone: aiter_lines {by_lines:.2f} us an event, SseReader {by_reader:.2f} us")
    print("tool arguments of 1 MB:")
    for pieces in (1_000, 10_000, 100_000):
        seconds = statistics.median(tool_arguments(pieces) for _ in range(3))
        print(f"{pieces:10,} pieces{seconds * 1000:9.1f} ms{seconds / pieces * 1e6:9.2f} us a piece")


if __name__ == "__main__":
    asyncio.run(main())
