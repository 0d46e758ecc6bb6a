"""Steps around a tool call: their order, refusals, terminations, and what becomes of broken ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.core.agent.pieces import Workshop, call, calls, unreadable

from ironhive.agent import Invoke, StopReason, ToolCallingClient, ToolInvocation, ToolPipeline, run_tool, stop_reason
from ironhive.chat import ChatMessage, ChatOptions, ChatResponse, ToolCallContent, ToolResultContent
from ironhive.errors import ConfigurationError, ToolArgumentError
from ironhive.testing import ScriptedClient

if TYPE_CHECKING:
    from ironhive.agent import MiddlewareStep


async def turn(*script: Any, steps: list[MiddlewareStep], workshop: Workshop) -> ChatResponse:
    client = ToolCallingClient(ScriptedClient(*script), pipeline=ToolPipeline(steps))
    return await client.complete((ChatMessage.user("go"),), ChatOptions(tools=workshop.tools))


def results(response: ChatResponse) -> list[ToolResultContent]:
    return [part for item in response.messages for part in item.contents if isinstance(part, ToolResultContent)]


def refuse(invocation: ToolInvocation, code: str = "denied") -> ToolResultContent:
    return ToolResultContent(invocation.call.call_id, invocation.call.name, "no", success=False, refusal=code)


async def test_the_first_step_is_the_outermost() -> None:
    order: list[str] = []

    def named(name: str) -> MiddlewareStep:
        async def step(invocation: ToolInvocation, proceed: Invoke) -> ToolResultContent:
            order.append(f"{name} in")
            result = await proceed(invocation)
            order.append(f"{name} out")
            return result

        return step

    await turn([call("tick")], "done", steps=[named("a"), named("b")], workshop=Workshop())
    assert order == ["a in", "b in", "b out", "a out"]


async def test_a_step_that_does_not_proceed_keeps_the_tool_from_running() -> None:
    async def no(invocation: ToolInvocation, proceed: Invoke) -> ToolResultContent:
        return refuse(invocation)

    workshop = Workshop()
    response = await turn([call("tick")], "sorry", steps=[no], workshop=workshop)
    assert workshop.used == []
    assert results(response)[0].refusal == "denied"
    assert response.text == "sorry"


async def test_a_step_sees_the_call_its_tool_and_the_conversation_with_earlier_results() -> None:
    seen: list[ToolInvocation] = []

    async def look(invocation: ToolInvocation, proceed: Invoke) -> ToolResultContent:
        seen.append(invocation)
        return await proceed(invocation)

    two = calls(ToolCallContent("a", "tick", {}), ToolCallContent("b", "lookup", {"key": "k"}))
    await turn(two, "done", steps=[look], workshop=Workshop())
    assert [item.tool.name for item in seen] == ["tick", "lookup"]
    assert [message.role for message in seen[0].messages] == ["user", "assistant"]
    assert [message.role for message in seen[1].messages] == ["user", "assistant", "tool"]
    assert seen[1].arguments == {"key": "k"}


async def test_a_step_may_replace_the_arguments_even_of_an_unreadable_call() -> None:
    async def repair(invocation: ToolInvocation, proceed: Invoke) -> ToolResultContent:
        invocation.arguments = {"key": "repaired"}
        return await proceed(invocation)

    workshop = Workshop()
    await turn(unreadable("lookup", "{key: x"), "done", steps=[repair], workshop=workshop)
    assert workshop.used == ["repaired"]


async def test_a_step_can_catch_what_the_tool_raises() -> None:
    caught: list[ToolArgumentError] = []

    async def advise(invocation: ToolInvocation, proceed: Invoke) -> ToolResultContent:
        try:
            return await proceed(invocation)
        except ToolArgumentError as error:
            caught.append(error)
            return ToolResultContent(invocation.call.call_id, invocation.call.name, "give a key")

    response = await turn([call("lookup", {})], "done", steps=[advise], workshop=Workshop())
    assert caught[0].missing == ("key",)
    assert results(response)[0].result == "give a key"


async def test_a_step_that_terminates_ends_the_request_and_leaves_no_call_open() -> None:
    async def enough(invocation: ToolInvocation, proceed: Invoke) -> ToolResultContent:
        invocation.terminate = True
        return refuse(invocation, "repeated_call")

    workshop = Workshop()
    two = calls(ToolCallContent("a", "tick", {}), ToolCallContent("b", "tick", {}))
    response = await turn(two, "never", steps=[enough], workshop=workshop)
    assert workshop.used == []
    assert [item.refusal for item in results(response)] == ["repeated_call", "repeated_call"]
    assert stop_reason(response) == StopReason.TOOL_TERMINATED
    assert "never" not in response.text


async def test_a_broken_step_keeps_the_tool_from_running_and_the_turn_goes_on() -> None:
    async def raises(invocation: ToolInvocation, proceed: Invoke) -> ToolResultContent:
        raise RuntimeError("step is broken")

    workshop = Workshop()
    response = await turn([call("tick")], "sorry", steps=[raises], workshop=workshop)
    assert workshop.used == []
    assert results(response)[0].success is False
    assert "step is broken" in results(response)[0].result


async def test_a_step_that_returns_something_else_is_named() -> None:
    async def forgets(invocation: ToolInvocation, proceed: Invoke) -> Any:
        await proceed(invocation)

    response = await turn([call("tick")], "sorry", steps=[forgets], workshop=Workshop())
    assert results(response)[0].success is False
    assert "forgets" in results(response)[0].result


def test_a_pipeline_and_an_invoker_together_are_refused() -> None:
    with pytest.raises(ConfigurationError):
        ToolCallingClient(ScriptedClient(), pipeline=ToolPipeline(), invoker=run_tool)
