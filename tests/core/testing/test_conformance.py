"""The suites find what is wrong: one defect at a time."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from ironhive.chat import ChatMessage, ChatResponse, ChatUpdate, TextContent
from ironhive.contracts import Decision, Finding, ProviderKind, ProviderRegistration, Verdict
from ironhive.errors import ConnectFailedError, HttpStatusError
from ironhive.testing import GuardConformance, ProviderConformance, ScriptedClient, run_suite

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable
    from pathlib import Path

running: set[asyncio.Task[None]] = set()


class Good(ScriptedClient):
    def __init__(self) -> None:
        super().__init__(["Hello ", "there.", ChatUpdate(finish_reason="stop")])


class Silent(ScriptedClient):
    def __init__(self) -> None:
        super().__init__([ChatUpdate(finish_reason="stop"), ChatUpdate()])


class NoReason(ScriptedClient):
    def __init__(self) -> None:
        super().__init__(["Hello ", "there."])


class OnePiece(ScriptedClient):
    def __init__(self) -> None:
        super().__init__([ChatUpdate(contents=(TextContent("Hello."),), finish_reason="stop")])


class ToItself(ScriptedClient):
    async def complete(self, messages: Any, options: Any = None) -> ChatResponse:
        return ChatResponse(messages=(ChatMessage.user("Hello."),), finish_reason="stop")


class NoOptions(Good):
    async def complete(self, messages: Any, options: Any = None) -> ChatResponse:
        if options is not None:
            raise TypeError("no options, please")
        return await super().complete(messages)


class PlainIterator(Good):
    def stream(self, messages: Any, options: Any = None) -> Any:
        class Pieces:
            def __aiter__(self) -> Any:
                return self

            async def __anext__(self) -> ChatUpdate:
                raise StopAsyncIteration

        return Pieces()


class LeavesTask(Good):
    async def stream(self, messages: Any, options: Any = None) -> AsyncGenerator[ChatUpdate, None]:
        running.add(asyncio.create_task(asyncio.Event().wait()))
        async for update in super().stream(messages, options):
            yield update


class SwallowsCancellation(Good):
    async def stream(self, messages: Any, options: Any = None) -> AsyncGenerator[ChatUpdate, None]:
        try:
            async for update in super().stream(messages, options):
                yield update
        finally:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise ValueError("not now")


class OneAtATime(Good):
    busy = False

    async def complete(self, messages: Any, options: Any = None) -> ChatResponse:
        if self.busy:
            return ChatResponse()
        self.busy = True
        await asyncio.sleep(0)
        self.busy = False
        return await super().complete(messages, options)


class ClosesOnce(Good):
    async def aclose(self) -> None:
        if self.closed:
            raise RuntimeError("already closed")
        await super().aclose()


class Raising(ScriptedClient):
    def __init__(self, whole: BaseException, streamed: BaseException) -> None:
        super().__init__(lambda *_: None)
        self.whole, self.streamed = whole, streamed

    def _next(self, messages: Any, options: Any, *, streamed: bool) -> Any:
        raise self.streamed if streamed else self.whole


def suite(client: Callable[[], ScriptedClient], bad: Callable[[], ScriptedClient] | None = None) -> ProviderConformance:
    class Suite(ProviderConformance):
        @asynccontextmanager
        async def provider(self) -> AsyncIterator[ProviderRegistration]:
            yield ProviderRegistration("x", ProviderKind.LAN, client)

        if bad is not None:

            @asynccontextmanager
            async def refusing(self) -> AsyncIterator[ProviderRegistration]:
                yield ProviderRegistration("x", ProviderKind.LAN, bad)

    return Suite()


async def problems(of: Any) -> dict[str, str]:
    found = {result.name: result.problem for result in await run_suite(of, seconds=5) if not result.ok}
    for task in running:
        task.cancel()
    running.clear()
    return found


async def test_a_good_provider_passes_and_what_was_not_given_is_told() -> None:
    results = await run_suite(suite(Good))
    assert all(result.ok for result in results)
    assert {result.name for result in results if not result.applicable} == {
        "failures_are_named",
        "the_key_is_not_shown",
    }


one = Good()

DEFECTS: dict[str, tuple[Callable[[], Any], str, str]] = {
    "the same client twice": (lambda: one, "the_registration_is_complete", "same client twice"),
    "no text": (Silent, "it_answers", "no text"),
    "no text in a stream": (Silent, "a_stream_adds_up_to_an_answer", "no text"),
    "no finish reason": (NoReason, "it_answers", "no finish reason"),
    "no finish reason in a stream": (NoReason, "a_stream_adds_up_to_an_answer", "no update carries a finish reason"),
    "one piece": (OnePiece, "a_stream_adds_up_to_an_answer", "came in one update"),
    "the wrong role": (ToItself, "it_answers", "no text"),
    "no options": (NoOptions, "options_are_taken", "no options, please"),
    "no generator": (PlainIterator, "an_unread_stream_costs_nothing", "can be closed"),
    "a task left": (LeavesTask, "a_stream_can_be_left_early", "left a task running"),
    "a task left when cancelled": (LeavesTask, "cancellation_passes_through", "left a task running"),
    "swallowed cancellation": (SwallowsCancellation, "cancellation_passes_through", "cancellation was swallowed"),
    "one call at a time": (OneAtATime, "calls_can_run_at_once", "disturbed each other"),
    "closing once": (ClosesOnce, "a_client_can_be_closed_twice", "already closed"),
}


@pytest.mark.parametrize("defect", DEFECTS)
async def test_a_defect_of_a_provider_is_found(defect: str) -> None:
    client, check, problem = DEFECTS[defect]
    found = await problems(suite(client))
    assert problem in found[check]


REFUSALS: dict[str, tuple[BaseException, BaseException, str]] = {
    "foreign errors": (ValueError("x"), ValueError("x"), "ValueError"),
    "two names": (HttpStatusError("x", status=401), ConnectFailedError("x"), "two types"),
    "the key in it": (
        HttpStatusError("key-1 is wrong", status=401),
        HttpStatusError("key-1 is wrong", status=401),
        "shows the key",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
async def test_a_refusal_that_is_not_named_well_is_found(name: str) -> None:
    whole, streamed, problem = REFUSALS[name]
    tested = suite(Good, lambda: Raising(whole, streamed))
    type(tested).secret = "key-1"
    assert problem in (await problems(tested))["failures_are_named"]


class Words:
    """A guard to be made defective."""

    def judge(self, text: str) -> Verdict:
        return Verdict.block("a word") if "forbidden" in text else Verdict.allow()

    async def inspect_input(self, messages: Any) -> Verdict:
        texts = [str(part) for message in messages for part in message.contents]
        return self.judge(" ".join(texts))

    async def inspect_output(self, response: Any) -> Verdict:
        return self.judge(" ".join(str(part) for message in response.messages for part in message.contents))


class Deaf(Words):
    async def inspect_output(self, response: Any) -> Verdict:
        return Verdict.allow()


class Anxious(Words):
    def judge(self, text: str) -> Verdict:
        return Verdict(Decision.FLAGGED, reason="who knows")


class NoVerdict(Words):
    def judge(self, text: str) -> Any:
        return "forbidden" in text


class Unreasonable(Words):
    def judge(self, text: str) -> Verdict:
        return Verdict.block() if "forbidden" in text else Verdict.allow()


class Beside(Words):
    def judge(self, text: str) -> Verdict:
        if "forbidden" not in text:
            return Verdict.allow()
        return Verdict(Decision.BLOCK, 1, (Finding("r", "c", 0, 10_000),), "a word")


class LastOnly(Words):
    async def inspect_input(self, messages: Any) -> Verdict:
        return self.judge(messages[-1].text if messages else "")


class TextOnly(Words):
    async def inspect_output(self, response: Any) -> Verdict:
        return self.judge(response.text)


class Stateful(Words):
    text = ""

    async def inspect_input(self, messages: Any) -> Verdict:
        self.text = " ".join(message.text for message in messages)
        await asyncio.sleep(0)
        return self.judge(self.text)


class Forgetful(Words):
    def open_scanner(self) -> Any:
        guard = self

        class Scanner:
            async def feed(self, text: str) -> Verdict:
                return guard.judge(text)

            async def finish(self) -> Verdict:
                return Verdict.allow()

        return Scanner()


class MasksBadly(Words):
    def mask(self, messages: Any) -> Any:
        class Nothing:
            def feed(self, text: str) -> str:
                return text

            def finish(self) -> str:
                return ""

        if "kim" not in messages[0].text:
            return messages, None
        return [ChatMessage.user(messages[0].text.replace("kim", "<1>"))], Nothing()


def guard_suite(guard: Callable[[], Any]) -> GuardConformance:
    class Suite(GuardConformance):
        forbidden_input = forbidden_output = "a forbidden text"
        masked = "ask kim"

        def guard(self) -> Any:
            return guard()

    return Suite()


async def test_a_good_guard_passes() -> None:
    assert await problems(guard_suite(Words)) == {}


@pytest.mark.parametrize(
    ("guard", "check"),
    [
        (Deaf, "forbidden_text_raises_an_alarm"),
        (Anxious, "harmless_text_passes"),
        (Anxious, "nothing_at_all_passes"),
        (NoVerdict, "harmless_text_passes"),
        (Unreasonable, "forbidden_text_raises_an_alarm"),
        (Beside, "forbidden_text_raises_an_alarm"),
        (LastOnly, "earlier_and_later_messages_count"),
        (TextOnly, "reasoning_and_tool_arguments_count"),
        (Stateful, "inspections_can_run_at_once"),
        (Forgetful, "a_scanner_agrees_however_a_text_is_cut"),
        (MasksBadly, "what_is_masked_is_restored"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
async def test_a_defect_of_a_guard_is_found(guard: Callable[[], Any], check: str) -> None:
    assert check in await problems(guard_suite(guard))


async def test_a_check_that_hangs_is_a_result() -> None:
    class Hanging(Good):
        async def complete(self, messages: Any, options: Any = None) -> ChatResponse:
            await asyncio.Event().wait()
            raise AssertionError

    results = {result.name: result for result in await run_suite(suite(Hanging), seconds=0.05)}
    assert "TimeoutError" in results["it_answers"].problem
    assert results["a_stream_adds_up_to_an_answer"].ok


def test_under_plain_pytest_a_subclass_is_a_test_class(tmp_path: Path) -> None:
    (tmp_path / "test_acme.py").write_text(
        "from contextlib import asynccontextmanager\n"
        "from ironhive.contracts import ProviderKind, ProviderRegistration\n"
        "from ironhive.testing import ProviderConformance, ScriptedClient\n"
        "class TestAcme(ProviderConformance):\n"
        "    answer = 'Hello there.'\n"
        "    @asynccontextmanager\n"
        "    async def provider(self):\n"
        "        yield ProviderRegistration('a', ProviderKind.LAN, lambda: ScriptedClient(self.answer))\n"
        "class TestBad(TestAcme):\n"
        "    answer = ''\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:asyncio", "-p", "no:cacheprovider", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "TestBad::test_it_answers" in run.stdout
    assert "TestAcme::" not in run.stdout
    assert run.returncode == 1
