"""An HTTP server on this machine that answers with a script, well or badly."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Self, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class Fault(Enum):
    """What a server can do instead of going on."""

    CLOSE = "close"
    """End the connection in good order."""
    RESET = "reset"
    """Break it, as a crashed process does."""
    STALL = "stall"
    """Say nothing more until the client hangs up."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent; header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer, as the bytes and faults that make it up."""

    steps: tuple[bytes | Fault, ...]

    @classmethod
    def raw(cls, *steps: bytes | Fault) -> Reply:
        """Exactly these bytes and faults."""
        return cls(steps)

    @classmethod
    def of(
        cls,
        body: bytes,
        *,
        status: int = 200,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """A complete answer."""
        fields = {"content-type": content_type, "content-length": str(len(body)), **(headers or {})}
        return cls((_head(status, fields) + body,))

    @classmethod
    def json(cls, value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
        """A complete answer in JSON."""
        return cls.of(json.dumps(value).encode(), status=status, headers=headers)

    @classmethod
    def error(cls, status: int, *, message: str = "no", headers: Mapping[str, str] | None = None) -> Reply:
        """A refusal in the form of the OpenAI API."""
        return cls.json({"error": {"message": message, "type": "error"}}, status=status, headers=headers)

    @classmethod
    def chunked(cls, chunks: Iterable[bytes | Fault], *, content_type: str = "text/event-stream") -> Reply:
        """An answer in pieces; a fault ends it there."""
        steps: list[bytes | Fault] = [_head(200, {"content-type": content_type, "transfer-encoding": "chunked"})]
        for chunk in chunks:
            if isinstance(chunk, Fault):
                return cls((*steps, chunk))
            steps.append(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        return cls((*steps, b"0\r\n\r\n"))


@dataclass(slots=True)
class LoopbackServer:
    """Answers its requests with a script, in order; the last answer is repeated for ever.

    ``async with LoopbackServer(replies) as server`` listens on a free port; ``server.url`` is its address. ``requests``
    lists what came; ``connections`` counts the connections that were made.
    """

    script: Iterable[Reply | Callable[[Request], Reply]]
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    _replies: deque[Reply | Callable[[Request], Reply]] = field(default_factory=deque)
    _serving: int = 0
    _quiet: asyncio.Event = field(default_factory=asyncio.Event)
    _asked: asyncio.Event = field(default_factory=asyncio.Event)
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        host, port = self._running.sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    @property
    def _running(self) -> asyncio.Server:
        if self._server is None:
            message = "the server is not running; use it in async with"
            raise RuntimeError(message)
        return self._server

    @property
    def serving(self) -> int:
        """Requests that are being answered now."""
        return self._serving

    async def asked(self) -> None:
        """Wait for the first request."""
        await self._asked.wait()

    async def quiet(self) -> None:
        """Wait until no request is being answered: each was finished, or its client has hung up."""
        await self._quiet.wait()

    async def __aenter__(self) -> Self:
        self._replies.extend(self.script)
        self._quiet.set()
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        server = self._running
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._tasks.add(task)
        try:
            while (request := await _read_request(reader)) is not None:
                self.requests.append(request)
                self._asked.set()
                if not await self._answer(request, reader, writer):
                    return
        except (ConnectionError, asyncio.CancelledError):
            return  # the client hung up, or the server stops
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection can serve another request."""
        self._serving += 1
        self._quiet.clear()
        try:
            for step in self._next(request).steps:
                if isinstance(step, bytes):
                    writer.write(step)
                    await writer.drain()
                    continue
                if step is Fault.STALL:
                    await reader.read()  # returns when the client closes
                elif step is Fault.RESET:
                    _reset(writer)
                return False
            return True
        finally:
            self._serving -= 1
            if not self._serving:
                self._quiet.set()

    def _next(self, request: Request) -> Reply:
        reply = self._replies.popleft() if len(self._replies) > 1 else self._replies[0]
        return reply(request) if callable(reply) else reply


def free_port() -> int:
    """A port of this machine where nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, body)


def _head(status: int, fields: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with a RST instead of a FIN."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
