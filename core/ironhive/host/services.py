"""The running session as plugins see it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ironhive.chat import ChatClient


def _no_progress(_text: str) -> None:
    """Nobody is watching."""


@dataclass(frozen=True, slots=True)
class HostServices:
    """The :class:`~ironhive.contracts.SessionServices` of a host."""

    workdir: Path
    make_client: Callable[[str | None, str | None], ChatClient]
    report: Callable[[str], None] = field(default=_no_progress)

    def client_for(self, provider: str | None = None, model: str | None = None) -> ChatClient:
        """An unguarded client of its own for one provider and model."""
        return self.make_client(provider, model)

    def progress(self, text: str) -> None:
        """Tell the person who waits what is going on."""
        self.report(text)
