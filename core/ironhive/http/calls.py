"""Tool calls as they come off a wire, and their ids on the way back."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final

from ironhive.chat import ProviderData, ToolCallContent

UNNAMED_TOOL: Final = "unknown_tool"
"""The name under which a call that named no tool is shown to the model again."""

_SHOWN: Final = 80


def new_call_id() -> str:
    """An id for a call that came without one, unique in any conversation."""
    return f"call_{uuid.uuid4().hex[:24]}"


def tool_call(
    name: Any, arguments: Any, *, call_id: Any = None, private: ProviderData | None = None
) -> ToolCallContent:
    """The call that a model asked for, whatever shape the server gave it.

    ``arguments`` may be JSON text, an object, None or blank (both mean no arguments). What is no JSON object leaves the
    call without arguments and with an error that says where reading stopped; so does a call without a name. A missing
    or blank id is replaced by a new one.
    """
    identity = call_id if isinstance(call_id, str) and call_id else new_call_id()
    called = name.strip() if isinstance(name, str) else ""
    raw = arguments if isinstance(arguments, str) else ""
    value, error = _read(arguments)
    if not called:
        value, error = None, "the call names no tool"
    return ToolCallContent(identity, called, value, raw, error, private)


class CallIds:
    """Gives each call of one request an id of its own.

    Some models count their calls anew in each answer, and servers refuse a conversation in which an id comes twice.
    ``shape`` puts an id into the letters that the server takes. Call :meth:`of_call` and :meth:`of_result` in the order
    of the conversation.
    """

    def __init__(self, shape: Callable[[str], str] = str) -> None:
        self._shape = shape
        self._used: set[str] = set()
        self._open: dict[str, list[str]] = {}
        self._last: dict[str, str] = {}

    def of_call(self, call_id: str) -> str:
        """The id to send with a call."""
        wire, count = self._shape(call_id), 1
        while wire in self._used:
            count += 1
            wire = self._shape(f"{call_id}_{count}")
        self._used.add(wire)
        self._open.setdefault(call_id, []).append(wire)
        return wire

    def of_result(self, call_id: str) -> str:
        """The id to send with a result: that of the first call of this id that has none yet."""
        waiting = self._open.get(call_id)
        if waiting:
            self._last[call_id] = waiting.pop(0)
        return self._last.get(call_id) or self._shape(call_id)


def _read(arguments: Any) -> tuple[Mapping[str, Any] | None, str | None]:
    if arguments is None:
        return {}, None
    if isinstance(arguments, Mapping):
        return arguments, None
    if not isinstance(arguments, str):
        return None, f"the arguments are {type(arguments).__name__}, not an object"
    if not arguments.strip():
        return {}, None
    try:
        value = json.loads(arguments, strict=False)
    except (ValueError, RecursionError) as error:
        return None, _where(arguments, error)
    if isinstance(value, dict):
        return value, None
    return None, f"the arguments are a JSON {_KINDS.get(type(value), 'value')}, not an object"


_KINDS: Final = {list: "array", str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def _where(text: str, error: Exception) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return "the arguments are nested too deeply"
    near = text[max(0, error.pos - _SHOWN // 2) : error.pos + _SHOWN // 2]
    return f"the arguments are not JSON: {error.msg.lower()} at character {error.pos} of {len(text)}, near {near!r}"
