"""A real server on this machine that does exactly what a test tells it, byte by byte."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
OPEN_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
LAST_CHUNK = b"0\r\n\r\n"


@dataclass
class Request:
    """What a client sent."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Connection:
    """One answer in the making."""

    request: Request
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def chunk(self, data: bytes) -> None:
        await self.send(b"%x\r\n%s\r\n" % (len(data), data))

    async def whole(self, body: bytes, *, status: int = 200, kind: str = "application/json", extra: str = "") -> None:
        head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{extra}\r\n"
        await self.send(head.encode() + body)

    async def stream(self, *pieces: bytes) -> None:
        await self.send(STREAM_HEAD)
        for piece in pieces:
            await self.chunk(piece)
        await self.send(LAST_CHUNK)

    def reset(self) -> None:
        """End the connection with a TCP reset."""
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


@dataclass
class Server:
    """The running server: its address, the requests so far, and how many connections were opened and are open."""

    url: str
    requests: list[Request] = field(default_factory=list)
    opened: int = 0
    open: int = 0
    gone: asyncio.Event = field(default_factory=asyncio.Event)


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, path, headers, body)


@asynccontextmanager
async def serving(answer: Callable[[Connection], Awaitable[None]]) -> AsyncIterator[Server]:
    """Serve until the block ends. An ``answer`` that returns keeps the connection, one that raises closes it."""
    state = Server("")
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        state.opened += 1
        state.open += 1
        try:
            while (request := await _read_request(reader)) is not None:
                state.requests.append(request)
                await answer(Connection(request, writer))
                if writer.is_closing():
                    break
        except (ConnectionError, StopAsyncIteration, asyncio.CancelledError):
            pass
        finally:
            state.open -= 1
            state.gone.set()
            writer.close()
            tasks.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    state.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield state
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class HangUpError(ConnectionError):
    """Raised by an answer to close the connection where it stands."""
