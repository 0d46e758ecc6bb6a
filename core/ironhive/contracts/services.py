"""How a plugin reaches the host it runs in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ironhive.chat import ChatClient


class SessionServices(Protocol):
    """The running session, for a plugin that needs more than its arguments."""

    @property
    def workdir(self) -> Path:
        """The folder that relative paths of this session start from."""
        ...

    def client_for(self, provider: str | None = None, model: str | None = None) -> ChatClient:
        """An unguarded client of its own for one provider and model; None takes the session's."""
        ...

    def progress(self, text: str) -> None:
        """Tell the person who waits what is going on. Never part of the answer."""
        ...


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A CLI command that a plugin adds: its name, one line of help, and what builds its typer app when it is run."""

    name: str
    help: str
    load: Callable[[], Any]
