"""A model server with fixed bytes, in a process of its own: ``python -m tests.bench.server EVENTS PER_WRITE``.

Answers every POST: with 500 events, ten in a write, say, when the request asks for a stream, else with one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = {"id": "chatcmpl-1", "created": 1_700_000_000, "model": "m"}
PAUSE_SECONDS = 0.0005
"""Between two writes, so that they do not arrive as one."""


def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    """One event as OpenAI sends it."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return b"data: " + json.dumps({**HEAD, "object": "chat.completion.chunk", "choices": [choice]}).encode() + b"\n\n"


def events(count: int) -> list[bytes]:
    """A streamed answer: a role first, the finish reason and [DONE] last."""
    words = [chunk({"content": f" word{number}"}) for number in range(count - 3)]
    return [chunk({"role": "assistant", "content": ""}), *words, chunk({}, "stop"), b"data: [DONE]\n\n"]


def answer() -> bytes:
    """A whole answer."""
    message = {"role": "assistant", "content": "hello there", "refusal": None}
    body = json.dumps(
        {
            **HEAD,
            "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
        }
    ).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


async def serve(count: int, per_write: int) -> None:
    """Listen on a free port, print it, answer for ever."""
    lines = events(count)
    writes = [b"".join(lines[start : start + per_write]) for start in range(0, count, per_write)]
    pieces = [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in writes]
    whole, head = answer(), b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                lengths = [
                    line
                    for line in (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
                    if b"content-length" in line
                ]
                body = await reader.readexactly(int(lengths[0].split(b":")[1]))
                if not json.loads(body).get("stream"):
                    writer.write(whole)
                    continue
                writer.write(head)
                for piece in pieces:
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(PAUSE_SECONDS)
                writer.write(b"0\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=2000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def running(count: int, per_write: int) -> Iterator[str]:
    """The base URL of such a server while it runs."""
    command = [sys.executable, "-m", "tests.bench.server", str(count), str(per_write)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        port = process.stdout.readline().strip() if process.stdout else ""
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.communicate()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2])))
