"""A conversation in the shape of the Chat Completions wire."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ironhive.chat import (
    DataContent,
    ReasoningContent,
    TextContent,
    ToolCallContent,
    ToolResultContent,
    result_text,
)
from ironhive.http import UNNAMED_TOOL, CallIds
from ironhive_plugins.providers.openai.media import chat_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ironhive.chat import ChatMessage

_SHORT_ID = re.compile(r"[A-Za-z0-9]{9}")


@dataclass(slots=True)
class MessageWriter:
    """Writes messages one by one. Reasoning is replayed to ``family`` alone, the server that issued it.

    ``short_ids``: the server takes tool-call ids of nine letters and digits only. ``no_text`` is the content of a turn
    that only calls tools: OpenAI says null, where some local servers insist on a text.
    """

    family: str
    carry_tool_images: bool = False
    short_ids: bool = False
    system_role: str = "system"
    no_text: str | None = None
    out: list[dict[str, Any]] = field(default_factory=list)
    _images: list[DataContent] = field(default_factory=list)
    _ids: CallIds = field(init=False)

    def __post_init__(self) -> None:
        self._ids = CallIds(_short_id if self.short_ids else str)

    def write(self, messages: Sequence[ChatMessage], instructions: str | None) -> list[dict[str, Any]]:
        """The whole conversation; instructions follow the system text at its beginning."""
        leading = 0
        while leading < len(messages) and messages[leading].role == "system":
            leading += 1
        # many chat templates accept one system message only, and only at the beginning
        texts = [message.text for message in messages[:leading]] + [instructions or ""]
        system = "\n\n".join(text for text in texts if text.strip())
        if system:
            self.out.append({"role": self.system_role, "content": system})
        for message in messages[leading:]:
            if message.role != "tool":
                self._flush_images()
            self._one(message)
        self._flush_images()
        return self.out

    def _one(self, message: ChatMessage) -> None:
        match message.role:
            case "system":
                if message.text.strip():
                    self.out.append({"role": self.system_role, "content": message.text})
            case "user":
                self._user(message)
            case "assistant":
                self._assistant(message)
            case _:
                for part in message.contents:
                    if isinstance(part, ToolResultContent):
                        self._result(part)

    def _user(self, message: ChatMessage) -> None:
        parts: list[dict[str, Any]] = []
        for part in message.contents:
            if isinstance(part, TextContent) and part.text:
                parts.append({"type": "text", "text": part.text})
            elif isinstance(part, DataContent):
                parts.append(chat_part(part))
            elif isinstance(part, ToolResultContent):
                self._result(part)
        if len(parts) == 1 and parts[0]["type"] == "text":
            self.out.append({"role": "user", "content": parts[0]["text"]})
        elif parts:
            self.out.append({"role": "user", "content": parts})

    def _assistant(self, message: ChatMessage) -> None:
        calls = [self._call(call) for call in message.tool_calls]
        entry: dict[str, Any] = {"role": "assistant"}
        if message.text:
            entry["content"] = message.text
        elif calls:
            entry["content"] = self.no_text
        else:
            return
        entry |= self._reasoning(message, in_tool_turn=bool(calls))
        if calls:
            entry["tool_calls"] = calls
        self.out.append(entry)

    def _reasoning(self, message: ChatMessage, *, in_tool_turn: bool) -> dict[str, Any]:
        """What the server wants back: its own field, where this turn called tools; signed details always."""
        text: list[str] = []
        for part in message.contents:
            if not isinstance(part, ReasoningContent):
                continue
            text.append(part.text)
            private = part.private
            if private is None or private.provider != self.family:
                continue
            if "details" in private.data:
                return {"reasoning_details": private.data["details"]}
            if in_tool_turn and "field" in private.data:
                return {private.data["field"]: "".join(text)}
        return {}

    def _call(self, call: ToolCallContent) -> dict[str, Any]:
        # servers that put the history through a chat template parse the arguments: what did not parse is left out
        arguments = "{}" if call.arguments is None else call.arguments_text.strip() or "{}"
        entry = {
            "id": self._ids.of_call(call.call_id),
            "type": "function",
            "function": {"name": call.name or UNNAMED_TOOL, "arguments": arguments},
        }
        if call.private is not None and call.private.provider == self.family:
            entry |= call.private.data
        return entry

    def _result(self, result: ToolResultContent) -> None:
        images = _images(result.result) if self.carry_tool_images else []
        self._images += images
        text = _without_images(result.result) if images else result_text(result.result)
        self.out.append({"role": "tool", "tool_call_id": self._ids.of_result(result.call_id), "content": text})

    def _flush_images(self) -> None:
        if self._images:
            note = {"type": "text", "text": "Images returned by the tools above:"}
            self.out.append({"role": "user", "content": [note, *(chat_part(image) for image in self._images)]})
            self._images = []


def _short_id(call_id: str) -> str:
    return call_id if _SHORT_ID.fullmatch(call_id) else hashlib.sha256(call_id.encode()).hexdigest()[:9]


def _parts(result: Any) -> Iterable[Any]:
    return result if isinstance(result, (tuple, list)) else (result,)


def _images(result: Any) -> list[DataContent]:
    return [part for part in _parts(result) if isinstance(part, DataContent) and part.media_type.startswith("image/")]


def _without_images(result: Any) -> str:
    rest = tuple(
        part for part in _parts(result) if not (isinstance(part, DataContent) and part.media_type.startswith("image/"))
    )
    return result_text(rest) if rest else "(the image follows in the next user message)"
