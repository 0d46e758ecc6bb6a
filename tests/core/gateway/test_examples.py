"""The gateway used as its documentation shows, from the quick start to tenants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.core.gateway.helpers import WordGuard, ask, refusal

from ironhive.chat import ChatMessage, ChatUpdate, TextContent
from ironhive.errors import ConnectFailedError, GuardError, HttpStatusError
from ironhive.gateway import (
    REPEATED_UNIT_KEY,
    DefaultErrorClassifier,
    DegenerationOptions,
    DegenerationStopClient,
    ErrorClassification,
    FailMode,
    Gateway,
    GatewayOptions,
    ProviderKind,
    ProviderRegistration,
    Resilience,
    TenantGateways,
    Transition,
    TransitionKind,
    Verdict,
    byo,
    find_repeating_unit,
    with_degeneration_stop,
)
from ironhive.gateway.byo import CredentialPlacement, Endpoint, ProbeFailure
from ironhive.testing import Fault, LoopbackServer, ManualClock, Reply, scripted, scripted_provider
from ironhive_plugins.providers.anthropic import anthropic
from ironhive_plugins.providers.openai import gpustack, openai, openai_compatible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.contracts import ErrorClassifier, SelectionContext

streamed_or_not = pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])


class TestQuickStart:
    """Two frontier providers and a guard behind one chat client."""

    @streamed_or_not
    async def test_the_higher_priority_answers(self, streamed: bool) -> None:
        async with scripted_provider("Hello!") as first, LoopbackServer([Reply.error(500)]) as second:
            providers = [
                openai(id="openai", priority=10, model="gpt-4o", api_key="k1", base_url=f"{first.url}/v1"),
                anthropic(id="anthropic", priority=5, model="claude-opus-4-5", api_key="k2", base_url=second.url),
            ]
            async with Gateway(providers, guard=WordGuard()) as chat:
                assert await ask(chat, streamed=streamed, prompt="Hello") == "Hello!"
            assert first.requests[0].headers["authorization"] == "Bearer k1"
            assert second.requests == []

    @streamed_or_not
    async def test_what_the_guard_blocks_says_why(self, streamed: bool) -> None:
        async with scripted_provider("Hello!") as server:
            provider = openai(model="gpt-4o", api_key="k", base_url=f"{server.url}/v1")
            async with Gateway([provider], guard=WordGuard("password")) as chat:
                with pytest.raises(GuardError) as blocked:
                    await ask(chat, streamed=streamed, prompt="my password is 1234")
            assert blocked.value.reason == "it says password"
            assert server.requests == []


class TestAdapters:
    """What the functions that make registrations fill in."""

    def test_kinds(self) -> None:
        assert openai(api_key="k").kind is ProviderKind.FRONTIER
        assert anthropic(api_key="k").kind is ProviderKind.FRONTIER
        assert gpustack().kind is ProviderKind.LAN
        assert openai_compatible().kind is ProviderKind.LAN

    async def test_an_address_on_the_lan_needs_no_key_and_gets_the_standard_path(self) -> None:
        async with scripted_provider("hi") as ollama, scripted_provider("hi") as stack:
            compatible = openai_compatible(id="ollama", priority=20, model="llama3.2", base_url=ollama.url)
            async with Gateway([compatible]) as chat:
                await ask(chat, streamed=False)
            assert ollama.requests[0].path == "/v1/chat/completions"
            async with Gateway([gpustack(base_url=stack.url, model="m")]) as chat:
                await ask(chat, streamed=False)
            assert stack.requests[0].path == "/v1-openai/chat/completions"

    async def test_the_lan_first_when_its_priority_is_higher(self) -> None:
        async with scripted_provider("from the LAN") as lan, scripted_provider("from far away") as frontier:
            providers = [
                openai(id="openai", priority=10, model="gpt-4o", api_key="k", base_url=f"{frontier.url}/v1"),
                openai_compatible(id="ollama", priority=20, model="llama3.2", base_url=lan.url),
            ]
            async with Gateway(providers) as chat:
                assert await ask(chat, streamed=False) == "from the LAN"


class TestOwnEndpoints:
    """A settings screen: defaults, checks, a test connection, and the provider."""

    async def test_from_entry_to_answer(self) -> None:
        presets = byo.presets()
        async with scripted_provider("42", models=["grok-4", "grok-3"]) as server:
            endpoint = Endpoint(
                "grok", base_url=f"{server.url}/v1", api_key="xai-key", headers={"X-Gateway-Token": "token"}
            )
            why = byo.validate(endpoint, catalogue=presets)
            probe = await byo.probe(endpoint, catalogue=presets)
            assert why is None
            assert (probe.ok, probe.model_ids, probe.model_count) == (True, ("grok-4", "grok-3"), 2)
            assert probe.lists("grok-4")
            assert not probe.lists("grok-5")
            provider = byo.registration(endpoint, id="user-endpoint", priority=30, model="grok-4", catalogue=presets)
            async with Gateway([provider]) as chat:
                assert await ask(chat, streamed=False) == "42"
            assert [request.headers["x-gateway-token"] for request in server.requests] == ["token", "token"]

    async def test_a_wrong_key_and_a_wrong_path_are_told_apart(self) -> None:
        presets = byo.presets()
        for status, failure in ((401, ProbeFailure.UNAUTHORIZED), (404, ProbeFailure.HTTP_STATUS)):
            async with LoopbackServer([Reply.error(status)]) as server:
                result = await byo.probe(Endpoint("custom", server.url, "key"), catalogue=presets)
            assert (result.status_code, result.failure) == (status, failure)

    def test_an_unknown_preset_is_refused_not_guessed(self) -> None:
        assert "unknown preset 'openai-like'" in str(byo.validate(Endpoint("openai-like", base_url="http://box")))

    @pytest.mark.parametrize(
        ("placement", "header", "value"),
        [
            (CredentialPlacement.authorization("Basic"), "authorization", "Basic dXNlcjpwYXNz"),
            (CredentialPlacement.authorization(None), "authorization", "dXNlcjpwYXNz"),
            (CredentialPlacement.in_header("api-key"), "api-key", "dXNlcjpwYXNz"),
            (None, "authorization", "Bearer dXNlcjpwYXNz"),
        ],
    )
    async def test_a_key_in_another_shape(self, placement: CredentialPlacement | None, header: str, value: str) -> None:
        async with scripted_provider() as server:
            await byo.probe(Endpoint("custom", server.url, "dXNlcjpwYXNz", placement=placement))
            assert server.requests[0].headers[header] == value


class TestFailMode:
    """Closed by default; open lets uncertain verdicts pass, never a block."""

    @pytest.mark.parametrize("mode", list(FailMode))
    @pytest.mark.parametrize("decision", ["flagged", "needs_escalation", "block"])
    async def test_each_verdict_in_each_mode(self, mode: FailMode, decision: str) -> None:
        from ironhive.contracts import Decision

        guard = WordGuard("odd", verdict=Verdict(Decision(decision), reason="odd"))
        gateway = Gateway([scripted("a", "ok")[0]], guard=guard, options=GatewayOptions(fail_mode=mode))
        if mode is FailMode.OPEN and decision != "block":
            assert await ask(gateway, streamed=False, prompt="an odd question") == "ok"
        else:
            with pytest.raises(GuardError):
                await ask(gateway, streamed=False, prompt="an odd question")


class TestBothArms:
    """A frontier provider and a local one in one gateway, with every number set."""

    options = GatewayOptions(
        enable_fallback=True,
        fallback="any",
        resilience=Resilience(
            max_retries=3,
            base_delay_seconds=0.3,
            failure_threshold=3,
            cooldown_seconds=30,
            max_retry_after_seconds=10,
        ),
    )

    async def test_the_local_one_first_then_the_other_with_events_for_the_screen(self) -> None:
        chips: list[str] = []

        def show(t: Transition) -> None:
            chips.append(f"[{t.kind}] {t.provider_id} ({t.provider_index + 1}/{t.total_providers})")

        from dataclasses import replace

        clock = ManualClock()
        far, _ = scripted("openai", "from far away", kind=ProviderKind.FRONTIER, priority=10)
        local, client = scripted("local", refusal(500), kind=ProviderKind.LOCAL, priority=20)
        gateway = Gateway([far, local], options=replace(self.options, on_transition=show), clock=clock)
        assert await ask(gateway, streamed=False) == "from far away"
        assert chips == ["[retry] local (1/2)"] * 3 + ["[fallback] local (1/2)"]
        assert clock.slept == pytest.approx([0.3, 0.6, 0.9])
        for _ in range(2):
            await ask(gateway, streamed=False)
        chips.clear()
        assert await ask(gateway, streamed=False) == "from far away"
        assert chips == ["[skipped] local (1/2)"]
        assert len(client.calls) == 12

    def test_the_defaults(self) -> None:
        defaults = GatewayOptions()
        assert defaults.enable_fallback
        assert defaults.resilience == Resilience(
            max_retries=2,
            base_delay_seconds=0.2,
            failure_threshold=3,
            cooldown_seconds=30,
            max_retry_after_seconds=10,
        )
        assert defaults.on_transition is None


class TestLocalSafety:
    """A local provider that is not ready is that provider's failure."""

    @streamed_or_not
    async def test_a_crash_before_the_first_token_goes_to_the_next_provider(self, streamed: bool) -> None:
        from ironhive.errors import BackendExitedError, NotReadyError

        for error in (NotReadyError("loading"), BackendExitedError("died", exit_code=-11)):
            local, client = scripted("local", error, kind=ProviderKind.LOCAL, priority=20)
            other, _ = scripted("other", "from the other", kind=ProviderKind.LOCAL, priority=10)
            assert await ask(Gateway([local, other]), streamed=streamed) == "from the other"
            assert len(client.calls) == 1


class DownloadPendingClassifier:
    """409 means here: wait for a person's consent; do not ask elsewhere."""

    def __init__(self, inner: ErrorClassifier) -> None:
        self._inner = inner

    def classify(self, error: BaseException) -> ErrorClassification:
        if isinstance(error, HttpStatusError) and error.status == 409:
            return ErrorClassification.TERMINAL
        return self._inner.classify(error)


async def test_a_classifier_of_ones_own_for_one_status() -> None:
    a, _ = scripted("a", refusal(409))
    b, other = scripted("b", "from b")
    gateway = Gateway([a, b], classifier=DownloadPendingClassifier(DefaultErrorClassifier()))
    with pytest.raises(HttpStatusError):
        await ask(gateway, streamed=False)
    assert other.calls == []


def short_requests_stay_local(context: SelectionContext) -> Sequence[ProviderRegistration]:
    """Under 2,000 characters the local providers come first; the sort keeps the rest of the order."""
    if sum(len(message.text) for message in context.messages) >= 2_000:
        return context.candidates
    return sorted(context.candidates, key=lambda item: item.kind is not ProviderKind.LOCAL)


async def test_a_selector_of_ones_own() -> None:
    providers = [
        scripted("far", "from far away", kind=ProviderKind.FRONTIER, priority=9)[0],
        scripted("local 1", "local 1", kind=ProviderKind.LOCAL, priority=5)[0],
        scripted("local 2", "local 2", kind=ProviderKind.LOCAL, priority=4)[0],
    ]
    gateway = Gateway(providers, selector=short_requests_stay_local)
    assert await ask(gateway, streamed=False, prompt="short") == "local 1"
    assert await ask(gateway, streamed=False, prompt="long " * 400) == "from far away"


class TestStreams:
    """The window for retry and fallback closes with the first update."""

    @pytest.mark.parametrize("error", [ConnectFailedError("x", kind="refused"), refusal(404)])
    async def test_a_failure_at_the_first_pull_is_survived(self, error: Exception) -> None:
        gateway = Gateway([scripted("a", [error])[0], scripted("b", "from b")[0]])
        assert await ask(gateway, streamed=True) == "from b"

    async def test_a_later_failure_is_the_callers(self) -> None:
        gateway = Gateway([scripted("a", ["one", refusal(500)])[0], scripted("b", "from b")[0]])
        with pytest.raises(HttpStatusError):
            await ask(gateway, streamed=True)


class TestTenants:
    """A gateway for each workspace, with its own providers and key."""

    async def test_a_workspace_has_its_own_key_and_the_shared_guard(self) -> None:
        keys = {"workspace-1": "key-1", "workspace-2": "key-2"}
        async with scripted_provider("ok") as server:

            def resolve(tenant: str) -> list[ProviderRegistration]:
                return [openai(api_key=keys[tenant], model="m", base_url=f"{server.url}/v1")]

            async with TenantGateways(resolve, guard=WordGuard()) as gateways:
                for tenant in ("workspace-1", "workspace-2", "workspace-1"):
                    assert await ask(gateways.for_tenant(tenant), streamed=False) == "ok"
                keys["workspace-1"] = "rotated"
                await ask(gateways.for_tenant("workspace-1"), streamed=False)
                with pytest.raises(GuardError):
                    await ask(gateways.for_tenant("workspace-1"), streamed=False, prompt="forbidden")
            sent = [request.headers["authorization"].removeprefix("Bearer ") for request in server.requests]
            assert sent == ["key-1", "key-2", "key-1", "rotated"]
            assert server.connections == 3  # equal registrations share their client's connection


class TestDegenerationStop:
    """A loop of words ends early, with a sign."""

    pieces = ("Be ", *["concisely "] * 50)

    async def test_around_any_client(self) -> None:
        chat = with_degeneration_stop(Gateway([scripted("a", self.pieces)[0]]), min_repeats=4)
        response = await chat.complete([ChatMessage.user("hello")])
        assert response.finish_reason == "degeneration"
        assert response.properties[REPEATED_UNIT_KEY] == "concisely "
        assert response.text == "Be " + "concisely " * 4

    async def test_as_a_part_of_a_pipeline(self) -> None:
        inner = scripted("a", self.pieces)[1]
        piped = DegenerationStopClient(inner, DegenerationOptions(min_repeats=4))
        updates = [update async for update in piped.stream([ChatMessage.user("hello")])]
        assert updates[-1].finish_reason == "degeneration"
        assert inner.open_streams == 0

    def test_the_verdict_alone(self) -> None:
        assert find_repeating_unit("concisely concisely concisely concisely ") == "concisely "
        for harmless in ("----" * 20, "| --- |" * 10, "====" * 20, "...." * 20):
            assert find_repeating_unit(harmless) is None

    async def test_the_generation_on_the_other_side_is_ended(self) -> None:
        async with scripted_provider([*self.pieces, Fault.STALL]) as server:
            provider = openai_compatible(base_url=server.url, model="m")
            async with Gateway([provider]) as gateway:
                await with_degeneration_stop(gateway).complete([ChatMessage.user("hello")])
                await server.quiet()


class TestWhatTheGuardInspects:
    """Input before the call, output after it; streamed output at its end or when the reader leaves."""

    async def test_nothing_without_a_guard(self) -> None:
        gateway = Gateway([scripted("a", "forbidden")[0]])
        assert gateway.guard is None
        assert await ask(gateway, streamed=False, prompt="forbidden") == "forbidden"

    async def test_a_blocked_answer_is_never_returned(self) -> None:
        with pytest.raises(GuardError):
            await ask(Gateway([scripted("a", "forbidden")[0]], guard=WordGuard()), streamed=False)

    async def test_a_blocked_stream_ends_with_the_error_after_its_updates(self) -> None:
        received: list[ChatUpdate] = []
        stream = Gateway([scripted("a", ["for", "bidden"])[0]], guard=WordGuard()).stream([ChatMessage.user("x")])
        with pytest.raises(GuardError):  # noqa: PT012 - the loop is what raises
            async for update in stream:
                received.append(update)
        assert [update.text for update in received] == ["for", "bidden"]

    async def test_a_reader_that_leaves_early_hears_of_it_when_closing(self) -> None:
        stream = Gateway([scripted("a", ["forbidden", "x"])[0]], guard=WordGuard()).stream([ChatMessage.user("x")])
        await anext(stream)
        with pytest.raises(GuardError):
            await stream.aclose()

    async def test_a_degeneration_stop_around_the_gateway_does_not_switch_it_off(self) -> None:
        chat = with_degeneration_stop(Gateway([scripted("a", "forbidden")[0]], guard=WordGuard()))
        with pytest.raises(GuardError):
            await chat.complete([ChatMessage.user("x")])


async def test_the_gateway_is_a_chat_client_like_any_other() -> None:
    """So a gateway can be a provider of another one."""

    @dataclass(frozen=True)
    class Inner:
        def __call__(self) -> Gateway:
            return Gateway([scripted("a", [ChatUpdate(contents=(TextContent("deep"),))])[0]])

    outer = Gateway([ProviderRegistration("inner", ProviderKind.LAN, Inner())])
    assert await ask(outer, streamed=True) == "deep"
    assert (await outer.complete([ChatMessage.user("x")])).text == "deep"
    await outer.aclose()


def test_kinds_of_transition() -> None:
    assert [kind.value for kind in TransitionKind] == ["retry", "fallback", "exhausted", "skipped"]
