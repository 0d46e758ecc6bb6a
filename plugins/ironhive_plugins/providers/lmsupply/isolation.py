"""A model in a process of its own: a crash of native code ends that process and not this one."""

from __future__ import annotations

import asyncio
import itertools
import sys
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any

from ironhive.chat import NO_OPTIONS
from ironhive.errors import BackendExitedError
from ironhive_plugins.providers.lmsupply.frames import Reply, Request, encode, read_message, sendable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from pathlib import Path

    from ironhive.chat import ChatMessage, ChatOptions, ChatUpdate
    from ironhive.contracts import GeneratorInfo, OpenOptions

MODULE = "ironhive_plugins.providers.lmsupply.child"
END_SECONDS = 10.0
"""How long a child may take to end once its pipe is closed; then it is killed."""


async def open_in_child(path: Path, options: OpenOptions) -> ChildGenerator:
    """Start a process and open the model in it.

    :raises IronHiveError: what opening it raises in the child.
    :raises BackendExitedError: the child died while it opened the model.
    """
    generator = ChildGenerator(path, options)
    await generator.start()
    return generator


class ChildGenerator:
    """A :class:`ironhive.contracts.Generator` in another process. Belongs to the event loop it was opened in.

    When the process dies, requests under way raise :class:`~ironhive.errors.BackendExitedError`, and the next request
    starts it again.
    """

    def __init__(self, path: Path, options: OpenOptions) -> None:
        self._path = path
        self._options = options
        self._numbers = itertools.count(1)
        self._starting = asyncio.Lock()
        self._child: _Child | None = None
        self._info: GeneratorInfo | None = None

    @property
    def info(self) -> GeneratorInfo:
        """What was loaded."""
        if self._info is None:
            message = f"{self._path.name} was not opened"
            raise BackendExitedError(message, model=str(self._path))
        return self._info

    @property
    def pid(self) -> int | None:
        """The child's process id; None while there is none."""
        return self._child.process.pid if self._child is not None and self._child.alive else None

    async def start(self) -> None:
        """Start the process, unless it runs."""
        async with self._starting:
            if self._child is not None and self._child.alive:
                return
            child = await _Child.spawn(self._name)
            try:
                items = child.ask(Request(next(self._numbers), "open", (str(self._path), self._options)))
                async with aclosing(items):
                    self._info = await anext(items)
            except BaseException:
                await child.end()
                raise
            self._child = child

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions | None = None
    ) -> AsyncGenerator[ChatUpdate, None]:
        """Generate an answer; see :meth:`ironhive.contracts.Generator.stream`.

        :raises BackendExitedError: the process died before or during the answer.
        """
        payload = sendable(messages, options or NO_OPTIONS)
        async with aclosing(self._ask("stream", payload)) as updates:
            async for update in updates:
                yield update

    async def count_tokens(self, text: str) -> int:
        """How many tokens the model makes of a text."""
        return int(await self._one("count", text))

    async def score(
        self, messages: Sequence[ChatMessage], continuations: Sequence[str], *, start: str = ""
    ) -> list[float]:
        """How likely the model finds each text as the answer."""
        flat, _ = sendable(messages, NO_OPTIONS)
        return list(await self._one("score", (flat, tuple(continuations), start)))

    async def warm_up(self) -> None:
        """Run one short request."""
        async with aclosing(self._ask("warm_up", None)) as items:
            async for _ in items:
                pass

    async def aclose(self) -> None:
        """End the process; a running request is stopped."""
        child, self._child = self._child, None
        if child is not None:
            await child.end()

    @property
    def _name(self) -> str:
        return self._options.model_id or self._path.name

    async def _one(self, kind: str, payload: Any) -> Any:
        async with aclosing(self._ask(kind, payload)) as items:
            return await anext(items)

    async def _ask(self, kind: str, payload: Any) -> AsyncGenerator[Any, None]:
        await self.start()
        child = self._child
        if child is None:  # closed meanwhile
            raise BackendExitedError(f"{self._name} was closed", model=self._name)
        async with aclosing(child.ask(Request(next(self._numbers), kind, payload))) as items:
            async for item in items:
                yield item


class _Child:
    def __init__(self, process: asyncio.subprocess.Process, name: str) -> None:
        self.process = process
        self._name = name
        self._waiting: dict[int, asyncio.Queue[Reply | None]] = {}
        self._gone = False
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def spawn(cls, name: str) -> _Child:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            MODULE,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl+C is for the host, which then tells the child
            limit=1 << 20,
        )
        return cls(process, name)

    @property
    def alive(self) -> bool:
        return not self._gone and self.process.returncode is None

    async def ask(self, request: Request) -> AsyncGenerator[Any, None]:
        replies: asyncio.Queue[Reply | None] = asyncio.Queue()
        self._waiting[request.number] = replies
        settled = False
        try:
            await self._send(request)
            while True:
                reply = None if self._gone and replies.empty() else await replies.get()
                if reply is None:
                    settled = True
                    raise await self._exited()
                if reply.kind == "item":
                    yield reply.payload
                    continue
                settled = True
                if reply.kind == "error":
                    raise reply.payload
                return
        finally:
            self._waiting.pop(request.number, None)
            if not settled and self.alive:
                with suppress(BackendExitedError):
                    await self._send(Request(request.number, "cancel"))

    async def end(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            async with asyncio.timeout(END_SECONDS):
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
        await self._reading

    async def _send(self, request: Request) -> None:
        pipe = self.process.stdin
        if pipe is None:
            raise await self._exited()
        try:
            pipe.write(encode(request))
            await pipe.drain()
        except (ConnectionError, RuntimeError) as error:
            raise await self._exited() from error

    async def _read(self) -> None:
        pipe = self.process.stdout
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while pipe is not None:
                reply: Reply = await read_message(pipe)
                if (waiting := self._waiting.get(reply.number)) is not None:
                    waiting.put_nowait(reply)
        self._gone = True
        for waiting in self._waiting.values():
            waiting.put_nowait(None)

    async def _exited(self) -> BackendExitedError:
        code = await self.process.wait()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        message = f"the process that runs {self._name} ended ({how}); the next request starts it again"
        return BackendExitedError(message, model=self._name, exit_code=code)
