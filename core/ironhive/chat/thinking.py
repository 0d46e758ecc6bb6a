"""Reasoning that a model writes into its answer between tags, split off while it streams."""

from __future__ import annotations

from ironhive.chat.content import ReasoningContent, TextContent

THINK_OPEN = "<think>"
THINK_CLOSE = "</think>"


class ThinkSplitter:
    """Sorts streamed text into reasoning and answer.

    Only a tag at the very start of the answer opens a reasoning section: a model that writes *about* the tags further
    on is left alone. Text that may still become a tag is held back, never more than a tag's length. White space around
    the section belongs to neither side.

    :param inside: the prompt already ended with the opening tag, so the answer starts within the section.
    """

    __slots__ = ("_held", "_said", "_state")

    def __init__(self, *, inside: bool = False) -> None:
        self._held = ""
        self._said = False
        self._state = "inside" if inside else "start"

    def feed(self, text: str) -> list[TextContent | ReasoningContent]:
        """Take the next piece; what can be said for certain comes back."""
        if self._state == "answer":
            return [TextContent(text)] if text else []
        parts: list[TextContent | ReasoningContent] = []
        self._held += text
        if self._state == "start":
            self._look_for_opening()
        if self._state == "inside":
            self._take_reasoning(parts)
        if self._state == "between":
            self._held = self._held.lstrip()
            if self._held:
                self._state = "answer"
        if self._state == "answer" and self._held:
            parts.append(TextContent(self._held))
            self._held = ""
        return parts

    @property
    def settled(self) -> bool:
        """The answer has begun: nothing will be sorted or held back any more."""
        return self._state == "answer" and not self._held

    def finish(self) -> list[TextContent | ReasoningContent]:
        """The answer ended: what was held back."""
        held, self._held = self._held, ""
        if self._state == "inside":
            return [ReasoningContent(held.rstrip())] if held.strip() else []
        return [TextContent(held)] if held and self._state != "between" else []

    def _look_for_opening(self) -> None:
        seen = self._held.lstrip()
        if seen.startswith(THINK_OPEN):
            self._held = seen[len(THINK_OPEN) :]
            self._state = "inside"
        elif not THINK_OPEN.startswith(seen):
            self._state = "answer"

    def _take_reasoning(self, parts: list[TextContent | ReasoningContent]) -> None:
        if not self._said:
            self._held = self._held.lstrip()
        end = self._held.find(THINK_CLOSE)
        if end >= 0:
            thought, self._held = self._held[:end].rstrip(), self._held[end + len(THINK_CLOSE) :]
            self._state = "between"
        else:
            keep = len(self._held.rstrip())
            keep -= overlap(self._held[:keep], THINK_CLOSE)
            keep = len(self._held[:keep].rstrip())
            thought, self._held = self._held[:keep], self._held[keep:]
        if thought:
            self._said = True
            parts.append(ReasoningContent(thought))


def overlap(text: str, mark: str) -> int:
    """How many characters at the end of ``text`` are a beginning of ``mark``, short of all of it."""
    for size in range(min(len(text), len(mark) - 1), 0, -1):
        if text.endswith(mark[:size]):
            return size
    return 0
