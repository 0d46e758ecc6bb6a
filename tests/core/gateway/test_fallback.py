"""Asking another provider, and where that may go."""

from __future__ import annotations

import asyncio

import pytest
from tests.core.gateway.helpers import ask, refusal

from ironhive.contracts import ErrorClassification, ProviderKind, Transition, TransitionKind
from ironhive.errors import GuardError, HttpStatusError
from ironhive.gateway import DefaultErrorClassifier, Gateway, GatewayOptions
from ironhive.testing import ManualClock, ScriptedClient, scripted

FRONTIER, LAN, LOCAL = ProviderKind.FRONTIER, ProviderKind.LAN, ProviderKind.LOCAL

both = pytest.mark.parametrize("streamed", [False, True])


@both
async def test_another_provider_answers_and_the_transition_says_whom_was_left(streamed: bool) -> None:
    seen = list[Transition]()
    error = refusal(401)
    a, client = scripted("a", error)
    b, _ = scripted("b", "from b")
    assert await ask(Gateway([a, b], options=GatewayOptions(on_transition=seen.append)), streamed=streamed) == "from b"
    assert len(client.calls) == 1
    assert seen == [Transition(TransitionKind.FALLBACK, "a", 0, 2, ErrorClassification.FALLBACK_ELIGIBLE, error, 0)]


@both
async def test_retries_come_before_the_fallback(streamed: bool) -> None:
    seen = list[Transition]()
    a, _ = scripted("a", refusal(500))
    b, _ = scripted("b", "from b")
    gateway = Gateway([a, b], options=GatewayOptions(on_transition=seen.append), clock=ManualClock())
    assert await ask(gateway, streamed=streamed) == "from b"
    assert [(item.kind.value, item.attempt) for item in seen] == [("retry", 0), ("retry", 1), ("fallback", 0)]
    assert seen[2].category is ErrorClassification.RETRYABLE


@both
async def test_when_all_fail_the_last_error_is_raised_as_it_is(streamed: bool) -> None:
    seen = list[Transition]()
    last = refusal(404)
    gateway = Gateway(
        [scripted("a", refusal(401))[0], scripted("b", last)[0]], options=GatewayOptions(on_transition=seen.append)
    )
    with pytest.raises(HttpStatusError) as caught:
        await ask(gateway, streamed=streamed)
    assert caught.value is last
    assert [(item.kind.value, item.provider_id, item.provider_index) for item in seen] == [
        ("fallback", "a", 0),
        ("exhausted", "b", 1),
    ]


@both
async def test_a_factory_that_raises_is_that_providers_failure(streamed: bool) -> None:
    from ironhive.gateway import ProviderRegistration

    attempts = 0

    def factory() -> ScriptedClient:
        nonlocal attempts
        attempts += 1
        raise RuntimeError("no such SDK")

    gateway = Gateway([ProviderRegistration("a", FRONTIER, factory), scripted("b", "from b")[0]])
    assert await ask(gateway, streamed=streamed) == "from b"
    assert await ask(gateway, streamed=streamed) == "from b"
    assert attempts == 2  # it is asked again: what was missing may be there now


@both
async def test_a_terminal_failure_ends_the_call(streamed: bool) -> None:
    seen = list[Transition]()
    a, _ = scripted("a", GuardError("inner"))
    b, client = scripted("b", "from b")
    gateway = Gateway([a, b], options=GatewayOptions(on_transition=seen.append))
    with pytest.raises(GuardError):
        await ask(gateway, streamed=streamed)
    assert (client.calls, seen, gateway.health.failures("a")) == ([], [], 0)


@both
async def test_a_classifier_around_the_default_changes_one_status(streamed: bool) -> None:
    class DownloadPending:
        def __init__(self, inner: DefaultErrorClassifier) -> None:
            self.inner = inner

        def classify(self, error: BaseException) -> ErrorClassification:
            if isinstance(error, HttpStatusError) and error.status == 409:
                return ErrorClassification.TERMINAL
            return self.inner.classify(error)

    a, _ = scripted("a", refusal(409), refusal(404))
    gateway = Gateway([a, scripted("b", "from b")[0]], classifier=DownloadPending(DefaultErrorClassifier()))
    with pytest.raises(HttpStatusError):
        await ask(gateway, streamed=streamed)
    assert await ask(gateway, streamed=streamed) == "from b"


@both
async def test_a_classifier_that_raises_does_not_hide_the_failure(
    streamed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def classify(self, error: BaseException) -> ErrorClassification:
            raise KeyError("x")

    gateway = Gateway([scripted("a", refusal(404))[0], scripted("b", "from b")[0]], classifier=Broken())
    assert await ask(gateway, streamed=streamed) == "from b"
    assert "classifier" in caplog.text


@both
async def test_a_cancelled_call_asks_nobody_else_even_if_a_client_hides_the_cancellation(streamed: bool) -> None:
    started = asyncio.Event()

    class Hiding(ScriptedClient):
        async def complete(self, messages: object, options: object = None) -> object:
            started.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise RuntimeError("aborted") from None

        async def stream(self, messages: object, options: object = None) -> object:
            await self.complete(messages)
            yield

    from ironhive.gateway import ProviderRegistration

    b, client = scripted("b", "from b")
    task = asyncio.create_task(ask(Gateway([ProviderRegistration("a", FRONTIER, Hiding), b]), streamed=streamed))
    await started.wait()
    task.cancel()
    with pytest.raises(RuntimeError):
        await task
    assert client.calls == []


class TestSwitchedOff:
    """``enable_fallback=False`` never changes the provider."""

    @both
    async def test_only_the_first_provider_is_asked_and_only_retries_are_told(self, streamed: bool) -> None:
        seen = list[Transition]()
        a, client = scripted("a", refusal(500))
        b, other = scripted("b", "from b")
        options = GatewayOptions(enable_fallback=False, on_transition=seen.append)
        gateway = Gateway([a, b], options=options, clock=ManualClock())
        for _ in range(4):
            with pytest.raises(HttpStatusError):
                await ask(gateway, streamed=streamed)
        assert (len(client.calls), other.calls) == (12, [])
        assert {item.kind for item in seen} == {TransitionKind.RETRY}
        assert gateway.health.failures("a") == 0

    @both
    async def test_a_cooling_provider_stays_first(self, streamed: bool) -> None:
        seen = list[Transition]()
        a, _ = scripted("a", "from a")
        gateway = Gateway(
            [a, scripted("b")[0]], options=GatewayOptions(enable_fallback=False, on_transition=seen.append)
        )
        for _ in range(3):
            gateway.health.failed("a")
        assert gateway.health.cooling("a")
        assert await ask(gateway, streamed=streamed) == "from a"
        assert seen == []
        assert not gateway.health.cooling("a")  # a success clears the record all the same


class TestTrust:
    """Fallback keeps to providers at least as trusted as the first choice."""

    @pytest.mark.parametrize("first", [FRONTIER, LAN, LOCAL])
    @pytest.mark.parametrize("second", [FRONTIER, LAN, LOCAL])
    @both
    async def test_by_kind(self, first: ProviderKind, second: ProviderKind, streamed: bool) -> None:
        trust = {FRONTIER: 0, LAN: 1, LOCAL: 2}
        a, _ = scripted("a", refusal(404), kind=first)
        b, client = scripted("b", "from b", kind=second)
        gateway = Gateway([a, b])
        if trust[second] >= trust[first]:
            assert await ask(gateway, streamed=streamed) == "from b"
            return
        with pytest.raises(HttpStatusError) as caught:
            await ask(gateway, streamed=streamed)
        assert client.calls == []
        assert any("'b'" in note and "fallback: any" in note for note in caught.value.__notes__)

    @both
    async def test_the_bound_can_be_lifted(self, streamed: bool) -> None:
        a, _ = scripted("a", refusal(404), kind=LOCAL)
        b, _ = scripted("b", "from b", kind=FRONTIER)
        assert await ask(Gateway([a, b], options=GatewayOptions(fallback="any")), streamed=streamed) == "from b"

    @both
    async def test_a_cooling_first_choice_does_not_open_the_way(self, streamed: bool) -> None:
        a, local = scripted("a", refusal(404), kind=LOCAL)
        b, client = scripted("b", "from b", kind=FRONTIER)
        gateway = Gateway([a, b])
        for _ in range(3):
            with pytest.raises(HttpStatusError):
                await ask(gateway, streamed=streamed)
        assert gateway.health.cooling("a")
        with pytest.raises(HttpStatusError):
            await ask(gateway, streamed=streamed)
        assert (client.calls, len(local.calls)) == ([], 4)

    @both
    async def test_the_next_allowed_provider_is_found_behind_one_that_is_not(self, streamed: bool) -> None:
        a, _ = scripted("a", refusal(404), kind=LAN, priority=3)
        b, client = scripted("b", "from b", kind=FRONTIER, priority=2)
        c, _ = scripted("c", "from c", kind=LOCAL, priority=1)
        assert await ask(Gateway([a, b, c]), streamed=streamed) == "from c"
        assert client.calls == []


class TestDownloads:
    """A fallback never downloads a model."""

    @both
    @pytest.mark.parametrize("bound", ["trusted", "any"])
    async def test_a_provider_that_would_download_is_passed_over(self, streamed: bool, bound: str) -> None:
        seen = list[Transition]()
        a, _ = scripted("a", refusal(404), kind=LAN)
        b, client = scripted("b", "from b", kind=LOCAL, needs_download=lambda: True)
        gateway = Gateway([a, b], options=GatewayOptions(fallback=bound, on_transition=seen.append))
        with pytest.raises(HttpStatusError) as caught:
            await ask(gateway, streamed=streamed)
        assert client.calls == []
        assert [item.kind for item in seen] == [TransitionKind.EXHAUSTED]
        assert caught.value.__notes__ == [
            "not asked: 'b', because a fallback never downloads a model; choose the provider by name to have it"
        ]

    @both
    async def test_a_model_that_is_here_answers(self, streamed: bool) -> None:
        a, _ = scripted("a", refusal(404), kind=LAN)
        b, _ = scripted("b", "from b", kind=LOCAL, needs_download=lambda: False)
        assert await ask(Gateway([a, b]), streamed=streamed) == "from b"

    @both
    async def test_the_first_choice_may_download(self, streamed: bool) -> None:
        a, _ = scripted("a", "from a", kind=LOCAL, needs_download=lambda: True)
        b, _ = scripted("b", "from b", kind=LOCAL)
        assert await ask(Gateway([a, b]), streamed=streamed) == "from a"

    @both
    async def test_nor_does_the_cooldown_of_the_first_choice(self, streamed: bool) -> None:
        a, client = scripted("a", refusal(404), kind=LAN)
        b, other = scripted("b", "from b", kind=LOCAL, needs_download=lambda: True)
        gateway = Gateway([a, b])
        for _ in range(4):
            with pytest.raises(HttpStatusError):
                await ask(gateway, streamed=streamed)
        assert (len(client.calls), other.calls) == (4, [])

    @both
    async def test_a_provider_that_cannot_say_counts_as_one_that_would(
        self, streamed: bool, caplog: pytest.LogCaptureFixture
    ) -> None:
        def broken() -> bool:
            raise OSError("cache unreadable")

        a, _ = scripted("a", refusal(404), kind=LAN)
        b, client = scripted("b", "from b", kind=LOCAL, needs_download=broken)
        with pytest.raises(HttpStatusError):
            await ask(Gateway([a, b]), streamed=streamed)
        assert client.calls == []
        assert "'b'" in caplog.text
