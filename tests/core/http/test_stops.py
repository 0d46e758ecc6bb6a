"""Stop sequences that are applied here."""

from __future__ import annotations

import pytest

from ironhive.chat import ChatUpdate, TextContent, ToolCallContent, Usage, UsageContent
from ironhive.http.stops import StopCutter


def run(pieces: list[str], stops: list[str]) -> tuple[str, str | None]:
    cutter = StopCutter(stops)
    out = []
    for piece in pieces:
        out.append(cutter.feed(ChatUpdate((TextContent(piece),))).text)
        if cutter.hit is not None:
            return "".join(out), cutter.hit
    out.append(cutter.feed(ChatUpdate(finish_reason="stop")).text)
    return "".join(out), cutter.hit


@pytest.mark.parametrize("size", [1, 2, 3, 50])
@pytest.mark.parametrize(
    ("text", "stops", "expected", "hit"),
    [
        ("one END two", ["END"], "one ", "END"),
        ("one EN two", ["END"], "one EN two", None),
        ("one EEND two", ["END"], "one E", "END"),
        ("aab", ["ab"], "a", "ab"),
        ("x STOP END", ["END", "STOP"], "x ", "STOP"),
        ("ends with EN", ["END"], "ends with EN", None),
        ("nothing", [""], "nothing", None),
    ],
)
def test_text_is_cut_before_the_first_sequence(
    text: str, stops: list[str], expected: str, hit: str | None, size: int
) -> None:
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    assert run(pieces, stops) == (expected, hit)


def test_what_was_held_comes_before_a_tool_call_and_counts_are_kept() -> None:
    cutter = StopCutter(["END"])
    cutter.feed(ChatUpdate((TextContent("a E"),)))
    call, counts = ToolCallContent("1", "t"), UsageContent(Usage(1))
    update = cutter.feed(ChatUpdate((call, counts), "tool_calls"))
    assert update.contents == (TextContent("E"), call, counts)
