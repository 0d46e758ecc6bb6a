"""Recorded exchanges, served to a client with the bytes cut anywhere, without a network."""

from __future__ import annotations

import base64
import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence
    from pathlib import Path

_HOP_BY_HOP = {"transfer-encoding", "connection", "keep-alive", "content-length", "content-encoding", "date"}


@dataclass(frozen=True)
class Recording:
    """One exchange: what was asked, what came back, and what it should be understood as."""

    name: str
    data: dict[str, Any]

    @classmethod
    def load(cls, path: Path) -> Recording:
        return cls(f"{path.parent.name}/{path.stem}", json.loads(path.read_text(encoding="utf-8")))

    @property
    def body(self) -> bytes:
        response = self.data["response"]
        if "body_base64" in response:
            return base64.b64decode(response["body_base64"])
        return response["body"].encode()

    @property
    def status(self) -> int:
        return int(self.data["response"]["status"])

    @property
    def headers(self) -> dict[str, str]:
        headers = self.data["response"].get("headers") or {}
        return {name: value for name, value in headers.items() if name.lower() not in _HOP_BY_HOP}

    @property
    def expect(self) -> dict[str, Any]:
        return self.data["expect"]

    @property
    def is_stream(self) -> bool:
        return bool(self.data["stream"])


def whole(body: bytes) -> list[bytes]:
    return [body]


def single_bytes(body: bytes) -> list[bytes]:
    return [body[index : index + 1] for index in range(len(body))]


def random_cuts(seed: int, largest: int) -> Any:
    """Pieces of 1 to ``largest`` bytes that ignore lines, events and UTF-8 sequences."""

    def cut(body: bytes) -> list[bytes]:
        rng = random.Random(seed)
        pieces, start = [], 0
        while start < len(body):
            size = rng.randint(1, largest)
            pieces.append(body[start : start + size])
            start += size
        return pieces

    return cut


class PieceStream(httpx.AsyncByteStream):
    """A response body that arrives in exactly these pieces; an exception in the list breaks the connection."""

    def __init__(self, pieces: Sequence[bytes | Exception]) -> None:
        self._pieces = pieces
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    async def aclose(self) -> None:
        self.closed = True


class PieceTransport(httpx.AsyncBaseTransport):
    """Answers every request with one status, headers and pieces, and remembers the requests."""

    def __init__(
        self, pieces: Sequence[bytes | Exception], *, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        self.pieces = pieces
        self.status = status
        self.headers = headers if headers is not None else {"content-type": "text/event-stream"}
        self.requests: list[httpx.Request] = []
        self.streams: list[PieceStream] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        self.requests.append(request)
        stream = PieceStream(self.pieces)
        self.streams.append(stream)
        return httpx.Response(self.status, headers=self.headers, stream=stream)

    @property
    def sent(self) -> Any:
        """The JSON body of the last request."""
        return json.loads(self.requests[-1].content)


def recordings(root: Path, wire: str) -> Iterator[Recording]:
    """The recordings of one wire below a folder."""
    for path in sorted(root.glob("*/*.json")):
        recording = Recording.load(path)
        if recording.data["wire"] == wire:
            yield recording
