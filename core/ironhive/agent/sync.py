"""For scripts that are not async."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine

_T = TypeVar("_T")


class _Runners(threading.local):
    """One event loop per thread, kept: connections of a client belong to the loop that opened them."""

    runner: asyncio.Runner | None = None


_RUNNERS = _Runners()


def run_sync(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine to its end and return its result: ``run_sync(agent.run("Hello"))``.

    Calls from one thread share one event loop, so an agent can be used from one call to the next.

    :raises RuntimeError: an event loop is running in this thread already; use ``await`` there.
    """
    import asyncio  # slow to import: only where it is used

    if _RUNNERS.runner is None:
        import atexit

        _RUNNERS.runner = asyncio.Runner()
        atexit.register(_RUNNERS.runner.close)
    try:
        return _RUNNERS.runner.run(work)
    except RuntimeError:
        work.close()
        raise
