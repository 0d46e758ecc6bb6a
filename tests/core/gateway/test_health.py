"""The memory of failures, and observers that are told of its consequences."""

from __future__ import annotations

import pytest
from tests.core.gateway.helpers import ask, refusal

from ironhive.contracts import ErrorClassification, Transition, TransitionKind
from ironhive.errors import HttpStatusError
from ironhive.gateway import Gateway, GatewayOptions, HealthMemory, Resilience
from ironhive.testing import ManualClock, scripted

both = pytest.mark.parametrize("streamed", [False, True])


@both
async def test_after_three_failed_calls_a_provider_is_asked_last_and_costs_nothing(streamed: bool) -> None:
    clock, seen = ManualClock(), list[Transition]()
    a, client = scripted("a", refusal(500))
    b, _ = scripted("b", "from b")
    gateway = Gateway([a, b], options=GatewayOptions(on_transition=seen.append), clock=clock)
    for _ in range(3):
        await ask(gateway, streamed=streamed)
    calls, waits = len(client.calls), len(clock.slept)
    seen.clear()
    assert await ask(gateway, streamed=streamed) == "from b"
    assert (len(client.calls), len(clock.slept)) == (calls, waits)
    assert seen == [Transition(TransitionKind.SKIPPED, "a", 0, 2, ErrorClassification.FALLBACK_ELIGIBLE, None, 0)]


@both
async def test_one_call_counts_once_however_often_it_was_tried(streamed: bool) -> None:
    a, client = scripted("a", refusal(500))
    gateway = Gateway([a, scripted("b", "from b")[0]], clock=ManualClock())
    await ask(gateway, streamed=streamed)
    assert (len(client.calls), gateway.health.failures("a")) == (3, 1)


@both
async def test_after_the_cooldown_one_more_failure_starts_it_again(streamed: bool) -> None:
    clock = ManualClock()
    a, client = scripted("a", refusal(404))
    gateway = Gateway([a, scripted("b", "from b")[0]], clock=clock)
    for _ in range(3):
        await ask(gateway, streamed=streamed)
    clock.advance(29.9)
    await ask(gateway, streamed=streamed)
    assert len(client.calls) == 3
    clock.advance(0.1)  # the moment of expiry itself: cooling no more
    await ask(gateway, streamed=streamed)
    await ask(gateway, streamed=streamed)
    assert len(client.calls) == 4


@both
async def test_one_success_clears_the_record(streamed: bool) -> None:
    a, _ = scripted("a", refusal(404), refusal(404), "from a", refusal(404))
    gateway = Gateway([a, scripted("b", "from b")[0]])
    for _ in range(3):
        await ask(gateway, streamed=streamed)
    assert gateway.health.failures("a") == 0
    await ask(gateway, streamed=streamed)
    assert gateway.health.failures("a") == 1


@both
async def test_a_cooling_provider_is_still_asked_when_the_others_fail(streamed: bool) -> None:
    a, _ = scripted("a", refusal(404), refusal(404), refusal(404), "from a")
    b, _ = scripted("b", "from b", "from b", "from b", refusal(404))
    gateway = Gateway([a, b])
    for _ in range(3):
        await ask(gateway, streamed=streamed)
    assert await ask(gateway, streamed=streamed) == "from a"
    assert not gateway.health.cooling("a")


@both
async def test_indexes_after_a_demotion_refer_to_the_order_that_was_tried(streamed: bool) -> None:
    seen = list[Transition]()
    a, _ = scripted("a", refusal(404))
    b, _ = scripted("b", refusal(404))
    gateway = Gateway([a, b], options=GatewayOptions(on_transition=seen.append))
    for _ in range(3):
        gateway.health.failed("a")
    with pytest.raises(HttpStatusError):
        await ask(gateway, streamed=streamed)
    assert [(item.kind.value, item.provider_id, item.provider_index) for item in seen] == [
        ("skipped", "a", 0),
        ("fallback", "b", 0),
        ("exhausted", "a", 1),
    ]


@both
async def test_when_all_are_cooling_each_is_reported_and_the_order_stays(streamed: bool) -> None:
    seen = list[Transition]()
    gateway = Gateway(
        [scripted("a", "from a")[0], scripted("b", "from b")[0]], options=GatewayOptions(on_transition=seen.append)
    )
    for name in ("a", "b"):
        for _ in range(3):
            gateway.health.failed(name)
    assert await ask(gateway, streamed=streamed) == "from a"
    assert [(item.kind.value, item.provider_id) for item in seen] == [("skipped", "a"), ("skipped", "b")]


@both
async def test_a_single_provider_is_never_skipped(streamed: bool) -> None:
    seen = list[Transition]()
    gateway = Gateway([scripted("a", "from a")[0]], options=GatewayOptions(on_transition=seen.append))
    for _ in range(3):
        gateway.health.failed("a")
    assert await ask(gateway, streamed=streamed) == "from a"
    assert seen == []


@both
async def test_the_memory_can_be_turned_off(streamed: bool) -> None:
    a, client = scripted("a", refusal(404))
    options = GatewayOptions(resilience=Resilience(failure_threshold=0))
    gateway = Gateway([a, scripted("b", "from b")[0]], options=options)
    for _ in range(5):
        await ask(gateway, streamed=streamed)
    assert len(client.calls) == 5


async def test_a_stream_that_breaks_after_its_first_update_is_no_failure() -> None:
    a, _ = scripted("a", ["piece", refusal(500)])
    gateway = Gateway([a, scripted("b", "from b")[0]])
    for _ in range(4):
        with pytest.raises(HttpStatusError):
            await ask(gateway, streamed=True)
    assert gateway.health.failures("a") == 0


async def test_an_empty_stream_is_a_success() -> None:
    gateway = Gateway([scripted("a", [])[0], scripted("b", "from b")[0]])
    gateway.health.failed("a")
    assert await ask(gateway, streamed=True) == ""
    assert gateway.health.failures("a") == 0


def test_only_failures_in_a_row_count() -> None:
    clock = ManualClock()
    health = HealthMemory(threshold=2, cooldown=5, clock=clock.monotonic)
    health.failed("a")
    health.succeeded("a")
    health.failed("a")
    assert not health.cooling("a")
    health.failed("a")
    assert health.cooling("a")
    clock.advance(4)
    health.failed("a")  # arms it again, from now
    clock.advance(4)
    assert health.cooling("a")


@both
async def test_an_observer_that_raises_changes_nothing_and_is_logged_once(
    streamed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(transition: Transition) -> None:
        raise RuntimeError("no window")

    a, _ = scripted("a", refusal(500))
    gateway = Gateway(
        [a, scripted("b", "from b")[0]], options=GatewayOptions(on_transition=broken), clock=ManualClock()
    )
    assert await ask(gateway, streamed=streamed) == "from b"
    assert len([record for record in caplog.records if "on_transition" in record.message]) == 1
