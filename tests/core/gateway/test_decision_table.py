"""What the gateway does about real servers that misbehave, through the OpenAI wire and real connections."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from tests.core.gateway.helpers import ScanningWordGuard, WordGuard, ask

from ironhive.chat import ChatMessage
from ironhive.contracts import Transition
from ironhive.errors import HttpStatusError, IronHiveError, ProviderError
from ironhive.gateway import Gateway, GatewayOptions, with_degeneration_stop
from ironhive.http import StreamBudget
from ironhive.testing import (
    Fault,
    LoopbackServer,
    ManualClock,
    Reply,
    chat_completion,
    chat_events,
    free_port,
    scripted_provider,
)
from ironhive_plugins.providers.openai import openai_compatible

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ironhive.chat import ChatUpdate

STATUSES = [400, 401, 402, 403, 404, 409, 422, 501, 505, 408, 500, 502, 504, 429, 503, 529]
HINTS: dict[str, tuple[dict[str, str], float | None]] = {
    "none": ({}, None),
    "now": ({"retry-after": "0"}, 0),
    "milliseconds": ({"retry-after-ms": "1500", "retry-after": "60"}, 1.5),
    "the cap": ({"retry-after": "10"}, 10),
    "beyond the cap": ({"retry-after": "11"}, 11),
    "a date in the past": ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
    "nonsense": ({"retry-after": "soon"}, None),
}

fallback_or_not = pytest.mark.parametrize("fallback", [True, False], ids=["fallback", "alone"])
streamed_or_not = pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])


@dataclass
class Scene:
    """A misbehaving first provider, a good second one, and the gateway over both."""

    gateway: Gateway
    first: LoopbackServer
    second: LoopbackServer
    clock: ManualClock
    seen: list[Transition] = field(default_factory=list)

    async def outcome(self, *, streamed: bool) -> str:
        try:
            return await ask(self.gateway, streamed=streamed)
        except IronHiveError as error:
            return type(error).__name__

    def kinds(self) -> list[str]:
        return [item.kind.value for item in self.seen]


@asynccontextmanager
async def scene(reply: Reply | None, *, fallback: bool = True) -> AsyncGenerator[Scene, None]:
    """``reply`` None means that nobody listens at the first provider's address."""
    clock, seen = ManualClock(), list[Transition]()
    async with LoopbackServer([reply or Reply.raw()]) as first, scripted_provider("from b") as second:
        address = first.url if reply is not None else f"http://127.0.0.1:{free_port()}"
        budget = StreamBudget(idle_seconds=0.05, total_seconds=5)
        providers = [
            openai_compatible(id="a", base_url=address, model="m", priority=2, budget=budget),
            openai_compatible(id="b", base_url=second.url, model="m", priority=1),
        ]
        options = GatewayOptions(enable_fallback=fallback, on_transition=seen.append)
        async with Gateway(providers, options=options, clock=clock) as gateway:
            yield Scene(gateway, first, second, clock, seen)
            await first.quiet()
            await second.quiet()


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("hint", HINTS)
@fallback_or_not
@streamed_or_not
async def test_statuses(status: int, hint: str, fallback: bool, streamed: bool) -> None:
    headers, wait = HINTS[hint]
    retried = status in (408, 500, 502, 504) or (status in (429, 503, 529) and wait is not None)
    waits = [max(0.2 * number, wait or 0) for number in (1, 2)] if retried and (wait or 0) <= 10 else []
    async with scene(Reply.error(status, headers=headers), fallback=fallback) as made:
        outcome = await made.outcome(streamed=streamed)
        assert outcome == ("from b" if fallback else "HttpStatusError")
        assert len(made.first.requests) == 1 + len(waits)
        assert made.clock.slept == pytest.approx(waits)
        assert made.kinds() == ["retry"] * len(waits) + ["fallback"] * fallback
        assert len(made.second.requests) == int(fallback)
        assert made.gateway.health.failures("a") == int(fallback)


def events(*values: object) -> Reply:
    return Reply.chunked([b"data: " + json.dumps(value).encode() + b"\n\n" for value in values])


HALF_CHUNK = (
    b'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n1f\r\ndata: {"cho'
)
HALF_BODY = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"choices": ['
HEADERS_ONLY = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"

FAULTS: dict[str, tuple[Reply | None, int]] = {
    "refuses": (None, 1),
    "resets": (Reply.raw(Fault.RESET), 3),
    "hangs up": (Reply.raw(Fault.CLOSE), 3),
    "sends half a header": (Reply.raw(b"HTTP/1.1 200 OK\r\ncontent-ty", Fault.CLOSE), 3),
    "sends half a header and resets": (Reply.raw(b"HTTP/1.1 200 OK\r\ncontent-ty", Fault.RESET), 3),
    "sends half a chunk": (Reply.raw(HALF_CHUNK, Fault.CLOSE), 3),
    "sends half a body": (Reply.raw(HALF_BODY, Fault.CLOSE), 3),
    "resets in the body": (Reply.raw(HALF_BODY, Fault.RESET), 3),
    "speaks no HTTP": (Reply.raw(b"SSH-2.0-OpenSSH_9.6\r\n", Fault.CLOSE), 3),
    "sends a page": (Reply.of(b"<html>login</html>", content_type="text/html"), 1),
    "sends no JSON": (Reply.of(b"{nope"), 1),
    "sends an error event first": (events({"error": {"message": "no", "type": "server_error"}}), 3),
    "is overloaded inside a success": (events({"error": {"message": "no", "code": "server_is_overloaded"}}), 1),
}
STREAM_ONLY = {"sends an error event first", "is overloaded inside a success"}
STALLS: dict[str, Reply] = {
    "stalls at once": Reply.raw(Fault.STALL),
    "stalls after half a header": Reply.raw(b"HTTP/1.1 200 OK\r\ncontent-ty", Fault.STALL),
    "stalls after the headers": Reply.raw(HEADERS_ONLY, Fault.STALL),
    "stalls in a chunk": Reply.raw(HALF_CHUNK, Fault.STALL),
}


@pytest.mark.parametrize("fault", FAULTS)
@fallback_or_not
@streamed_or_not
async def test_faults_before_the_first_update(fault: str, fallback: bool, streamed: bool) -> None:
    reply, attempts = FAULTS[fault]
    if fault in STREAM_ONLY and not streamed:
        attempts = 1  # an event stream is no answer to a request for a whole one
    async with scene(reply, fallback=fallback) as made:
        outcome = await made.outcome(streamed=streamed)
        if fallback:
            assert outcome == "from b"
        else:
            assert outcome.endswith(("Error", "ErrorEvent"))
        assert len(made.first.requests) == (attempts if reply is not None else 0)
        assert made.kinds() == ["retry"] * (attempts - 1) + ["fallback"] * fallback
        assert made.gateway.health.failures("a") == int(fallback)


@pytest.mark.parametrize("fault", STALLS)
@fallback_or_not
async def test_silence_before_the_first_update(fault: str, fallback: bool) -> None:
    async with scene(STALLS[fault], fallback=fallback) as made:
        assert await made.outcome(streamed=True) == ("from b" if fallback else "StreamIdleTimeoutError")
        assert len(made.first.requests) == 3


BREAKS: dict[str, Fault | bytes] = {
    "resets": Fault.RESET,
    "hangs up": Fault.CLOSE,
    "stalls": Fault.STALL,
    "sends an error": b'data: {"error": {"message": "no", "type": "server_error"}}\n\n',
    "sends no JSON": b"data: {nope\n\n",
}


@pytest.mark.parametrize("fault", BREAKS)
@fallback_or_not
async def test_faults_after_the_first_update_pass_through(fault: str, fallback: bool) -> None:
    first = next(iter(chat_events(["piece"])))
    async with scene(Reply.chunked([first, BREAKS[fault]]), fallback=fallback) as made:
        received = []
        with pytest.raises(ProviderError):  # noqa: PT012 - the loop is what raises
            async for update in made.gateway.stream("hello"):
                received.append(update.text)
        assert "".join(received) == "piece"
        assert (len(made.first.requests), made.second.requests, made.seen) == (1, [], [])
        assert made.gateway.health.failures("a") == 0


@streamed_or_not
async def test_two_failures_then_an_answer(streamed: bool) -> None:
    good = Reply.chunked(chat_events(["ok"])) if streamed else Reply.json(chat_completion("ok"))
    clock = ManualClock()
    async with LoopbackServer([Reply.error(500), Reply.raw(Fault.RESET), good]) as server:
        provider = openai_compatible(id="a", base_url=server.url, model="m")
        async with Gateway([provider], clock=clock) as gateway:
            assert await ask(gateway, streamed=streamed) == "ok"
    assert clock.slept == [0.2, 0.4]


@streamed_or_not
async def test_a_dead_first_provider_costs_nothing_once_it_cools(streamed: bool) -> None:
    async with scene(Reply.error(500)) as made:
        for _ in range(3):
            await made.outcome(streamed=streamed)
        asked, slept = len(made.first.requests), len(made.clock.slept)
        for _ in range(5):
            assert await made.outcome(streamed=streamed) == "from b"
        assert (len(made.first.requests), len(made.clock.slept)) == (asked, slept)
        made.clock.advance(30)
        await made.outcome(streamed=streamed)
        assert len(made.first.requests) == asked + 3


async def leave(stream: AsyncGenerator[ChatUpdate, None], way: str) -> None:
    async with aclosing(stream) as updates:
        async for _ in updates:
            if way == "raises":
                raise ZeroDivisionError
            if way == "is cancelled":
                await asyncio.Event().wait()
            return


@pytest.mark.parametrize("way", ["stops", "raises", "is cancelled", "is cancelled while waiting"])
@pytest.mark.parametrize("stopped", [False, True], ids=["bare", "degeneration stop"])
@pytest.mark.parametrize(
    ("guard", "mode"), [(None, "end"), (WordGuard(), "end"), (WordGuard(), "hold"), (ScanningWordGuard(), "hold")]
)
async def test_however_a_reader_leaves_the_request_ends(
    way: str, stopped: bool, guard: WordGuard | None, mode: str
) -> None:
    pieces = [Fault.STALL] if way == "is cancelled while waiting" else ["some text ", "more text ", Fault.STALL]
    options = GatewayOptions(stream_guard=mode, hold_characters=5)
    before = asyncio.all_tasks()
    async with (
        scripted_provider(pieces) as server,
        Gateway([openai_compatible(id="a", base_url=server.url, model="m")], guard=guard, options=options) as gateway,
    ):
        chat = with_degeneration_stop(gateway) if stopped else gateway
        reader = asyncio.create_task(leave(chat.stream([ChatMessage.user("hello")]), way))
        await server.asked()
        if way.startswith("is cancelled"):
            reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
        await server.quiet()
        assert reader.done()
    async with asyncio.timeout(10):
        # httpx lets the event loop close generators of its own: such a task ends by itself, any other never would
        await asyncio.gather(*(asyncio.all_tasks() - before))


async def test_the_advertised_wait_is_in_the_error_where_nobody_else_can_be_asked() -> None:
    async with (
        LoopbackServer([Reply.error(429, headers={"retry-after": "3600"})]) as server,
        Gateway([openai_compatible(id="a", base_url=server.url, model="m")]) as gateway,
    ):
        with pytest.raises(HttpStatusError) as caught:
            await gateway.complete("hello")
    assert caught.value.retry_after == 3600
