"""What is told while a model is fetched, and a plain way of showing it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of fetching a model.

    ``phase`` is ``notice`` (``text`` says something), ``downloading``, ``checking`` or ``complete``. ``done`` and
    ``total`` are bytes of ``file``; the overall figures cover every file of the model. A total of 0 is unknown.
    """

    phase: str
    file: str = ""
    done: int = 0
    total: int = 0
    overall_done: int = 0
    overall_total: int = 0
    text: str = ""

    @property
    def fraction(self) -> float | None:
        """How much of everything is done, 0 to 1; None when the size is unknown."""
        if not self.overall_total:
            return None
        return min(1.0, self.overall_done / self.overall_total)


ProgressCallback = Callable[[Progress], None]
"""Called often and from any thread; must be quick."""


def silent(_: Progress) -> None:
    """Shows nothing."""


class TerminalProgress:
    """Draws one line that is written over on a terminal; elsewhere a line now and then.

    :param stream: where to; None is the standard error at the time of writing.
    """

    WIDTH = 28
    TERMINAL_SECONDS = 0.1
    FILE_STEP = 0.25

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._last = -1.0
        self._shown = -1.0
        self._open = False

    def __call__(self, progress: Progress) -> None:
        """Show a step."""
        stream = self._stream or sys.stderr
        if progress.phase == "notice":
            self._end(stream)
            stream.write(f"{progress.text}\n")
        elif progress.phase == "complete":
            self._complete(stream, progress)
        elif stream.isatty():
            self._draw(stream, progress)
        else:
            self._line(stream, progress)
        stream.flush()

    def _draw(self, stream: TextIO, progress: Progress) -> None:
        now = self._clock()
        if self._open and now - self._last < self.TERMINAL_SECONDS:
            return
        self._last, self._open = now, True
        fraction = progress.fraction
        if fraction is None:
            bar, share = "", ""
        else:
            filled = int(fraction * self.WIDTH)
            bar = "[" + "#" * filled + "." * (self.WIDTH - filled) + "] "
            share = f"{fraction:4.0%} "
        stream.write(f"\r\x1b[K{progress.file}: {bar}{share}{_megabytes(progress)}")

    def _line(self, stream: TextIO, progress: Progress) -> None:
        fraction = progress.fraction
        if fraction is None or (self._shown >= 0 and fraction - self._shown < self.FILE_STEP):
            return
        self._shown = fraction
        stream.write(f"{progress.file}: {fraction:.0%} of {_megabytes(progress)}\n")

    def _complete(self, stream: TextIO, progress: Progress) -> None:
        if self._open:
            stream.write("\r\x1b[K")
            self._open = False
        stream.write(f"{progress.file}: ready\n")

    def _end(self, stream: TextIO) -> None:
        if self._open:
            stream.write("\n")
            self._open = False


def _megabytes(progress: Progress) -> str:
    done, total = progress.overall_done / 1e6, progress.overall_total / 1e6
    return f"{done:.0f} / {total:.0f} MB" if total else f"{done:.0f} MB"
