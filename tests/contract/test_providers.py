"""Our own providers pass the suite that strangers' must pass."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ironhive.contracts import ProviderKind, ProviderRegistration
from ironhive.gateway import Gateway
from ironhive.testing import LoopbackServer, ProviderConformance, Reply, ScriptedClient, scripted_provider
from ironhive_plugins.providers.openai import gpustack, openai, openai_compatible

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ANSWER = ("Hello ", "there, ", "nice to ", "meet you.")
KEY = "sk-conformance-0123456789"


class TestOpenAI(ProviderConformance):
    """OpenAI's wire with a key."""

    secret = KEY

    @asynccontextmanager
    async def provider(self) -> AsyncIterator[ProviderRegistration]:
        async with scripted_provider(ANSWER) as server:
            yield openai(api_key=KEY, model="m", base_url=f"{server.url}/v1")

    @asynccontextmanager
    async def refusing(self) -> AsyncIterator[ProviderRegistration]:
        async with LoopbackServer([Reply.error(401, message=f"wrong key {KEY}")]) as server:
            yield openai(api_key=KEY, model="m", base_url=f"{server.url}/v1")


class TestCompatible(ProviderConformance):
    """A server of the own network."""

    @asynccontextmanager
    async def provider(self) -> AsyncIterator[ProviderRegistration]:
        async with scripted_provider(ANSWER) as server:
            yield openai_compatible(model="m", base_url=server.url)


class TestGpuStack(ProviderConformance):
    """GPUStack's path."""

    @asynccontextmanager
    async def provider(self) -> AsyncIterator[ProviderRegistration]:
        async with scripted_provider(ANSWER) as server:
            yield gpustack(model="m", base_url=server.url)


class TestScripted(ProviderConformance):
    """The fake itself keeps the contract that it stands for."""

    @asynccontextmanager
    async def provider(self) -> AsyncIterator[ProviderRegistration]:
        yield ProviderRegistration("scripted", ProviderKind.LAN, lambda: ScriptedClient("Hello there."))


class TestGateway(ProviderConformance):
    """A gateway is a chat client like any other."""

    @asynccontextmanager
    async def provider(self) -> AsyncIterator[ProviderRegistration]:
        inner = ProviderRegistration("scripted", ProviderKind.LAN, lambda: ScriptedClient("Hello there."))
        yield ProviderRegistration("gateway", ProviderKind.LAN, lambda: Gateway([inner]))
