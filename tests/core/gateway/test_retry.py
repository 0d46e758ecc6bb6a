"""Asking the same provider again."""

from __future__ import annotations

import asyncio

import pytest
from tests.core.gateway.helpers import ask, refusal

from ironhive.contracts import ErrorClassification, HttpFailure, Transition, TransitionKind
from ironhive.errors import ConfigurationError, HttpStatusError
from ironhive.gateway import Gateway, GatewayOptions, Resilience
from ironhive.testing import ManualClock, scripted

pytestmark = pytest.mark.parametrize("streamed", [False, True])


async def test_waits_grow_by_the_base_delay(streamed: bool) -> None:
    clock, seen = ManualClock(), list[Transition]()
    provider, client = scripted("a", refusal(500), refusal(500), "ok")
    gateway = Gateway([provider], options=GatewayOptions(on_transition=seen.append), clock=clock)
    assert await ask(gateway, streamed=streamed) == "ok"
    assert clock.slept == [0.2, 0.4]
    assert [(item.kind, item.attempt, item.provider_index, item.total_providers) for item in seen] == [
        (TransitionKind.RETRY, 0, 0, 1),
        (TransitionKind.RETRY, 1, 0, 1),
    ]
    assert all(item.category is ErrorClassification.RETRYABLE and item.error is not None for item in seen)
    assert len(client.calls) == 3


async def test_a_provider_is_asked_at_most_three_times_by_default(streamed: bool) -> None:
    provider, client = scripted("a", refusal(500))
    with pytest.raises(HttpStatusError):
        await ask(Gateway([provider], clock=ManualClock()), streamed=streamed)
    assert len(client.calls) == 3


async def test_no_retries_when_they_are_off(streamed: bool) -> None:
    provider, client = scripted("a", refusal(500))
    options = GatewayOptions(resilience=Resilience(max_retries=0))
    with pytest.raises(HttpStatusError):
        await ask(Gateway([provider], options=options), streamed=streamed)
    assert len(client.calls) == 1


@pytest.mark.parametrize(
    ("status", "hint", "wait"),
    [
        (429, 2.0, 2.0),
        (503, 10.0, 10.0),  # the cap itself is waited
        (500, 1.5, 1.5),  # any retryable failure may bring a hint
        (429, 0.05, 0.2),  # a shorter hint does not shorten the backoff
        (429, 0.0, 0.2),
    ],
)
async def test_the_provider_may_ask_for_a_longer_wait(streamed: bool, status: int, hint: float, wait: float) -> None:
    clock = ManualClock()
    provider, _ = scripted("a", refusal(status, retry_after=hint), "ok")
    assert await ask(Gateway([provider], clock=clock), streamed=streamed) == "ok"
    assert clock.slept == [wait]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_wait_beyond_the_cap_is_not_waited(streamed: bool, status: int) -> None:
    clock = ManualClock()
    a, client = scripted("a", refusal(status, retry_after=10.001))
    b, _ = scripted("b", "from b")
    assert await ask(Gateway([a, b], clock=clock), streamed=streamed) == "from b"
    assert clock.slept == []
    assert len(client.calls) == 1


async def test_a_busy_provider_without_a_hint_is_left_at_once(streamed: bool) -> None:
    clock = ManualClock()
    a, client = scripted("a", refusal(429))
    b, _ = scripted("b", "from b")
    assert await ask(Gateway([a, b], clock=clock), streamed=streamed) == "from b"
    assert (len(client.calls), clock.slept) == (1, [])


async def test_a_zero_delay_does_not_sleep(streamed: bool) -> None:
    clock = ManualClock()
    provider, _ = scripted("a", refusal(500), "ok")
    options = GatewayOptions(resilience=Resilience(base_delay_seconds=0))
    assert await ask(Gateway([provider], options=options, clock=clock), streamed=streamed) == "ok"
    assert clock.slept == []


async def test_the_hint_of_a_foreign_exception_is_waited(streamed: bool) -> None:
    class SdkError(Exception):
        pass

    clock = ManualClock()
    provider, _ = scripted("a", SdkError(), "ok")
    gateway = Gateway(
        [provider],
        failure_readers=[lambda error: HttpFailure(429, 3) if isinstance(error, SdkError) else None],
        clock=clock,
    )
    assert await ask(gateway, streamed=streamed) == "ok"
    assert clock.slept == [3]


async def test_the_retry_is_told_before_the_wait(streamed: bool) -> None:
    clock, waits_before = ManualClock(), list[int]()
    provider, _ = scripted("a", refusal(500), "ok")
    options = GatewayOptions(on_transition=lambda _: waits_before.append(len(clock.slept)))
    await ask(Gateway([provider], options=options, clock=clock), streamed=streamed)
    assert waits_before == [0]


async def test_cancellation_ends_the_wait(streamed: bool) -> None:
    asleep = asyncio.Event()

    class Endless(ManualClock):
        async def sleep(self, seconds: float) -> None:
            asleep.set()
            await asyncio.Event().wait()

    provider, client = scripted("a", refusal(500))
    task = asyncio.create_task(ask(Gateway([provider], clock=Endless()), streamed=streamed))
    await asleep.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(client.calls) == 1


@pytest.mark.parametrize(
    "field", ["max_retries", "base_delay_seconds", "failure_threshold", "cooldown_seconds", "max_retry_after_seconds"]
)
@pytest.mark.parametrize("value", [-1, float("nan")])
def test_numbers_below_zero_are_refused(streamed: bool, field: str, value: float) -> None:
    with pytest.raises(ConfigurationError, match=field):
        Resilience(**{field: value})
