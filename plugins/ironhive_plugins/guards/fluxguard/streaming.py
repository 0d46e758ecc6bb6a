"""Scans an answer while it grows, at a cost per piece that does not depend on what came before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ironhive.contracts.guards import Decision, Verdict
from ironhive_plugins.guards.fluxguard.refusal import CATEGORY as REFUSAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from ironhive.contracts.guards import Finding
    from ironhive_plugins.guards.fluxguard.engine import Engine

TAIL = 512
"""How many characters before a new piece are looked at again: the longest thing that may be cut in two."""

KEPT = 32_768
"""How many characters of an answer are kept to compare them with system prompts at the end."""


class StreamScanner:
    """One streamed answer.

    ``conclude`` applies the guard's fail mode to a verdict, ``recited`` finds a system prompt in a whole answer. No
    judge is asked while an answer streams.
    """

    def __init__(
        self, engine: Engine, conclude: Callable[[Verdict], Verdict], recited: Callable[[str], list[Finding]]
    ) -> None:
        self._engine = engine
        self._conclude = conclude
        self._recited = recited
        self._tail = ""
        self._offset = 0
        self._found: dict[tuple[str, int], Finding] = {}
        self._kept: list[str] = []
        self._kept_length = 0

    async def feed(self, text: str) -> Verdict:
        """Take the next piece and judge all text so far."""
        if self._kept_length < KEPT:
            self._kept.append(text[: KEPT - self._kept_length])
            self._kept_length += len(self._kept[-1])
        window = self._tail + text
        for item in self._engine.find(window, "assistant"):
            if item.category != REFUSAL or self._offset == 0:  # only the beginning of an answer refuses
                moved = replace(item, start=item.start + self._offset, end=item.end + self._offset)
                self._found[moved.rule, moved.start] = moved
        kept = window[-TAIL:]
        self._offset += len(window) - len(kept)
        self._tail = kept
        return self._verdict()

    async def finish(self) -> Verdict:
        """Judge the complete text; every piece has been looked at already, only the whole has not."""
        for item in self._recited("".join(self._kept)):
            self._found[item.rule, item.start] = item
        return self._verdict()

    def _verdict(self) -> Verdict:
        verdict = self._engine.judge(self._found.values(), escalate=False)
        return verdict if verdict.decision is Decision.PASS else self._conclude(verdict)
