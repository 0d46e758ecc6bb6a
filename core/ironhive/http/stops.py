"""Stop sequences for wires that have none: the answer is cut here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ironhive.chat import ChatUpdate, FinishReason, TextContent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import Content


class StopCutter:
    """Cuts streamed text before the first stop sequence.

    Text that may be the beginning of one is held back, at most a sequence's length less one character. ``hit`` is the
    sequence that was met.
    """

    def __init__(self, sequences: Sequence[str]) -> None:
        self._sequences = tuple(sequence for sequence in sequences if sequence)
        self._held = ""
        self.hit: str | None = None

    def feed(self, update: ChatUpdate) -> ChatUpdate:
        """The update with its text cut; once a sequence was met, nothing but token counts is left of it."""
        contents: list[Content] = []
        for part in update.contents:
            if type(part) is not TextContent:
                contents += self._flush()
                if self.hit is None:
                    contents.append(part)
            elif self.hit is None:
                text = self._take(part.text)
                if text or part.private is not None:
                    contents.append(TextContent(text, part.private))
        if update.finish_reason is not None:
            contents = [*self._flush(), *contents]
        return replace(update, contents=tuple(contents))

    def end(self) -> ChatUpdate | None:
        """The update that ends an answer cut short, or None when it ran to its own end."""
        if self.hit is None:
            return None
        return ChatUpdate(finish_reason=FinishReason.STOP, properties={"stop_sequence": self.hit})

    def _take(self, text: str) -> str:
        text = self._held + text
        self._held = ""
        found = [(text.find(sequence), sequence) for sequence in self._sequences]
        met = min(((at, sequence) for at, sequence in found if at >= 0), default=None)
        if met is not None:
            self.hit = met[1]
            return text[: met[0]]
        keep = max((_overlap(text, sequence) for sequence in self._sequences), default=0)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def _flush(self) -> list[Content]:
        held, self._held = self._held, ""
        return [TextContent(held)] if held and self.hit is None else []


def _overlap(text: str, mark: str) -> int:
    for size in range(min(len(text), len(mark) - 1), 0, -1):
        if text.endswith(mark[:size]):
            return size
    return 0
