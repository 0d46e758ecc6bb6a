"""Reasoning under the names that servers of the Chat Completions wire give it."""

from __future__ import annotations

from typing import Any

from ironhive.chat import ProviderData, ReasoningContent
from ironhive.http import objects_at, place_at, text_at

_PLAIN = ("reasoning_content", "reasoning")
_JOINED = ("text", "summary", "data")


class ReasoningCollector:
    """Takes reasoning out of deltas, and keeps what the server has to get back with the message.

    Servers send it as ``reasoning_content`` or ``reasoning``, as ``reasoning_details``, or as one of these together
    with the details; the text counts once.
    """

    def __init__(self, family: str) -> None:
        self._family = family
        self._field: str | None = None
        self._details: dict[Any, dict[str, Any]] = {}
        self.open = False
        """Some was seen since the last :meth:`close`."""

    def read(self, delta: dict[str, Any]) -> str:
        """The reasoning text of one delta."""
        details = delta.get("reasoning_details")
        text = ""
        for name in _PLAIN:
            value = delta.get(name)
            if isinstance(value, str) and value:
                text, self._field = value, name
                break
        if isinstance(details, list) and details:
            texts = [self._detail(detail) for detail in details if isinstance(detail, dict)]
            text = text or "".join(texts)
            self.open = True
        if text:
            self.open = True
        return text

    def close(self) -> ReasoningContent | None:
        """The end of a run of reasoning: an empty part that carries what to send back."""
        if not self.open:
            return None
        self.open = False
        if self._details:
            data: dict[str, Any] = {"details": [_whole(entry) for entry in self._details.values()]}
        elif self._field:
            data = {"field": self._field}
        else:
            return None
        return ReasoningContent("", ProviderData(self._family, data))

    def _detail(self, detail: dict[str, Any]) -> str:
        """Take a piece of one entry, which come under one index and type; returns the piece's text."""
        key: Any = (place_at(detail, "index"), place_at(detail, "type"))
        if key[0] is None:
            key = (len(self._details), key)
        entry = self._details.setdefault(key, {})
        for name, value in detail.items():
            if isinstance(value, str) and name in _JOINED:
                if not isinstance(entry.get(name), list):
                    entry[name] = []
                entry[name].append(value)
            elif value is not None or name not in entry:
                entry[name] = value
        return text_at(detail, "text") or text_at(detail, "summary")


def _whole(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry with its pieces joined."""
    return {
        name: "".join(value) if name in _JOINED and isinstance(value, list) else value for name, value in entry.items()
    }


def content_parts(content: list[Any]) -> tuple[str, str]:
    """Text and reasoning of a content that is a list of parts, as Mistral and Databricks write it."""
    text: list[str] = []
    thoughts: list[str] = []
    for part in content:
        if isinstance(part, str):
            text.append(part)
        elif isinstance(part, dict) and part.get("type") == "thinking":
            thoughts.append(text_at(part, "thinking"))
            thoughts += [text_at(piece, "text") for piece in objects_at(part, "thinking")]
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            text.append(part["text"])
        elif isinstance(part, dict) and part.get("type") == "reasoning":
            pieces = objects_at(part, "summary") or objects_at(part, "content")
            thoughts += [text_at(piece, "text") for piece in pieces]
    return "".join(text), "".join(thoughts)
