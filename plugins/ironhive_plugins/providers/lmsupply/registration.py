"""The provider's registration in a gateway."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ironhive.contracts import ModelInfo, ProviderKind, ProviderRegistration
from ironhive.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatClient
    from ironhive.contracts import Generator
    from ironhive_plugins.providers.lmsupply.config import LocalConfig
    from ironhive_plugins.providers.lmsupply.progress import ProgressCallback
    from ironhive_plugins.providers.lmsupply.safety import LocalSafetyOptions, ReadinessProbe, SafeClient

PRIORITY = 10
"""The lowest of the built-in providers: what was configured on purpose comes first."""
ALIASES = ("local",)


@dataclass(frozen=True, slots=True)
class LazyFactory:
    """Makes the client without touching a model. Equal settings make equal factories."""

    config: LocalConfig
    progress: ProgressCallback | None = field(default=None, compare=False)

    def __call__(self) -> ChatClient:
        """A client that loads its model at its first request."""
        from ironhive_plugins.providers.lmsupply.client import LazyLocalClient
        from ironhive_plugins.providers.lmsupply.progress import TerminalProgress
        from ironhive_plugins.providers.lmsupply.safety import LocalSafetyOptions, SafeClient

        client = LazyLocalClient(self.config, self.progress or TerminalProgress())
        return SafeClient(client, None, LocalSafetyOptions(default_max_output_tokens=self.config.max_output_tokens))


def lazy_registration(config: LocalConfig, *, id: str, priority: int | None = None) -> ProviderRegistration:
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


def local(
    generator: Generator | None = None,
    *,
    id: str,
    priority: int = PRIORITY,
    probe: ReadinessProbe | None = None,
    options: LocalSafetyOptions | None = None,
    client: ChatClient | None = None,
) -> ProviderRegistration:
    """A registration for a model that the caller has loaded, and goes on owning.

    :param generator: what :func:`~ironhive_plugins.providers.lmsupply.load` returned.
    :param client: a chat client to use as it is, instead of a generator.
    :param probe: asked before every call whether the model is ready, and which ids a call may name.
    :raises ConfigurationError: neither or both of generator and client are given.
    """
    made = local_safe_client(generator, probe=probe, options=options, client=client)
    metadata = made.metadata
    return ProviderRegistration(
        id=id,
        kind=ProviderKind.LOCAL,
        client_factory=Ready(made),
        priority=priority,
        model=metadata.model if metadata else None,
        aliases=ALIASES,
    )


def local_safe_client(
    generator: Generator | None = None,
    *,
    probe: ReadinessProbe | None = None,
    options: LocalSafetyOptions | None = None,
    client: ChatClient | None = None,
) -> SafeClient:
    """One local model as a chat client, bounded and checked, without a gateway: no guard, no fallback, no retry.

    Parameters and errors as for :func:`local`. Closing the client does not unload the model.
    """
    from ironhive_plugins.providers.lmsupply.bridge import GeneratorClient
    from ironhive_plugins.providers.lmsupply.safety import LocalSafetyOptions, SafeClient

    if generator is not None and client is None:
        client = GeneratorClient(generator)
    elif generator is not None or client is None:
        message = "a local client needs either a generator or a chat client, not both and not neither"
        raise ConfigurationError(message)
    return SafeClient(client, probe, options or LocalSafetyOptions())


@dataclass(frozen=True, slots=True)
class Ready:
    """A factory of a client that is there already."""

    client: ChatClient

    def __call__(self) -> ChatClient:
        """The client."""
        return self.client


def needs_download(config: LocalConfig) -> bool:
    """Whether the first request would have to fetch a model."""
    from ironhive_plugins.providers.lmsupply.resolve import best_here, find_here

    return (best_here(config) if config.auto else find_here(config, config.model)) is None


async def list_models(config: LocalConfig, *, provider: str) -> Sequence[ModelInfo]:
    """The models on this machine, then the catalogue's that are not."""
    from ironhive_plugins.providers.lmsupply.listing import listed

    return await asyncio.to_thread(listed, config, provider)
