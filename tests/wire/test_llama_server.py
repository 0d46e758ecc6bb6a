"""The Chat Completions wire against llama-cpp-python's own server with a real model."""

from __future__ import annotations

import sys
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest
from tests.support.servers import free_port, server
from tests.wire.conversation import WEATHER

from ironhive.chat import ChatMessage, ChatOptions, FinishReason, RequireTool, ToolResultContent, aggregate
from ironhive.errors import ContextOverflowError
from ironhive_plugins.providers.openai import openai_compatible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ironhive.contracts import ProviderRegistration

pytestmark = pytest.mark.local

CAPITAL = [ChatMessage.user("What is the capital of France? Answer with one word.")]


@pytest.fixture(scope="module")
def registration(model_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProviderRegistration]:
    port = free_port()
    command = [
        *(sys.executable, "-m", "llama_cpp.server", "--model", str(model_file), "--host", "127.0.0.1"),
        *("--port", str(port), "--n_ctx", "1024", "--chat_format", "chatml-function-calling", "--seed", "1"),
    ]
    with server(command, port=port, path="/v1/models", log=tmp_path_factory.mktemp("llama") / "log") as address:
        yield openai_compatible(base_url=address, model="smollm2")


async def test_text_streamed_and_not(registration: ProviderRegistration) -> None:
    client = registration.client_factory()
    options = ChatOptions(temperature=0.0, max_output_tokens=30)
    whole = await client.complete(CAPITAL, options)
    async with aclosing(client.stream(CAPITAL, options)) as updates:
        pieces = [update async for update in updates]
    streamed = aggregate(pieces)
    assert "Paris" in whole.text
    assert streamed.text == whole.text
    assert len([piece for piece in pieces if piece.text]) > 1
    assert whole.finish_reason == streamed.finish_reason
    assert whole.usage is not None
    assert whole.usage.output_tokens
    await client.aclose()


async def test_a_tool_call_streamed_and_not_and_its_result(registration: ProviderRegistration) -> None:
    client = registration.client_factory()
    options = ChatOptions(
        temperature=0.0, max_output_tokens=100, tools=(WEATHER,), tool_mode=RequireTool("get_weather")
    )
    question = [ChatMessage.user("How is the weather in Paris?")]
    whole = await client.complete(question, options)
    async with aclosing(client.stream(question, options)) as updates:
        streamed = aggregate([update async for update in updates])
    for response in (whole, streamed):
        (call,) = response.tool_calls
        assert (call.name, call.error) == ("get_weather", None)
        assert call.call_id
        assert response.finish_reason == FinishReason.TOOL_CALLS
    (call,) = whole.tool_calls
    result = ChatMessage.tool(ToolResultContent(call.call_id, call.name, "sunny, 21 degrees"))
    answer = await client.complete(
        [*question, *whole.messages, result], ChatOptions(temperature=0.0, max_output_tokens=40)
    )
    assert answer.text
    await client.aclose()


async def test_a_prompt_that_does_not_fit_is_recognised(registration: ProviderRegistration) -> None:
    client = registration.client_factory()
    with pytest.raises(ContextOverflowError) as caught:
        await client.complete([ChatMessage.user("word " * 3000)])
    assert caught.value.context_window == 1024
    await client.aclose()


async def test_the_model_is_listed(registration: ProviderRegistration) -> None:
    assert registration.list_models is not None
    assert len(await registration.list_models()) == 1
