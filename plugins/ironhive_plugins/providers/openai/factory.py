"""What makes a client: settings as plain data, so that equal settings are equal factories."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ironhive_plugins.providers.openai.presets import Preset, azure_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatClient
    from ironhive.contracts import CredentialPlacement, ModelInfo
    from ironhive.http import EndpointConfig, StreamBudget
    from ironhive.secrets import Secret

WireName = Literal["chat", "responses"]


@dataclass(frozen=True, slots=True)
class OpenAIClientFactory:
    """Makes the client of one server.

    ``name`` is how errors call the provider. ``wire`` None lets the model decide. ``token_limit`` None takes the
    preset's body field for the limit of new tokens. ``api_version`` is Azure's, for its older addresses.
    """

    preset: Preset
    name: str
    base_url: str
    api_key: Secret | None = None
    model: str | None = None
    placement: CredentialPlacement | None = None
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    budget: StreamBudget | None = None
    carry_tool_images: bool = False
    think_tags: bool | None = None
    token_limit: str | None = None
    wire: WireName | None = None
    api_version: str | None = None

    def __call__(self) -> ChatClient:
        from ironhive_plugins.providers.openai.client import open_client

        return open_client(self)

    async def list_models(self) -> Sequence[ModelInfo]:
        """The models that the server offers, in its own order.

        :raises ProviderError: it did not answer.
        """
        from ironhive_plugins.providers.openai.client import list_models

        return await list_models(self)

    def endpoint(self) -> EndpointConfig:
        """Where and how requests are sent.

        :raises ConfigurationError: a header, the key or the placement cannot be used.
        """
        from ironhive.http import BEARER, NO_BUDGET, EndpointConfig, check_headers, check_placement, connect_seconds

        placement = self.placement or self.preset.placement
        check_placement(placement)
        check_headers(dict(self.headers), reserved=("Authorization", placement.header))
        return EndpointConfig(
            provider=self.name,
            base_url=self._address(),
            key=self.api_key,
            placement=placement or BEARER,
            headers=self.headers,
            query=(("api-version", self.api_version),) if self.api_version else (),
            budget=self.budget or NO_BUDGET,
            connect=connect_seconds(self.preset.kind),
        )

    def _address(self) -> str:
        if self.api_version and self.preset.url_rule is azure_url and "/openai" not in self.base_url.lower():
            # the older addresses name the deployment; the newer ones take the model from the body
            if self.wire == "responses":
                return f"{self.base_url.rstrip('/')}/openai"
            return f"{self.base_url.rstrip('/')}/openai/deployments/{self.model}"
        return self.preset.url_rule(self.base_url)
