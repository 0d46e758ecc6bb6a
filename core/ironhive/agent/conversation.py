"""The history of a conversation, kept whole whatever becomes of a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from ironhive.agent.pairing import open_calls, pair_calls
from ironhive.chat import ChatResponse, TextContent, ToolCallContent, ToolResultContent, aggregate, as_messages
from ironhive.errors import IronHiveError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ironhive.chat import ChatMessage, ChatUpdate, Prompt

_NO_RESPONSE = ChatResponse()


class Conversation:
    """Messages, and at most one turn at a time that adds to them."""

    def __init__(self, messages: Iterable[ChatMessage] = ()) -> None:
        self.messages: list[ChatMessage] = list(messages)
        self.busy = False

    def replace(self, messages: Iterable[ChatMessage]) -> None:
        """Start from another history.

        :raises IronHiveError: a turn is running.
        """
        self._refuse_if_busy()
        self.messages = list(messages)

    def open_turn(self, prompt: Prompt | None) -> None:
        """Get the history ready for the next turn; None goes on from what is there.

        :raises IronHiveError: a turn is running, or there is nothing to go on from.
        """
        self._refuse_if_busy()
        if prompt is None and not self._can_continue():
            message = (
                "there is nothing to continue from: the conversation must end with a user message "
                "or with a result for every tool call"
            )
            raise IronHiveError(message)
        self.messages = [*pair_calls(self.messages), *(() if prompt is None else as_messages(prompt))]

    def turn(self) -> TurnRecord:
        """Take down a turn: a context manager that adds it to the history however it ends."""
        return TurnRecord(self)

    def _refuse_if_busy(self) -> None:
        if self.busy:
            message = "this agent is in the middle of a turn; wait for it, close its stream, or make another agent"
            raise IronHiveError(message)

    def _can_continue(self) -> bool:
        return bool(self.messages) and self.messages[-1].role in ("user", "tool") and not open_calls(self.messages)


class TurnRecord:
    """What happened in one turn: the caller appends to ``updates``; ``response`` is what they added up to."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self.updates: list[ChatUpdate] = []
        self.response = _NO_RESPONSE

    def __enter__(self) -> Self:
        self._conversation.busy = True
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._conversation.busy = False
        self.response = aggregate(self.updates)
        messages: Sequence[ChatMessage] = self.response.messages
        if error is not None:
            messages = pair_calls(message for message in messages if _is_telling(message))
        self._conversation.messages.extend(messages)


def _is_telling(message: ChatMessage) -> bool:
    """Worth keeping from a turn that broke off: half a thought is not, and some providers refuse it."""
    return any(isinstance(part, (TextContent, ToolCallContent, ToolResultContent)) for part in message.contents)
