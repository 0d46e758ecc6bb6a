"""The guard's seam: what it sees, and what its answers do."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest
from tests.core.gateway.helpers import BrokenGuard, WordGuard, ask, read, refusal

from ironhive.chat import ChatMessage, ChatUpdate, ReasoningContent, ToolCallContent
from ironhive.contracts import Decision, Transition, Verdict
from ironhive.errors import ConfigurationError, GuardError, GuardFailedError, HttpStatusError
from ironhive.gateway import FailMode, Gateway, GatewayOptions, with_degeneration_stop
from ironhive.testing import ManualClock, scripted

both = pytest.mark.parametrize("streamed", [False, True])
UNSURE = [Verdict(Decision.FLAGGED, reason="odd"), Verdict(Decision.NEEDS_ESCALATION, reason="odd")]


@both
async def test_a_forbidden_input_reaches_no_provider(streamed: bool) -> None:
    seen = list[Transition]()
    provider, client = scripted("a", "text")
    gateway = Gateway([provider], guard=WordGuard(), options=GatewayOptions(on_transition=seen.append))
    with pytest.raises(GuardError) as caught:
        await ask(gateway, streamed=streamed, prompt="a forbidden question")
    assert (caught.value.stage, caught.value.reason) == ("input", "it says forbidden")
    assert caught.value.verdict is not None
    assert (client.calls, seen, gateway.health.failures("a")) == ([], [], 0)


@both
async def test_the_input_is_inspected_once_however_many_attempts_follow(streamed: bool) -> None:
    guard = WordGuard()
    a, _ = scripted("a", refusal(500))
    b, _ = scripted("b", "from b")
    assert await ask(Gateway([a, b], guard=guard, clock=ManualClock()), streamed=streamed) == "from b"
    assert (guard.inputs, guard.outputs) == (["hello"], ["from b"])


async def test_a_forbidden_answer_is_never_returned() -> None:
    provider, _ = scripted("a", "a forbidden answer")
    other, client = scripted("b", "from b")
    gateway = Gateway([provider, other], guard=WordGuard())
    gateway.health.failed("a")
    with pytest.raises(GuardError) as caught:
        await gateway.complete("hello")
    assert caught.value.stage == "output"
    assert client.calls == []  # terminal: nobody else is asked
    assert gateway.health.failures("a") == 1  # neither a success nor a failure


async def test_a_forbidden_stream_is_shown_and_then_raises() -> None:
    provider, client = scripted("a", ["a for", "bidden", " answer"])
    shown: list[str] = []
    with pytest.raises(GuardError):  # noqa: PT012 - the loop is what raises
        async with aclosing(Gateway([provider], guard=WordGuard()).stream("hello")) as updates:
            async for update in updates:
                shown.append(update.text)
    assert shown == ["a for", "bidden", " answer"]
    assert client.open_streams == 0


async def test_a_reader_that_stops_early_still_has_it_inspected() -> None:
    guard = WordGuard()
    provider, client = scripted("a", ["forbidden", " answer", " more"])
    open_during_inspection: list[int] = []
    guard.on_output = lambda: open_during_inspection.append(client.open_streams)
    stream = Gateway([provider], guard=guard).stream("hello")
    await anext(stream)
    with pytest.raises(GuardError):
        await stream.aclose()
    assert guard.outputs == ["forbidden"]
    assert open_during_inspection == [0]  # the provider is closed first


async def test_the_guards_error_outranks_the_readers_own() -> None:
    provider, client = scripted("a", ["forbidden", " answer"])
    with pytest.raises(GuardError):  # noqa: PT012 - the loop is what raises
        async with aclosing(Gateway([provider], guard=WordGuard()).stream("hello")) as updates:
            async for _ in updates:
                raise ZeroDivisionError
    assert client.open_streams == 0


class TestNotInspected:
    """When there is nothing to inspect in a stream, or no point."""

    async def test_when_the_provider_failed(self) -> None:
        guard = WordGuard()
        provider, _ = scripted("a", ["forbidden", refusal(500)])
        with pytest.raises(HttpStatusError):
            await read(Gateway([provider], guard=guard))
        assert guard.outputs == []

    async def test_when_nothing_came(self) -> None:
        guard = WordGuard()
        assert await read(Gateway([scripted("a", [])[0]], guard=guard)) == []
        assert guard.outputs == []

    async def test_when_the_call_was_cancelled_between_two_pulls(self) -> None:
        guard = WordGuard()
        provider, client = scripted("a", ["forbidden", " answer"])
        got_one = asyncio.Event()

        async def slow_reader() -> None:
            async with aclosing(Gateway([provider], guard=guard).stream("hello")) as updates:
                async for _ in updates:
                    got_one.set()
                    await asyncio.Event().wait()

        task = asyncio.create_task(slow_reader())
        await got_one.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (guard.outputs, client.open_streams) == ([], 0)

    async def test_twice(self) -> None:
        guard = WordGuard()
        stream = Gateway([scripted("a", ["one", "two"])[0]], guard=guard).stream("hello")
        assert len([update async for update in stream]) == 2
        await stream.aclose()
        assert guard.outputs == ["onetwo"]


@both
async def test_reasoning_and_tool_arguments_are_part_of_what_is_inspected(streamed: bool) -> None:
    call = ToolCallContent("1", "shell", {"command": "forbidden"})
    for part in (ReasoningContent("forbidden"), call):
        provider, _ = scripted("a", [ChatUpdate(contents=(part,))])
        with pytest.raises(GuardError):
            await ask(Gateway([provider], guard=WordGuard()), streamed=streamed)


@both
async def test_the_whole_conversation_is_shown_to_the_guard(streamed: bool) -> None:
    guard = WordGuard()
    gateway = Gateway([scripted("a", "ok")[0]], guard=guard)
    messages = [
        ChatMessage.system("rules"),
        ChatMessage.user("hello"),
        ChatMessage.assistant("hi"),
        ChatMessage.user("go"),
    ]
    if streamed:
        async with aclosing(gateway.stream(messages)) as updates:
            assert [update async for update in updates]
    else:
        await gateway.complete(messages)
    assert guard.inputs == ["rules\nhello\nhi\ngo"]


class TestFailMode:
    """Guards that are unsure, and guards that fail."""

    @both
    @pytest.mark.parametrize("verdict", UNSURE)
    @pytest.mark.parametrize("prompt", ["a forbidden question", "hello"])
    async def test_unsure_blocks_by_default(self, streamed: bool, verdict: Verdict, prompt: str) -> None:
        gateway = Gateway([scripted("a", "a forbidden answer")[0]], guard=WordGuard(verdict=verdict))
        with pytest.raises(GuardError, match="odd"):
            await ask(gateway, streamed=streamed, prompt=prompt)

    @both
    @pytest.mark.parametrize("verdict", UNSURE)
    async def test_unsure_passes_when_open(self, streamed: bool, verdict: Verdict) -> None:
        gateway = Gateway(
            [scripted("a", "a forbidden answer")[0]],
            guard=WordGuard(verdict=verdict),
            options=GatewayOptions(fail_mode=FailMode.OPEN),
        )
        assert await ask(gateway, streamed=streamed, prompt="a forbidden question") == "a forbidden answer"

    @both
    async def test_forbidden_is_forbidden_in_both(self, streamed: bool) -> None:
        gateway = Gateway([scripted("a", "ok")[0]], guard=WordGuard(), options=GatewayOptions(fail_mode="open"))
        with pytest.raises(GuardError):
            await ask(gateway, streamed=streamed, prompt="forbidden")

    @both
    async def test_a_guard_that_fails_blocks_by_default_and_is_no_providers_fault(self, streamed: bool) -> None:
        seen = list[Transition]()
        provider, client = scripted("a", "ok")
        gateway = Gateway([provider], guard=BrokenGuard(), options=GatewayOptions(on_transition=seen.append))
        with pytest.raises(GuardFailedError, match="BrokenGuard failed") as caught:
            await ask(gateway, streamed=streamed)
        assert isinstance(caught.value.__cause__, RuntimeError)
        assert (client.calls, seen, gateway.health.failures("a")) == ([], [], 0)

    async def test_our_own_errors_say_what_to_do_and_foreign_ones_may_quote_nothing(self) -> None:
        class Failing(WordGuard):
            error: Exception

            async def inspect_input(self, messages: object) -> Verdict:
                raise self.error

        guard = Failing()
        for guard.error, told in ((ConfigurationError("pip install it"), True), (ValueError("pip install it"), False)):
            with pytest.raises(GuardFailedError) as caught:
                await Gateway([scripted("a")[0]], guard=guard).complete("hello")
            assert ("pip install it" in str(caught.value)) is told

    @both
    async def test_a_guard_that_fails_passes_when_open(self, streamed: bool, caplog: pytest.LogCaptureFixture) -> None:
        gateway = Gateway([scripted("a", "ok")[0]], guard=BrokenGuard(), options=GatewayOptions(fail_mode="open"))
        assert await ask(gateway, streamed=streamed) == "ok"
        assert "BrokenGuard failed" in caplog.text

    @both
    async def test_a_guard_that_fails_on_the_output_only(self, streamed: bool) -> None:
        class HalfBroken(WordGuard):
            async def inspect_output(self, response: object) -> Verdict:
                raise TimeoutError

        a, _ = scripted("a", "ok")
        b, client = scripted("b", "from b")
        with pytest.raises(GuardFailedError) as caught:
            await ask(Gateway([a, b], guard=HalfBroken()), streamed=streamed)
        assert (caught.value.stage, client.calls) == ("output", [])

    @both
    async def test_an_answer_that_is_no_verdict_is_a_failure(self, streamed: bool) -> None:
        class Silent(WordGuard):
            async def inspect_input(self, messages: object) -> Verdict:
                return None

        with pytest.raises(GuardFailedError) as caught:
            await ask(Gateway([scripted("a")[0]], guard=Silent()), streamed=streamed)
        assert "NoneType instead of a Verdict" in str(caught.value.__cause__)

    async def test_the_guards_own_mode_counts_where_none_is_given(self) -> None:
        guard = BrokenGuard()
        guard.fail_mode = "open"
        assert (await Gateway([scripted("a", "ok")[0]], guard=guard).complete("hello")).text == "ok"
        closed = Gateway([scripted("a", "ok")[0]], guard=guard, options=GatewayOptions(fail_mode="closed"))
        with pytest.raises(GuardFailedError):
            await closed.complete("hello")

    async def test_a_blocked_call_without_a_reason_says_so(self) -> None:
        gateway = Gateway([scripted("a")[0]], guard=WordGuard(verdict=Verdict.block()))
        with pytest.raises(GuardError, match="it gave no reason"):
            await gateway.complete("forbidden")

    async def test_cancelling_the_guard_cancels_the_call(self) -> None:
        asked = asyncio.Event()

        class Slow(WordGuard):
            async def inspect_input(self, messages: object) -> Verdict:
                asked.set()
                await asyncio.Event().wait()
                return Verdict.allow()

        options = GatewayOptions(fail_mode="open")
        task = asyncio.create_task(Gateway([scripted("a")[0]], guard=Slow(), options=options).complete("hello"))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


class TestUnderADegenerationStop:
    """The stop closes the gateway's stream early; the output is inspected all the same."""

    async def test_a_forbidden_loop_is_raised_instead_of_returned(self) -> None:
        guard = WordGuard()
        provider, _ = scripted("a", ["forbidden again "] * 20)
        with pytest.raises(GuardError):
            await with_degeneration_stop(Gateway([provider], guard=guard)).complete("hello")
        assert len(guard.outputs) == 1

    async def test_a_harmless_loop_is_returned_as_far_as_it_came(self) -> None:
        guard = WordGuard()
        provider, _ = scripted("a", ["over and over "] * 20)
        response = await with_degeneration_stop(Gateway([provider], guard=guard)).complete("hello")
        assert response.finish_reason == "degeneration"
        assert guard.outputs == [response.text]
