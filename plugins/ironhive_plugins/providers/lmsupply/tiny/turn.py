"""A conversation as a tiny model's turn: the request, and what has been done about it so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ironhive.chat import ToolCallContent, ToolResultContent, result_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ironhive.chat import ChatMessage


@dataclass(frozen=True, slots=True)
class Step:
    """A call of this turn and what it brought; ``text`` is empty where it failed."""

    name: str
    arguments: Mapping[str, object]
    text: str


@dataclass(frozen=True, slots=True)
class TurnSoFar:
    """The request, the steps taken for it, and the conversation before it (text only)."""

    request: str
    steps: tuple[Step, ...]
    earlier: tuple[ChatMessage, ...]

    def done(self, name: str, arguments: Mapping[str, object]) -> bool:
        """Whether this very call was made already."""
        return any(step.name == name and dict(step.arguments) == dict(arguments) for step in self.steps)


def read_turn(messages: Sequence[ChatMessage]) -> TurnSoFar:
    """Split a conversation at its last request."""
    at = max((index for index, message in enumerate(messages) if message.role == "user"), default=-1)
    request = messages[at].text if at >= 0 else ""
    earlier = tuple(
        message for message in messages[: max(at, 0)] if message.role in {"user", "assistant"} and message.text
    )
    return TurnSoFar(request, _steps(messages[at + 1 :]), earlier)


def _steps(messages: Sequence[ChatMessage]) -> tuple[Step, ...]:
    calls: list[ToolCallContent] = []
    results: dict[str, ToolResultContent] = {}
    for message in messages:
        for part in message.contents:
            if isinstance(part, ToolCallContent):
                calls.append(part)
            elif isinstance(part, ToolResultContent):
                results[part.call_id] = part
    return tuple(Step(call.name, call.arguments or {}, _brought(results.get(call.call_id))) for call in calls)


def _brought(result: ToolResultContent | None) -> str:
    return "" if result is None or result.success is False else result_text(result.result)
