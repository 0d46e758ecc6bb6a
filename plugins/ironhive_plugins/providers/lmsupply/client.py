"""The chat client over a local model: it is loaded when it is first asked something."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from ironhive.chat import NO_OPTIONS, ClientMetadata, aggregate
from ironhive_plugins.providers.lmsupply.bridge import GeneratorClient
from ironhive_plugins.providers.lmsupply.loading import load_with

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from ironhive.chat import ChatMessage, ChatOptions, ChatResponse, ChatUpdate
    from ironhive_plugins.providers.lmsupply.config import LocalConfig
    from ironhive_plugins.providers.lmsupply.progress import ProgressCallback


class LazyLocalClient:
    """A :class:`ironhive.chat.ChatClient` that loads its model at the first request and unloads it at the end."""

    def __init__(self, config: LocalConfig, progress: ProgressCallback) -> None:
        self._config = config
        self._progress = progress
        self._lock = asyncio.Lock()
        self._bridge: GeneratorClient | None = None

    @property
    def metadata(self) -> ClientMetadata:
        """``LMSupply`` and the model, by the name it was configured with until it is loaded."""
        loaded = self._bridge.metadata.model if self._bridge else None
        return ClientMetadata("LMSupply", model=loaded or self._config.model)

    @property
    def ready(self) -> bool:
        """Whether the model is loaded."""
        return self._bridge is not None

    async def context_length(self) -> int:
        """The model's window in tokens; loads the model."""
        return (await self._loaded()).generator.info.context_length

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions | None = None
    ) -> AsyncGenerator[ChatUpdate, None]:
        """The answer piece by piece. The first request also waits for the model to be fetched and loaded."""
        bridge = await self._loaded()
        async with aclosing(bridge.stream(messages, options or NO_OPTIONS)) as updates:
            async for update in updates:
                yield update

    async def complete(self, messages: Sequence[ChatMessage], options: ChatOptions | None = None) -> ChatResponse:
        """The whole answer."""
        async with aclosing(self.stream(messages, options)) as updates:
            return aggregate([update async for update in updates])

    async def aclose(self) -> None:
        """Unload the model."""
        bridge, self._bridge = self._bridge, None
        if bridge is not None:
            await bridge.generator.aclose()

    async def _loaded(self) -> GeneratorClient:
        async with self._lock:
            if self._bridge is None:
                generator = await load_with(self._config, self._progress)
                self._bridge = GeneratorClient(generator)
            return self._bridge
