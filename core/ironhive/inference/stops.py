"""Stop strings, found while text streams."""

from __future__ import annotations

from ironhive.chat.thinking import overlap


class StopFinder:
    """Passes text on until one of the stop strings appears, and nothing of the stop string or after it."""

    __slots__ = ("_held", "_stops", "found")

    def __init__(self, stops: tuple[str, ...]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""
        self.found = False

    def feed(self, text: str) -> str:
        """The text that certainly stays."""
        if not self._stops:
            return text
        self._held += text
        ends = [at for stop in self._stops if (at := self._held.find(stop)) >= 0]
        if ends:
            self.found = True
            kept, self._held = self._held[: min(ends)], ""
            return kept
        keep = len(self._held) - max(overlap(self._held, stop) for stop in self._stops)
        kept, self._held = self._held[:keep], self._held[keep:]
        return kept

    def finish(self) -> str:
        """The answer ended: a beginning of a stop string that never was completed."""
        held, self._held = self._held, ""
        return held
