"""A conversation in the shape of the generateContent wire."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
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
from ironhive.http import UNNAMED_TOOL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatMessage, Content

FAMILY: Final = "gemini"

NO_SIGNATURE: Final = "skip_thought_signature_validator"
"""What Google documents for calls that another model made, in place of the signature that Gemini 3 demands."""


@dataclass(slots=True)
class ContentWriter:
    """Writes contents. Signatures go back on exactly the part they came with.

    ``signatures``: the model refuses a call without one. ``tool_media``: images may be part of a tool's result; else
    they follow it as parts of their own.
    """

    signatures: bool = False
    tool_media: bool = False
    out: list[dict[str, Any]] = field(default_factory=list)
    _ids: dict[str, str] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def write(self, messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
        """The conversation without system text; neighbours of one role are joined."""
        for message in messages:
            if message.role == "system":
                continue
            role = "model" if message.role == "assistant" else "user"
            parts = [part for content in message.contents for part in self._parts(content, role)]
            if role == "model" and self.signatures:
                _sign_foreign_calls(parts)
            if not parts:
                continue
            if self.out and self.out[-1]["role"] == role:
                self.out[-1]["parts"] += parts
            else:
                self.out.append({"role": role, "parts": parts})
        return self.out

    def _parts(self, content: Content, role: str) -> list[dict[str, Any]]:
        if isinstance(content, TextContent):
            signed = _signature(content.private)
            return [{"text": content.text, **signed}] if content.text or signed else []
        if isinstance(content, DataContent):
            return [data_part(content)]
        if isinstance(content, ToolResultContent):
            return self._result(content)
        if role == "user":
            return []
        if isinstance(content, ToolCallContent):
            return [self._call(content)]
        if isinstance(content, ReasoningContent):
            signed = _signature(content.private)
            return [{"text": content.text, "thought": True, **signed}] if signed else []
        if isinstance(content, OpaqueContent) and content.private.provider == FAMILY:
            return [dict(content.private.data["part"])]
        return []

    def _call(self, call: ToolCallContent) -> dict[str, Any]:
        name = call.name or UNNAMED_TOOL
        body: dict[str, Any] = {"name": name, "args": dict(call.arguments or {})}
        self._names[call.call_id] = name
        private = call.private.data if call.private is not None and call.private.provider == FAMILY else {}
        if private.get("id"):
            body["id"] = self._ids[call.call_id] = private["id"]
        return {"functionCall": body, **_signature(call.private)}

    def _result(self, result: ToolResultContent) -> list[dict[str, Any]]:
        value = result.result
        parts = value if isinstance(value, (tuple, list)) else (value,)
        media = [part for part in parts if isinstance(part, DataContent)]
        if media:
            rest = tuple(part for part in parts if not isinstance(part, DataContent))
            value = result_text(rest) if rest else "(see the attached data)"
        answer: dict[str, Any] = {
            "name": self._names.get(result.call_id) or result.name or UNNAMED_TOOL,
            "response": _response(value, failed=result.success is False),
        }
        if result.call_id in self._ids:
            answer["id"] = self._ids[result.call_id]
        if media and self.tool_media:
            answer["parts"] = [data_part(part) for part in media]
            return [{"functionResponse": answer}]
        return [{"functionResponse": answer}, *(data_part(part) for part in media)]


def _response(value: Any, *, failed: bool) -> dict[str, Any]:
    """A result as the object that this wire wants; what is JSON already stays JSON."""
    if failed:
        return {"error": result_text(value)}
    if isinstance(value, (dict, list, int, float, bool)):
        try:
            return {"result": json.loads(json.dumps(value))}
        except (TypeError, ValueError):
            pass
    return {"result": result_text(value)}


def _signature(private: Any) -> dict[str, Any]:
    if private is None or private.provider != FAMILY or "signature" not in private.data:
        return {}
    return {"thoughtSignature": private.data["signature"]}


def _sign_foreign_calls(parts: list[dict[str, Any]]) -> None:
    calls = [part for part in parts if "functionCall" in part]
    if calls and not any("thoughtSignature" in part for part in calls):
        calls[0]["thoughtSignature"] = NO_SIGNATURE


def data_part(data: DataContent) -> dict[str, Any]:
    """An image, a document or a sound: by address or in the request."""
    if data.uri is not None:
        return {"fileData": {"mimeType": data.media_type, "fileUri": data.uri}}
    if data.media_type.startswith("text/") or data.media_type == "application/json":
        text = (data.data or b"").decode("utf-8", "replace")
        return {"text": f"{data.name}:\n{text}" if data.name else text}
    encoded = base64.b64encode(data.data or b"").decode("ascii")
    return {"inlineData": {"mimeType": data.media_type, "data": encoded}}
