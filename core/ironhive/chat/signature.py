"""A function's signature as a JSON Schema, and arguments bound to it.

pydantic does the work; it is imported when the first tool is made, not before.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

from ironhive.errors import ToolArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import BaseModel

_PARAM = re.compile(r"^\s*:param\s+(?:[^:]*\s)?(\w+)\s*:\s*(.*)$")
_FIELD = re.compile(r"^\s*:\w+")


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes: parameter names, a JSON Schema for them, and the docstring's summary."""

    names: tuple[str, ...]
    schema: Mapping[str, Any]
    summary: str
    model: type[BaseModel]

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Signature:
        """Read a function's annotations and docstring.

        :raises TypeError: a parameter is positional-only, variadic, not annotated or of a type without a schema.
        """
        from pydantic import ConfigDict, Field, create_model  # slow to import: only where a tool is made
        from pydantic.errors import PydanticUserError

        summary, documented = _read_docstring(function)
        hints = get_type_hints(function, include_extras=True)
        fields: dict[str, Any] = {}
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
                message = f"tool {function.__name__!r}: parameter {parameter.name!r} cannot be passed by name"
                raise TypeError(message)
            if parameter.name not in hints:
                message = f"tool {function.__name__!r}: parameter {parameter.name!r} needs a type annotation"
                raise TypeError(message)
            default = ... if parameter.default is parameter.empty else parameter.default
            info = Field(default, description=documented.get(parameter.name))
            fields[parameter.name] = (hints[parameter.name], info)
        try:
            model = create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)
            schema = _tidy(model.model_json_schema())
        except PydanticUserError as error:
            message = f"tool {function.__name__!r}: {str(error).splitlines()[0]}"
            raise TypeError(message) from error
        schema.setdefault("properties", {})
        return cls(tuple(fields), schema, summary, model)

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
            details = "; ".join(f"{_where(item)}: {item['msg'].lower()}" for item in problems)
            message = f"the arguments of {tool_name} do not fit: {details}"
            raise ToolArgumentError(message, tool=tool_name, missing=missing) from None
        return {name: getattr(bound, name) for name in self.names}


def _where(problem: Any) -> str:
    return ".".join(str(step) for step in problem["loc"]) or "arguments"


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
    if isinstance(node, dict):
        titled = isinstance(node.get("title"), str)
        return {key: _tidy(value) for key, value in node.items() if not (titled and key == "title")}
    if isinstance(node, list):
        return [_tidy(item) for item in node]
    return node
