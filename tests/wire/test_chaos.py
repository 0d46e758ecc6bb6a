"""Every wire against llmock, a server by other people that breaks on demand and judges its client."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.request
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.servers import free_port, server
from tests.wire.conversation import ANSWER, WEATHER

from ironhive.chat import ChatMessage, ChatOptions, FinishReason, JsonFormat, ToolResultContent, aggregate
from ironhive.errors import (
    BadAnswerError,
    ConnectFailedError,
    ContextOverflowError,
    HttpStatusError,
    ProviderError,
    StreamIdleTimeoutError,
    TruncatedStreamError,
)
from ironhive.gateway import Gateway, GatewayOptions, Resilience
from ironhive.http import StreamBudget
from ironhive_plugins.providers.anthropic import anthropic
from ironhive_plugins.providers.googleai import googleai
from ironhive_plugins.providers.openai import openai

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ironhive.chat import ChatClient, ChatResponse
    from ironhive.contracts import ProviderRegistration

WIRES = ["chat", "responses", "anthropic", "gemini"]
BUDGET = StreamBudget(idle_seconds=0.5)
HELLO = [ChatMessage.user("Tell me about the weather in Paris.")]
LLMOCK = [sys.executable, "-c", "from llmock.cli import app; app()"]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    folder = tmp_path_factory.mktemp("llmock")
    command = [*LLMOCK, "serve", "--port", str(port), "--response-style", "varied"]
    with server(command, port=port, path="/v1/models", log=folder / "log") as found:
        yield found


def tell(address: str, path: str, body: Any = None, method: str = "POST") -> Any:
    request = urllib.request.Request(
        f"{address}/_llmock/{path}",
        data=json.dumps(body or {}).encode(),
        method=method,
        headers={"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def script(address: str, *behaviors: dict[str, Any]) -> None:
    tell(address, "reset")
    if behaviors:
        tell(address, "scenario", {"behaviors": list(behaviors)})


def provider(address: str, wire: str) -> ProviderRegistration:
    match wire:
        case "anthropic":
            return anthropic(api_key="sk-1", model="claude-sonnet-4-5", base_url=f"{address}/anthropic", budget=BUDGET)
        case "gemini":
            return googleai(api_key="sk-1", model="gemini-2.5-flash", base_url=f"{address}/gemini", budget=BUDGET)
        case _:
            return openai(api_key="sk-1", model="gpt-4o", base_url=f"{address}/v1", budget=BUDGET, wire=wire)  # type: ignore[arg-type]


async def collect(client: ChatClient, options: ChatOptions | None = None) -> ChatResponse:
    async with aclosing(client.stream(HELLO, options)) as updates:
        return aggregate([update async for update in updates])


@pytest.mark.parametrize("wire", WIRES)
async def test_an_ordinary_answer_streamed_and_not(address: str, wire: str) -> None:
    script(address)
    client = provider(address, wire).client_factory()
    whole, streamed = await client.complete(HELLO), await collect(client)
    for response in (whole, streamed):
        assert response.text
        assert response.finish_reason == FinishReason.STOP
        assert response.usage is not None
        assert response.usage.output_tokens
    await client.aclose()


@pytest.mark.parametrize("wire", WIRES)
async def test_a_tool_is_called_and_its_result_answered(address: str, wire: str) -> None:
    script(address)
    client = provider(address, wire).client_factory()
    options = ChatOptions(tools=(WEATHER,))
    first = await collect(client, options)
    (call,) = first.tool_calls
    assert first.finish_reason == FinishReason.TOOL_CALLS
    assert (call.name, call.error) == ("get_weather", None)
    assert call.arguments is not None
    assert "city" in call.arguments
    history = [*HELLO, *first.messages, ChatMessage.tool(ToolResultContent(call.call_id, call.name, "sunny"))]
    second = await client.complete(history, options)
    assert second.text
    assert second.tool_calls == ()
    await client.aclose()


@pytest.mark.parametrize("wire", ["chat", "responses", "gemini"])  # its Anthropic side knows no structured output
async def test_structured_output_fits_its_schema(address: str, wire: str) -> None:
    script(address)
    client = provider(address, wire).client_factory()
    response = await client.complete(HELLO, ChatOptions(response_format=JsonFormat(ANSWER)))
    assert isinstance(json.loads(response.text)["summary"], str)
    await client.aclose()


@pytest.mark.parametrize("wire", WIRES)
async def test_models_are_listed(address: str, wire: str) -> None:
    script(address)
    registration = provider(address, wire)
    assert registration.list_models is not None
    assert await registration.list_models()


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("disconnect", ConnectFailedError),
        ("truncate", TruncatedStreamError),
        ("malformed", BadAnswerError),
        ("stall", StreamIdleTimeoutError),
    ],
)
async def test_a_stream_that_breaks_is_named(address: str, wire: str, kind: str, error: type[ProviderError]) -> None:
    script(address, {"type": "stream_fault", "kind": kind, "after_chunks": 2, "stall_seconds": 20})
    client = provider(address, wire).client_factory()
    with pytest.raises(error):
        await collect(client)
    await client.aclose()


@pytest.mark.parametrize("wire", WIRES)
async def test_an_overflow_is_recognised(address: str, wire: str) -> None:
    script(address, {"type": "fail", "status": 400, "code": "context_length_exceeded"})
    client = provider(address, wire).client_factory()
    with pytest.raises(HttpStatusError) as caught:
        await client.complete(HELLO)
    if wire in ("chat", "responses"):
        assert isinstance(caught.value, ContextOverflowError)
    await client.aclose()


@pytest.mark.parametrize("wire", WIRES)
async def test_broken_tool_calls_are_never_empty_ones(address: str, wire: str) -> None:
    script(address, {"type": "tool_fault", "kind": "malformed_arguments"})
    client = provider(address, wire).client_factory()
    response = await collect(client, ChatOptions(tools=(WEATHER,)))
    (call,) = response.tool_calls
    assert call.name == "get_weather"
    if wire != "gemini":  # that wire sends objects: there is no text to break
        assert call.arguments is None
        assert call.error is not None
    await client.aclose()


async def ask_until_answered(gateway: Gateway) -> ChatResponse:
    """What a careful caller does: an answer that broke off is asked for again, a little later each time."""
    for pause in (0.05, 0.15, 0.4, 0.9, 1.9):
        try:
            return await collect(gateway)
        except ProviderError:
            await asyncio.sleep(pause)
    return await collect(gateway)


@pytest.mark.parametrize("wire", WIRES)
async def test_the_verdict_finds_no_fault(address: str, wire: str) -> None:
    script(
        address,
        {"type": "fail", "status": 429, "retry_after": 0.3},
        {"type": "fail", "status": 500, "times": 2},
        {"type": "stream_fault", "kind": "disconnect", "after_chunks": 2},
        {"type": "stream_fault", "kind": "truncate", "after_chunks": 2},
        {"type": "stream_fault", "kind": "malformed", "after_chunks": 2},
        {"type": "stream_fault", "kind": "stall", "after_chunks": 2, "stall_seconds": 20},
    )
    options = GatewayOptions(resilience=Resilience(max_retries=3, base_delay_seconds=0.1))
    gateway = Gateway([provider(address, wire)], options=options)
    assert (await ask_until_answered(gateway)).text
    tell(address, "scenario", {"behaviors": [{"type": "fail", "status": 401}]})
    with pytest.raises(HttpStatusError, match="401"):
        await gateway.complete([ChatMessage.user("something else")])
    await gateway.aclose()
    judged = await asyncio.to_thread(
        subprocess.run,
        [*LLMOCK, "report", "--url", address, "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    verdict = json.loads(judged.stdout)
    assert judged.returncode == 0, judged.stdout
    assert verdict["errors"] == 0
    assert verdict["faults_injected"] >= 7
