"""What the gateway costs: CPU per call and per streamed chunk, against bare httpx and other routers; memory per stream.

Run by hand: ``python -m tests.bench.bench_gateway``. All contenders run in one process, in turns, against one loopback
server in a process of its own; figures are medians of CPU time. LiteLLM, pydantic-ai and the openai SDK take part where
they are installed. Exits 1 when a limit is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib.util
import json
import logging
import os
import sys
import tracemalloc
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Any

import httpx
from tests.bench.common import Contender, against_first, calibration, in_turns, table
from tests.bench.server import running

from ironhive.chat import ChatMessage
from ironhive.contracts import Verdict
from ironhive.errors import HttpStatusError
from ironhive.gateway import Gateway, GatewayOptions
from ironhive.testing import ManualClock, scripted
from ironhive_plugins.providers.openai import openai_compatible

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

    from ironhive.chat import ChatClient, ChatResponse, ChatUpdate
    from ironhive.contracts import ProviderRegistration, Scanner

EVENTS, PER_WRITE = 500, 10
QUESTION = [ChatMessage.user("hello")]
PLAIN = [{"role": "user", "content": "hello"}]
BARE, OURS = "bare httpx and json", "Gateway, two providers, no guard"
CALL_LIMIT, CHUNK_LIMIT = 1.25, 1.2
STREAMS = 1_000


class PassAll:
    """A guard that objects to nothing, with and without a scanner."""

    async def inspect_input(self, messages: Sequence[ChatMessage]) -> Verdict:
        return Verdict.allow()

    async def inspect_output(self, response: ChatResponse) -> Verdict:
        return Verdict.allow()


class PassAllScanner(PassAll):
    def open_scanner(self) -> Scanner:
        return _Silent()


class _Silent:
    async def feed(self, text: str) -> Verdict:
        return Verdict.allow()

    async def finish(self) -> Verdict:
        return Verdict.allow()


def providers(url: str) -> list[ProviderRegistration]:
    """The same server twice: two providers."""
    return [
        openai_compatible(id=name, base_url=url, model="m", priority=priority, think_tags=False)
        for name, priority in (("a", 2), ("b", 1))
    ]


def gateways(url: str) -> dict[str, Gateway]:
    hold = GatewayOptions(stream_guard="hold")
    return {
        OURS: Gateway(providers(url)),
        "Gateway, guard at the end": Gateway(providers(url), guard=PassAll()),
        "Gateway, guard that holds": Gateway(providers(url), guard=PassAllScanner(), options=hold),
    }


async def bare_call(client: httpx.AsyncClient, url: str) -> int:
    """The least that anybody does."""
    response = await client.post(f"{url}/chat/completions", json={"model": "m", "messages": PLAIN})
    return len(json.loads(response.content)["choices"][0]["message"]["content"])


async def bare_stream(client: httpx.AsyncClient, url: str) -> int:
    """The least that anybody does: lines, JSON, the text."""
    count = 0
    body = {"model": "m", "messages": PLAIN, "stream": True}
    async with client.stream("POST", f"{url}/chat/completions", json=body) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                count += bool(json.loads(line[6:])["choices"][0]["delta"].get("content"))
    return count


async def call(client: ChatClient) -> int:
    return len((await client.complete(QUESTION)).text)


async def stream(client: ChatClient) -> int:
    count = 0
    async with aclosing(client.stream(QUESTION)) as updates:
        async for update in updates:
            count += bool(update.text)
    return count


def others(url: str) -> list[tuple[str, Callable[[], Awaitable[object]], Callable[[], Awaitable[object]]]]:
    """The routers of others that are installed: name, one call, one stream."""
    found = []
    if importlib.util.find_spec("openai"):
        found.append(_openai(url))
    if importlib.util.find_spec("pydantic_ai"):
        found.append(_pydantic_ai(url))
    if importlib.util.find_spec("litellm"):
        found.append(_litellm(url))
    return found


def _openai(url: str) -> Any:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=url, api_key="k", max_retries=0)

    async def one() -> object:
        return (await client.chat.completions.create(model="m", messages=PLAIN)).choices[0].message.content

    async def chunks() -> int:
        count = 0
        async for chunk in await client.chat.completions.create(model="m", messages=PLAIN, stream=True):
            count += bool(chunk.choices[0].delta.content)
        return count

    return "openai SDK", one, chunks


def _pydantic_ai(url: str) -> Any:
    from pydantic_ai.direct import model_request, model_request_stream
    from pydantic_ai.messages import ModelRequest
    from pydantic_ai.models.fallback import FallbackModel
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=url, api_key="k")
    model = FallbackModel(OpenAIChatModel("m", provider=provider), OpenAIChatModel("m", provider=provider))
    question = [ModelRequest.user_text_prompt("hello")]

    async def one() -> object:
        return (await model_request(model, question)).parts

    async def chunks() -> int:
        count = 0
        async with model_request_stream(model, question) as events:
            async for _ in events:
                count += 1
        return count

    return "pydantic-ai FallbackModel", one, chunks


def _litellm(url: str) -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it asks the internet when it is imported
    import litellm

    litellm.suppress_debug_info = True
    logging.getLogger("LiteLLM").setLevel(logging.ERROR)
    settings = {"model": "openai/m", "api_base": url, "api_key": "k"}
    router = litellm.Router([{"model_name": name, "litellm_params": settings} for name in ("m", "n")], num_retries=0)

    async def one() -> object:
        return (await router.acompletion(model="m", messages=PLAIN)).choices[0].message.content

    async def chunks() -> int:
        count = 0
        async for chunk in await router.acompletion(model="m", messages=PLAIN, stream=True):
            count += bool(chunk.choices[0].delta.content)
        return count

    return "LiteLLM Router", one, chunks


async def compare(url: str, rounds: int) -> tuple[list[Contender], list[Contender]]:
    """Calls and streams of everybody, measured."""
    async with httpx.AsyncClient(timeout=None) as bare, AsyncExitStack() as stack:
        calls = [Contender(BARE, lambda: bare_call(bare, url))]
        streams = [Contender(BARE, lambda: bare_stream(bare, url))]
        for name, gateway in gateways(url).items():
            await stack.enter_async_context(gateway)
            calls.append(Contender(name, lambda gateway=gateway: call(gateway)))
            streams.append(Contender(name, lambda gateway=gateway: stream(gateway)))
        for name, one, chunks in others(url):
            calls.append(Contender(name, one))
            streams.append(Contender(name, chunks))
        await in_turns(calls, rounds=rounds, times=30)
        await in_turns(streams, rounds=rounds, times=2)
    return calls, streams


async def dead_first_provider(calls: int = 2000) -> tuple[float, float]:
    """CPU microseconds per call with one good provider, and with a cooling one in front of it."""
    results = []
    for dead in (False, True):
        clock = ManualClock()
        first, client = scripted("dead", HttpStatusError("down", status=500), priority=2)
        good, _ = scripted("good", "hello")
        gateway = Gateway([first, good] if dead else [good], clock=clock)
        for _ in range(3):
            await gateway.complete(QUESTION)
        asked = len(client.calls)
        contender = Contender("", lambda gateway=gateway: gateway.complete(QUESTION))
        await in_turns([contender], rounds=5, times=calls)
        assert len(client.calls) == asked  # it costs no request
        results.append(contender.median * 1e6)
    return results[0], results[1]


async def memory(open_streams: Callable[[], AsyncGenerator[ChatUpdate, None]], pulls: tuple[int, int]) -> list[float]:
    """Kilobytes per open stream after so many updates of each of ``STREAMS`` streams."""
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    opened = [open_streams() for _ in range(STREAMS)]
    found, pulled = [], 0
    for pull in pulls:
        await asyncio.gather(*(_pull(item, pull - pulled) for item in opened))
        pulled = pull
        gc.collect()
        found.append((tracemalloc.get_traced_memory()[0] - before) / STREAMS / 1024)
    await asyncio.gather(*(item.aclose() for item in opened))
    return found


async def _pull(updates: AsyncGenerator[ChatUpdate, None], count: int) -> None:
    for _ in range(count):
        await anext(updates)


async def bare_updates(client: httpx.AsyncClient, url: str) -> AsyncGenerator[Any, None]:
    body = {"model": "m", "messages": PLAIN, "stream": True}
    async with client.stream("POST", f"{url}/chat/completions", json=body) as response:
        async for line in response.aiter_lines():
            if line:
                yield line


async def memories(url: str) -> list[list[str]]:
    """Rows of name and kilobytes per stream, at the beginning and far into the answer."""
    pulls = (5, 400)
    tracemalloc.start()
    unlimited = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(timeout=None, limits=unlimited) as bare:
        rows = [["bare httpx", *await memory(lambda: bare_updates(bare, url), pulls)]]
    for name, gateway in gateways(url).items():
        async with gateway:
            rows.append([name, *await memory(lambda gateway=gateway: gateway.stream(QUESTION), pulls)])
    tracemalloc.stop()
    return [[row[0], *(f"{value:,.1f}" for value in row[1:])] for row in rows]


def missed(calls: list[Contender], streams: list[Contender]) -> list[str]:
    """The limits that were not kept."""
    found = []
    for name, contenders, limit in (("call", calls, CALL_LIMIT), ("chunk", streams, CHUNK_LIMIT)):
        median = {item.name: item.median for item in contenders}
        for other, most in {BARE: limit, "LiteLLM Router": 1 / (5 if name == "call" else 10)}.items():
            if other in median and median[OURS] > most * median[other]:
                found.append(f"{name}: {median[OURS] / median[other]:.2f} of {other}, limit {most:g}")
        if name == "call" and median[OURS] > median.get("pydantic-ai FallbackModel", float("inf")) / 2:
            found.append("call: more than half of pydantic-ai FallbackModel")
    return found


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    with running(EVENTS, PER_WRITE) as url:
        calls, streams = await compare(url, arguments.rounds)
        held = await memories(url)
    alone, behind = await dead_first_provider()
    print(f"Calibration: {calibration():.1f} us for a JSON round trip of 1 KB.\n")
    print(table(["one call", "us", "ratio"], against_first(calls)), end="\n\n")
    print(table([f"one chunk of {EVENTS}", "us", "ratio"], against_first(streams, per=EVENTS)), end="\n\n")
    print(f"Gateway alone: {alone:.1f} us a call; with a dead provider in front, cooling: {behind:.1f} us.\n")
    print(table([f"{STREAMS:,} streams at once", "KB after 5 updates", "KB after 400"], held))
    problems = missed(calls, streams)
    print(*(f"\nMISSED {problem}" for problem in problems), sep="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
