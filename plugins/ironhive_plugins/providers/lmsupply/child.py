"""The model's process: opens one model and answers requests from a pipe until the pipe is closed.

Run as ``python -m ironhive_plugins.providers.lmsupply.child``.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ironhive.contracts import Scorer
from ironhive.errors import IronHiveError, ModelError
from ironhive.plugins import open_backend
from ironhive_plugins.providers.lmsupply.frames import Reply, Request, encode, read_message

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ironhive.contracts import Generator


class Server:
    """Answers requests, several at a time; the generator queues them."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._generator: Generator | None = None
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Until the host closes the pipe, or is gone."""
        try:
            while True:
                request: Request = await read_message(self._reader)
                if request.kind == "cancel":
                    if task := self._tasks.get(request.number):
                        task.cancel()
                    continue
                task = asyncio.create_task(self._answer(request))
                self._tasks[request.number] = task
                task.add_done_callback(lambda _, number=request.number: self._tasks.pop(number, None))  # type: ignore[misc]
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        if self._generator is not None:
            await self._generator.aclose()

    async def _answer(self, request: Request) -> None:
        try:
            async with aclosing(self._items(request)) as items:
                async for item in items:
                    await self._send(Reply(request.number, "item", item))
        except IronHiveError as error:
            await self._send(Reply(request.number, "error", error))
        except Exception as error:  # noqa: BLE001  # native code raises anything; the host must hear of it
            failure = ModelError(f"the model's process failed: {type(error).__name__}: {error}")
            await self._send(Reply(request.number, "error", failure))
        else:
            await self._send(Reply(request.number, "end"))

    async def _items(self, request: Request) -> AsyncGenerator[Any, None]:
        if request.kind == "open":
            path, options = request.payload
            backend = await asyncio.to_thread(open_backend, Path(path))
            self._generator = await backend.open(Path(path), options)
            yield self._generator.info
            return
        generator = self._generator
        if generator is None:
            message = "the model's process was asked before it had opened a model"
            raise ModelError(message)
        if request.kind == "stream":
            async with aclosing(generator.stream(*request.payload)) as updates:
                async for update in updates:
                    yield update
        elif request.kind == "count":
            yield await generator.count_tokens(request.payload)
        elif request.kind == "warm_up":
            await generator.warm_up()
        elif request.kind == "score" and isinstance(generator, Scorer):
            messages, continuations, start = request.payload
            yield await generator.score(messages, continuations, start=start)

    async def _send(self, reply: Reply) -> None:
        self._writer.write(encode(reply))
        await self._writer.drain()


async def serve(incoming: int, outgoing: int) -> None:
    """Serve on two file descriptors."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(incoming, "rb"))
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(outgoing, "wb"))
    await Server(reader, asyncio.StreamWriter(transport, protocol, None, loop)).run()


def main() -> None:
    """Keep the pipe to ourselves: what native libraries print goes to standard error."""
    outgoing = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    asyncio.run(serve(os.dup(sys.stdin.fileno()), outgoing))


if __name__ == "__main__":
    main()
