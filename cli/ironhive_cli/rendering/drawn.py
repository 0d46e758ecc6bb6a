"""Drawing on a terminal. The only module that imports rich; loaded when there is something to draw."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.panel import Panel
from rich.status import Status
from rich.text import Text

from ironhive_cli.streams import printable

if TYPE_CHECKING:
    from ironhive.agent import AgentResponse


def start_spinner() -> object:
    """A spinner on standard error until :func:`stop_spinner`."""
    status = Status("Working...", console=Console(file=sys.stderr))
    status.start()
    return status


def stop_spinner(spinner: object) -> None:
    """Take a spinner away."""
    if isinstance(spinner, Status):
        spinner.stop()


def draw(turn: AgentResponse, *, thinking: bool) -> None:
    """The answer in a box, after what the model thought where that is wanted. Text is never read as markup."""
    console = Console(file=sys.stdout)
    if thinking and turn.thinking is not None:
        console.print(
            Panel(Text(printable(turn.thinking.content.strip())), title="Thinking", border_style="dim", style="dim")
        )
    console.print(Panel(Text(printable(turn.content.strip())), title="Answer", title_align="left"))
