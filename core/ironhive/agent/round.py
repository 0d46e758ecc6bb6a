"""The state of one turn while its rounds go by."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ironhive.agent.pairing import open_calls
from ironhive.chat import ChatMessage, FinishReason, RequireTool, ToolCallContent, UsageContent, aggregate
from ironhive.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatOptions, ChatUpdate, Tool, ToolResultContent, Usage


class Turn:
    """What a turn knows: the conversation so far, the updates of the current round, and its counters.

    ``stop_reason`` is set by whoever decides that the turn ends here.
    """

    def __init__(self, messages: Sequence[ChatMessage], options: ChatOptions) -> None:
        self.conversation = list(messages)
        self.options = options
        self.tools = _by_name(options.tools)
        self.updates: list[ChatUpdate] = []
        self.results: list[ToolResultContent] = []
        self.finish_reason: str | None = None
        self.stop_reason: str | None = None
        self.failed_rounds = 0
        self.malformed_rounds = 0
        self._earlier: Usage | None = None
        self._current: Usage | None = None
        self._later_round = False
        self._has_calls = False

    @property
    def is_answered(self) -> bool:
        """The round asked for nothing: the answer is complete."""
        return not self._has_calls and self.finish_reason != FinishReason.MALFORMED_TOOL_CALL

    def so_far(self) -> tuple[ChatMessage, ...]:
        """The conversation, with the results that this round has brought until now."""
        results = (ChatMessage.tool(*self.results),) if self.results else ()
        return (*self.conversation, *results)

    def begin_round(self) -> None:
        """The model is about to be asked."""
        self._earlier = self._total()
        self._current = None
        self.updates = []
        self.results = []
        self.finish_reason = None
        self._has_calls = False

    def take(self, update: ChatUpdate) -> ChatUpdate:
        """Note an update of the round, and return it as the caller is to see it.

        Two things change on the way: token counts become those of the turn so far, because a later count replaces an
        earlier one; and the first update after tool results says that the assistant speaks again.
        """
        if not self.updates and self._later_round and update.role is None:
            update = replace(update, role="assistant")
        self.updates.append(update)
        self.finish_reason = update.finish_reason or self.finish_reason
        usage = None
        for part in update.contents:
            if isinstance(part, ToolCallContent):
                self._has_calls = True
            elif isinstance(part, UsageContent):
                usage = part.usage
        if usage is None:
            return update
        self._current = usage
        total = self._total()
        if total is None or self._earlier is None:
            return update
        parts = tuple(UsageContent(total) if isinstance(part, UsageContent) else part for part in update.contents)
        return replace(update, contents=parts)

    def end_round(self) -> tuple[ToolCallContent, ...]:
        """The round is over: its messages join the conversation, and the calls nobody has answered are returned."""
        response = aggregate(self.updates)
        calls = open_calls(response.messages)
        self._later_round = True
        self.conversation.extend(response.messages)
        return calls

    def close_round(self) -> None:
        """All calls of the round that can be answered here have been."""
        results = self.results
        if results:
            self.conversation.append(ChatMessage.tool(*results))
        only_failures = bool(results) and all(item.success is False and item.refusal is None for item in results)
        self.failed_rounds = self.failed_rounds + 1 if only_failures else 0
        self._release_forced_tool()

    def ask_again(self, text: str) -> None:
        """The next round starts with a remark that is not part of the answer."""
        self.malformed_rounds += 1
        self.conversation.append(ChatMessage.user(text))

    def _release_forced_tool(self) -> None:
        """A call that was demanded has been made: demanding it again would never end."""
        if self.options.tool_mode == "required" or isinstance(self.options.tool_mode, RequireTool):
            self.options = self.options.having(tool_mode="auto")

    def _total(self) -> Usage | None:
        if self._earlier is None or self._current is None:
            return self._current or self._earlier
        return self._earlier + self._current


def _by_name(tools: Sequence[Tool]) -> dict[str, Tool]:
    """Tools by name; two of one name are a mistake that a provider would refuse, or answer with the wrong one."""
    found: dict[str, Tool] = {}
    for tool in tools:
        if tool.name in found:
            message = f"two tools are named {tool.name!r}; give one of them another name"
            raise ConfigurationError(message)
        found[tool.name] = tool
    return found
