"""From an engine's pieces of text to the updates of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.chat import ReasoningContent, TextContent
from ironhive.chat.thinking import ThinkSplitter
from ironhive.inference.calls import CallSplitter, read_call
from ironhive.inference.stops import StopFinder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ironhive.chat import Content, Tool, ToolCallContent


class AnswerReader:
    """Splits an answer into reasoning, text and tool calls while it is written.

    :param stops: strings that end the answer; they count in its text, not in reasoning or calls.
    :param tools: the tools whose calls are looked for; empty: everything is text.
    :param thinking_open: the prompt ended inside a reasoning section.
    :param show_reasoning: False drops the reasoning.
    """

    def __init__(
        self, *, stops: tuple[str, ...], tools: Mapping[str, Tool], thinking_open: bool, show_reasoning: bool
    ) -> None:
        self._think = ThinkSplitter(inside=thinking_open)
        self._split = CallSplitter() if tools else None
        self._stop = StopFinder(stops)
        self._tools = tools
        self._show_reasoning = show_reasoning
        self.calls: list[ToolCallContent] = []
        self.broken: ToolCallContent | None = None

    @property
    def stopped(self) -> bool:
        """Whether a stop string has ended the answer."""
        return self._stop.found

    @property
    def in_call(self) -> bool:
        """Whether the text so far ends inside a call."""
        return self._split is not None and self._split.inside

    def feed(self, piece: str) -> Iterator[Content]:
        """The contents that this piece completes."""
        for part in self._think.feed(piece):
            yield from self._sort(part)

    def finish(self) -> Iterator[Content]:
        """The contents that were held back."""
        for part in self._think.finish():
            yield from self._sort(part)
        if self._split is not None:
            yield from self._text(self._split.finish())
        if not self.stopped and (left := self._stop.finish()):
            yield TextContent(left)

    def _sort(self, part: TextContent | ReasoningContent) -> Iterator[Content]:
        if isinstance(part, ReasoningContent):
            if self._show_reasoning:
                yield part
            return
        if self._split is None:
            yield from self._text(part.text)
            return
        for is_call, text in self._split.feed(part.text):
            if is_call:
                yield from self._call(text)
            elif self.calls:
                yield from self._text(text.strip())  # white space between calls is no text
            else:
                yield from self._text(text)

    def _text(self, text: str) -> Iterator[Content]:
        if self.stopped or not text:
            return
        kept = self._stop.feed(text)
        if kept:
            yield TextContent(kept)

    def _call(self, body: str) -> Iterator[Content]:
        call = read_call(body, self._tools)
        if call.error is not None:
            self.broken = call
            return
        self.calls.append(call)
        yield call
