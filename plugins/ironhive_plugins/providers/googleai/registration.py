"""The function that registers Google as a provider. Nothing is contacted here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.contracts import ProviderKind, ProviderRegistration
from ironhive.errors import ConfigurationError
from ironhive.secrets import as_secret
from ironhive_plugins.providers.googleai.factory import DEFAULT_URL, GoogleClientFactory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ironhive.http import StreamBudget
    from ironhive.secrets import Secret

PRIORITY = 60


def googleai(
    *,
    id: str = "googleai",
    api_key: Secret | str | None,
    model: str | None = None,
    priority: int | None = None,
    base_url: str | None = None,
    headers: Mapping[str, str] | None = None,
    budget: StreamBudget | None = None,
    name: str = "googleai",
    aliases: tuple[str, ...] = ("google", "gemini"),
    max_concurrency: int | None = None,
) -> ProviderRegistration:
    """Google AI, or a server that stands in for it.

    ``base_url`` is the server's address; ``/v1beta`` is appended unless a version is in it.

    :raises ConfigurationError: the key is missing or a setting cannot be used.
    """
    from ironhive.http import checked_address  # asyncio and more: only where a provider is really set up

    key = as_secret(api_key)
    if not key:
        raise ConfigurationError(f"provider {id!r} needs an API key; set GOOGLEAI_API_KEY or pass api_key")
    factory = GoogleClientFactory(
        api_key=key,
        model=model,
        base_url=checked_address(base_url, DEFAULT_URL, provider=id),
        name=name,
        headers=tuple((headers or {}).items()),
        budget=budget,
    )
    factory.endpoint()  # what cannot be sent is refused now, not at the first call
    return ProviderRegistration(
        id=id,
        kind=ProviderKind.FRONTIER,
        client_factory=factory,
        priority=PRIORITY if priority is None else priority,
        model=model,
        aliases=aliases,
        list_models=factory.list_models,
        max_concurrency=max_concurrency,
    )
