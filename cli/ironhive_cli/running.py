"""Async work in this process, cancelled by Ctrl+C."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from ironhive_cli.interrupts import interrupts

if TYPE_CHECKING:
    from collections.abc import Coroutine

_T = TypeVar("_T")


def run_async(work: Coroutine[Any, Any, _T]) -> _T:
    """Run ``work`` to its end.

    :raises KeyboardInterrupt: Ctrl+C was pressed; the work has been cancelled and has cleaned up after itself.
    """
    try:
        return asyncio.run(_cancellable(work))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        interrupts.cancel = None


async def _cancellable(work: Coroutine[Any, Any, _T]) -> _T:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def cancel() -> None:
        if task is not None:
            loop.call_soon_threadsafe(task.cancel)

    interrupts.cancel = cancel
    if interrupts.pressed:  # between the start of the loop and here
        raise asyncio.CancelledError
    return await work
