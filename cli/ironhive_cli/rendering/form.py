"""What all forms of output have in common."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ironhive.agent import AgentChunk, AgentResponse


@dataclass(frozen=True, slots=True)
class Show:
    """What the user wants to see beside the answer."""

    thinking: bool = False
    tokens: bool = False
    plain: bool = False


class Form(Protocol):
    """Shows one turn. ``streams`` tells whether it wants the pieces or only the whole.

    The calls come in this order: ``start``, any number of ``chunk`` (none unless ``streams``), ``stop``, ``finish``.
    After a failure ``finish`` is not called. ``last_words`` is what standard output still lacks if the process ends
    now.
    """

    streams: bool

    def start(self) -> None:
        """The turn begins."""

    def chunk(self, chunk: AgentChunk) -> None:
        """A piece has come."""

    def stop(self) -> None:
        """The turn has ended, well or not: nothing may be left half drawn."""

    def finish(self, turn: AgentResponse) -> None:
        """The turn is over."""

    def last_words(self) -> str:
        """What is to be said in place of the rest."""
        ...


def compact(document: dict[str, Any]) -> str:
    """JSON on one line. Fields without a value are left out, at every depth."""
    return json.dumps(_without_nulls(document), ensure_ascii=False, separators=(",", ":"))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value
