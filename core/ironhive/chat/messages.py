"""Messages, responses and streamed updates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ironhive.chat.content import ReasoningContent, TextContent, ToolCallContent, UsageContent

if TYPE_CHECKING:
    from ironhive.chat.content import Content, ToolResultContent, Usage

Role = Literal["system", "user", "assistant", "tool"]


class _NoProperties(Mapping[str, Any]):
    """An empty map that is hashable, so that it can be a field's plain default: no call per update."""

    __slots__ = ()

    def __getitem__(self, key: str) -> Any:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "{}"

    def __reduce__(self) -> str:
        return "NO_PROPERTIES"


NO_PROPERTIES: Mapping[str, Any] = _NoProperties()
"""The shared empty property map."""


class FinishReason:
    """Why a model stopped. The set is open; these are the words that all wires are mapped to.

    A reason that a wire does not explain becomes ``OTHER`` (its own word is kept in the property
    ``provider_finish_reason``), never ``STOP``.
    """

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"
    MALFORMED_TOOL_CALL = "malformed_tool_call"
    DEGENERATION = "degeneration"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a conversation: who speaks and what they say, part by part."""

    role: Role
    contents: tuple[Content, ...] = ()
    message_id: str | None = None

    @classmethod
    def system(cls, text: str) -> ChatMessage:
        """Instructions of the operator."""
        return cls("system", (TextContent(text),))

    @classmethod
    def user(cls, *parts: str | Content) -> ChatMessage:
        """What the user says: texts and data."""
        return cls("user", tuple(TextContent(part) if isinstance(part, str) else part for part in parts))

    @classmethod
    def assistant(cls, *parts: str | Content) -> ChatMessage:
        """What a model answered."""
        return cls("assistant", tuple(TextContent(part) if isinstance(part, str) else part for part in parts))

    @classmethod
    def tool(cls, *results: ToolResultContent) -> ChatMessage:
        """The results of one round of tool calls."""
        return cls("tool", results)

    @property
    def text(self) -> str:
        """All visible text; reasoning, calls, results and data are not part of it."""
        return "".join([part.text for part in self.contents if type(part) is TextContent])

    @property
    def reasoning(self) -> str:
        """All reasoning text."""
        return "".join([part.text for part in self.contents if type(part) is ReasoningContent])

    @property
    def tool_calls(self) -> tuple[ToolCallContent, ...]:
        """The tool calls in the order the model made them."""
        return tuple(part for part in self.contents if isinstance(part, ToolCallContent))


@dataclass(frozen=True, slots=True)
class ChatUpdate:
    """One piece of a streamed answer. Pieces add up to a :class:`ChatResponse`, see :func:`ironhive.chat.aggregate`.

    A tool call arrives whole, in one update. An update without contents may carry ids or the finish reason.
    """

    contents: tuple[Content, ...] = ()
    finish_reason: str | None = None
    role: Role | None = None
    response_id: str | None = None
    message_id: str | None = None
    model: str | None = None
    properties: Mapping[str, Any] = NO_PROPERTIES

    @property
    def text(self) -> str:
        """The visible text of this piece."""
        contents = self.contents
        if len(contents) == 1 and type(contents[0]) is TextContent:
            return contents[0].text
        return "".join([part.text for part in contents if type(part) is TextContent])

    @property
    def reasoning(self) -> str:
        """The reasoning text of this piece."""
        return "".join([part.text for part in self.contents if type(part) is ReasoningContent])

    @property
    def tool_calls(self) -> tuple[ToolCallContent, ...]:
        """The complete tool calls of this piece."""
        return tuple(part for part in self.contents if isinstance(part, ToolCallContent))

    @property
    def usage(self) -> Usage | None:
        """The token counts in this piece, if any."""
        for part in self.contents:
            if isinstance(part, UsageContent):
                return part.usage
        return None


@dataclass(frozen=True, slots=True)
class ChatResponse:
    """A complete answer: usually one assistant message; a client that runs tools adds the rounds in between."""

    messages: tuple[ChatMessage, ...] = ()
    finish_reason: str | None = None
    usage: Usage | None = None
    response_id: str | None = None
    model: str | None = None
    properties: Mapping[str, Any] = NO_PROPERTIES

    @property
    def text(self) -> str:
        """The visible text of the model's messages."""
        return "".join([message.text for message in self.messages if message.role == "assistant"])

    @property
    def reasoning(self) -> str:
        """The reasoning text of the model's messages."""
        return "".join([message.reasoning for message in self.messages if message.role == "assistant"])

    @property
    def tool_calls(self) -> tuple[ToolCallContent, ...]:
        """Every tool call in the answer, in order."""
        return tuple(call for message in self.messages for call in message.tool_calls)


Prompt = str | ChatMessage | Sequence[ChatMessage]
"""What a caller may hand over as a conversation."""


def as_messages(prompt: Prompt) -> tuple[ChatMessage, ...]:
    """A conversation from what a caller gave: a text becomes one user message."""
    if isinstance(prompt, str):
        return (ChatMessage.user(prompt),)
    if isinstance(prompt, ChatMessage):
        return (prompt,)
    return tuple(prompt)
