"""Server-sent events come out the same, however the bytes arrive."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ironhive.http import ErrorPayload, SseReader


def read(*pieces: bytes) -> list[bytes]:
    reader = SseReader()
    return [event for piece in pieces for event in reader.feed(piece)] + reader.finish()


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_each_line_end_of_the_standard_ends_a_line(end: bytes) -> None:
    body = end.join([b"data: one", b"", b": a comment", b"event: ping", b"data:two", b"", b"data", b""])
    assert read(body) == [b"one", b"two"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@given(
    texts=st.lists(
        st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1), max_size=5
    ),
    cuts=st.lists(st.integers(0, 400), max_size=20),
)
def test_any_split_gives_the_same_events(end: str, texts: list[str], cuts: list[int]) -> None:
    body = "".join(f": noise{end}data: {text}{end}{end}" for text in texts).encode()
    places = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    pieces = [body[start:stop] for start, stop in pairwise(places)]
    expected = [text.encode() for text in texts]
    assert read(body) == expected
    assert read(*pieces) == expected
    assert read(*[bytes([byte]) for byte in body]) == expected


def test_unicode_line_separators_are_text() -> None:
    text = '{"text":"a\u2028b\u2029c\x85d\x0be\x0cf"}'
    assert read(f"data: {text}\n\n".encode()) == [text.encode()]


def test_lines_have_no_limit() -> None:
    long = b"x" * 3_000_000
    body = b"data: " + long + b"\n\n"
    assert read(*[body[start : start + 4096] for start in range(0, len(body), 4096)]) == [long]


def test_the_last_event_counts_without_its_blank_line() -> None:
    assert read(b"data: one\n\ndata: two") == [b"one", b"two"]
    assert read(b"data: one\n\ndata: two\n") == [b"one", b"two"]


def test_several_data_lines_are_one_event() -> None:
    assert read(b"data: {\ndata:  1}\n\n") == [b"{\n 1}"]


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert read(b"\xef\xbb\xbfdata: one\n\n") == [b"one"]


def test_an_event_named_error_is_marked() -> None:
    events = read(b"event: error\ndata: {}\n\nevent: message\ndata: 2\n\n")
    assert [type(event) for event in events] == [ErrorPayload, bytes]


def test_a_bare_error_line_is_an_error() -> None:
    (event,) = read(b"error: the model crashed\n\n")
    assert isinstance(event, ErrorPayload)
    assert event == b"the model crashed"


def test_what_is_no_event_is_kept_for_the_report() -> None:
    reader = SseReader()
    assert reader.feed(b'{"error": {\n"message": "no"}}') == []
    assert reader.finish() == []
    assert not reader.seen
    assert b'"message": "no"' in reader.stray
