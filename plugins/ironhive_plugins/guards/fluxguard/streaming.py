"""Scans an answer while it grows, at a cost per piece that does not depend on what came before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ironhive.contracts.guards import Decision, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from ironhive.contracts.guards import Finding
    from ironhive_plugins.guards.fluxguard.engine import Engine

TAIL = 512
"""How many characters before a new piece are looked at again: the longest thing that may be cut in two."""


class StreamScanner:
    """One streamed answer. ``conclude`` applies the guard's fail mode to a verdict."""

    def __init__(self, engine: Engine, conclude: Callable[[Verdict], Verdict]) -> None:
        self._engine = engine
        self._conclude = conclude
        self._tail = ""
        self._offset = 0
        self._found: dict[tuple[str, int], Finding] = {}

    async def feed(self, text: str) -> Verdict:
        """Take the next piece and judge all text so far."""
        window = self._tail + text
        for item in self._engine.find(window, "assistant"):
            moved = replace(item, start=item.start + self._offset, end=item.end + self._offset)
            self._found[(moved.rule, moved.start)] = moved
        kept = window[-TAIL:]
        self._offset += len(window) - len(kept)
        self._tail = kept
        return self._verdict()

    async def finish(self) -> Verdict:
        """Judge the complete text; every piece has been looked at already."""
        return self._verdict()

    def _verdict(self) -> Verdict:
        verdict = self._engine.judge(self._found.values())
        return verdict if verdict.decision is Decision.PASS else self._conclude(verdict)
