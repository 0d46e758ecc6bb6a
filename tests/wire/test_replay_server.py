"""Recorded answers over real connections: cut anywhere, broken, stalled, refused first."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.wire.clients import KEY
from tests.wire.replay import Recording
from tests.wire.understood import ask, differences

from ironhive.chat import ChatMessage
from ironhive.errors import (
    ConnectFailedError,
    HttpStatusError,
    ProviderError,
    StreamIdleTimeoutError,
    TruncatedStreamError,
)
from ironhive.http import StreamBudget
from ironhive_plugins.providers.anthropic import anthropic
from ironhive_plugins.providers.googleai import googleai
from ironhive_plugins.providers.openai import openai_compatible

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ironhive.http import HttpChatClient

SHARED = Path(os.environ.get("IRONHIVE_SHARED") or Path(__file__).resolve().parents[3] / "shared") / "wire"
PATTERNS = (
    "anthropic/cached-usage-s-*",
    "anthropic/reasoning-tools-s-*",
    "azure-chat/tool-followup-s-*",
    "azure-chat/http-error-j-429-*",
    "compat-avian/*",
    "gemini/parallel-tools-s-*",
    "gemini/http-error-j-400-*",
    "gemini/reasoning-j-*",
    "gemini-vertex/plain-s-*",
    "gpustack/reasoning-s-*",
    "groq/error-in-stream-*",
    "mistral/reasoning-s-*",
    "openai-chat/plain-s-*",
    "openai-responses/error-in-stream-*",
    "openai-responses/parallel-tools-s-*",
    "openrouter-responses/tools-s-*",
)
PATHS = [path for pattern in PATTERNS for path in sorted((SHARED / "recordings").glob(f"{pattern}.json"))[:1]]
replayed = pytest.mark.parametrize("path", PATHS or [None], ids=[path.parent.name for path in PATHS] or ["absent"])


@pytest.fixture
def recording(path: Path | None, shared: Path) -> Recording:
    if path is None:
        pytest.skip(f"absent data: no recordings below {shared}")
    return Recording.load(path)


def client_at(recording: Recording, port: int, budget: StreamBudget | None = None) -> HttpChatClient:
    wire, url = recording.data["wire"], f"http://127.0.0.1:{port}"
    match wire:
        case "anthropic":
            made = anthropic(api_key=KEY, model="claude-sonnet-4-5", base_url=url, budget=budget)
        case "gemini":
            made = googleai(api_key=KEY, model="gemini-2.5-flash", base_url=url, budget=budget)
        case _:
            made = openai_compatible(api_key=KEY, model="m", base_url=url, budget=budget, wire=wire, think_tags=False)
    client: HttpChatClient = made.client_factory()  # type: ignore[assignment]
    return client


@asynccontextmanager
async def replaying(path: Path, *arguments: str) -> AsyncIterator[int]:
    """The replay server in a process of its own; gives its port."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(SHARED / "replay_server.py"), str(path), *arguments, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        yield json.loads(await process.stdout.readline())["port"]
    finally:
        process.terminate()
        await process.wait()


@replayed
@pytest.mark.parametrize("seed", [1, 2])
async def test_it_is_understood_over_a_real_connection(recording: Recording, path: Path, seed: int) -> None:
    async with replaying(path, "--split-mode", "random", "--chunk-bytes", "40", "--seed", str(seed)) as port:
        outcome = await ask(client_at(recording, port), stream=recording.is_stream)
    assert differences(recording, outcome) == []


@replayed
@pytest.mark.parametrize("mode", ["fin", "rst"])
async def test_a_connection_cut_in_the_middle_is_an_error(recording: Recording, path: Path, mode: str) -> None:
    if recording.expect.get("error") or not recording.is_stream:
        return
    half = str(len(recording.body) // 3)
    async with replaying(path, "--cut-after", half, "--cut-mode", mode) as port:
        outcome = await ask(client_at(recording, port), stream=True)
    assert isinstance(outcome, ConnectFailedError)
    assert outcome.kind == "transport"


@replayed
async def test_a_body_that_just_ends_is_an_error(recording: Recording, path: Path) -> None:
    if recording.expect.get("error") or not recording.is_stream:
        return
    third = str(len(recording.body) // 3)
    async with replaying(path, "--transfer", "close", "--cut-after", third) as port:
        outcome = await ask(client_at(recording, port), stream=True)
    assert isinstance(outcome, TruncatedStreamError)


@replayed
async def test_a_stall_ends_with_the_idle_limit(recording: Recording, path: Path) -> None:
    if recording.expect.get("error") or not recording.is_stream:
        return
    third = str(len(recording.body) // 3)
    async with replaying(path, "--stall-after", third, "30") as port:
        client = client_at(recording, port, StreamBudget(idle_seconds=0.2))
        outcome = await ask(client, stream=True)
    assert isinstance(outcome, StreamIdleTimeoutError)


@replayed
async def test_an_injected_refusal_is_an_error_and_the_next_call_is_answered(recording: Recording, path: Path) -> None:
    hello: Any = [ChatMessage.user("hello")]
    async with replaying(path, "--fail-first", "1:503:2") as port:
        client = client_at(recording, port)
        with pytest.raises(HttpStatusError) as caught:
            await anext(client.stream(hello))
        assert (caught.value.status, caught.value.retry_after, caught.value.detail) == (503, 2.0, "injected failure")
        outcome: Any
        try:
            async with aclosing(client.stream(hello)) as updates:
                outcome = [update async for update in updates]
        except ProviderError as error:
            outcome = error
        await client.aclose()
    assert isinstance(outcome, ProviderError) == bool(recording.expect.get("error"))


def test_what_is_checked_here() -> None:
    """The file names of the recordings may change: then the patterns above have to follow."""
    if SHARED.is_dir():
        assert len(PATHS) == len(PATTERNS)
