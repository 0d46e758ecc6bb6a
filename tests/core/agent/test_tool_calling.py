"""A client that runs tools: what reaches the model, what reaches the caller, and where it ends."""

from __future__ import annotations

import asyncio
import sys
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest
from tests.core.agent.pieces import Workshop, call, calls, stop, unreadable, usage

from ironhive.agent import (
    AgentLoop,
    Refusal,
    StopReason,
    ToolCallingClient,
    ToolInvocation,
    open_calls,
    run_tool,
    stop_reason,
)
from ironhive.chat import (
    ChatMessage,
    ChatOptions,
    ChatResponse,
    ChatUpdate,
    FinishReason,
    RequireTool,
    TextContent,
    Tool,
    ToolCallContent,
    ToolResultContent,
    Usage,
    UsageContent,
    aggregate,
    tool,
)
from ironhive.errors import BadAnswerError, ConfigurationError, ToolError
from ironhive.testing import ScriptedClient

if TYPE_CHECKING:
    from collections.abc import Sequence

QUESTION = (ChatMessage.user("question"),)


async def ask(
    *script: Any, workshop: Workshop | None = None, tools: Sequence[Tool] | None = None, **settings: Any
) -> tuple[ChatResponse, ScriptedClient]:
    """The whole turn, and the client that was asked."""
    inner = ScriptedClient(*script)
    options = ChatOptions(tools=tuple(tools if tools is not None else (workshop or Workshop()).tools))
    return await ToolCallingClient(inner, **settings).complete(QUESTION, options), inner


def results(response: ChatResponse) -> list[ToolResultContent]:
    return [part for item in response.messages for part in item.contents if isinstance(part, ToolResultContent)]


async def test_an_answer_without_calls_passes_through() -> None:
    response, inner = await ask("plain answer")
    assert response.text == "plain answer"
    assert response.finish_reason == FinishReason.STOP
    assert len(inner.calls) == 1


async def test_results_go_back_to_the_model_as_one_message_behind_its_calls() -> None:
    both = calls(ToolCallContent("a", "lookup", {"key": "x"}), ToolCallContent("b", "lookup", {"key": "y"}))
    workshop = Workshop()
    response, inner = await ask(both, "done", workshop=workshop)
    assert workshop.used == ["x", "y"]
    asked = inner.calls[1].messages
    assert [item.role for item in asked] == ["user", "assistant", "tool"]
    assert [(part.call_id, part.result) for part in results(response)] == [("a", "value of x"), ("b", "value of y")]
    assert asked[2].contents == tuple(results(response))
    assert [item.role for item in response.messages] == ["assistant", "tool", "assistant"]


async def test_updates_of_the_inner_client_are_the_ones_the_caller_gets() -> None:
    pieces = [ChatUpdate((TextContent(text),), role="assistant") for text in ("a", "b", "c")]
    client = ToolCallingClient(ScriptedClient([*pieces, stop()]))
    async with aclosing(client.stream(QUESTION)) as updates:
        seen = [update async for update in updates]
    assert all(got is sent for got, sent in zip(seen, pieces, strict=False))


async def test_a_result_is_told_before_the_next_tool_runs() -> None:
    workshop = Workshop()
    two = calls(ToolCallContent("a", "lookup", {"key": "x"}), ToolCallContent("b", "lookup", {"key": "y"}))
    client = ToolCallingClient(ScriptedClient(two, "done"))
    async with aclosing(client.stream(QUESTION, ChatOptions(tools=workshop.tools))) as updates:
        async for update in updates:
            if update.role == "tool":
                break
    assert workshop.used == ["x"]


async def test_streamed_and_whole_turns_add_up_to_the_same() -> None:
    script = (
        ["Let me see. ", call("lookup", {"key": "x"}), usage(10, 2)],
        [call("tick", call_id="2"), usage(20, 3)],
        ["It is ", "fine.", stop(), usage(30, 4)],
    )
    whole, _ = await ask(*script)
    client = ToolCallingClient(ScriptedClient(*script))
    streamed = aggregate([update async for update in client.stream(QUESTION, ChatOptions(tools=Workshop().tools))])
    assert [message.contents for message in streamed.messages] == [message.contents for message in whole.messages]
    assert streamed.usage == whole.usage == Usage(60, 9, 69)


async def test_the_model_is_reminded_of_all_it_said_before_its_call() -> None:
    inner = ScriptedClient(["I ", "will ", "look. ", call("tick")], "done")
    async with aclosing(ToolCallingClient(inner).stream(QUESTION, ChatOptions(tools=Workshop().tools))) as updates:
        async for _ in updates:
            pass
    assert inner.calls[1].messages[1].text == "I will look. "


async def test_counts_that_come_with_text_and_late_counts_are_summed_once() -> None:
    first = [call("tick"), usage(1, 1), usage(10, 1)]
    last = [ChatUpdate((TextContent("x"), UsageContent(Usage(5, 5, 10)))), stop()]
    response, _ = await ask(first, last)
    assert response.usage == Usage(15, 6, 21)


async def test_rounds_without_counts_add_nothing() -> None:
    response, _ = await ask([call("tick"), usage(1, 1)], [call("tick")], [call("tick"), usage(2, 2)], "done")
    assert response.usage == Usage(3, 3, 6)


async def test_an_answer_whose_provider_names_no_role_stays_apart_from_the_results() -> None:
    nameless = [ChatUpdate((TextContent("the answer"),)), stop()]
    client = ToolCallingClient(ScriptedClient([call("tick")], nameless))
    async with aclosing(client.stream(QUESTION, ChatOptions(tools=Workshop().tools))) as updates:
        response = aggregate([update async for update in updates])
    assert [(item.role, item.text) for item in response.messages][-1] == ("assistant", "the answer")


async def test_each_round_has_its_own_results() -> None:
    _, inner = await ask([call("tick", call_id="a")], [call("tick", call_id="b")], "done")
    answered = [message.contents for message in inner.calls[2].messages if message.role == "tool"]
    assert [[part.call_id for part in parts] for parts in answered] == [["a"], ["b"]]


async def test_an_unknown_tool_is_answered_with_close_names_and_the_turn_goes_on() -> None:
    response, inner = await ask([call("look_up", {"key": "x"})], "sorry")
    text = results(response)[0].result
    assert "look_up" in text
    assert "Did you mean lookup?" in text
    assert results(response)[0].success is False
    assert inner.calls[1].messages[-1].role == "tool"
    assert response.text == "sorry"


async def test_a_model_that_was_given_no_tools_is_told_so() -> None:
    response, _ = await ask([call("lookup")], "sorry", tools=())
    assert "no tools are available" in results(response)[0].result


@pytest.mark.parametrize(("number", "ending"), [(20, "tool_19."), (21, "tool_19 and 1 more.")])
async def test_of_very_many_tools_only_some_are_named(number: int, ending: str) -> None:
    many = [Tool(f"tool_{index:02}", "") for index in range(number)]
    response, _ = await ask([call("zzz")], "sorry", tools=many)
    assert results(response)[0].result.endswith(ending)
    assert "Did you mean" not in results(response)[0].result


async def test_unreadable_arguments_are_refused_and_the_tool_is_not_run() -> None:
    workshop = Workshop()
    response, _ = await ask(unreadable("lookup", '{"key": '), "sorry", workshop=workshop)
    result = results(response)[0]
    assert workshop.used == []
    assert (result.success, result.refusal) == (False, Refusal.INVALID_ARGUMENTS)
    assert "expected a value at character 4" in result.result
    assert "key" in result.result


@pytest.mark.parametrize("raw", ["", "  \n", "null", "{}", "[]", '""'])
async def test_saying_nothing_means_no_arguments_where_none_are_required(raw: str) -> None:
    workshop = Workshop()
    response, _ = await ask(unreadable("tick", raw), "done", workshop=workshop)
    assert workshop.used == ["tick"]
    assert results(response)[0].success is True


@pytest.mark.parametrize(
    ("name", "raw"), [("lookup", ""), ("lookup", "null"), ("tick", "[1]"), ("tick", '{"x": '), ("tick", '"go"')]
)
async def test_anything_else_that_is_no_object_is_refused(name: str, raw: str) -> None:
    workshop = Workshop()
    response, _ = await ask(unreadable(name, raw), "sorry", workshop=workshop)
    assert workshop.used == []
    assert results(response)[0].refusal == Refusal.INVALID_ARGUMENTS


async def test_arguments_that_do_not_fit_name_what_is_missing() -> None:
    workshop = Workshop()
    response, _ = await ask([call("lookup", {})], "sorry", workshop=workshop)
    assert workshop.used == []
    assert "key: field required" in results(response)[0].result


async def test_a_failing_tool_is_a_failed_result_with_its_text() -> None:
    response, _ = await ask([call("fail")], "sorry")
    result = results(response)[0]
    assert (result.success, result.refusal) == (False, None)
    assert "the disk is on fire" in result.result


async def test_a_foreign_exception_says_its_type() -> None:
    @tool
    async def broken() -> str:
        """Break."""
        raise KeyError("shelf")

    response, _ = await ask([call("broken")], "sorry", tools=[broken])
    assert results(response)[0].result == "Error: KeyError: 'shelf'"


async def test_rounds_of_nothing_but_failures_come_to_an_end() -> None:
    inner = ScriptedClient([call("fail")])
    client = ToolCallingClient(inner, max_consecutive_errors=3, max_iterations=50)
    with pytest.raises(ToolError, match=r"gave up after 3 rounds.*the disk is on fire"):
        await client.complete(QUESTION, ChatOptions(tools=Workshop().tools))
    assert len(inner.calls) == 3


async def test_a_success_in_between_starts_the_count_of_failures_anew() -> None:
    script = [[call("fail")], [call("tick")]] * 5
    response, _ = await ask(*script, "done", max_consecutive_errors=2, max_iterations=50)
    assert response.text == "done"


async def test_the_last_round_runs_no_tools_and_still_answers_their_calls() -> None:
    workshop = Workshop()
    response, inner = await ask([call("tick")], workshop=workshop, max_iterations=3)
    assert len(inner.calls) == 3
    assert workshop.used == ["tick", "tick"]
    assert stop_reason(response) == StopReason.STEP_LIMIT
    assert results(response)[-1].refusal == Refusal.STEP_LIMIT
    assert open_calls(response.messages) == ()


async def test_a_declared_tool_is_left_to_the_host_and_the_others_run() -> None:
    workshop = Workshop()
    both = calls(ToolCallContent("a", "ask_person", {}), ToolCallContent("b", "tick", {}))
    response, inner = await ask(both, "never", workshop=workshop)
    assert workshop.used == ["tick"]
    assert len(inner.calls) == 1
    assert stop_reason(response) == StopReason.AWAITING_HOST_TOOLS
    assert [item.call_id for item in open_calls(response.messages)] == ["a"]


async def test_calls_that_the_provider_has_answered_itself_are_not_run_again() -> None:
    workshop = Workshop()
    answered = ChatResponse(
        (
            ChatMessage.assistant(ToolCallContent("a", "tick", {})),
            ChatMessage.tool(ToolResultContent("a", "tick", "ran at the provider")),
            ChatMessage.assistant("done"),
        ),
        FinishReason.STOP,
    )
    response, _ = await ask(answered, workshop=workshop)
    assert workshop.used == []
    assert response.text == "done"


@pytest.mark.parametrize("mode", ["required", RequireTool("tick")])
async def test_a_demanded_call_is_demanded_once(mode: Any) -> None:
    inner = ScriptedClient([call("tick")], "done")
    client = ToolCallingClient(inner)
    await client.complete(QUESTION, ChatOptions(tools=Workshop().tools, tool_mode=mode))
    assert [asked.options.tool_mode for asked in inner.calls] == [mode, "auto"]


async def test_a_malformed_call_is_told_to_the_model_once() -> None:
    malformed = ["hm", stop(FinishReason.MALFORMED_TOOL_CALL)]
    response, inner = await ask(malformed, "better now")
    assert "malformed" in inner.calls[1].messages[-1].text
    assert response.text.endswith("better now")
    assert all("malformed" not in item.text for item in response.messages)
    with pytest.raises(BadAnswerError):
        await ask(malformed, malformed)


async def test_a_malformed_call_that_is_told_together_with_text_is_noticed() -> None:
    with_text = ChatUpdate((TextContent("hm"),), FinishReason.MALFORMED_TOOL_CALL)
    response, inner = await ask(["so ", with_text], "better now")
    assert len(inner.calls) == 2
    assert response.text.endswith("better now")


async def test_a_malformed_call_is_forgotten_once_there_is_an_answer() -> None:
    response, inner = await ask([stop(FinishReason.MALFORMED_TOOL_CALL)], ["better now"])
    assert len(inner.calls) == 2
    assert response.text == "better now"


async def test_a_malformed_call_at_the_step_limit_fails_at_once() -> None:
    with pytest.raises(BadAnswerError):
        await ask([stop(FinishReason.MALFORMED_TOOL_CALL)], "never asked", max_iterations=1)


async def test_what_an_earlier_round_was_asked_does_not_change_afterwards() -> None:
    _, inner = await ask([call("tick")], "done")
    assert [len(asked.messages) for asked in inner.calls] == [1, 3]


async def test_a_caller_who_leaves_closes_the_stream_below() -> None:
    inner = ScriptedClient(["a", "b", "c"])
    async with aclosing(ToolCallingClient(inner).stream(QUESTION)) as updates:
        await anext(updates)
        assert inner.open_streams == 1
    assert inner.open_streams == 0


async def test_cancellation_reaches_a_running_tool_and_passes_through() -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    @tool
    async def forever() -> str:
        """Never end."""
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    client = ToolCallingClient(ScriptedClient([call("forever")]))
    task = asyncio.create_task(client.complete(QUESTION, ChatOptions(tools=(forever,))))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


@pytest.mark.parametrize("limits", [(0.01, None), (None, 0.01), (60, 0.01)])
async def test_a_tool_that_takes_too_long_is_stopped_with_the_same_text_each_time(limits: tuple[Any, Any]) -> None:
    async def forever(_: Any) -> str:
        await asyncio.Event().wait()
        return ""

    slow = Tool("slow", "Never ends.", invoke=forever, max_seconds=limits[1])
    response, _ = await ask([call("slow")], [call("slow")], "sorry", tools=[slow], tool_seconds=limits[0])
    first, second = results(response)
    assert first.refusal == Refusal.TIMED_OUT
    assert first.result == second.result


async def test_a_timeout_inside_a_tool_is_the_tools_own_failure() -> None:
    async def timing_out(_: Any) -> str:
        raise TimeoutError("the other side")

    slow = Tool("slow", "Times out.", invoke=timing_out)
    response, _ = await ask([call("slow")], "sorry", tools=[slow], tool_seconds=60)
    assert results(response)[0].refusal is None
    assert "the other side" in results(response)[0].result


class SpeechlessError(Exception):
    def __str__(self) -> str:
        raise ValueError("cannot say")


async def _wait_for_what_was_cancelled() -> None:
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    await future


def _leave() -> None:
    sys.exit(4)


def _speechless() -> None:
    raise SpeechlessError


@pytest.mark.parametrize(
    ("function", "part"),
    [(_wait_for_what_was_cancelled, "CancelledError"), (_leave, "SystemExit"), (_speechless, "SpeechlessError")],
)
async def test_whatever_a_tool_raises_ends_its_call_only(function: Any, part: str) -> None:
    made = tool(name="act")(function)
    response, _ = await ask([call("act")], "and on it goes", tools=[made])
    assert response.text == "and on it goes"
    assert [item.success for item in results(response)] == [False]
    assert part in results(response)[0].result


def _nest(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


class Unspeakable:
    def __repr__(self) -> str:
        raise ValueError("no")


@pytest.mark.parametrize("value", [_nest(100_000), Unspeakable()], ids=["too deep", "without words"])
async def test_a_result_that_cannot_be_written_down_is_no_reason_to_stop(value: Any) -> None:
    made = Tool("act", "", invoke=lambda _: _answer(value))
    client = ToolCallingClient(ScriptedClient([call("act")], "fine"))
    turn = await AgentLoop(client, tools=[made]).run("go")
    assert turn.content == "fine"
    assert turn.tool_calls[0].result == f"[{type(value).__name__}]"


async def _answer(value: Any) -> Any:
    return value


async def test_two_tools_of_one_name_are_refused_before_a_model_is_asked() -> None:
    inner = ScriptedClient("answer")
    options = ChatOptions(tools=(*Workshop().tools, *Workshop().tools))
    with pytest.raises(ConfigurationError, match="two tools are named 'lookup'"):
        await ToolCallingClient(inner).complete(QUESTION, options)
    assert not inner.calls


async def test_a_name_as_long_as_a_book_is_not_repeated() -> None:
    response, _ = await ask([call("x" * 10_000)], "sorry")
    assert len(results(response)[0].result) < 1000


async def test_an_invoker_replaces_how_a_call_is_run() -> None:
    async def twice(invocation: ToolInvocation) -> ToolResultContent:
        await run_tool(invocation)
        return await run_tool(invocation)

    workshop = Workshop()
    await ask([call("tick")], "done", workshop=workshop, invoker=twice)
    assert workshop.used == ["tick", "tick"]


@pytest.mark.parametrize("settings", [{"max_iterations": 0}, {"max_consecutive_errors": 0}, {"tool_seconds": 0}])
def test_limits_out_of_range_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        ToolCallingClient(ScriptedClient(), **settings)


def test_the_usual_limits_and_the_smallest_ones() -> None:
    usual = ToolCallingClient(ScriptedClient())
    assert (usual.max_iterations, usual.max_consecutive_errors) == (10, 3)
    smallest = ToolCallingClient(ScriptedClient(), max_iterations=1, max_consecutive_errors=1, tool_seconds=0.001)
    assert (smallest.max_iterations, smallest.max_consecutive_errors) == (1, 1)


async def test_closing_it_closes_the_inner_client() -> None:
    inner = ScriptedClient()
    await ToolCallingClient(inner).aclose()
    assert inner.closed
