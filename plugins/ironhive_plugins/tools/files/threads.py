"""Blocking work in a thread that stops when the call is cancelled."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")


class Stopped(Exception):  # noqa: N818 - no error: the way out of a thread nobody waits for any more
    """The caller has gone."""


class Checkpoint:
    """Called between two steps of long work; raises :class:`Stopped` once the caller has gone."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def __call__(self) -> None:
        """Go on, or leave."""
        if self._event.is_set():
            raise Stopped

    def stop(self) -> None:
        """The caller goes."""
        self._event.set()


async def in_thread(work: Callable[[Checkpoint], _T]) -> _T:
    """Run ``work`` in a worker thread; a cancellation ends the thread at its next checkpoint."""
    checkpoint = Checkpoint()
    try:
        return await asyncio.to_thread(work, checkpoint)
    finally:
        checkpoint.stop()
