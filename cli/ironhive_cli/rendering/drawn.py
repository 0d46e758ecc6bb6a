"""Drawing on a terminal. The only module that imports rich; loaded when there is something to draw."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.spinner import Spinner
from rich.text import Text

from ironhive_cli.interrupts import interrupts
from ironhive_cli.streams import printable

if TYPE_CHECKING:
    from ironhive.agent import AgentResponse

_SHOW_CURSOR = b"\x1b[?25h"
"""Undoes what rich does to the cursor while something moves."""


class Working:
    """A spinner on standard error, until the answer is there or somebody else has something to say there.

    A progress bar and a spinner on one line would tear each other apart, so the first write takes the spinner away.
    """

    def __init__(self) -> None:
        self._stream = sys.stderr
        console = Console(file=self._stream)
        self._live = Live(
            Spinner("dots", "Working..."), console=console, transient=True, redirect_stdout=False, redirect_stderr=False
        )

    def start(self) -> None:
        """Begin to turn."""
        interrupts.terminal_reset = _SHOW_CURSOR
        self._live.start(refresh=True)
        sys.stderr = _Watched(self._stream, self)

    def stop(self) -> None:
        """Vanish. Stopping twice does no harm."""
        sys.stderr = self._stream
        self._live.stop()
        interrupts.terminal_reset = b""


class _Watched:
    """Standard error as before, but the first write stops the spinner."""

    def __init__(self, stream: TextIO, working: Working) -> None:
        self._stream = stream
        self._working = working

    def write(self, text: str) -> int:
        self._working.stop()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def draw(turn: AgentResponse, *, thinking: bool) -> None:
    """The answer in a box, after what the model thought where that is wanted. Text is never read as markup."""
    console = Console(file=sys.stdout)
    if thinking and turn.thinking is not None:
        console.print(Panel(_text(turn.thinking.content), title="Thinking", border_style="dim", style="dim"))
    console.print(Panel(_text(turn.content), title="Answer", title_align="left"))


def _text(content: str) -> Text:
    return Text(printable(content.strip()))
