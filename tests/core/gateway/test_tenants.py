"""A gateway for each tenant."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from tests.core.gateway.helpers import WordGuard, ask, refusal

from ironhive.contracts import ProviderKind, ProviderRegistration
from ironhive.errors import ConfigurationError, GuardError, NoProviderError
from ironhive.gateway import GatewayOptions, TenantGateways
from ironhive.testing import ManualClock, ScriptedClient, scripted

if TYPE_CHECKING:
    from collections.abc import Iterator

made: list[tuple[str, ScriptedClient]] = []


@pytest.fixture(autouse=True)
def _nothing_made() -> Iterator[None]:
    made.clear()
    yield
    made.clear()


@dataclass(frozen=True, slots=True)
class Factory:
    """Equal for equal keys, as a provider plugin's factory is."""

    key: str

    def __call__(self) -> ScriptedClient:
        client = ScriptedClient(f"with {self.key}")
        made.append((self.key, client))
        return client


def provider(key: str, id: str = "a", **more: Any) -> ProviderRegistration:
    return ProviderRegistration(id, ProviderKind.LAN, Factory(key), **more)


def closed(key: str) -> list[bool]:
    return [client.closed for name, client in made if name == key]


async def test_each_tenant_has_its_own_providers() -> None:
    async with TenantGateways(lambda tenant: [provider(f"key of {tenant}")]) as gateways:
        assert await ask(gateways.for_tenant("t1"), streamed=False) == "with key of t1"
        assert await ask(gateways.for_tenant("t2"), streamed=True) == "with key of t2"


async def test_a_client_is_reused_while_the_registration_is_equal() -> None:
    async with TenantGateways(lambda _: [provider("k")]) as gateways:
        for _ in range(5):
            await ask(gateways.for_tenant("t"), streamed=False)
        assert len(made) == 1
        assert closed("k") == [False]
    assert closed("k") == [True]


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_rotated_secret_is_used_at_the_next_call_and_the_old_client_closed(streamed: bool) -> None:
    secrets = {"t": "old"}
    async with TenantGateways(lambda tenant: [provider(secrets[tenant])]) as gateways:
        assert await ask(gateways.for_tenant("t"), streamed=streamed) == "with old"
        secrets["t"] = "new"
        assert await ask(gateways.for_tenant("t"), streamed=streamed) == "with new"
        assert (closed("old"), closed("new")) == ([True], [False])


async def test_a_stream_that_runs_keeps_its_client_until_it_ends() -> None:
    keys = ["old"]
    async with TenantGateways(lambda _: [provider(keys[-1])]) as gateways:
        stream = gateways.for_tenant("t").stream("hello")
        await anext(stream)
        keys.append("new")
        await ask(gateways.for_tenant("t"), streamed=False)
        assert closed("old") == [False]
        await stream.aclose()
        assert closed("old") == [True]


async def test_a_gateway_from_before_a_rotation_still_works_and_leaves_nothing_open() -> None:
    keys = ["old"]
    async with TenantGateways(lambda _: [provider(keys[-1])]) as gateways:
        before = gateways.for_tenant("t")
        keys.append("new")
        await ask(gateways.for_tenant("t"), streamed=False)
        assert await ask(before, streamed=False) == "with old"
        assert (closed("old"), closed("new")) == ([True], [False])


async def test_a_call_that_gave_up_waiting_does_not_keep_a_client_open() -> None:
    keys = ["old"]
    async with TenantGateways(lambda _: [provider(keys[-1], max_concurrency=1)]) as gateways:
        stream = gateways.for_tenant("t").stream("hello")
        await anext(stream)
        waiting = asyncio.create_task(ask(gateways.for_tenant("t"), streamed=False))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        keys.append("new")
        gateways.for_tenant("t")
        await stream.aclose()
        assert closed("old") == [True]


async def test_health_is_kept_per_tenant_across_requests() -> None:
    clock = ManualClock()
    a = {tenant: scripted("a", refusal(404)) for tenant in ("t1", "t2")}
    b, _ = scripted("b", "from b")
    gateways = TenantGateways(lambda tenant: [a[tenant][0], b], clock=clock)
    for _ in range(5):
        await ask(gateways.for_tenant("t1"), streamed=False)
    assert len(a["t1"][1].calls) == 3  # then it cools
    assert gateways.for_tenant("t1").health.cooling("a")
    assert not gateways.for_tenant("t2").health.cooling("a")
    await ask(gateways.for_tenant("t2"), streamed=False)
    assert len(a["t2"][1].calls) == 1


async def test_guard_selector_and_options_are_shared() -> None:
    guard, seen = WordGuard(), list[Any]()
    options = GatewayOptions(on_transition=seen.append)
    answers = [scripted("a", refusal(404))[0], scripted("b", "a forbidden answer")[0]]
    gateways = TenantGateways(lambda _: answers, guard=guard, options=options)
    for tenant in ("t1", "t2"):
        with pytest.raises(GuardError):
            await ask(gateways.for_tenant(tenant), streamed=False)
    assert (len(guard.outputs), [item.kind.value for item in seen]) == (2, ["fallback", "fallback"])
    backwards = TenantGateways(lambda _: answers, selector=lambda context: context.candidates[::-1])
    assert await ask(backwards.for_tenant("t1"), streamed=False) == "a forbidden answer"


async def test_a_tenant_without_providers_learns_it_when_calling() -> None:
    gateway = TenantGateways(lambda _: []).for_tenant("t")
    with pytest.raises(NoProviderError):
        await gateway.complete("hello")


async def test_the_last_of_equal_ids_counts() -> None:
    gateways = TenantGateways(lambda _: [provider("first"), provider("second")])
    assert await ask(gateways.for_tenant("t"), streamed=False) == "with second"
    await gateways.aclose()


async def test_what_the_resolver_raises_is_raised() -> None:
    def resolver(tenant: str) -> list[ProviderRegistration]:
        raise LookupError(tenant)

    with pytest.raises(LookupError, match="t"):
        TenantGateways(resolver).for_tenant("t")


def test_an_empty_tenant_and_a_missing_resolver_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="empty"):
        TenantGateways(lambda _: []).for_tenant("")
    assert TenantGateways(lambda _: []).for_tenant(" ") is not None
    with pytest.raises(ConfigurationError, match="resolver"):
        TenantGateways(None)
    with pytest.raises(ConfigurationError, match="max_tenants"):
        TenantGateways(lambda _: [], max_tenants=0)


async def test_a_call_that_is_cancelled_while_it_closes_anothers_client_leaves_it_to_the_next() -> None:
    closing = asyncio.Event()

    class Slow(ScriptedClient):
        async def aclose(self) -> None:
            if not closing.is_set():
                closing.set()
                await asyncio.Event().wait()
            await super().aclose()

    slow = Slow("slow")
    old = ProviderRegistration("a", ProviderKind.LAN, lambda: slow)
    current = [old]
    async with TenantGateways(lambda _: current) as gateways:
        await ask(gateways.for_tenant("t"), streamed=False)
        current[:] = [provider("new")]
        task = asyncio.create_task(ask(gateways.for_tenant("t"), streamed=False))
        await closing.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not slow.closed
        await ask(gateways.for_tenant("t"), streamed=False)
        assert slow.closed


class TestManyTenants:
    """Memory is bounded by ``max_tenants``, the least recently used go."""

    async def test_forgotten_ones_are_closed_by_the_next_call_of_anybody(self) -> None:
        async with TenantGateways(lambda tenant: [provider(tenant)], max_tenants=2) as gateways:
            for tenant in ("t1", "t2", "t1", "t3"):
                await ask(gateways.for_tenant(tenant), streamed=False)
            assert len(gateways) == 2
            assert (closed("t1"), closed("t2"), closed("t3")) == ([False], [True], [False])

    async def test_a_forgotten_tenants_stream_goes_on_and_is_closed_at_its_end(self) -> None:
        async with TenantGateways(lambda tenant: [provider(tenant)], max_tenants=1) as gateways:
            held = gateways.for_tenant("t1")
            stream = held.stream("hello")
            await anext(stream)
            await ask(gateways.for_tenant("t2"), streamed=False)
            assert closed("t1") == [False]
            assert len([update async for update in stream]) == 1
            assert closed("t1") == [True]
            assert await ask(held, streamed=False) == "with t1"  # begins anew, and leaves nothing behind
            assert closed("t1") == [True, True]

    async def test_a_hundred_thousand_tenants_leave_only_the_last_ones(self) -> None:
        async with TenantGateways(lambda tenant: [provider("shared key")], max_tenants=50) as gateways:
            for number in range(100_000):
                gateways.for_tenant(str(number))
            assert len(gateways) == 50
            await ask(gateways.for_tenant("last"), streamed=False)
        assert closed("shared key") == [True]

    async def test_clients_of_all_tenants_are_closed_in_the_end(self) -> None:
        gateways = TenantGateways(lambda tenant: [provider(tenant)], max_tenants=2)
        for tenant in ("t1", "t2", "t3"):
            await ask(gateways.for_tenant(tenant), streamed=False)
        await gateways.aclose()
        assert all(client.closed for _, client in made)
        with pytest.raises(ConfigurationError, match="closed"):
            gateways.for_tenant("t1")
