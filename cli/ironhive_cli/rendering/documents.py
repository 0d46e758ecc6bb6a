"""Output for programs: one JSON document, or one JSON object per line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive_cli import streams
from ironhive_cli.rendering.form import compact

if TYPE_CHECKING:
    from ironhive.agent import AgentChunk, AgentResponse, ToolCallRecord
    from ironhive_cli.rendering.form import Show

CANCELLED_DOCUMENT = compact({"error": "cancelled", "code": 130}) + "\n"
CANCELLED_LINE = compact({"type": "error", "error": "cancelled"}) + "\n"


class JsonDocument:
    """The turn as one object on one line."""

    streams = False

    def __init__(self, show: Show) -> None:
        self._show = show
        self._finished = False

    def start(self) -> None:
        """Nothing to say yet."""

    def chunk(self, chunk: AgentChunk) -> None:
        """Pieces are not shown."""

    def stop(self) -> None:
        """Nothing is half said."""

    def finish(self, turn: AgentResponse) -> None:
        """Print the document."""
        thinking = turn.thinking if self._show.thinking else None
        document: dict[str, Any] = {
            "content": turn.content,
            "usage": _usage(turn),
            "thinking": None if thinking is None else {"content": thinking.content, "tokenCount": thinking.token_count},
            "toolCalls": [_call(record) for record in turn.tool_calls] or None,
        }
        streams.say(compact(document))
        self._finished = True

    def last_words(self) -> str:
        """The document of a run that was cancelled."""
        return "" if self._finished else CANCELLED_DOCUMENT


class JsonLines:
    """The turn as a stream of objects, told apart by ``type``."""

    streams = True

    def __init__(self, show: Show) -> None:
        self._show = show
        self._finished = False

    def start(self) -> None:
        """Open the stream."""
        _line(type="start")

    def chunk(self, chunk: AgentChunk) -> None:
        """One line for each piece that a reader is told of."""
        if chunk.text_delta:
            _line(type="text", content=chunk.text_delta)
        elif chunk.thinking_delta and self._show.thinking:
            _line(type="thinking", content=chunk.thinking_delta)
        elif chunk.tool_call_delta is not None:
            call = chunk.tool_call_delta
            _line(type="tool_call", id=call.id, name=call.name_delta, arguments=call.arguments_delta)
        elif chunk.tool_result is not None:
            record = chunk.tool_result
            _line(type="tool_result", id=record.call_id, name=record.name, success=record.success, result=record.result)

    def stop(self) -> None:
        """Each line was written whole."""

    def finish(self, turn: AgentResponse) -> None:  # noqa: ARG002 - the pieces have said it all
        """Close the stream."""
        _line(type="done")
        self._finished = True

    def last_words(self) -> str:
        """The line that closes a stream that was cancelled."""
        return "" if self._finished else CANCELLED_LINE


def _line(**fields: Any) -> None:
    streams.say(compact(fields))


def _usage(turn: AgentResponse) -> dict[str, Any] | None:
    if turn.usage is None:
        return None
    usage = turn.usage
    return {
        "inputTokens": usage.input_tokens,
        "outputTokens": usage.output_tokens,
        "totalTokens": total_tokens(turn),
    }


def total_tokens(turn: AgentResponse) -> int | None:
    """The reported total, else the sum of what was reported."""
    usage = turn.usage
    if usage is None or usage.total_tokens is not None:
        return None if usage is None else usage.total_tokens
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return usage.input_tokens + usage.output_tokens


def _call(record: ToolCallRecord) -> dict[str, Any]:
    return {
        "name": record.name,
        "arguments": record.arguments,
        "result": record.result,
        "success": record.success,
    }
