"""Tool calls as they come off a wire."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
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
