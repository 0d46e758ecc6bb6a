"""Stop strings and tool calls are found in text, however it is cut."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ironhive.chat import ReasoningContent, TextContent, Tool, ToolCallContent
from ironhive.inference.calls import misfit, read_call
from ironhive.inference.reader import AnswerReader
from ironhive.inference.stops import StopFinder

CITY = Tool(
    "weather",
    "Tell the weather.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>'


def read(text: str, sizes: list[int], *, stops: tuple[str, ...] = (), tools: tuple[Tool, ...] = (CITY,)):
    reader = AnswerReader(
        stops=stops, tools={tool.name: tool for tool in tools}, thinking_open=False, show_reasoning=True
    )
    parts = []
    for size in [*sizes, len(text)]:
        parts += reader.feed(text[:size])
        text = text[size:]
    parts += reader.finish()
    return reader, parts


def text_of(parts) -> str:
    return "".join(part.text for part in parts if isinstance(part, TextContent))


@given(st.lists(st.integers(1, 7), max_size=40))
def test_a_call_is_taken_out_of_the_text(sizes: list[int]) -> None:
    reader, parts = read(f"<think>hm</think>Let me look. {CALL}\n{CALL}", sizes)
    assert text_of(parts) == "Let me look. "
    assert [call.arguments for call in parts if isinstance(call, ToolCallContent)] == [{"city": "Rome"}] * 2
    assert "".join(part.text for part in parts if isinstance(part, ReasoningContent)) == "hm"
    assert not reader.in_call


@given(st.lists(st.integers(1, 7), max_size=40))
def test_a_stop_string_ends_the_text(sizes: list[int]) -> None:
    reader, parts = read("one two STOP three", sizes, stops=("STOP", "never"), tools=())
    assert text_of(parts) == "one two "
    assert reader.stopped


def test_a_call_that_is_cut_is_neither_call_nor_text() -> None:
    reader, parts = read(CALL[:40], [])
    assert parts == []
    assert reader.in_call


def test_without_tools_the_notation_is_text() -> None:
    _, parts = read(CALL, [3, 9], tools=())
    assert text_of(parts) == CALL


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("no json", "not JSON"),
        ('{"name": "other", "arguments": {}}', "no tool named 'other'"),
        ('{"name": "weather"}', "no arguments object"),
        ('{"name": "weather", "arguments": {}}', "'city' is a required property"),
        ('{"name": "weather", "arguments": {"city": 3}}', "city: 3 is not of type"),
        ("[]", "no tool named"),
    ],
)
def test_what_is_wrong_with_a_call_is_said(body: str, said: str) -> None:
    call = read_call(body, {"weather": CITY})
    assert call.arguments is None
    assert said in (call.error or "")


def test_a_schema_that_is_itself_wrong_forbids_nothing() -> None:
    assert misfit({"a": 1}, {"type": "nonsense"}) is None


def test_a_beginning_of_a_stop_string_at_the_end_is_text() -> None:
    finder = StopFinder(("</s>",))
    assert finder.feed("a </") + finder.feed("x </") + finder.finish() == "a </x </"
    assert json.dumps(finder.found) == "false"
