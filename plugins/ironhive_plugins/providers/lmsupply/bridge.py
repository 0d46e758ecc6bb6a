"""A generator as a chat client."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from ironhive.chat import NO_OPTIONS, ClientMetadata, aggregate
from ironhive_plugins.providers.lmsupply.tiny import TinyModel, is_tiny

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from ironhive.chat import ChatMessage, ChatOptions, ChatResponse, ChatUpdate
    from ironhive.contracts import Generator


class GeneratorClient:
    """A :class:`ironhive.chat.ChatClient` over a loaded model. The model stays the caller's: closing the client does
    not unload it.

    A model below a billion parameters is driven in the way of :mod:`~ironhive_plugins.providers.lmsupply.tiny`.
    """

    def __init__(self, generator: Generator) -> None:
        self.generator = generator
        self._tiny = TinyModel(generator) if is_tiny(generator.info) else None

    @property
    def metadata(self) -> ClientMetadata:
        """``LMSupply`` and the model's id."""
        return ClientMetadata("LMSupply", model=self.generator.info.model_id)

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions | None = None
    ) -> AsyncGenerator[ChatUpdate, None]:
        """The answer piece by piece."""
        source = self._tiny or self.generator
        async with aclosing(source.stream(messages, options or NO_OPTIONS)) as updates:
            async for update in updates:
                yield update

    async def complete(self, messages: Sequence[ChatMessage], options: ChatOptions | None = None) -> ChatResponse:
        """The whole answer."""
        async with aclosing(self.stream(messages, options)) as updates:
            return aggregate([update async for update in updates])

    async def aclose(self) -> None:
        """Nothing: the generator is the caller's."""
