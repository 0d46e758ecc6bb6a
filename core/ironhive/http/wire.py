"""What a provider plugin says about its wire format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from ironhive.chat import NO_PROPERTIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ironhive.chat import ChatMessage, ChatOptions, ChatResponse, ChatUpdate
    from ironhive.errors import HttpStatusError

DONE: Final = b"[DONE]"
"""The data of the event with which OpenAI-like servers end a stream."""


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request as a wire wants it: the path below the base URL, the JSON body, and headers for this call alone.

    ``stop`` are stop sequences that the server cannot be told: the answer is cut here.
    """

    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str] = NO_PROPERTIES
    stop: tuple[str, ...] = ()


class StreamDecoder(Protocol):
    """Turns the events of one streamed answer into updates."""

    complete: bool
    """The sign that ends every answer of this wire has been seen; nothing more is expected."""
    finished: bool
    """The answer as such has ended; what may still follow is token counts."""

    @property
    def whole_with_body(self) -> bool:
        """Nothing said so far that the answer has ended, but the end of the body may say it.

        It does where HTTP marks that end, so that it is not just a connection that closed. Only for wires that have no
        better sign.
        """
        ...

    def feed(self, event: Any) -> ChatUpdate | None:
        """Take one event; None when there is nothing to show for it."""
        ...

    def done(self) -> None:
        """Take a ``[DONE]``."""
        ...

    def end(self) -> ChatUpdate | None:
        """The last update, once no more events come.

        :raises TruncatedStreamError: the answer is not complete.
        """
        ...


class Wire(Protocol):
    """One provider's format of requests and answers. ``failure`` makes the error for an error object in an answer."""

    def request(self, messages: Sequence[ChatMessage], options: ChatOptions, *, stream: bool) -> WireRequest:
        """The request for one call."""
        ...

    def response(self, body: Any, failure: Callable[[Any], HttpStatusError]) -> ChatResponse:
        """A complete answer."""
        ...

    def decoder(self, failure: Callable[[Any], HttpStatusError]) -> StreamDecoder:
        """A fresh decoder for one streamed answer."""
        ...
