"""A function's signature as a JSON Schema, and arguments bound to it.

pydantic does the work; it is imported when the first tool is made, not before.
"""

from __future__ import annotations

import functools
import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, get_type_hints

from ironhive.errors import ToolArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import BaseModel

_PARAM = re.compile(r"^\s*:param\s+(?:[^:]*\s)?(\w+)\s*:\s*(.*)$")
_FIELD = re.compile(r"^\s*:\w+")


MAX_PROBLEMS: Final = 5
"""How many mistakes in one set of arguments are told: a model needs no more to try again."""

_MAX_WORDS: Final = 200
_VALUES: Final = frozenset({"default", "const", "enum", "examples"})
"""Keywords of a schema that hold values and no further schemas."""
_BY_NAME: Final = frozenset({"properties", "patternProperties", "$defs"})
"""Keywords of a schema that hold schemas by names of somebody's choice."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes: parameter names, a JSON Schema for them, and the docstring's summary.

    ``fields`` maps each parameter to the field of ``model`` that checks it; they have names of their own, because a
    parameter may be called what a model's attributes are called.
    """

    name: str
    fields: Mapping[str, str]
    schema: Mapping[str, Any]
    summary: str
    model: type[BaseModel]

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Signature:
        """Read a function's annotations and docstring.

        :raises TypeError: it is no function that returns a result, or a parameter is positional-only, variadic, not
            annotated or of a type without a schema.
        """
        from pydantic import ConfigDict, Field, create_model  # slow to import: only where a tool is made
        from pydantic.errors import PydanticUserError

        name, inner = _unwrap(function)
        summary, documented = _read_docstring(inner)
        fields: dict[str, Any] = {}
        for parameter, hint in _parameters(name, function, inner):
            facts: dict[str, Any] = {"alias": parameter.name}
            if parameter.name in documented:
                facts["description"] = documented[parameter.name]
            default = ... if parameter.default is parameter.empty else parameter.default
            fields[parameter.name] = (hint, Field(default, **facts))
        own = {parameter: f"p{index}" for index, parameter in enumerate(fields)}
        try:
            members: dict[str, Any] = {own[parameter]: field for parameter, field in fields.items()}
            model = create_model(name, __config__=ConfigDict(extra="forbid"), **members)
            schema = _tidy(model.model_json_schema())
        except PydanticUserError as error:
            message = f"tool {name!r}: {str(error).splitlines()[0]}"
            raise TypeError(message) from error
        schema.setdefault("properties", {})
        return cls(name, own, schema, summary, model)

    def bind(self, tool_name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments checked and converted to the annotated types.

        :raises ToolArgumentError: something is missing, unknown or of the wrong type.
        """
        from pydantic import ValidationError

        try:
            bound = self.model.model_validate(dict(arguments))
        except ValidationError as error:
            problems = error.errors(include_url=False, include_context=False, include_input=False)
            missing = tuple(_where(item) for item in problems if item["type"] == "missing")
            details = "; ".join(f"{_where(item)}: {_what(item)}" for item in problems[:MAX_PROBLEMS])
            more = f"; and {len(problems) - MAX_PROBLEMS} more" if len(problems) > MAX_PROBLEMS else ""
            message = f"the arguments of {tool_name} do not fit: {details}{more}"
            raise ToolArgumentError(message, tool=tool_name, missing=missing) from None
        return {parameter: getattr(bound, field) for parameter, field in self.fields.items()}


def _unwrap(function: Any) -> tuple[str, Any]:
    """The name of a tool made of this, and the function in it that has the annotations."""
    if not callable(function):
        message = f"{function!r} is not a function; a tool is made of something that can be called"
        raise TypeError(message)
    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    name = getattr(inner, "__name__", type(inner).__name__)
    if not inspect.isroutine(inner) and not isinstance(inner, type):
        inner = type(inner).__call__
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        message = f"tool {name!r}: its function yields; a tool returns its result"
        raise TypeError(message)
    return name, inner


def _parameters(name: str, function: Any, inner: Any) -> list[tuple[inspect.Parameter, Any]]:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError as error:
        message = f"tool {name!r}: its parameters cannot be read; write a function around it"
        raise TypeError(message) from error
    found = []
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            message = f"tool {name!r}: parameter {parameter.name!r} cannot be passed by name"
            raise TypeError(message)
        if parameter.annotation is parameter.empty:
            hint = "an instance: make the tool of its bound method" if parameter.name == "self" else "a type annotation"
            message = f"tool {name!r}: parameter {parameter.name!r} needs {hint}"
            raise TypeError(message)
        found.append((parameter, _hint(name, parameter, inner)))
    return found


def _hint(name: str, parameter: inspect.Parameter, inner: Any) -> Any:
    """The type of one parameter; a postponed annotation is looked up where the function was written."""
    function = inspect.unwrap(inner)
    function = getattr(function, "__func__", function)

    def stand_in() -> None: ...

    stand_in.__annotations__ = {parameter.name: parameter.annotation}
    scope = getattr(function, "__globals__", {})
    try:
        return get_type_hints(stand_in, scope, _surroundings(), include_extras=True)[parameter.name]
    except NameError as error:
        message = (
            f"tool {name!r}: parameter {parameter.name!r} has an annotation that cannot be resolved ({error}); "
            "import its type at run time, not for type checkers only"
        )
        raise TypeError(message) from error


def _surroundings() -> dict[str, Any]:
    """The local names where the tool is made: a postponed annotation may mean one of them."""
    frame = inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith("ironhive.chat"):
        frame = frame.f_back
    return {} if frame is None or frame.f_locals is frame.f_globals else dict(frame.f_locals)


def _where(problem: Any) -> str:
    return _cut(".".join(str(step) for step in problem["loc"])) or "arguments"


def _what(problem: Any) -> str:
    text: str = problem["msg"]
    return _cut(text[:1].lower() + text[1:])


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_WORDS else f"{text[:_MAX_WORDS]}..."


def _read_docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    lines = (inspect.getdoc(function) or "").splitlines()
    summary: list[str] = []
    documented: dict[str, str] = {}
    current: str | None = None
    in_summary = True
    for line in lines:
        match = _PARAM.match(line)
        if match:
            current = match.group(1)
            documented[current] = match.group(2).strip()
            in_summary = False
        elif _FIELD.match(line):
            current, in_summary = None, False
        elif current is not None and line.strip():
            documented[current] += " " + line.strip()
        elif in_summary:
            if not line.strip() and summary:
                in_summary = False
            elif line.strip():
                summary.append(line.strip())
    return " ".join(summary), documented


def _tidy(node: Any) -> Any:
    """A schema without the titles that pydantic adds: models read them as noise."""
    if isinstance(node, list):
        return [_tidy(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: value for key, value in node.items() if not (key == "title" and isinstance(value, str))}
    return {key: _tidy_below(key, value) for key, value in kept.items()}


def _tidy_below(key: str, value: Any) -> Any:
    if key in _VALUES:
        return value
    if key in _BY_NAME and isinstance(value, dict):
        return {name: _tidy(schema) for name, schema in value.items()}
    return _tidy(value)
