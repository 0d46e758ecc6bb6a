"""What a turn hands to its caller: the answer, its pieces, and a record of each tool call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ironhive.chat import ReasoningContent, TextContent, ToolCallContent, ToolResultContent, UsageContent, result_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ironhive.chat import ChatMessage, ChatResponse, ChatUpdate, Content, Usage


@dataclass(frozen=True, slots=True)
class ToolCallRecord:
    """One tool call and what came of it.

    ``arguments`` is JSON text. ``result`` is the text the model read, None while there is none. ``success`` is None
    when the outcome is unknown; ``refusal_kind`` is the code of the rule that stopped the call, None when it was run.
    """

    name: str
    arguments: str = "{}"
    result: str | None = None
    success: bool | None = None
    call_id: str = ""
    refusal_kind: str | None = None


@dataclass(frozen=True, slots=True)
class Thinking:
    """What the model thought before it answered, and how many tokens that took where the provider says so."""

    content: str
    token_count: int | None = None


@dataclass(frozen=True, slots=True)
class AgentResponse:
    """The outcome of one turn.

    ``content`` is all text the model wrote in this turn, with a blank line between its messages; ``usage`` the sum over
    its model calls, None when no provider reported any; ``stop_reason`` one of :class:`~ironhive.agent.StopReason`;
    ``messages`` what the turn added to the conversation.
    """

    content: str
    stop_reason: str
    tool_calls: tuple[ToolCallRecord, ...] = ()
    usage: Usage | None = None
    thinking: Thinking | None = None
    model: str | None = None
    messages: tuple[ChatMessage, ...] = ()

    @property
    def has_text_output(self) -> bool:
        """The model wrote something that is not blank."""
        return bool(self.content.strip())


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A tool call in a stream. Calls arrive whole: ``is_complete`` is True and the deltas are all there is."""

    id: str
    name_delta: str
    arguments_delta: str
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class AgentChunk:
    """One piece of a streamed turn; exactly one field says something. The last chunk carries ``turn``."""

    text_delta: str = ""
    thinking_delta: str = ""
    tool_call_delta: ToolCallDelta | None = None
    tool_result: ToolCallRecord | None = None
    usage: Usage | None = None
    turn: AgentResponse | None = None


def chunks_of(update: ChatUpdate, calls: dict[str, ToolCallContent]) -> Iterator[AgentChunk]:
    """The pieces in one update. ``calls`` collects the calls seen, so that a result can tell its arguments."""
    for part in update.contents:
        match part:
            case TextContent(text=text):
                yield AgentChunk(text)
            case ReasoningContent(text=text):
                if text:
                    yield AgentChunk("", text)
            case ToolCallContent():
                calls[part.call_id] = part
                yield AgentChunk(tool_call_delta=ToolCallDelta(part.call_id, part.name, part.arguments_text))
            case ToolResultContent():
                yield AgentChunk(tool_result=record_of(calls.get(part.call_id), part))
            case UsageContent(usage=usage):
                yield AgentChunk(usage=usage)
            case _:
                pass


def record_of(call: ToolCallContent | None, result: ToolResultContent | None) -> ToolCallRecord:
    """The record of a call, of a result, or of both."""
    name = call.name if call is not None else result.name if result is not None else ""
    arguments = "{}" if call is None else call.arguments_text
    if result is None:
        return ToolCallRecord(name, arguments, call_id=call.call_id if call is not None else "")
    text = result_text(result.result)
    return ToolCallRecord(name, arguments, text, result.success, result.call_id, result.refusal)


def response_of(response: ChatResponse, stop_reason: str) -> AgentResponse:
    """The outcome of a turn whose messages are these."""
    texts = [message.text for message in response.messages if message.role == "assistant" and message.text.strip()]
    reasoning = response.reasoning
    tokens = response.usage.reasoning_tokens if response.usage is not None else None
    return AgentResponse(
        content="\n\n".join(texts),
        stop_reason=stop_reason,
        tool_calls=tuple(_records(response.messages)),
        usage=response.usage,
        thinking=Thinking(reasoning, tokens) if reasoning.strip() else None,
        model=response.model,
        messages=response.messages,
    )


def _records(messages: tuple[ChatMessage, ...]) -> Iterator[ToolCallRecord]:
    parts: list[Content] = [part for message in messages for part in message.contents]
    results = [part for part in parts if isinstance(part, ToolResultContent)]
    for call in parts:
        if isinstance(call, ToolCallContent):
            # ids may repeat from round to round: each result is used once, first come first served
            index = next((n for n, result in enumerate(results) if result.call_id == call.call_id), None)
            yield record_of(call, None if index is None else results.pop(index))
