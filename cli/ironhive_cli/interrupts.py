"""Ctrl+C: the first one cancels the work in hand, the second one ends the process at once."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

CANCELLED = 130
"""The exit code of a run that was interrupted: 128 and the number of the signal."""

_HINT = b"ironhive: cancelled; press Ctrl+C again to stop at once\n"


class Interrupts:
    """What Ctrl+C does in this process.

    ``cancel`` is how the work in hand is cancelled, None while there is none: then the interrupt is raised where the
    program stands. ``last_words`` gives what standard output must still say if the process ends at once, and
    ``terminal_reset`` what puts a terminal right that something is drawn on.
    """

    def __init__(self) -> None:
        self.cancel: Callable[[], None] | None = None
        self.last_words: Callable[[], str] | None = None
        self.terminal_reset = b""
        self.pressed = 0
        self._hinted = False

    def install(self) -> None:
        """Take over the signal; only the main thread can, and elsewhere nothing is changed."""
        try:
            signal.signal(signal.SIGINT, self._handle)
        except ValueError:
            return

    def end_from_now_on(self) -> None:
        """All is said: what is left is to wait for threads, and Ctrl+C ends that."""
        self.last_words = None
        self.cancel = self._end
        self._hinted = True

    def _handle(self, _signal: int, _frame: FrameType | None) -> None:
        self.pressed += 1
        if self.pressed > 1:
            self._end()
        self._hint()
        if self.cancel is None:
            raise KeyboardInterrupt
        self.cancel()

    def _hint(self) -> None:
        if not self._hinted:
            self._hinted = True
            _write(2, b"\n" + _HINT if os.isatty(2) else _HINT)

    def _end(self) -> None:
        self._hint()
        _write(2, self.terminal_reset)
        if self.last_words is not None:
            _write(1, self.last_words().encode())
        os._exit(CANCELLED)


def _write(descriptor: int, data: bytes) -> None:
    """Write past Python's buffers, which may be in use while a signal is handled."""
    try:
        os.write(descriptor, data)
    except OSError:
        return


interrupts = Interrupts()
"""The one of this process: signals are process-wide."""
