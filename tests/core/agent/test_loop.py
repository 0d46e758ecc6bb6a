"""The loop: turns, their records, and a history that stays whole whatever happens."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import pytest
from tests.core.agent.pieces import Workshop, call, calls, stop, usage

from ironhive.agent import AgentChunk, AgentLoop, StopReason, ToolCallingClient, ToolCallRecord, open_calls
from ironhive.chat import (
    ChatMessage,
    ChatOptions,
    ChatUpdate,
    FinishReason,
    ReasoningContent,
    ToolCallContent,
    ToolResultContent,
    Usage,
    UsageContent,
    tool,
)
from ironhive.errors import ConnectFailedError, IronHiveError
from ironhive.testing import ScriptedClient


def loop(*script: Any, **settings: Any) -> tuple[AgentLoop, ScriptedClient]:
    inner = ScriptedClient(*script)
    settings.setdefault("tools", Workshop().tools)
    return AgentLoop(ToolCallingClient(inner), **settings), inner


async def drain(agent: AgentLoop, prompt: str, **settings: Any) -> list[AgentChunk]:
    async with aclosing(agent.stream(prompt, **settings)) as chunks:
        return [chunk async for chunk in chunks]


FULL_TURN = (
    [
        ChatUpdate((ReasoningContent("let me think"),), role="assistant"),
        "First I look. ",
        call("lookup", {"key": "x"}, call_id="7"),
        usage(10, 1),
    ],
    ["It is ", "fine.", stop(), usage(20, 2)],
)


async def test_a_turn_is_recorded_whole() -> None:
    agent, _ = loop(*FULL_TURN)
    response = await agent.run("go")
    assert response.content == "First I look. \n\nIt is fine."
    assert response.stop_reason == StopReason.COMPLETED
    assert response.usage == Usage(30, 3, 33)
    assert response.thinking is not None
    assert response.thinking.content == "let me think"
    assert response.tool_calls == (ToolCallRecord("lookup", '{"key": "x"}', "value of x", True, "7", None),)


async def test_the_stream_shows_each_thing_once_and_ends_with_the_same_record() -> None:
    agent, _ = loop(*FULL_TURN)
    chunks = await drain(agent, "go")
    assert "".join(chunk.text_delta for chunk in chunks) == "First I look. It is fine."
    assert [chunk.thinking_delta for chunk in chunks if chunk.thinking_delta] == ["let me think"]
    deltas = [chunk.tool_call_delta for chunk in chunks if chunk.tool_call_delta]
    assert [(item.id, item.name_delta, item.arguments_delta, item.is_complete) for item in deltas] == [
        ("7", "lookup", '{"key": "x"}', True)
    ]
    whole, _ = loop(*FULL_TURN)
    expected = await whole.run("go")
    assert [chunk.tool_result for chunk in chunks if chunk.tool_result] == list(expected.tool_calls)
    last = chunks[-1].turn
    assert last is not None
    assert (last.content, last.usage, last.tool_calls) == (expected.content, expected.usage, expected.tool_calls)
    assert [chunk.turn for chunk in chunks].count(None) == len(chunks) - 1
    assert [item.contents for item in agent.history] == [item.contents for item in whole.history]


async def test_the_next_turn_sees_the_whole_conversation_and_no_instructions_in_it() -> None:
    agent, inner = loop([call("tick")], "one", "two", instructions="be kind")
    assert (await agent.run("first")).content == "one"
    await agent.run("second")
    assert [message.role for message in inner.calls[-1].messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert inner.calls[-1].options.instructions == "be kind"
    assert all(message.role != "system" for message in agent.history)


async def test_options_of_a_turn_go_before_the_loops_and_are_forgotten_afterwards() -> None:
    agent, inner = loop("a", "b", instructions="base", options=ChatOptions(temperature=0.5, max_output_tokens=10))
    await agent.run("x", options=ChatOptions(temperature=0.0, instructions="extra"))
    await agent.run("y")
    first, second = (asked.options for asked in inner.calls)
    assert (first.temperature, first.max_output_tokens, first.instructions) == (0.0, 10, "base\n\nextra")
    assert (second.temperature, second.instructions) == (0.5, "base")
    assert len(first.tools) == len(second.tools) == 4


@pytest.mark.parametrize(
    ("base", "turn", "sent"), [("a", "b", "a\n\nb"), ("a", None, "a"), (None, "b", "b"), (None, None, None)]
)
async def test_instructions_of_a_turn_are_added(base: str | None, turn: str | None, sent: str | None) -> None:
    agent, inner = loop("ok", instructions=base)
    await agent.run("x", options=ChatOptions(instructions=turn))
    assert inner.calls[0].options.instructions == sent


async def test_closing_an_agent_closes_its_client() -> None:
    agent, inner = loop("ok")
    await agent.aclose()
    assert inner.closed


@pytest.mark.parametrize(
    ("finish", "text", "expected"),
    [
        (FinishReason.STOP, "text", StopReason.COMPLETED),
        (None, "text", StopReason.COMPLETED),
        (None, "", StopReason.EMPTY_ANSWER),
        (FinishReason.STOP, " \n", StopReason.EMPTY_ANSWER),
        (FinishReason.LENGTH, "text", StopReason.OUTPUT_LIMIT),
        (FinishReason.LENGTH, "", StopReason.OUTPUT_LIMIT),
        (FinishReason.DEGENERATION, "text", StopReason.OUTPUT_LIMIT),
        (FinishReason.CONTENT_FILTER, "", StopReason.CONTENT_FILTER),
        (FinishReason.OTHER, "text", StopReason.UNKNOWN_FINISH),
        ("something new", "text", StopReason.UNKNOWN_FINISH),
        (FinishReason.TOOL_CALLS, "text without calls", StopReason.UNKNOWN_FINISH),
    ],
)
async def test_the_stop_reason_never_says_more_than_is_known(finish: str | None, text: str, expected: str) -> None:
    agent, _ = loop([text, stop(finish)])
    assert (await agent.run("go")).stop_reason == expected


async def test_thinking_alone_is_no_answer() -> None:
    agent, _ = loop([ChatUpdate((ReasoningContent("hm"),)), stop()])
    response = await agent.run("go")
    assert response.stop_reason == StopReason.EMPTY_ANSWER
    assert not response.has_text_output


async def test_a_client_that_runs_no_tools_only_reports_its_calls() -> None:
    workshop = Workshop()
    agent = AgentLoop(ScriptedClient([call("tick")]), tools=workshop.tools)
    response = await agent.run("go")
    assert workshop.used == []
    assert response.tool_calls == (ToolCallRecord("tick", "{}", None, None, "1"),)
    assert response.stop_reason == StopReason.STEP_LIMIT


async def test_a_host_answers_declared_tools_and_the_turn_goes_on() -> None:
    agent, inner = loop([call("ask_person", call_id="q")], "thanks")
    first = await agent.run("go")
    assert first.stop_reason == StopReason.AWAITING_HOST_TOOLS
    with pytest.raises(IronHiveError, match="nothing to continue from"):
        await agent.continue_run()
    agent.initialize_history([*agent.history, ChatMessage.tool(ToolResultContent("q", "ask_person", "blue"))])
    second = await agent.continue_run()
    assert second.content == "thanks"
    assert [message.role for message in inner.calls[1].messages] == ["user", "assistant", "tool"]


async def test_there_is_nothing_to_continue_after_an_answer_or_at_the_start() -> None:
    agent, _ = loop("done")
    with pytest.raises(IronHiveError):
        await agent.continue_run()
    await agent.run("go")
    with pytest.raises(IronHiveError):
        await drain_continue(agent)


async def drain_continue(agent: AgentLoop) -> list[AgentChunk]:
    return [chunk async for chunk in agent.continue_stream()]


async def test_a_turn_that_was_cut_by_the_step_limit_can_be_continued() -> None:
    inner = ScriptedClient([call("tick")], "finished")
    agent = AgentLoop(ToolCallingClient(inner, max_iterations=1), tools=Workshop().tools)
    assert (await agent.run("go")).stop_reason == StopReason.STEP_LIMIT
    chunks = await drain_continue(agent)
    assert chunks[-1].turn is not None
    assert chunks[-1].turn.content == "finished"


async def test_a_failed_turn_keeps_what_happened_and_can_be_tried_again() -> None:
    agent, _ = loop([call("tick")], ConnectFailedError("gone"), "recovered")
    with pytest.raises(ConnectFailedError):
        await agent.run("go")
    assert [message.role for message in agent.history] == ["user", "assistant", "tool"]
    assert (await agent.continue_run()).content == "recovered"


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_turn_cancelled_inside_a_tool_leaves_no_call_open(streamed: bool) -> None:
    started = asyncio.Event()

    @tool
    async def forever() -> str:
        """Never end."""
        started.set()
        await asyncio.Event().wait()
        return ""

    both = calls(
        ToolCallContent("a", "tick", {}), ToolCallContent("b", "forever", {}), ToolCallContent("c", "tick", {})
    )
    agent, inner = loop(["Working. ", *both], "next", tools=(*Workshop().tools, forever))
    task = asyncio.create_task(drain(agent, "go") if streamed else agent.run("go"))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert open_calls(agent.history) == ()
    outcomes = {
        part.call_id: part.success
        for message in agent.history
        for part in message.contents
        if isinstance(part, ToolResultContent)
    }
    assert outcomes == {"a": True, "b": None, "c": None}
    await agent.run("and now?")
    assert [message.role for message in inner.calls[-1].messages][-1] == "user"


async def test_a_reader_who_leaves_keeps_the_text_so_far() -> None:
    agent, inner = loop(["one ", "two ", "three"])
    async with aclosing(agent.stream("count")) as chunks:
        await anext(chunks)
        await anext(chunks)
    assert inner.open_streams == 0
    assert agent.history[-1].text == "one two "


async def test_half_a_thought_is_not_kept() -> None:
    agent, _ = loop([ChatUpdate((ReasoningContent("hm"),)), ConnectFailedError("gone")])
    with pytest.raises(ConnectFailedError):
        await drain(agent, "go")
    assert [message.role for message in agent.history] == ["user"]


async def test_a_restored_history_with_open_calls_is_paired_before_it_is_sent() -> None:
    broken = [
        ChatMessage.user("a"),
        ChatMessage.assistant(ToolCallContent("1", "tick", {}), ToolCallContent("2", "tick", {})),
        ChatMessage.tool(ToolResultContent("2", "tick", "late")),
        ChatMessage.user("b"),
    ]
    agent, inner = loop("ok", history=broken)
    await agent.run("c")
    assert open_calls(inner.calls[0].messages) == ()
    assert sum(len(message.tool_calls) for message in inner.calls[0].messages) == 2


async def test_two_turns_at_once_are_refused_and_the_first_goes_on() -> None:
    agent, _ = loop(["a", "b"])
    async with aclosing(agent.stream("first")) as chunks:
        await anext(chunks)
        with pytest.raises(IronHiveError, match="middle of a turn"):
            await agent.run("second")
        with pytest.raises(IronHiveError, match="middle of a turn"):
            agent.clear_history()
        rest = [chunk.text_delta async for chunk in chunks]
    assert rest[0] == "b"
    agent.clear_history()
    assert agent.history == ()


async def test_a_prompt_may_be_a_message_with_data() -> None:
    agent, inner = loop("seen")
    await agent.run(ChatMessage.user("look", UsageContent(Usage())))
    assert inner.calls[0].messages[0].text == "look"


async def test_a_result_that_comes_without_its_call_is_shown_by_its_own_name() -> None:
    result = ChatUpdate((ToolResultContent("9", "search", "found"),), role="tool")
    agent, _ = loop([result, ChatUpdate(role="assistant"), "done", stop()])
    chunks = await drain(agent, "go")
    assert [chunk.tool_result for chunk in chunks if chunk.tool_result] == [
        ToolCallRecord("search", "{}", "found", True, "9")
    ]


async def test_ids_that_repeat_from_round_to_round_do_not_mix_up_the_records() -> None:
    agent, _ = loop([call("lookup", {"key": "x"})], [call("lookup", {"key": "y"})], "done")
    response = await agent.run("go")
    assert [(item.arguments, item.result) for item in response.tool_calls] == [
        ('{"key": "x"}', "value of x"),
        ('{"key": "y"}', "value of y"),
    ]
