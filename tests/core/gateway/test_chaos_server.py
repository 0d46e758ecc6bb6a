"""The gateway against an independent server that breaks on demand and judges its clients.

``llmock serve`` runs as a process of its own; ``llmock report --strict`` at the end has the word.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from ironhive.errors import HttpStatusError, ProviderError
from ironhive.gateway import Gateway, GatewayOptions, Resilience
from ironhive.http import StreamBudget
from ironhive.testing import free_port, scripted_provider
from ironhive_plugins.providers.openai import openai_compatible

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

LLMOCK = str(Path(sys.executable).with_name("llmock"))
BUDGET = StreamBudget(idle_seconds=0.5)
OPTIONS = GatewayOptions(resilience=Resilience(base_delay_seconds=0.06))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The chaos server's address."""
    port = free_port()
    command = [LLMOCK, "serve", "--port", str(port), "--stream-chunk-delay-ms", "20"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if "running on" in line.lower():
                break
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.communicate()


@pytest.fixture
async def chaos(address: str) -> AsyncIterator[httpx.AsyncClient]:
    """Its control interface, with a clean slate."""
    async with httpx.AsyncClient(base_url=address) as client:
        await client.post("/_llmock/reset")
        yield client


@pytest.fixture
async def gateway(address: str) -> AsyncIterator[Gateway]:
    """The chaos server first, a server that never fails second."""
    async with scripted_provider("from the second") as second:
        providers = [
            openai_compatible(id="chaos", base_url=address, model="m", priority=2, budget=BUDGET),
            openai_compatible(id="calm", base_url=second.url, model="m", priority=1),
        ]
        async with Gateway(providers, options=OPTIONS) as made:
            yield made


async def script(chaos: httpx.AsyncClient, *behaviors: dict[str, Any]) -> None:
    response = await chaos.post("/_llmock/scenario", json={"behaviors": list(behaviors)})
    assert response.status_code == 201, response.text


async def stream(chaos: httpx.AsyncClient, gateway: Gateway, prompt: str) -> str:
    """The answer of a reader who throws half an answer away and asks again, once."""
    for attempt in (1, 2):
        text = ""
        try:
            async with aclosing(gateway.stream(prompt)) as updates:
                async for update in updates:
                    text += update.text
        except ProviderError:
            assert text  # what fails before the first update is the gateway's to mend
            if attempt == 2:
                raise
            await chaos.get("/_llmock/requests")  # answers once the server has seen that the reader is gone
        else:
            return text
    raise AssertionError


async def ask(chaos: httpx.AsyncClient, gateway: Gateway, prompt: str, *, streamed: bool) -> str:
    return await stream(chaos, gateway, prompt) if streamed else (await gateway.complete(prompt)).text


async def faultless(chaos: httpx.AsyncClient) -> None:
    """Hold the server's verdict to nothing at all, no warning either."""
    verdict = (await chaos.get("/_llmock/verdict")).json()
    assert verdict["findings"] == []
    assert verdict["faults_injected"] > 0


REFUSALS = {
    "busy with a wait": ({"status": 429, "retry_after": 0.2, "times": 2}, "chaos"),
    "overloaded with a wait": ({"status": 503, "retry_after": 0.2, "times": 1}, "chaos"),
    "broken twice": ({"status": 500, "times": 2}, "chaos"),
    "a bad gateway": ({"status": 502, "times": 1}, "chaos"),
    "broken for long": ({"status": 500, "times": 3}, "calm"),
    "a bad request": ({"status": 400, "times": 1}, "calm"),
    "no access": ({"status": 401, "times": 1}, "calm"),
    "no such model": ({"status": 404, "times": 1}, "calm"),
}


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("name", REFUSALS)
async def test_refusals(chaos: httpx.AsyncClient, gateway: Gateway, name: str, streamed: bool) -> None:
    behavior, answers = REFUSALS[name]
    await script(chaos, {"type": "fail", **behavior})
    text = await ask(chaos, gateway, name, streamed=streamed)
    assert (text == "from the second") is (answers == "calm")
    assert text
    await faultless(chaos)


FAULTS = {
    "cut before it began": {"kind": "disconnect", "after_chunks": 0},
    "cut in the middle": {"kind": "disconnect", "after_chunks": 2},
    "ended without its end": {"kind": "truncate", "after_chunks": 2},
    "ended before it began": {"kind": "truncate", "after_chunks": 0},
    "garbled": {"kind": "malformed", "after_chunks": 2},
    "silent before it began": {"kind": "stall", "after_chunks": 0, "stall_seconds": 30},
    "silent in the middle": {"kind": "stall", "after_chunks": 2, "stall_seconds": 30},
}


@pytest.mark.parametrize("name", FAULTS)
async def test_broken_streams(chaos: httpx.AsyncClient, gateway: Gateway, name: str) -> None:
    await script(chaos, {"type": "stream_fault", **FAULTS[name]})
    whole = await stream(chaos, gateway, name)
    assert whole == (await gateway.complete(name)).text  # nothing is missing from it
    await faultless(chaos)


async def test_a_storm_of_everything(chaos: httpx.AsyncClient, address: str, gateway: Gateway) -> None:
    faults = [{"type": "stream_fault", **fault} for fault in FAULTS.values()]
    refusals = [{"type": "fail", **fault} for fault, _ in REFUSALS.values()]
    await script(chaos, *faults, *refusals)
    for number in range(40):
        assert await ask(chaos, gateway, f"question {number}", streamed=number % 3 != 0)
    await faultless(chaos)
    command = [LLMOCK, "report", "--strict", "--url", address]
    report = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=30, check=False)
    assert report.returncode == 0, report.stdout + report.stderr
    assert "PASS" in report.stdout


async def test_without_a_second_provider_the_last_error_is_the_servers(chaos: httpx.AsyncClient, address: str) -> None:
    await script(chaos, {"type": "fail", "status": 500, "times": 3})
    provider = openai_compatible(id="chaos", base_url=address, model="m")
    async with Gateway([provider], options=OPTIONS) as gateway:
        with pytest.raises(HttpStatusError):
            await gateway.complete("alone")
    await faultless(chaos)
