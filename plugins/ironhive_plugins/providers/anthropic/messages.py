"""A conversation in the shape of the Messages wire."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any, Final

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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatMessage, Content

FAMILY: Final = "anthropic"
_NOT_IN_ID = re.compile(r"[^a-zA-Z0-9_-]")


def write_messages(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """The messages without system text; neighbours of one role are joined, results of tools stand first."""
    out: list[dict[str, Any]] = []
    ids = CallIds(_plain_id)
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = [block for part in message.contents if (block := _block(part, role, ids)) is not None]
        if not blocks:
            continue
        if out and out[-1]["role"] == role:
            out[-1]["content"] += blocks
        else:
            out.append({"role": role, "content": blocks})
    for entry in out:
        if entry["role"] == "user":
            entry["content"].sort(key=lambda block: block["type"] != "tool_result")
    if out and out[0]["role"] == "assistant":
        out.insert(0, {"role": "user", "content": [{"type": "text", "text": "(conversation continued)"}]})
    if out and out[-1]["role"] == "assistant" and out[-1]["content"][-1]["type"] == "text":
        last = out[-1]["content"][-1]
        last["text"] = last["text"].rstrip()  # a last assistant turn must not end in white space
    return out


def _block(part: Content, role: str, ids: CallIds) -> dict[str, Any] | None:
    if isinstance(part, TextContent):
        return {"type": "text", "text": part.text} if part.text.strip() else None
    if isinstance(part, ToolResultContent):
        return _result(part, ids)
    if role == "user":
        return data_block(part) if isinstance(part, DataContent) else None
    if isinstance(part, ToolCallContent):
        arguments = {} if part.arguments is None else dict(part.arguments)
        return {
            "type": "tool_use",
            "id": ids.of_call(part.call_id),
            "name": part.name or UNNAMED_TOOL,
            "input": arguments,
        }
    if isinstance(part, ReasoningContent):
        return _thinking(part)
    if isinstance(part, OpaqueContent) and part.private.provider == FAMILY:
        return dict(part.private.data["block"])
    return None


def _thinking(part: ReasoningContent) -> dict[str, Any] | None:
    """Signed thoughts go back as they came; unsigned ones, and those of others, would be refused."""
    if part.private is None or part.private.provider != FAMILY:
        return None
    data = part.private.data
    if "redacted" in data:
        return {"type": "redacted_thinking", "data": data["redacted"]}
    return {"type": "thinking", "thinking": part.text, "signature": data["signature"]}


def _result(result: ToolResultContent, ids: CallIds) -> dict[str, Any]:
    value = result.result
    parts = value if isinstance(value, (tuple, list)) else (value,)
    content: Any = result_text(value)
    if any(isinstance(part, DataContent) for part in parts):
        blocks = [
            data_block(part) if isinstance(part, DataContent) else {"type": "text", "text": result_text(part)}
            for part in parts
        ]
        content = [block for block in blocks if block["type"] != "text" or block["text"].strip()]
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": ids.of_result(result.call_id), "content": content}
    if result.success is False:
        block["is_error"] = True
    return block


def data_block(data: DataContent) -> dict[str, Any]:
    """An image or a document. What the wire has no block for stands as a note."""
    kind = "image" if data.media_type.startswith("image/") else "document"
    if data.uri is not None:
        if kind == "document" and data.media_type != "application/pdf":
            return {"type": "text", "text": f"[{data.media_type} at {data.uri}]"}
        source: dict[str, Any] = {"type": "url", "url": data.uri}
    elif kind == "image" or data.media_type == "application/pdf":
        encoded = base64.b64encode(data.data or b"").decode("ascii")
        source = {"type": "base64", "media_type": data.media_type, "data": encoded}
    elif data.media_type.startswith("text/") or data.media_type == "application/json":
        text = (data.data or b"").decode("utf-8", "replace")
        source = {"type": "text", "media_type": "text/plain", "data": text}
    else:
        return {"type": "text", "text": f"[{data.media_type}, {len(data.data or b'')} bytes]"}
    block = {"type": kind, "source": source}
    if kind == "document" and data.name:
        block["title"] = data.name
    return block


def _plain_id(call_id: str) -> str:
    """The id in the characters that this wire allows; calls of other providers may have others."""
    return _NOT_IN_ID.sub("_", call_id) or "call"
