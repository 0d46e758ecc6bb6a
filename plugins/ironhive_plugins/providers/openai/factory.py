"""What makes a client: settings as plain data, so that equal settings are equal factories."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from ironhive_plugins.providers.openai.presets import Preset, azure_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatClient, ChatOptions
    from ironhive.contracts import CredentialPlacement, ModelInfo
    from ironhive.http import EndpointConfig, StreamBudget, Wire
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
        """The client."""
        return self.client()

    def client(self, *, transport: Any = None) -> ChatClient:
        """The client; ``transport`` stands in for the network in tests."""
        from ironhive.http import Exchange, HttpChatClient

        exchange = Exchange(self.endpoint(), transport=transport)
        chat, responses = self._chat_wire(), self._responses_wire()

        def choose(options: ChatOptions) -> Wire:
            return responses if self.speaks_responses(options.model) else chat

        return HttpChatClient(chat, exchange, model=self.model, choose=choose)

    async def list_models(self, *, transport: Any = None) -> Sequence[ModelInfo]:
        """The models that the server offers, in its own order, with one request.

        :raises ProviderError: it did not answer.
        """
        from ironhive.http import Exchange
        from ironhive_plugins.providers.openai.listing import read_models

        exchange = Exchange(self.endpoint(), transport=transport)
        try:
            return read_models(await exchange.get("/models"), provider=self.name)
        finally:
            await exchange.aclose()

    def speaks_responses(self, model: str | None) -> bool:
        """Whether a call for this model goes over the Responses wire.

        As the settings say; else where the model needs it and the server is one that has it.
        """
        if self.wire is not None:
            return self.wire == "responses"
        from ironhive_plugins.providers.openai.facts import MODELS, host_facts

        has_it = self.preset.section == "azureopenai" or host_facts(self._host_name()).get("responses")
        return bool(has_it) and MODELS.of(model or self.model or "").get("wire") == "responses"

    def endpoint(self) -> EndpointConfig:
        """Where and how requests are sent.

        :raises ConfigurationError: a header, the key or the placement cannot be used.
        """
        from ironhive.http import NO_BUDGET, EndpointConfig, check_headers, connect_seconds, credential_headers

        placement = self.placement or self.preset.placement
        credential_headers(self.api_key, placement)
        check_headers(dict(self.headers), reserved=("Authorization", placement.header))
        return EndpointConfig(
            provider=self.name,
            base_url=self._address(),
            key=self.api_key,
            placement=placement,
            headers=self.headers,
            query=(("api-version", self.api_version),) if self.api_version else (),
            budget=self.budget or NO_BUDGET,
            connect=connect_seconds(self.preset.kind),
        )

    def _chat_wire(self) -> Wire:
        from ironhive_plugins.providers.openai.chat.wire import ChatWire
        from ironhive_plugins.providers.openai.facts import host_facts

        preset = self.preset
        return ChatWire(
            provider=self.name,
            family=f"chat:{self._host()}",
            model=self.model,
            host=host_facts(self._host_name()),
            section=preset.section,
            limit_field=self.token_limit or preset.limit_field,
            think_tags=preset.think_tags if self.think_tags is None else self.think_tags,
            switches=preset.switches,
            samplers=preset.samplers,
            carry_tool_images=self.carry_tool_images,
        )

    def _responses_wire(self) -> Wire:
        from ironhive_plugins.providers.openai.facts import host_facts
        from ironhive_plugins.providers.openai.responses.wire import ResponsesWire

        return ResponsesWire(
            provider=self.name,
            family=f"responses:{self._host()}",
            model=self.model,
            host=host_facts(self._host_name()),
            section=self.preset.section,
        )

    def _host(self) -> str:
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    def _host_name(self) -> str:
        return urlsplit(self.base_url).hostname or ""

    def _address(self) -> str:
        if self.api_version and self.preset.url_rule is azure_url and "/openai" not in self.base_url.lower():
            # the older addresses name the deployment; the newer ones take the model from the body
            if self.wire == "responses":
                return f"{self.base_url.rstrip('/')}/openai"
            return f"{self.base_url.rstrip('/')}/openai/deployments/{self.model}"
        return self.preset.url_rule(self.base_url)
