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

DEFAULT_URL = "https://generativelanguage.googleapis.com"
KEY_HEADER = "x-goog-api-key"
_VERSION = re.compile(r"/v\d+[a-z0-9]*(?:/|$)")


@dataclass(frozen=True, slots=True)
class GoogleClientFactory:
    """Makes the client. ``name`` is how errors call the provider."""

    api_key: Secret
    model: str | None = None
    base_url: str = DEFAULT_URL
    name: str = "googleai"
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    budget: StreamBudget | None = None

    def __call__(self) -> ChatClient:
        """The client."""
        return self.client()

    def client(self, *, transport: Any = None) -> ChatClient:
        """The client; ``transport`` stands in for the network in tests."""
        from ironhive.http import HttpChatClient
        from ironhive_plugins.providers.googleai.wire import GoogleWire

        wire = GoogleWire(provider=self.name, model=self.model)
        return HttpChatClient(wire, self._exchange(transport), model=self.model)

    async def list_models(self, *, transport: Any = None) -> Sequence[ModelInfo]:
        """The models on offer, in the provider's own order, with one request.

        :raises ProviderError: it did not answer.
        """
        from ironhive_plugins.providers.googleai.listing import read_models

        exchange = self._exchange(transport)
        try:
            return read_models(await exchange.get("/models?pageSize=1000"), provider=self.name)
        finally:
            await exchange.aclose()

    def endpoint(self) -> EndpointConfig:
        """Where and how requests are sent.

        :raises ConfigurationError: a header or the key cannot be used.
        """
        from ironhive.http import NO_BUDGET, EndpointConfig, check_headers, connect_seconds, credential_headers

        placement = CredentialPlacement.in_header(KEY_HEADER)
        check_headers(dict(self.headers), reserved=(KEY_HEADER,))
        credential_headers(self.api_key, placement)
        address = self.base_url.rstrip("/")
        return EndpointConfig(
            provider=self.name,
            base_url=address if _VERSION.search(address.partition("://")[2]) else f"{address}/v1beta",
            key=self.api_key,
            placement=placement,
            headers=self.headers,
            budget=self.budget or NO_BUDGET,
            connect=connect_seconds(ProviderKind.FRONTIER),
        )

    def _exchange(self, transport: Any) -> Exchange:
        from ironhive.http import Exchange

        return Exchange(self.endpoint(), transport=transport)
