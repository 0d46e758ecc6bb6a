"""Reasoning between tags is told apart from the answer, however the text is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ironhive.chat import ReasoningContent
from ironhive.chat.thinking import ThinkSplitter


def split(text: str, sizes: list[int], *, inside: bool = False) -> tuple[str, str]:
    splitter = ThinkSplitter(inside=inside)
    parts = []
    for size in sizes:
        parts += splitter.feed(text[:size])
        text = text[size:]
    parts += splitter.feed(text) + splitter.finish()
    reasoning = "".join(part.text for part in parts if isinstance(part, ReasoningContent))
    return reasoning, "".join(part.text for part in parts if not isinstance(part, ReasoningContent))


CASES = [
    ("<think>\nhm, two\n</think>\n\nTwo.", False, ("hm, two", "Two.")),
    ("Two.", False, ("", "Two.")),
    ("  <think>a</think>b", False, ("a", "b")),
    ("<think></think>b", False, ("", "b")),
    ("a</think>b", True, ("a", "b")),
    ("The tag <think> opens it.", False, ("", "The tag <think> opens it.")),
    ("<thinker> is a word", False, ("", "<thinker> is a word")),
    ("<think>cut short", False, ("cut short", "")),
    ("<think>a < b </think>c", False, ("a < b", "c")),
    ("<thi", False, ("", "<thi")),
    ("", False, ("", "")),
]


@pytest.mark.parametrize(("text", "inside", "expected"), CASES)
def test_whole(text: str, inside: bool, expected: tuple[str, str]) -> None:
    assert split(text, [], inside=inside) == expected


@given(st.sampled_from(CASES), st.lists(st.integers(1, 4), max_size=30))
def test_in_any_pieces(case: tuple[str, bool, tuple[str, str]], sizes: list[int]) -> None:
    text, inside, expected = case
    assert split(text, sizes, inside=inside) == expected


def test_plain_text_is_not_held_back() -> None:
    splitter = ThinkSplitter()
    assert [part.text for part in splitter.feed("Hello")] == ["Hello"]
    assert [part.text for part in splitter.feed(" <")] == [" <"]
