"""The client of one server, made from its factory's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ironhive.http import Exchange, HttpChatClient
from ironhive_plugins.providers.openai.chat.wire import ChatWire
from ironhive_plugins.providers.openai.facts import MODELS, host_facts
from ironhive_plugins.providers.openai.listing import read_models
from ironhive_plugins.providers.openai.responses.wire import ResponsesWire

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatOptions
    from ironhive.contracts import ModelInfo
    from ironhive_plugins.providers.openai.factory import OpenAIClientFactory


def open_client(factory: OpenAIClientFactory, *, transport: Any = None) -> HttpChatClient:
    """A client for the server. ``transport`` stands in for the network in tests."""
    exchange = Exchange(factory.endpoint(), transport=transport)
    chat, responses = chat_wire(factory), responses_wire(factory)

    def choose(options: ChatOptions) -> ChatWire | ResponsesWire:
        return responses if speaks_responses(factory, options.model) else chat

    return HttpChatClient(chat, exchange, model=factory.model, choose=choose)


def speaks_responses(factory: OpenAIClientFactory, model: str | None) -> bool:
    """Whether a call for this model goes over the Responses wire: as the settings say, else where the model needs it
    and the server is one that has it."""
    if factory.wire is not None:
        return factory.wire == "responses"
    has_it = factory.preset.section == "azureopenai" or host_facts(_host(factory).partition(":")[0]).get("responses")
    return bool(has_it) and MODELS.of(model or factory.model or "").get("wire") == "responses"


def chat_wire(factory: OpenAIClientFactory) -> ChatWire:
    """The Chat Completions wire of the server."""
    preset, host = factory.preset, _host(factory)
    return ChatWire(
        provider=factory.name,
        family=f"chat:{host}",
        model=factory.model,
        host=host_facts(host.partition(":")[0]),
        section=preset.section,
        token_limit=factory.token_limit or preset.token_limit,
        think_tags=preset.think_tags if factory.think_tags is None else factory.think_tags,
        switches=preset.switches,
        samplers=preset.samplers,
        carry_tool_images=factory.carry_tool_images,
    )


def responses_wire(factory: OpenAIClientFactory) -> ResponsesWire:
    """The Responses wire of the server."""
    host = _host(factory)
    return ResponsesWire(
        provider=factory.name,
        family=f"responses:{host}",
        model=factory.model,
        host=host_facts(host.partition(":")[0]),
        section=factory.preset.section,
    )


def _host(factory: OpenAIClientFactory) -> str:
    return urlsplit(factory.base_url).netloc.rpartition("@")[2]


async def list_models(factory: OpenAIClientFactory, *, transport: Any = None) -> Sequence[ModelInfo]:
    """The models that the server offers, with one request.

    :raises ProviderError: it did not answer.
    """
    exchange = Exchange(factory.endpoint(), transport=transport)
    try:
        return read_models(await exchange.get("/models"), provider=factory.name)
    finally:
        await exchange.aclose()
