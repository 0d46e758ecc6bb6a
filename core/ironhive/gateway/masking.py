"""Puts back into an answer what masking took out of the question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ironhive.chat import ChatUpdate, ReasoningContent, TextContent, ToolCallContent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatResponse, Content
    from ironhive.contracts import Unmasker


class Restorer:
    """Restores the updates of one answer in order.

    Visible text, reasoning and each argument of a tool call are texts of their own: a placeholder never runs from one
    into the next.
    """

    def __init__(self, unmasker: Unmasker) -> None:
        self._unmasker = unmasker
        self._open: type[TextContent | ReasoningContent] | None = None

    def restore(self, update: ChatUpdate) -> ChatUpdate:
        """The update as the caller may see it; the end of its text may come with a later one."""
        contents = self._contents(update.contents)
        if update.finish_reason is not None:
            self._close(contents)
        return replace(update, contents=tuple(contents))

    def rest(self) -> ChatUpdate | None:
        """What is still held when the stream ends without a finish reason."""
        contents: list[Content] = []
        self._close(contents)
        return ChatUpdate(contents=tuple(contents)) if contents else None

    def restore_response(self, response: ChatResponse) -> ChatResponse:
        """A complete answer as the caller may see it."""
        messages = []
        for message in response.messages:
            contents = self._contents(message.contents)
            self._close(contents)
            messages.append(replace(message, contents=tuple(contents)))
        return replace(response, messages=tuple(messages))

    def _contents(self, parts: Sequence[Content]) -> list[Content]:
        restored: list[Content] = []
        for part in parts:
            if isinstance(part, (TextContent, ReasoningContent)):
                self._text(part, restored)
            elif isinstance(part, ToolCallContent):
                self._close(restored)
                restored.append(self._call(part))
            else:
                restored.append(part)
        return restored

    def _text(self, part: TextContent | ReasoningContent, restored: list[Content]) -> None:
        if self._open is not type(part):
            self._close(restored)
            self._open = type(part)
        text = self._unmasker.feed(part.text)
        if part.private is not None:  # provider data stays with the end of the text it came with
            text += self._unmasker.finish()
            self._open = None
        if text or part.private is not None:
            restored.append(replace(part, text=text))

    def _close(self, restored: list[Content]) -> None:
        if self._open is not None:
            text = self._unmasker.finish()
            if text:
                restored.append(self._open(text))
            self._open = None

    def _call(self, call: ToolCallContent) -> ToolCallContent:
        arguments = None if call.arguments is None else self._value(dict(call.arguments))
        raw = "" if arguments is not None else self._whole(call.raw)  # the JSON text is made anew from the arguments
        return replace(call, arguments=arguments, raw=raw)

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._whole(value)
        if isinstance(value, dict):
            return {key: self._value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._value(item) for item in value]
        return value

    def _whole(self, text: str) -> str:
        return self._unmasker.feed(text) + self._unmasker.finish()
