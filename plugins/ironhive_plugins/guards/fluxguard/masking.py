"""Replaces personal data and secrets by typed placeholders before a call, and puts them back into the answer."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ironhive.chat import ChatMessage, ReasoningContent, TextContent, ToolCallContent, ToolResultContent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.contracts.guards import Finding
    from ironhive_plugins.guards.fluxguard.engine import Engine, Role

_PLACEHOLDER = re.compile(r"\[[A-Z][A-Z0-9_]{0,40}_\d{1,6}\]")
_LONGEST = 52
MASKED = frozenset({"pii", "secret"})
"""The categories of findings that are replaced."""


class Mask:
    """The placeholders of one call: the same value always gets the same one."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._by_value: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    @property
    def values(self) -> dict[str, str]:
        """What each placeholder stands for."""
        return {placeholder: value for (_, value), placeholder in self._by_value.items()}

    def message(self, message: ChatMessage) -> ChatMessage:
        """``message`` with its personal data and secrets replaced; system messages stay as they are."""
        if message.role == "system":
            return message
        role: Role = "tool" if message.role == "tool" else "user"
        contents = tuple(self._content(part, role) for part in message.contents)
        return message if contents == message.contents else replace(message, contents=contents)

    def text(self, text: str, role: Role = "user") -> str:
        """``text`` with placeholders."""
        found = [
            item
            for item in self._engine.find(text, role, exhaustive=True)
            if item.category in MASKED and item.score >= self._engine.options.mask_threshold
        ]
        out, last = [], 0
        for item in sorted(found, key=lambda item: (item.start, -item.end)):
            if item.start >= last:
                out += [text[last : item.start], self._placeholder(item, text[item.start : item.end])]
                last = item.end
        return "".join([*out, text[last:]])

    def _placeholder(self, item: Finding, value: str) -> str:
        kind = item.rule.rpartition(".")[2].upper() if item.category == "pii" else "SECRET"
        known = self._by_value.get((kind, value))
        if known is None:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            known = self._by_value[kind, value] = f"[{kind}_{self._counts[kind]}]"
        return known

    def _content(self, part: Any, role: Role) -> Any:
        if isinstance(part, (TextContent, ReasoningContent)):
            text = self.text(part.text, role)
            return part if text == part.text else replace(part, text=text)
        if isinstance(part, ToolResultContent):
            result = self._value(part.result)
            return part if result == part.result else replace(part, result=result)
        if isinstance(part, ToolCallContent):
            return self._call(part)
        return part

    def _call(self, call: ToolCallContent) -> ToolCallContent:
        """A call of an earlier round: its arguments were restored for the tool, and go out again with the history."""
        if call.arguments is None:
            raw = self.text(call.raw, "tool")
            return call if raw == call.raw else replace(call, raw=raw)
        arguments = self._value(dict(call.arguments))
        return call if arguments == call.arguments else replace(call, arguments=arguments, raw="")

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value, "tool")
        if isinstance(value, dict):
            return {key: self._value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(
                self._content(item, "tool") if isinstance(item, TextContent) else self._value(item) for item in value
            )
        return value


class PlaceholderUnmasker:
    """Puts the values back into one answer; a placeholder cut in two is held until it is whole."""

    def __init__(self, values: dict[str, str]) -> None:
        self._values = values
        self._held = ""

    def feed(self, text: str) -> str:
        """Take the next piece and return what can be shown."""
        text = self._held + text
        cut = text.rfind("[")
        open_ended = cut >= 0 and "]" not in text[cut:] and len(text) - cut <= _LONGEST
        self._held = text[cut:] if open_ended else ""
        return self._restore(text[:cut] if open_ended else text)

    def finish(self) -> str:
        """Whatever was still held."""
        held, self._held = self._held, ""
        return self._restore(held)

    def _restore(self, text: str) -> str:
        return _PLACEHOLDER.sub(lambda match: self._values.get(match.group(), match.group()), text)


def mask_messages(
    engine: Engine, messages: Sequence[ChatMessage]
) -> tuple[Sequence[ChatMessage], PlaceholderUnmasker | None]:
    """The messages to send instead, and how to restore the answer (None when nothing was replaced)."""
    mask = Mask(engine)
    masked = tuple(mask.message(message) for message in messages)
    return (masked, PlaceholderUnmasker(mask.values)) if mask.values else (messages, None)
