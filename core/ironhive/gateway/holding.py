"""Inspects a streamed answer while it grows, and shows only what has been judged.

The end of the answer, ``limit`` characters of it, is held back. A passage that the guard forbids and that is at most
that long is therefore still held when its last character arrives, and is never shown.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from ironhive.chat import (
    ChatMessage,
    ChatResponse,
    ErrorContent,
    ReasoningContent,
    ResponseBuilder,
    TextContent,
    ToolCallContent,
)
from ironhive.gateway.streams import cancellations

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ironhive.chat import ChatUpdate, Content
    from ironhive.contracts import Scanner
    from ironhive.gateway.guarding import GuardSeam
    from ironhive.gateway.streams import OpenStream

_SEPARATOR: Final = "\n"
"""Stands between texts of different kinds, so that none continues another."""


async def held_back(opened: OpenStream, seam: GuardSeam, limit: int) -> AsyncGenerator[ChatUpdate, None]:
    """Every update, once the text after it is ``limit`` characters long and judged, the rest when the answer passed.

    At most ``limit`` characters and one update are kept, twice that for a guard without a scanner.

    :raises GuardError: the answer is forbidden; the updates still held are dropped.
    """
    gate = _Gate(seam, limit)
    cancelled = cancellations()
    try:
        if opened.first is not None:
            for update in await gate.take(opened.first):
                yield update
            async for update in opened.rest:
                for ready in await gate.take(update):
                    yield ready
    except GeneratorExit:
        await opened.aclose()  # first of all: the provider must not go on while the guard thinks
        if cancellations() <= cancelled:
            await gate.finish()
        raise
    await opened.aclose()
    if opened.first is not None:
        for update in await gate.finish():
            yield update


class _Gate:
    """Updates that wait for their verdict."""

    def __init__(self, seam: GuardSeam, limit: int) -> None:
        self._seam = seam
        self._limit = limit
        self._waiting: deque[tuple[ChatUpdate, int]] = deque()
        self._seen = 0
        self._windows = _Windows(seam, limit)
        self._scanner: Scanner | None = None
        self._opened = False
        self._blind = False
        self._kind: type[Content] | None = None

    async def take(self, update: ChatUpdate) -> list[ChatUpdate]:
        """Judge what is new and return the updates that may be shown."""
        text = self._guarded_text(update)
        self._seen += len(text)
        self._waiting.append((update, self._seen))
        judged = await self._judge(update, text)
        return self._release(self._seen if self._blind else judged - self._limit)

    async def finish(self) -> list[ChatUpdate]:
        """Judge the whole and return what is left."""
        scanner = self._open()
        if not self._blind:
            if scanner is not None:
                await self._seam.ask("output", scanner.finish)
            else:
                await self._windows.finish()
        return self._release(self._seen)

    async def _judge(self, update: ChatUpdate, text: str) -> int:
        """How many characters have been judged."""
        scanner = self._open()
        if self._blind:
            return self._seen
        if scanner is None:
            return await self._windows.take(update, text)
        if text and not await self._seam.ask("output", scanner.feed, text):
            self._blind = True  # it failed and may pass: a scanner that lost a piece cannot judge the others
        return self._seen

    def _open(self) -> Scanner | None:
        if not self._opened:
            self._opened = True
            self._scanner = self._seam.open_scanner()
        return self._scanner

    def _release(self, end: int) -> list[ChatUpdate]:
        ready = []
        while self._waiting and self._waiting[0][1] <= max(end, 0):
            ready.append(self._waiting.popleft()[0])
        return ready

    def _guarded_text(self, update: ChatUpdate) -> str:
        contents = update.contents
        if len(contents) == 1 and type(contents[0]) is TextContent and self._kind is TextContent:
            return contents[0].text  # what nearly all updates are
        pieces: list[str] = []
        for part in contents:
            text = _text_of(part)
            if text is None:
                continue
            if self._kind is not None and (self._kind is not type(part) or isinstance(part, ToolCallContent)):
                pieces.append(_SEPARATOR)
            self._kind = type(part)
            pieces.append(text)
        return "".join(pieces)


class _Windows:
    """Stands in for a scanner: shows the guard windows of the answer, each overlapping the last by ``limit``.

    A passage of at most ``limit`` characters lies whole in one window, and the cost grows with the answer's length, not
    with its square.
    """

    def __init__(self, seam: GuardSeam, limit: int) -> None:
        self._seam = seam
        self._limit = limit
        self._builder = ResponseBuilder()
        self._tail = ""
        self._fresh: list[str] = []
        self._fresh_length = 0
        self._judged = 0

    async def take(self, update: ChatUpdate, text: str) -> int:
        """Add an update; how many characters have been judged."""
        self._builder.add(update)
        if text:
            self._fresh.append(text)
            self._fresh_length += len(text)
        if self._fresh_length >= self._limit:
            window = self._tail + "".join(self._fresh)
            response = ChatResponse(messages=(ChatMessage.assistant(window),))
            await self._seam.judge(response)
            self._judged += self._fresh_length
            self._tail = window[-self._limit :]
            self._fresh.clear()
            self._fresh_length = 0
        return self._judged

    async def finish(self) -> None:
        """Judge the whole answer as it is."""
        await self._seam.judge(self._builder.build())


def _text_of(part: Content) -> str | None:
    if isinstance(part, (TextContent, ReasoningContent)):
        return part.text
    if isinstance(part, ToolCallContent):
        return f"{part.name} {part.arguments_text}"
    if isinstance(part, ErrorContent):
        return part.message
    return None
