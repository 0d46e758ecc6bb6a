"""A conversation as the input items of the Responses wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.chat import (
    DataContent,
    OpaqueContent,
    ReasoningContent,
    TextContent,
    ToolCallContent,
    ToolResultContent,
    result_text,
)
from ironhive.http import UNNAMED_TOOL, CallIds
from ironhive_plugins.providers.openai.media import responses_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ironhive.chat import ChatMessage, Content


def split_system(messages: Sequence[ChatMessage], instructions: str | None) -> tuple[str, Sequence[ChatMessage]]:
    """The system text at the beginning with the call's instructions behind it, and the rest of the conversation."""
    leading = 0
    while leading < len(messages) and messages[leading].role == "system":
        leading += 1
    texts = [message.text for message in messages[:leading]] + [instructions or ""]
    return "\n\n".join(text for text in texts if text.strip()), messages[leading:]


def write_items(messages: Sequence[ChatMessage], family: str) -> list[dict[str, Any]]:
    """The input items. What only one server understands goes back to ``family``, the server that issued it."""
    ids = CallIds()
    return [item for message in messages for item in _items(message, family, ids)]


def _items(message: ChatMessage, family: str, ids: CallIds) -> Iterator[dict[str, Any]]:
    if message.role == "system":
        if message.text.strip():
            yield {"role": "developer", "content": message.text}
    elif message.role == "assistant":
        yield from _assistant(message, family, ids)
    elif message.role == "tool":
        for part in message.contents:
            if isinstance(part, ToolResultContent):
                yield _result(part, ids)
    else:
        yield from _user(message, ids)


def _user(message: ChatMessage, ids: CallIds) -> Iterator[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for part in message.contents:
        if isinstance(part, TextContent) and part.text:
            parts.append({"type": "input_text", "text": part.text})
        elif isinstance(part, DataContent):
            parts.append(responses_part(part))
        elif isinstance(part, ToolResultContent):
            yield _result(part, ids)
    if len(parts) == 1 and parts[0]["type"] == "input_text":
        yield {"role": "user", "content": parts[0]["text"]}
    elif parts:
        yield {"role": "user", "content": parts}


def _assistant(message: ChatMessage, family: str, ids: CallIds) -> Iterator[dict[str, Any]]:
    text: list[str] = []
    phase: dict[str, Any] = {}
    for part in message.contents:
        if isinstance(part, TextContent):
            text.append(part.text)
            if part.private is not None and part.private.provider == family:
                phase = dict(part.private.data)
            continue
        item = _item(part, family, ids)
        if item is not None:
            if "".join(text):
                yield {"role": "assistant", "content": "".join(text), **phase}
            text, phase = [], {}
            yield item
    if "".join(text):
        yield {"role": "assistant", "content": "".join(text), **phase}


def _item(part: Content, family: str, ids: CallIds) -> dict[str, Any] | None:
    if isinstance(part, ToolCallContent):
        arguments = "{}" if part.arguments is None else part.arguments_text.strip() or "{}"
        name = part.name or UNNAMED_TOOL
        return {"type": "function_call", "call_id": ids.of_call(part.call_id), "name": name, "arguments": arguments}
    if isinstance(part, (ReasoningContent, OpaqueContent)):
        private = part.private
        return dict(private.data["item"]) if private is not None and private.provider == family else None
    return None


def _result(result: ToolResultContent, ids: CallIds) -> dict[str, Any]:
    value = result.result
    output: Any = result_text(value)
    parts = value if isinstance(value, (tuple, list)) else (value,)
    if any(isinstance(part, DataContent) for part in parts):
        output = [
            responses_part(part) if isinstance(part, DataContent) else {"type": "input_text", "text": result_text(part)}
            for part in parts
        ]
    return {"type": "function_call_output", "call_id": ids.of_result(result.call_id), "output": output}
