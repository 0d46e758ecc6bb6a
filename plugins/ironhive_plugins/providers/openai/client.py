"""The client of one server, made from its factory's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ironhive.http import Exchange, HttpChatClient
from ironhive_plugins.providers.openai.chat.wire import ChatWire
from ironhive_plugins.providers.openai.facts import host_facts
from ironhive_plugins.providers.openai.listing import read_models

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.contracts import ModelInfo
    from ironhive_plugins.providers.openai.factory import OpenAIClientFactory


def open_client(factory: OpenAIClientFactory, *, transport: Any = None) -> HttpChatClient:
    """A client for the server. ``transport`` stands in for the network in tests."""
    exchange = Exchange(factory.endpoint(), transport=transport)
    return HttpChatClient(chat_wire(factory), exchange, model=factory.model)


def chat_wire(factory: OpenAIClientFactory) -> ChatWire:
    """The Chat Completions wire of the server."""
    preset = factory.preset
    host = urlsplit(factory.base_url).netloc.rpartition("@")[2]
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


async def list_models(factory: OpenAIClientFactory, *, transport: Any = None) -> Sequence[ModelInfo]:
    """The models that the server offers, with one request.

    :raises ProviderError: it did not answer.
    """
    exchange = Exchange(factory.endpoint(), transport=transport)
    try:
        return read_models(await exchange.get("/models"), provider=factory.name)
    finally:
        await exchange.aclose()
