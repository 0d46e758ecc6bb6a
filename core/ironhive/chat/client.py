"""The one interface that every model, wrapper and gateway shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from ironhive.chat.messages import ChatMessage, ChatResponse, ChatUpdate
    from ironhive.chat.options import ChatOptions


@dataclass(frozen=True, slots=True)
class ClientMetadata:
    """Who answers behind a client: the provider's name, its address, and the model used when options name none."""

    provider: str
    uri: str | None = None
    model: str | None = None


class ChatClient(Protocol):
    """Something that answers a conversation.

    Failures are raised as :class:`ironhive.errors.IronHiveError`; cancellation passes through untouched.
    """

    @property
    def metadata(self) -> ClientMetadata | None:
        """Who answers, or None where that is decided per call."""
        ...

    async def complete(self, messages: Sequence[ChatMessage], options: ChatOptions | None = None) -> ChatResponse:
        """The whole answer at once."""
        ...

    def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions | None = None
    ) -> AsyncGenerator[ChatUpdate, None]:
        """The answer piece by piece.

        Nothing is sent before the first piece is asked for. Whoever stops early must close the generator
        (``contextlib.aclosing``); closing it ends the request at once.
        """
        ...

    async def aclose(self) -> None:
        """Release connections and models. Using the client afterwards is an error."""
        ...
