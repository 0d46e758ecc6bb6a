"""Each way in which a body is not JSON has its own words."""

from __future__ import annotations

import pytest

from ironhive.errors import BadAnswerError
from ironhive.http import encode_json, parse_json
from ironhive.http.bodies import parse_events


@pytest.mark.parametrize("body", [b'{"a":1}', b'  \n\n {"a":1} \r\n', b'\xef\xbb\xbf{"a":1}', b'{"a":1}   '])
def test_padding_around_json_is_ignored(body: bytes) -> None:
    assert parse_json(body, provider="p") == {"a": 1}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "is empty"),
        (b" \r\n ", "is empty"),
        (b"<!DOCTYPE html><html><title>502 Bad Gateway</title></html>", "an HTML page: 502 Bad Gateway"),
        (b"\n <HTML><body><h1>It works!</h1></body></html>", "an HTML page: It works!"),
        (b'{"a": "\xff"}', "not valid UTF-8 (byte 7 of 10)"),
        (b'{"a": ', "not JSON (at character 5): {"),
        (b"upstream connect error", "not JSON (at character 0): upstream connect error"),
        (b"[" * 100_000, "is not JSON"),
    ],
)
def test_what_is_no_json_says_what_it_is(body: bytes, words: str) -> None:
    with pytest.raises(BadAnswerError) as caught:
        parse_json(body, provider="acme")
    assert words in str(caught.value)
    assert caught.value.provider == "acme"
    assert len(str(caught.value)) < 300


def test_events_are_parsed_together_only_when_each_is_one_value() -> None:
    assert parse_events([b'{"a":1}', b"2", b'"x"']) == [{"a": 1}, 2, "x"]
    assert parse_events([b'{"a":1}', b"{"]) is None
    assert parse_events([b"1],[2"]) is None
    assert parse_events([b"1,2"]) is None
    assert parse_events([b"1", b"\xff"]) is None


def test_half_a_surrogate_pair_does_not_stop_a_request() -> None:
    assert encode_json({"text": "a\ud83dz"}) == b'{"text":"a?z"}'
    assert encode_json({"text": "\U0001f600"}) == '{"text":"\U0001f600"}'.encode()
