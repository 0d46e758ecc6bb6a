"""Which functions can become tools, and what their parameters may be."""

from __future__ import annotations

import asyncio
import functools
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from ironhive.chat import tool
from ironhive.chat.signature import MAX_PROBLEMS
from ironhive.errors import ToolArgumentError, ToolError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from decimal import Decimal


def repeat(text: str, times: int = 2) -> str:
    """Say a text several times."""
    return text * times


class Greeter:
    """A callable object, and one with methods."""

    def __init__(self, word: str) -> None:
        self.word = word

    async def __call__(self, name: str) -> str:
        return f"{self.word} {name}"

    def greet(self, name: str) -> str:
        return f"{self.word}, {name}"


@pytest.mark.parametrize(
    ("function", "name", "arguments", "result"),
    [
        (functools.partial(repeat, times=3), "repeat", {"text": "a"}, "aaa"),
        (functools.partial(repeat, "b"), "repeat", {"times": 1}, "b"),
        (Greeter("Hi"), "Greeter", {"name": "Ann"}, "Hi Ann"),
        (Greeter("Hi").greet, "greet", {"name": "Ann"}, "Hi, Ann"),
        (staticmethod(repeat), "repeat", {"text": "c"}, "cc"),
    ],
)
async def test_whatever_can_be_called_by_name_can_be_a_tool(
    function: Any, name: str, arguments: dict[str, Any], result: str
) -> None:
    made = tool(function)
    assert made.name == name
    assert await made(arguments) == result


@pytest.mark.parametrize(
    "name", ["json", "copy", "schema", "model_config", "model_fields", "model_dump", "_hidden", "self", "title", "p0"]
)
async def test_a_parameter_may_have_any_name(name: str) -> None:
    scope: dict[str, Any] = {}
    exec(f"def echo({name}: str) -> str:\n    return {name}", scope)
    made = tool(scope["echo"])
    assert list(made.parameters["properties"]) == [name]
    assert made.parameters["required"] == [name]
    assert await made({name: "x"}) == "x"
    with pytest.raises(ToolArgumentError) as caught:
        await made({})
    assert caught.value.missing == (name,)


async def test_types_that_only_the_surrounding_function_knows() -> None:
    class Colour(Enum):
        RED = "Red"

    @tool
    def paint(colour: Colour) -> str:
        return colour.name

    assert await paint({"colour": "Red"}) == "RED"


async def test_the_result_may_have_a_type_that_is_there_for_type_checkers_only() -> None:
    def price(of: str) -> Decimal:
        return of  # type: ignore[return-value]

    assert await tool(price)({"of": "1"}) == "1"


@dataclass
class Book:
    title: str
    pages: int = 1


class Shelf(BaseModel):
    books: list[Book] = []


async def test_structures_arrive_as_what_they_are_annotated_with() -> None:
    @tool
    def shelve(shelf: Shelf, first: Book, *, kind: Literal["A", "b"] = "A") -> str:
        return f"{shelf.books[0].title} {first.title} {kind}"

    assert await shelve({"shelf": {"books": [{"title": "x"}]}, "first": {"title": "y"}}) == "x y A"


def test_what_a_value_may_be_is_never_changed() -> None:
    default = Book("Faust")

    def lend(book: Book = default, options: dict[str, str] = {"title": "t"}) -> str:  # noqa: B006 - as people write it
        return f"{book} {options}"

    properties = tool(lend).parameters["properties"]
    assert properties["book"]["default"] == {"title": "Faust", "pages": 1}
    assert properties["options"]["default"] == {"title": "t"}


def test_a_description_beside_the_type_is_kept() -> None:
    def turn(degrees: Annotated[int, Field(ge=0, description="how far")] = 5) -> int:
        return degrees

    expected = {"type": "integer", "minimum": 0, "default": 5, "description": "how far"}
    assert tool(turn).parameters["properties"]["degrees"] == expected


async def test_names_and_values_are_told_as_they_are_written() -> None:
    def pick(size: Literal["XL", "s"]) -> str:
        return size

    with pytest.raises(ToolArgumentError, match="size: input should be 'XL' or 's'"):
        await tool(pick)({"size": "xl"})


async def test_a_heap_of_mistakes_is_told_in_few_words() -> None:
    def add(numbers: list[int]) -> int:
        return sum(numbers)

    with pytest.raises(ToolArgumentError) as caught:
        await tool(add)({"numbers": ["a"] * 500, "k" * 5000: 1})
    assert str(caught.value).count("unable to parse") == MAX_PROBLEMS
    assert "and 496 more" in str(caught.value)
    with pytest.raises(ToolArgumentError) as caught:
        await tool(add)({"numbers": [], "k" * 5000: 1})
    assert len(str(caught.value)) < 500


def _unresolvable(x: Missing) -> int:  # type: ignore[name-defined]  # noqa: F821 - that is the point
    return x  # type: ignore[no-any-return]


def _variadic(*args: int) -> int:
    return sum(args)


async def _items() -> AsyncIterator[int]:
    yield 1


def _open(handle: asyncio.Future[int]) -> int:
    return handle.result()


@pytest.mark.parametrize(
    ("function", "part"),
    [
        (_unresolvable, "parameter 'x' has an annotation that cannot be resolved"),
        (_variadic, "parameter 'args' cannot be passed by name"),
        (_items, "yields"),
        (_open, "schema"),
        (Greeter.greet, r"parameter 'self' needs .*instance"),
        (3, "not a function"),
        (len, "cannot be passed by name"),
    ],
)
def test_what_cannot_be_a_tool_is_told_when_it_is_made(function: Any, part: str) -> None:
    with pytest.raises(TypeError, match=part):
        tool(function)


async def test_a_plain_function_may_hand_over_an_awaitable() -> None:
    def later(x: int) -> Any:
        async def work() -> int:
            return x + 1

        return work()

    assert await tool(later)({"x": 1}) == 2


async def test_running_out_of_items_is_a_failure_like_any_other() -> None:
    def first() -> int:
        return next(iter(()))

    async with asyncio.timeout(5):
        with pytest.raises(ToolError, match="StopIteration"):
            await tool(first)({})
