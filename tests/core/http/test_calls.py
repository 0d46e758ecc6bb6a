"""Tool calls in every shape that servers give them."""

from __future__ import annotations

import pytest

from ironhive.http import CallIds, tool_call


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ("", {}),
        (" \n", {}),
        (None, {}),
        ("{}", {}),
        ('{"a": "line\nbreak"}', {"a": "line\nbreak"}),
        ('{"a": 12345678901234567890}', {"a": 12345678901234567890}),
    ],
)
def test_objects_texts_and_nothing_are_arguments(arguments: object, expected: dict[str, object]) -> None:
    call = tool_call("t", arguments, call_id="1")
    assert (call.arguments, call.error, call.call_id) == (expected, None, "1")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ('{"a": ', "not JSON: expecting value at character 6 of 6"),
        ("{'a': 1}", "not JSON"),
        ("[1]", "a JSON array, not an object"),
        ("null", "a JSON null, not an object"),
        ('"text"', "a JSON string, not an object"),
        ("true", "a JSON boolean, not an object"),
        ([1], "list, not an object"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_object_is_never_an_empty_one(arguments: object, words: str) -> None:
    call = tool_call("t", arguments, call_id="1")
    assert call.arguments is None
    assert words in (call.error or "")
    assert len(call.error or "") < 300
    assert call.raw == (arguments if isinstance(arguments, str) else "")


@pytest.mark.parametrize("name", ["", "  ", None, 7])
def test_a_call_without_a_name_is_an_error(name: object) -> None:
    call = tool_call(name, "{}", call_id="1")
    assert (call.name, call.arguments, call.error) == ("", None, "the call names no tool")


def test_missing_ids_are_made_up_and_differ() -> None:
    ids = {tool_call("t", "{}", call_id=missing).call_id for missing in ("", None, "", None)}
    assert len(ids) == 4


def test_ids_that_come_twice_are_told_apart_on_the_way_back() -> None:
    ids = CallIds()
    assert [ids.of_call("0"), ids.of_result("0")] == ["0", "0"]
    assert [ids.of_call("0"), ids.of_result("0")] == ["0_2", "0_2"]
    both = [ids.of_call("x"), ids.of_call("x")]
    assert [ids.of_result("x"), ids.of_result("x")] == both == ["x", "x_2"]
    assert ids.of_result("x") == "x_2"
    assert ids.of_result("never called") == "never called"


def test_ids_are_put_into_the_shape_that_the_server_takes() -> None:
    ids = CallIds(lambda call_id: call_id.replace(":", "_"))
    assert [ids.of_call("a:1"), ids.of_call("a_1")] == ["a_1", "a_1_2"]
    assert [ids.of_result("a_1"), ids.of_result("a:1")] == ["a_1_2", "a_1"]
