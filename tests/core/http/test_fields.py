"""Fields of JSON from a server."""

from __future__ import annotations

from ironhive.http import count_at, objects_at, place_at, text_at


def test_what_has_not_the_expected_type_counts_as_absent() -> None:
    node = {"text": "a", "count": 3, "whole": 3.0, "half": 0.5, "yes": True, "list": [{"a": 1}, 2, None], "null": None}
    assert [text_at(node, key) for key in ("text", "count", "missing", "null")] == ["a", "", "", ""]
    assert [count_at(node, key) for key in ("count", "whole", "half", "yes", "text")] == [3, 3, None, None, None]
    assert objects_at(node, "list") == [{"a": 1}]
    assert objects_at(node, "text") == []
    assert [place_at(node, key) for key in ("count", "text", "list")] == [3, "a", None]
    for strange in (None, 17, "x", []):
        assert text_at(strange, "a") == ""
        assert count_at(strange, "a") is None
        assert objects_at(strange, "a") == []
        assert place_at(strange, "a") is None
