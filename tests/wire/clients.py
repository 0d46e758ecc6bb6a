"""One client per wire, with a transport in the place of the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive_plugins.providers.anthropic import anthropic
from ironhive_plugins.providers.googleai import googleai
from ironhive_plugins.providers.openai import openai_compatible

if TYPE_CHECKING:
    import httpx

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
