"""One client per wire, with a transport in the place of the network."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from tests.wire.replay import PieceTransport

from ironhive.errors import HttpStatusError
from ironhive_plugins.providers.anthropic import anthropic
from ironhive_plugins.providers.googleai import googleai
from ironhive_plugins.providers.openai import openai_compatible

if TYPE_CHECKING:
    from collections.abc import Sequence

    import httpx

    from ironhive.chat import ChatMessage, ChatOptions
    from ironhive.contracts import ProviderRegistration
    from ironhive.http import HttpChatClient

WIRES = ("chat", "responses", "anthropic", "gemini")
KEY = "sk-test-0123456789"


def client_for(wire: str, transport: httpx.AsyncBaseTransport, **more: Any) -> HttpChatClient:
    """A client of this wire. Text is taken as it is: ``<think>`` stays in it unless asked otherwise."""
    match wire:
        case "anthropic":
            made = anthropic(api_key=KEY, model="claude-sonnet-4-5", **more)
        case "gemini":
            made = googleai(api_key=KEY, model="gemini-2.5-flash", **more)
        case _:
            more = {"base_url": "http://server.test/v1", "model": "m", "think_tags": False, "wire": wire, **more}
            made = openai_compatible(api_key=KEY, **more)
    client: HttpChatClient = made.client_factory.client(transport=transport)  # type: ignore[attr-defined]
    return client


async def sent(
    registration: ProviderRegistration,
    messages: Sequence[ChatMessage],
    options: ChatOptions | None = None,
    *,
    stream: bool = False,
) -> Any:
    """The JSON body of the request that a call makes; nobody answers it."""
    return (await request_of(registration, messages, options, stream=stream))[1]


async def request_of(
    registration: ProviderRegistration,
    messages: Sequence[ChatMessage],
    options: ChatOptions | None = None,
    *,
    stream: bool = False,
) -> tuple[httpx.Request, Any]:
    """The request that a call makes, and its JSON body; nobody answers it."""
    transport = PieceTransport([b"{}"], status=400, headers={"content-type": "application/json"})
    client: HttpChatClient = registration.client_factory.client(transport=transport)  # type: ignore[attr-defined]
    asked = anext(client.stream(messages, options)) if stream else client.complete(messages, options)
    with contextlib.suppress(HttpStatusError):
        await asked
    await client.aclose()
    return transport.requests[-1], transport.sent
