"""Tools made of functions."""

from __future__ import annotations

import threading
from enum import Enum
from typing import Literal

import pytest

from ironhive.chat import Tool, tool
from ironhive.errors import ToolArgumentError


class Unit(Enum):
    CELSIUS = "c"
    KELVIN = "k"


@tool(read_only=True, target="city")
async def weather(city: str, days: int = 1, unit: Unit = Unit.CELSIUS, tags: list[str] | None = None) -> str:
    """Tell the weather.

    More about it that no model needs.

    :param city: the town, and nothing
        but the town
    :param days: how many days ahead
    :returns: a sentence
    """
    return f"{city} {days} {unit.name} {tags}"


def test_signature_and_docstring_become_the_description() -> None:
    assert weather.name == "weather"
    assert weather.description == "Tell the weather."
    assert weather.read_only
    assert weather.target_arguments == ("city",)
    properties = weather.parameters["properties"]
    assert weather.parameters["required"] == ["city"]
    assert properties["city"] == {"type": "string", "description": "the town, and nothing but the town"}
    assert properties["days"] == {"type": "integer", "default": 1, "description": "how many days ahead"}
    assert weather.parameters["additionalProperties"] is False
    assert "title" not in str(weather.parameters)


async def test_arguments_are_checked_and_converted() -> None:
    assert await weather({"city": "Oslo", "unit": "k", "tags": ["a"]}) == "Oslo 1 KELVIN ['a']"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({}, "city: field required"),
        ({"city": "x", "days": "soon"}, "days: "),
        ({"city": "x", "dyas": 1}, "dyas: extra inputs"),
        ({"city": None}, "city: "),
    ],
)
async def test_what_does_not_fit_is_not_run(arguments: dict[str, object], part: str) -> None:
    with pytest.raises(ToolArgumentError, match=part) as caught:
        await weather(arguments)
    assert caught.value.tool == "weather"


async def test_missing_parameters_are_named() -> None:
    with pytest.raises(ToolArgumentError) as caught:
        await weather({})
    assert caught.value.missing == ("city",)


async def test_a_plain_function_runs_beside_the_event_loop() -> None:
    @tool
    def where() -> str:
        """Name the thread."""
        return threading.current_thread().name

    assert await where({}) != threading.main_thread().name


async def test_an_error_of_the_body_is_not_an_argument_error() -> None:
    @tool
    def broken(value: int) -> int:
        """Fail."""
        raise ValueError(value)

    with pytest.raises(ValueError, match="3"):
        await broken({"value": 3})


async def test_a_parameter_may_be_called_title() -> None:
    @tool
    def name_it(title: str, kind: Literal["a", "b"]) -> str:
        """Name something."""
        return title + kind

    assert set(name_it.parameters["properties"]) == {"title", "kind"}
    assert await name_it({"title": "t", "kind": "a"}) == "ta"


def test_what_cannot_be_described_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="needs a type annotation"):

        @tool
        def no_type(value) -> None:  # type: ignore[no-untyped-def]
            """Nothing."""

    with pytest.raises(TypeError, match="cannot be passed by name"):

        @tool
        def many(*values: int) -> None:
            """Nothing."""

    with pytest.raises(TypeError, match="no parameter 'path'"):

        @tool(target="path")
        def no_target() -> None:
            """Nothing."""


async def test_a_declaration_cannot_be_run() -> None:
    with pytest.raises(ToolArgumentError, match="declaration only"):
        await Tool("ask", "Ask the user")({})
