"""The provider's registration in a gateway."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ironhive.contracts import ModelInfo, ProviderKind, ProviderRegistration
from ironhive_plugins.providers.lmsupply.config import LocalConfig

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatClient
    from ironhive_plugins.providers.lmsupply.progress import ProgressCallback

PRIORITY = 10
"""The lowest of the built-in providers: what was configured on purpose comes first."""
ALIASES = ("local",)


@dataclass(frozen=True, slots=True)
class LazyFactory:
    """Makes the client without touching a model. Equal settings make equal factories."""

    config: LocalConfig
    progress: ProgressCallback | None = field(default=None, compare=False)

    def __call__(self) -> ChatClient:
        from ironhive_plugins.providers.lmsupply.client import LazyLocalClient
        from ironhive_plugins.providers.lmsupply.progress import TerminalProgress
        from ironhive_plugins.providers.lmsupply.safety import LocalSafetyOptions, SafeClient

        client = LazyLocalClient(self.config, self.progress or TerminalProgress())
        return SafeClient(client, None, LocalSafetyOptions(default_max_output_tokens=self.config.max_output_tokens))


def lazy_registration(config: LocalConfig, *, id: str, priority: int | None = None) -> ProviderRegistration:  # noqa: A002
    """A registration whose model is found, fetched and loaded at the first request."""
    return ProviderRegistration(
        id=id,
        kind=ProviderKind.LOCAL,
        client_factory=LazyFactory(config),
        priority=PRIORITY if priority is None else priority,
        model=config.model,
        aliases=ALIASES,
        needs_download=lambda: needs_download(config),
        list_models=lambda: list_models(config, provider=id),
    )


def needs_download(config: LocalConfig) -> bool:
    """Whether the first request would have to fetch a model."""
    from ironhive_plugins.providers.lmsupply.resolve import best_here, find_here

    return (best_here(config) if config.auto else find_here(config, config.model)) is None


async def list_models(config: LocalConfig, *, provider: str) -> Sequence[ModelInfo]:
    """The models on this machine, then the catalogue's that are not."""
    from ironhive_plugins.providers.lmsupply.listing import listed

    return await asyncio.to_thread(listed, config, provider)
