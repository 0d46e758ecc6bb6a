"""Why a turn ended, and why a call was refused: the words, and how a turn's end is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.agent.pairing import open_calls
from ironhive.chat import FinishReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatResponse, Tool

STOP_REASON = "stop_reason"
"""The property of a response in which a client that runs tools says why it stopped on its own account."""


class StopReason:
    """Why a turn ended. Only ``COMPLETED`` means that the model finished what it had to say."""

    COMPLETED = "completed"
    OUTPUT_LIMIT = "output_limit"
    CONTENT_FILTER = "content_filter"
    TOOL_TERMINATED = "tool_terminated"
    AWAITING_HOST_TOOLS = "awaiting_host_tools"
    STEP_LIMIT = "step_limit"
    EMPTY_ANSWER = "empty_answer"
    UNKNOWN_FINISH = "unknown_finish"


class Refusal:
    """Why a call was not run: codes of this package's own; middleware steps have further ones."""

    INVALID_ARGUMENTS = "invalid_arguments"
    STEP_LIMIT = "step_limit"
    TIMED_OUT = "timed_out"


_FINISHES = {
    FinishReason.LENGTH: StopReason.OUTPUT_LIMIT,
    FinishReason.DEGENERATION: StopReason.OUTPUT_LIMIT,
    FinishReason.CONTENT_FILTER: StopReason.CONTENT_FILTER,
}


def stop_reason(response: ChatResponse, tools: Sequence[Tool] = ()) -> str:
    """Why the turn that gave this response ended, one of :class:`StopReason`.

    A client that runs tools says so itself; otherwise the shape of the response tells: results at the end mean that a
    tool ended the turn, open calls that somebody else has to run them (``tools`` tells declarations from the rest).
    An unknown finish reason is never taken for an orderly end, and an answer without text never for an answer.
    """
    own = response.properties.get(STOP_REASON)
    if isinstance(own, str):
        return own
    if response.messages and response.messages[-1].role == "tool":
        return StopReason.TOOL_TERMINATED
    pending = open_calls(response.messages)
    if pending:
        declared = {tool.name for tool in tools if tool.invoke is None}
        awaited = any(call.name in declared for call in pending)
        return StopReason.AWAITING_HOST_TOOLS if awaited else StopReason.STEP_LIMIT
    return _by_finish(response)


def _by_finish(response: ChatResponse) -> str:
    finish = response.finish_reason
    if finish in _FINISHES:
        return _FINISHES[finish]
    if finish not in (None, FinishReason.STOP):
        return StopReason.UNKNOWN_FINISH
    last = response.messages[-1].text if response.messages else ""
    return StopReason.COMPLETED if last.strip() else StopReason.EMPTY_ANSWER
