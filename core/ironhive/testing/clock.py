"""A clock that stands still until a test moves it."""

from __future__ import annotations

import asyncio


class ManualClock:
    """Seconds that pass only when somebody sleeps or :meth:`advance` is called. ``slept`` lists the waits."""

    def __init__(self, start: float = 0.0) -> None:
        self.now = start
        self.slept: list[float] = []

    def monotonic(self) -> float:
        """The current second."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    async def sleep(self, seconds: float) -> None:
        """Pass the time at once; other tasks get their turn."""
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)
