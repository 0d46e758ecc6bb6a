"""Tool calls in a model's text: JSON between ``<tool_call>`` tags."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from ironhive.chat import ToolCallContent
from ironhive.chat.thinking import overlap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ironhive.chat import Tool

OPENER = "<tool_call>"
CLOSER = "</tool_call>"


class CallSplitter:
    """Sorts streamed text into plain text and the bodies of calls."""

    __slots__ = ("_held", "_inside")

    def __init__(self) -> None:
        self._held = ""
        self._inside = False

    @property
    def inside(self) -> bool:
        """Whether a call has begun and not ended."""
        return self._inside

    def feed(self, text: str) -> list[tuple[bool, str]]:
        """Pairs of (is a call's body, text), in order."""
        self._held += text
        parts: list[tuple[bool, str]] = []
        while self._held:
            mark = CLOSER if self._inside else OPENER
            at = self._held.find(mark)
            if at < 0:
                self._hold(parts)
                break
            before, self._held = self._held[:at], self._held[at + len(mark) :]
            if self._inside or before:
                parts.append((self._inside, before))
            self._inside = not self._inside
        return parts

    def _hold(self, parts: list[tuple[bool, str]]) -> None:
        if self._inside:
            return
        keep = len(self._held) - overlap(self._held, OPENER)
        if keep:
            parts.append((False, self._held[:keep]))
            self._held = self._held[keep:]

    def finish(self) -> str:
        """The text that was held back; a call that never ended is not text."""
        held, self._held = self._held, ""
        return "" if self._inside else held


def read_call(body: str, tools: Mapping[str, Tool]) -> ToolCallContent:
    """A call from its JSON text.

    Its ``error`` says what is wrong where it is no call that could be run: not JSON, no tool of that name, arguments
    that the tool's schema does not allow.
    """
    call_id = f"call_{uuid.uuid4().hex[:24]}"
    try:
        value = json.loads(body)
    except ValueError as error:
        return ToolCallContent(call_id, "", None, body.strip(), f"the call is not JSON: {error}")
    name = value.get("name") if isinstance(value, dict) else None
    arguments = value.get("arguments") if isinstance(value, dict) else None
    if not isinstance(name, str) or name not in tools:
        return ToolCallContent(call_id, str(name or ""), None, body.strip(), f"there is no tool named {name!r}")
    if not isinstance(arguments, dict):
        return ToolCallContent(call_id, name, None, body.strip(), "the call has no arguments object")
    problem = misfit(arguments, tools[name].parameters)
    if problem:
        return ToolCallContent(call_id, name, None, json.dumps(arguments, ensure_ascii=False), problem)
    return ToolCallContent(call_id, name, arguments)


def misfit(value: Any, schema: Mapping[str, Any]) -> str | None:
    """Why a value does not fit a JSON Schema, or None. A schema that is itself wrong allows everything."""
    from jsonschema import Draft202012Validator, SchemaError  # comes with the local extras

    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError:
        return None
    for error in Draft202012Validator(dict(schema)).iter_errors(value):
        where = ".".join(str(step) for step in error.absolute_path) or "the value"
        return f"{where}: {error.message}"
    return None
