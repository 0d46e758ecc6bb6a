"""Providers: what can answer, and in which order it is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from ironhive.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from ironhive.chat import ChatClient, ChatMessage, ChatOptions


class ProviderKind(StrEnum):
    """Where a provider runs, from least to most trusted with the user's data."""

    FRONTIER = "frontier"
    LAN = "lan"
    LOCAL = "local"


class ClientFactory(Protocol):
    """Makes the raw client of a provider, without contacting anything.

    Two factories that compare equal make equal clients; a factory that is a frozen dataclass of its settings gives
    that for nothing, and lets a multi-tenant gateway reuse clients.
    """

    def __call__(self) -> ChatClient:
        """Make the client."""
        ...


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model a provider offers. Prices are USD per million tokens; ``size_bytes`` is the size on disk."""

    id: str
    provider: str = ""
    name: str | None = None
    context_window: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    size_bytes: int | None = None
    path: str | None = None
    installed: bool | None = None
    fits: bool | None = None


ModelLister = Callable[[], "Awaitable[Sequence[ModelInfo]]"]
"""Asks a provider once which models it has, in its own order. Failures raise."""


@dataclass(frozen=True, slots=True)
class ProviderRegistration:
    """One provider of a gateway.

    :param id: unique in its gateway, compared exactly.
    :param kind: where it runs; bounds fallback, see :mod:`ironhive.gateway.policy`.
    :param client_factory: makes the client, once per gateway, at first use.
    :param priority: higher is asked first; equal ones in the order of registration.
    :param model: the model used when options name none; shown to people.
    :param aliases: further names that a person may use for it, for example ``claude``.
    :param needs_download: asked before a fallback to this provider: True means that using it would first download a
        model, which a fallback never does.
    :param list_models: lists the models, None where the provider cannot.
    :param max_concurrency: how many calls may run at once; None is no limit.
    :raises ConfigurationError: the id is blank or the factory cannot be called.
    """

    id: str
    kind: ProviderKind
    client_factory: ClientFactory
    priority: int = 0
    model: str | None = None
    aliases: tuple[str, ...] = ()
    needs_download: Callable[[], bool] | None = field(default=None, compare=False)
    list_models: ModelLister | None = field(default=None, compare=False)
    max_concurrency: int | None = None

    def __post_init__(self) -> None:
        if not self.id.strip():
            message = "a provider registration needs an id that is not blank"
            raise ConfigurationError(message)
        factory: Any = self.client_factory  # callers may be untyped
        if not callable(factory):
            message = f"provider {self.id!r}: client_factory must be callable and return a chat client"
            raise ConfigurationError(message)
        if self.max_concurrency is not None and self.max_concurrency < 1:
            message = f"provider {self.id!r}: max_concurrency must be at least 1"
            raise ConfigurationError(message)


@dataclass(frozen=True, slots=True)
class NotConfigured:
    """A provider that is installed and cannot be used as it is set up.

    ``reason`` says what is missing and how to set it, for example ``set OPENAI_API_KEY and OPENAI_MODEL``.
    """

    name: str
    reason: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SelectionContext:
    """What a selector sees: the conversation, the options, and the candidates in priority order."""

    messages: Sequence[ChatMessage]
    options: ChatOptions
    candidates: Sequence[ProviderRegistration]


ProviderSelector = Callable[[SelectionContext], Sequence[ProviderRegistration]]
"""Orders the candidates of one call, and may leave some out. Health memory is applied afterwards."""
