"""A chat client that plays back what a test wrote."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ironhive.chat import (
    NO_OPTIONS,
    ChatMessage,
    ChatResponse,
    ChatUpdate,
    ClientMetadata,
    TextContent,
    aggregate,
    as_updates,
)
from ironhive.contracts import ProviderKind, ProviderRegistration

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Sequence

    from ironhive.chat import ChatOptions

Piece = ChatUpdate | str | BaseException
"""One step of a streamed answer: an update, a text, or an error to raise there."""

Answer = Any
"""One answer: a text, a response, an error, the pieces of a stream (a sequence of ``Piece``), or a function of the
messages and options that gives one of these."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a client was asked."""

    messages: tuple[ChatMessage, ...]
    options: ChatOptions
    streamed: bool


class ScriptedClient:
    """Answers its calls, streamed or not, with a script, in order; the last answer is repeated for ever.

    ``calls`` lists what was asked. ``opened`` counts the streams that were started and ``open_streams`` those that are
    still open: 0 when everybody closed what they abandoned; ``all_closed`` is set then. ``closed`` tells whether the
    client was closed.
    """

    def __init__(self, *answers: Any, metadata: ClientMetadata | None = None) -> None:
        self._answers: deque[Any] = deque(answers or ("",))
        self.metadata = metadata
        self.calls: list[Call] = []
        self.opened = 0
        self.open_streams = 0
        self.all_closed = asyncio.Event()
        self.closed = False

    async def complete(self, messages: Sequence[ChatMessage], options: ChatOptions | None = None) -> ChatResponse:
        """The next answer as a whole."""
        answer = self._next(messages, options, streamed=False)
        if isinstance(answer, ChatResponse):
            return answer
        return aggregate(_update(piece) for piece in _pieces(answer))

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions | None = None
    ) -> AsyncGenerator[ChatUpdate, None]:
        """The next answer piece by piece."""
        answer = self._next(messages, options, streamed=True)
        self.opened += 1
        self.open_streams += 1
        self.all_closed.clear()
        try:
            for piece in as_updates(answer) if isinstance(answer, ChatResponse) else _pieces(answer):
                yield _update(piece)
        finally:
            self.open_streams -= 1
            if not self.open_streams:
                self.all_closed.set()

    async def aclose(self) -> None:
        """Note that the client was closed."""
        self.closed = True

    def _next(self, messages: Sequence[ChatMessage], options: ChatOptions | None, *, streamed: bool) -> Any:
        chosen = options or NO_OPTIONS
        self.calls.append(Call(tuple(messages), chosen, streamed))
        answer = self._answers.popleft() if len(self._answers) > 1 else self._answers[0]
        if callable(answer):
            answer = answer(messages, chosen)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def scripted(
    provider_id: str,
    *answers: Any,
    kind: ProviderKind = ProviderKind.FRONTIER,
    priority: int = 0,
    **registration: Any,
) -> tuple[ProviderRegistration, ScriptedClient]:
    """A registration whose client is scripted, and that client."""
    client = ScriptedClient(*answers)
    return ProviderRegistration(provider_id, kind, lambda: client, priority, **registration), client


def _pieces(answer: Any) -> Iterable[Piece]:
    if isinstance(answer, str):
        return (answer, ChatUpdate(finish_reason="stop"))
    return answer  # type: ignore[no-any-return]  # a sequence of pieces


def _update(piece: Piece) -> ChatUpdate:
    if isinstance(piece, BaseException):
        raise piece
    if isinstance(piece, str):
        return ChatUpdate(contents=(TextContent(piece),), role="assistant")
    return piece
