"""Every wire passes the suite that strangers' providers are held to."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from tests.wire.clients import KEY
from tests.wire.loopback import Connection, serving

from ironhive.testing import ProviderConformance
from ironhive_plugins.providers.anthropic import anthropic
from ironhive_plugins.providers.googleai import googleai
from ironhive_plugins.providers.openai import openai

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ironhive.contracts import ProviderRegistration

WORDS = ("Hello", " there", ".")


def events(*payloads: Any) -> bytes:
    return b"".join(b"data: %s\n\n" % json.dumps(payload).encode() for payload in payloads)


class WireConformance(ProviderConformance):
    """One wire, against a server that says the same three words in it."""

    __test__ = False
    secret: ClassVar[str | None] = KEY
    whole: ClassVar[Any]
    streamed: ClassVar[bytes]

    def registration(self, url: str) -> ProviderRegistration:
        raise NotImplementedError

    @asynccontextmanager
    async def provider(self) -> AsyncIterator[ProviderRegistration]:
        async def answer(connection: Connection) -> None:
            request = connection.request
            if request.json.get("stream") or "stream" in request.path:
                await connection.stream(self.streamed)
            else:
                await connection.whole(json.dumps(self.whole).encode())

        async with serving(answer) as server:
            yield self.registration(server.url)

    @asynccontextmanager
    async def refusing(self) -> AsyncIterator[ProviderRegistration]:
        async def refuse(connection: Connection) -> None:
            error = {"type": "error", "error": {"message": f"wrong key {KEY}", "type": "authentication_error"}}
            await connection.whole(json.dumps(error).encode(), status=401)

        async with serving(refuse) as server:
            yield self.registration(server.url)


class TestResponses(WireConformance):
    __test__ = True
    whole: ClassVar[Any] = {
        "id": "r",
        "status": "completed",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "".join(WORDS)}]}],
    }
    streamed = events(
        *[{"type": "response.output_text.delta", "output_index": 0, "delta": word} for word in WORDS],
        {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}},
    )

    def registration(self, url: str) -> ProviderRegistration:
        return openai(api_key=KEY, model="gpt-5.2", base_url=f"{url}/v1", wire="responses")


class TestAnthropic(WireConformance):
    __test__ = True
    whole: ClassVar[Any] = {
        "type": "message",
        "id": "m",
        "content": [{"type": "text", "text": "".join(WORDS)}],
        "stop_reason": "end_turn",
    }
    streamed = events(
        {"type": "message_start", "message": {"id": "m"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *[{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}} for word in WORDS],
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    )

    def registration(self, url: str) -> ProviderRegistration:
        return anthropic(api_key=KEY, model="claude-sonnet-4-5", base_url=url)


class TestGoogle(WireConformance):
    __test__ = True
    whole: ClassVar[Any] = {"candidates": [{"content": {"parts": [{"text": "".join(WORDS)}]}, "finishReason": "STOP"}]}
    streamed = events(
        *[{"candidates": [{"content": {"parts": [{"text": word}]}}]} for word in WORDS],
        {"candidates": [{"finishReason": "STOP"}]},
    )

    def registration(self, url: str) -> ProviderRegistration:
        return googleai(api_key=KEY, model="gemini-2.5-flash", base_url=url)
