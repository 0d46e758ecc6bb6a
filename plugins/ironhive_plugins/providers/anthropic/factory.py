"""What makes a client: settings as plain data, so that equal settings are equal factories."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ironhive.contracts import CredentialPlacement, ProviderKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatClient
    from ironhive.contracts import ModelInfo
    from ironhive.http import EndpointConfig, Exchange, StreamBudget
    from ironhive.secrets import Secret

DEFAULT_URL = "https://api.anthropic.com"
KEY_HEADER = "x-api-key"


@dataclass(frozen=True, slots=True)
class AnthropicClientFactory:
    """Makes the client. ``name`` is how errors call the provider."""

    api_key: Secret
    model: str | None = None
    base_url: str = DEFAULT_URL
    name: str = "anthropic"
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    budget: StreamBudget | None = None
    prompt_caching: bool = True

    def __call__(self) -> ChatClient:
        """The client."""
        return self.client()

    def client(self, *, transport: Any = None) -> ChatClient:
        """The client; ``transport`` stands in for the network in tests."""
        from ironhive.http import HttpChatClient
        from ironhive_plugins.providers.anthropic.wire import AnthropicWire

        wire = AnthropicWire(provider=self.name, model=self.model, prompt_caching=self.prompt_caching)
        return HttpChatClient(wire, self._exchange(transport), model=self.model)

    async def list_models(self, *, transport: Any = None) -> Sequence[ModelInfo]:
        """The models on offer, in the provider's own order, with one request.

        :raises ProviderError: it did not answer.
        """
        from ironhive_plugins.providers.anthropic.listing import read_models

        exchange = self._exchange(transport)
        try:
            return read_models(await exchange.get("/v1/models?limit=1000"), provider=self.name)
        finally:
            await exchange.aclose()

    def endpoint(self) -> EndpointConfig:
        """Where and how requests are sent.

        :raises ConfigurationError: a header or the key cannot be used.
        """
        from ironhive.http import NO_BUDGET, EndpointConfig, check_headers, connect_seconds, credential_headers

        placement = CredentialPlacement.in_header(KEY_HEADER)
        check_headers(dict(self.headers), reserved=(KEY_HEADER, "Authorization"))
        credential_headers(self.api_key, placement)
        return EndpointConfig(
            provider=self.name,
            base_url=re.sub(r"/v1$", "", self.base_url.rstrip("/")),
            key=self.api_key,
            placement=placement,
            headers=(("anthropic-version", "2023-06-01"), *self.headers),
            budget=self.budget or NO_BUDGET,
            connect=connect_seconds(ProviderKind.FRONTIER),
        )

    def _exchange(self, transport: Any) -> Exchange:
        from ironhive.http import Exchange

        return Exchange(self.endpoint(), transport=transport)
