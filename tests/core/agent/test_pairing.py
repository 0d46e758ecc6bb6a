"""Calls and results stay together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ironhive.agent import open_calls, pair_calls
from ironhive.chat import ChatMessage, ToolCallContent, ToolResultContent

IDS = st.sampled_from(["", "a", "b", "c"])
MESSAGES = st.lists(
    st.one_of(
        st.just(ChatMessage.user("hello")),
        st.lists(IDS, max_size=3).map(lambda ids: ChatMessage.assistant(*(ToolCallContent(i, "t", {}) for i in ids))),
        st.lists(IDS, max_size=3).map(lambda ids: ChatMessage.tool(*(ToolResultContent(i, "t", "r") for i in ids))),
    ),
    max_size=8,
)


@given(MESSAGES)
def test_any_history_can_be_paired_and_nothing_of_it_is_lost(messages: list[ChatMessage]) -> None:
    paired = pair_calls(messages)
    assert open_calls(paired) == ()
    rest = iter(paired)
    assert all(message in rest for message in messages)
    assert pair_calls(paired) == paired


def test_a_result_of_unknown_outcome_stands_right_behind_its_call() -> None:
    messages = [ChatMessage.assistant(ToolCallContent("a", "t", {})), ChatMessage.user("next")]
    paired = pair_calls(messages)
    assert [message.role for message in paired] == ["assistant", "tool", "user"]
    result = paired[1].contents[0]
    assert isinstance(result, ToolResultContent)
    assert (result.call_id, result.success) == ("a", None)


def test_results_in_several_messages_count() -> None:
    messages = (
        ChatMessage.assistant(ToolCallContent("a", "t", {}), ToolCallContent("b", "t", {})),
        ChatMessage.tool(ToolResultContent("b", "t", "2")),
        ChatMessage.tool(ToolResultContent("a", "t", "1")),
    )
    assert pair_calls(messages) == messages
