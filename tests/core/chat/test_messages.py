"""Messages, updates and their sums."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ironhive.chat import (
    NO_OPTIONS,
    ChatMessage,
    ChatOptions,
    ChatResponse,
    ChatUpdate,
    DataContent,
    ErrorContent,
    ProviderData,
    ReasoningContent,
    TextContent,
    ToolCallContent,
    ToolResultContent,
    Usage,
    UsageContent,
    aggregate,
    as_messages,
    as_updates,
    result_text,
)

texts = st.text(max_size=8)
parts = st.one_of(
    texts.map(TextContent),
    texts.map(ReasoningContent),
    st.builds(ToolCallContent, call_id=texts, name=texts),
    st.builds(lambda text: TextContent(text, ProviderData("acme", {"signature": text})), texts),
)


def test_text_is_the_visible_text_alone() -> None:
    message = ChatMessage.assistant(
        ReasoningContent("hm"), TextContent("a"), ToolCallContent("1", "f"), TextContent("b"), ErrorContent("no")
    )
    assert (message.text, message.reasoning) == ("ab", "hm")
    assert [call.name for call in message.tool_calls] == ["f"]


def test_neighbouring_pieces_become_one_part() -> None:
    response = aggregate(ChatUpdate((TextContent(piece),)) for piece in ("a", "", "b"))
    assert response.messages == (ChatMessage.assistant("ab"),)


def test_provider_data_stays_with_the_text_it_came_with() -> None:
    signed = ProviderData("acme", {"signature": "s"})
    response = aggregate(
        [
            ChatUpdate((ReasoningContent("one "),)),
            ChatUpdate((ReasoningContent("two", signed),)),
            ChatUpdate((ReasoningContent("three"),)),
        ]
    )
    assert response.messages[0].contents == (ReasoningContent("one two", signed), ReasoningContent("three"))


def test_a_block_without_text_keeps_its_provider_data() -> None:
    hidden = ReasoningContent("", ProviderData("acme", {"blob": "x"}))
    assert aggregate([ChatUpdate((hidden,))]).messages[0].contents == (hidden,)


def test_a_new_message_id_or_role_starts_a_new_message() -> None:
    response = aggregate(
        [
            ChatUpdate((TextContent("a"),), role="assistant", message_id="1"),
            ChatUpdate((TextContent("b"),), message_id="1"),
            ChatUpdate((ToolResultContent("c", "f", "r"),), role="tool"),
            ChatUpdate((TextContent("d"),), role="assistant", message_id="2"),
        ]
    )
    assert [(message.role, message.text) for message in response.messages] == [
        ("assistant", "ab"),
        ("tool", ""),
        ("assistant", "d"),
    ]
    assert response.text == "abd"


def test_the_last_usage_and_finish_reason_count() -> None:
    response = aggregate(
        [
            ChatUpdate((UsageContent(Usage(1, 1)),), finish_reason="length"),
            ChatUpdate((UsageContent(Usage(1, 5)),), finish_reason="stop", properties={"a": 1}),
        ]
    )
    assert (response.usage, response.finish_reason, dict(response.properties)) == (Usage(1, 5), "stop", {"a": 1})


@given(st.lists(st.tuples(st.sampled_from(["assistant", "tool"]), st.lists(parts, max_size=4)), max_size=4))
def test_a_response_survives_being_taken_apart(messages: list[tuple[str, list[object]]]) -> None:
    whole = aggregate(
        ChatUpdate(tuple(contents), role=role, message_id=str(index))  # type: ignore[arg-type]
        for index, (role, contents) in enumerate(messages)
    )
    assert aggregate(as_updates(whole)).messages == whole.messages


def test_adding_usage_keeps_unknown_unknown() -> None:
    assert Usage(1, None, 3) + Usage(2, None, None, 4) == Usage(3, None, 3, 4)


def test_options_are_copied_not_changed() -> None:
    changed = NO_OPTIONS.having(temperature=0.5)
    assert (changed.temperature, NO_OPTIONS.temperature) == (0.5, None)
    assert changed == ChatOptions(temperature=0.5)


@pytest.mark.parametrize("prompt", ["hi", ChatMessage.user("hi"), [ChatMessage.user("hi")]])
def test_a_prompt_may_be_text_a_message_or_a_list(prompt: object) -> None:
    assert as_messages(prompt) == (ChatMessage.user("hi"),)  # type: ignore[arg-type]


def test_what_is_printed_holds_no_blob() -> None:
    shown = repr([DataContent("image/png", b"secret" * 99), ProviderData("acme", {"signature": "secret"})])
    assert "secret" not in shown
    assert "594 bytes" in shown


def test_data_has_exactly_one_home() -> None:
    with pytest.raises(ValueError, match="either bytes or a uri"):
        DataContent("image/png")


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (None, ""),
        ("as is", "as is"),
        ({"a": "ü"}, '{"a": "ü"}'),
        ([1, 2], "[1, 2]"),
        ((TextContent("a"), DataContent("image/png", b"1234")), "a\n[image/png, 4 bytes]"),
        (DataContent("image/png", uri="http://x/y"), "[image/png at http://x/y]"),
        ([], "[]"),
    ],
)
def test_a_result_reads_as_text(result: object, text: str) -> None:
    assert result_text(result) == text


def test_arguments_are_shown_as_received() -> None:
    assert ToolCallContent("1", "f", {"a": 1}, raw='{ "a":1 }').arguments_text == '{ "a":1 }'
    assert ToolCallContent("1", "f", {"a": "é"}).arguments_text == '{"a": "é"}'
    assert ToolCallContent("1", "f", None).arguments_text == "{}"


def test_a_response_pickles() -> None:
    response = ChatResponse((ChatMessage.user("x"),), "stop", Usage(1, 2, 3))
    assert pickle.loads(pickle.dumps(response)) == response
