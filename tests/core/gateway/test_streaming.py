"""Streams: like whole answers until the first update, and closed by everybody."""

from __future__ import annotations

import asyncio
import gc
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest
from tests.core.gateway.helpers import ScanningWordGuard, WordGuard, ask, read, refusal

from ironhive.chat import ChatUpdate, TextContent
from ironhive.contracts import ProviderKind
from ironhive.errors import ConfigurationError, HttpStatusError
from ironhive.gateway import Gateway, GatewayOptions, ProviderRegistration, with_degeneration_stop
from ironhive.testing import ManualClock, ScriptedClient, scripted

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from ironhive.chat import ChatMessage, ChatOptions
    from ironhive.contracts import Guard

GUARDS = [None, WordGuard(), ScanningWordGuard()]
every_way = pytest.mark.parametrize(
    ("guard", "mode"),
    [(guard, mode) for guard in GUARDS for mode in ("end", "hold")],
    ids=[f"{type(guard).__name__}-{mode}" for guard in GUARDS for mode in ("end", "hold")],
)


def gateway_of(*providers: ProviderRegistration, guard: Guard | None, mode: str) -> Gateway:
    options = GatewayOptions(stream_guard=mode, hold_characters=4)
    return Gateway(providers, guard=guard, options=options, clock=ManualClock())


@every_way
async def test_updates_pass_through_as_the_provider_made_them(guard: Guard | None, mode: str) -> None:
    updates = [
        ChatUpdate(role="assistant", response_id="r"),
        ChatUpdate(contents=(TextContent("one "),)),
        ChatUpdate(contents=(TextContent("two"),)),
        ChatUpdate(finish_reason="stop"),
    ]
    provider, _ = scripted("a", updates)
    received = await read(gateway_of(provider, guard=guard, mode=mode))
    assert [id(update) for update in received] == [id(update) for update in updates]  # not even wrapped anew


@every_way
async def test_a_failure_after_the_first_update_passes_through(guard: Guard | None, mode: str) -> None:
    error = refusal(500)
    a, client = scripted("a", [ChatUpdate(), error])
    b, other = scripted("b", "from b")
    with pytest.raises(HttpStatusError) as caught:
        await read(gateway_of(a, b, guard=guard, mode=mode))
    assert caught.value is error
    assert (len(client.calls), other.calls, client.open_streams) == (1, [], 0)


@every_way
async def test_failed_attempts_are_closed_before_the_next_one(guard: Guard | None, mode: str) -> None:
    left_open: list[int] = []
    a, client = scripted("a", [refusal(500)])
    b, _ = scripted("b", lambda *_: left_open.append(client.open_streams) or "from b")
    assert await ask(gateway_of(a, b, guard=guard, mode=mode), streamed=True) == "from b"
    assert (client.opened, left_open) == (3, [0])


@every_way
async def test_nothing_is_asked_before_the_first_pull(guard: Guard | None, mode: str) -> None:
    provider, client = scripted("a", "text")
    stream = gateway_of(provider, guard=guard, mode=mode).stream("hello")
    await stream.aclose()
    assert client.calls == []


@every_way
async def test_stopping_early_closes_the_provider_at_once(guard: Guard | None, mode: str) -> None:
    provider, client = scripted("a", ["a piece of text "] * 10)
    async with aclosing(gateway_of(provider, guard=guard, mode=mode).stream("hello")) as updates:
        async for _ in updates:
            break
        assert client.open_streams == 1
    assert client.open_streams == 0


@every_way
async def test_a_consumer_that_raises_leaves_nothing_open(guard: Guard | None, mode: str) -> None:
    provider, client = scripted("a", ["a piece of text "] * 10)
    with pytest.raises(ZeroDivisionError):  # noqa: PT012 - the loop is what raises
        async with aclosing(gateway_of(provider, guard=guard, mode=mode).stream("hello")) as updates:
            async for _ in updates:
                raise ZeroDivisionError
    assert client.open_streams == 0


@every_way
async def test_a_consumer_that_forgets_to_close_leaves_nothing_open_either(guard: Guard | None, mode: str) -> None:
    provider, client = scripted("a", ["a piece of text "] * 10)
    gateway = gateway_of(provider, guard=guard, mode=mode)
    async for _ in gateway.stream("hello"):
        break
    gc.collect()
    await client.all_closed.wait()  # the event loop closes what nobody holds any more


@every_way
async def test_a_thousand_streams_at_once_end_in_every_way_and_leave_nothing(guard: Guard | None, mode: str) -> None:
    provider, client = scripted("a", ["a piece of text "] * 10)
    gateway = gateway_of(provider, guard=guard, mode=mode)
    before = asyncio.all_tasks()

    async def reader(number: int) -> int:
        count = 0
        async with aclosing(gateway.stream("hello")) as updates:
            async for _ in updates:
                count += 1
                await asyncio.sleep(0)
                if number % 4 == 1 and count == 3:
                    break
                if number % 4 == 2 and count == 3:
                    raise ZeroDivisionError
        return count

    tasks = [asyncio.create_task(reader(number)) for number in range(1000)]
    await asyncio.sleep(0)
    for task in tasks[3::4]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert results[0::4] == [10] * 250
    assert results[1::4] == [3] * 250
    assert {type(item) for item in results[2::4]} == {ZeroDivisionError}
    assert {type(item) for item in results[3::4]} == {asyncio.CancelledError}
    assert client.open_streams == 0
    assert asyncio.all_tasks() == before


class Waiting(ScriptedClient):
    """Sends one long piece, then nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.waits = asyncio.Event()

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions | None = None
    ) -> AsyncGenerator[ChatUpdate, None]:
        self.open_streams += 1
        try:
            yield ChatUpdate(contents=(TextContent("a piece of text"),))
            self.waits.set()
            await asyncio.Event().wait()
        finally:
            self.open_streams -= 1


@every_way
async def test_cancellation_while_waiting_leaves_nothing_open(guard: Guard | None, mode: str) -> None:
    client = Waiting()
    gateway = gateway_of(ProviderRegistration("a", ProviderKind.LAN, lambda: client), guard=guard, mode=mode)
    before = asyncio.all_tasks()
    task = asyncio.create_task(read(gateway))
    await client.waits.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert client.open_streams == 0
    assert asyncio.all_tasks() == before
    assert gateway.health.failures("a") == 0


@every_way
async def test_a_callers_timeout_is_the_callers(guard: Guard | None, mode: str) -> None:
    client = Waiting()
    gateway = gateway_of(ProviderRegistration("a", ProviderKind.LAN, lambda: client), guard=guard, mode=mode)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await read(gateway)
    assert client.open_streams == 0


@every_way
async def test_under_a_degeneration_stop_everything_is_closed_as_well(guard: Guard | None, mode: str) -> None:
    provider, client = scripted("a", ["over and over "] * 50)
    await read(with_degeneration_stop(gateway_of(provider, guard=guard, mode=mode)))
    assert client.open_streams == 0


async def test_clients_are_made_once_and_closed_with_the_gateway() -> None:
    clients: list[ScriptedClient] = []

    def factory() -> ScriptedClient:
        clients.append(ScriptedClient("text"))
        return clients[-1]

    async with Gateway([ProviderRegistration("a", ProviderKind.LAN, factory)]) as gateway:
        assert clients == []  # made when it is first needed
        for streamed in (True, False, True):
            await ask(gateway, streamed=streamed)
        assert len(clients) == 1
    assert clients[0].closed
    with pytest.raises(ConfigurationError, match="closed"):
        await gateway.complete("hello")


async def test_a_client_that_cannot_be_closed_does_not_keep_the_others_open(caplog: pytest.LogCaptureFixture) -> None:
    class Stuck(ScriptedClient):
        async def aclose(self) -> None:
            raise OSError("already gone")

    stuck, (b, client) = Stuck("x"), scripted("b", "text")
    gateway = Gateway([ProviderRegistration("a", ProviderKind.LAN, lambda: stuck, priority=1), b])
    await ask(gateway, streamed=False)
    gateway.registry.register(ProviderRegistration("a", ProviderKind.LAN, lambda: ScriptedClient(ValueError())))
    await ask(gateway, streamed=False)
    await gateway.aclose()
    assert client.closed


async def test_a_replaced_provider_finishes_its_streams_and_is_closed_then() -> None:
    old, client = scripted("a", ["one", "two"])
    gateway = Gateway([old])
    stream = gateway.stream("hello")
    assert (await anext(stream)).text == "one"
    gateway.registry.register(scripted("a", "new")[0])
    assert await ask(gateway, streamed=False) == "new"
    assert not client.closed
    assert (await anext(stream)).text == "two"
    await stream.aclose()
    assert client.closed


async def test_the_gateway_tells_no_provider() -> None:
    assert Gateway([scripted("a")[0]]).metadata is None


class TestConcurrency:
    """``max_concurrency`` of a registration."""

    async def test_no_more_calls_run_at_once(self) -> None:
        running, most = 0, 0
        full, gate = asyncio.Event(), asyncio.Event()

        class Counting(ScriptedClient):
            async def complete(self, messages: object, options: object = None) -> object:
                nonlocal running, most
                running += 1
                most = max(most, running)
                if running == 2:
                    full.set()
                await gate.wait()
                running -= 1
                return await ScriptedClient.complete(self, messages)

        client = Counting("ok")
        gateway = Gateway([ProviderRegistration("a", ProviderKind.LAN, lambda: client, max_concurrency=2)])
        calls = [asyncio.create_task(ask(gateway, streamed=False)) for _ in range(5)]
        await full.wait()
        gate.set()
        assert await asyncio.gather(*calls) == ["ok"] * 5
        assert most == 2

    async def test_a_stream_holds_its_place_until_it_is_closed(self) -> None:
        provider, client = scripted("a", ["one", "two"], max_concurrency=1)
        gateway = Gateway([provider])
        first = gateway.stream("hello")
        await anext(first)
        second = asyncio.create_task(read(gateway))
        for _ in range(5):
            await asyncio.sleep(0)
        assert len(client.calls) == 1
        await first.aclose()
        assert len(await second) == 2

    @pytest.mark.parametrize("streamed", [False, True])
    async def test_a_wait_that_is_too_long_goes_to_the_next_provider(self, streamed: bool) -> None:
        a, client = scripted("a", ["one", "two"], max_concurrency=1)
        b, _ = scripted("b", "from b")
        gateway = Gateway([a, b], options=GatewayOptions(queue_seconds=0.001))
        first = gateway.stream("hello")
        await anext(first)
        assert await ask(gateway, streamed=streamed) == "from b"
        assert gateway.health.failures("a") == 0  # busy is not broken
        await first.aclose()
        assert await ask(gateway, streamed=streamed) == "onetwo"
        assert len(client.calls) == 2

    @pytest.mark.parametrize("streamed", [False, True])
    async def test_a_failed_attempt_gives_its_place_back(self, streamed: bool) -> None:
        provider, _ = scripted("a", refusal(500), refusal(500), "ok", max_concurrency=1)
        gateway = Gateway([provider], clock=ManualClock(), options=GatewayOptions(queue_seconds=5))
        assert await ask(gateway, streamed=streamed) == "ok"

    def test_one_gateway_may_be_used_in_one_event_loop_after_another(self) -> None:
        class Yielding(ScriptedClient):
            async def complete(self, messages: object, options: object = None) -> object:
                await asyncio.sleep(0)
                return await super().complete(messages)

        client = Yielding("ok")
        gateway = Gateway([ProviderRegistration("a", ProviderKind.LAN, lambda: client, max_concurrency=1)])

        async def crowd() -> list[str]:
            return await asyncio.gather(*(ask(gateway, streamed=False) for _ in range(3)))

        for _ in range(2):
            assert asyncio.run(crowd()) == ["ok"] * 3

    async def test_an_abandoned_wait_takes_no_place(self) -> None:
        provider, _ = scripted("a", ["one", "two"], max_concurrency=1)
        gateway = Gateway([provider])
        first = gateway.stream("hello")
        await anext(first)
        second = asyncio.create_task(read(gateway))
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        await first.aclose()
        assert await ask(gateway, streamed=True) == "onetwo"
