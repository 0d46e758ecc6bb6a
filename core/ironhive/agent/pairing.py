"""Calls and their results belong together: providers refuse a history in which one of the two is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.chat import ChatMessage, ToolResultContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ironhive.chat import ToolCallContent

INTERRUPTED = "Tool call interrupted: the turn ended before its outcome was known."


def open_calls(messages: Sequence[ChatMessage]) -> tuple[ToolCallContent, ...]:
    """The calls that no result answers, in the order they were made."""
    pending: list[ToolCallContent] = []
    for message in messages:
        pending.extend(message.tool_calls)
        _settle(pending, message)
    return tuple(pending)


def pair_calls(messages: Iterable[ChatMessage], *, text: str = INTERRUPTED) -> tuple[ChatMessage, ...]:
    """The same messages, every call answered: a missing result is put in as one of unknown outcome.

    Results stand right behind the message that made the calls, which is where providers look for them. No message and
    no call is ever left out.
    """
    paired: list[ChatMessage] = []
    pending: list[ToolCallContent] = []
    for message in messages:
        if message.role != "tool" and pending:
            paired.append(_unknown(pending, text))
            pending = []
        paired.append(message)
        pending.extend(message.tool_calls)
        _settle(pending, message)
    if pending:
        paired.append(_unknown(pending, text))
    return tuple(paired)


def _settle(pending: list[ToolCallContent], message: ChatMessage) -> None:
    for part in message.contents:
        if isinstance(part, ToolResultContent):
            for index, call in enumerate(pending):
                if call.call_id == part.call_id:
                    del pending[index]
                    break


def _unknown(calls: Sequence[ToolCallContent], text: str) -> ChatMessage:
    return ChatMessage.tool(*(ToolResultContent(call.call_id, call.name, text, success=None) for call in calls))
