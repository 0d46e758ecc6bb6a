"""A Messages stream, decoded event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ironhive.chat import (
    ChatUpdate,
    ErrorContent,
    FinishReason,
    OpaqueContent,
    ProviderData,
    ReasoningContent,
    TextContent,
    Usage,
    UsageContent,
)
from ironhive.errors import BadAnswerError, TruncatedStreamError
from ironhive.http import count_at, objects_at, place_at, text_at, tool_call
from ironhive_plugins.providers.anthropic.messages import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable

    from ironhive.chat import Content
    from ironhive.errors import HttpStatusError

FINISH_WORDS: Final = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "tool_use": FinishReason.TOOL_CALLS,
    "refusal": FinishReason.CONTENT_FILTER,
}
"""The common finish reason for each of this wire's; ``pause_turn`` is none of them: the answer is to be continued."""

_SKIPPED_START: Final = ("text", "thinking", "redacted_thinking", "tool_use")


class AnthropicDecoder:
    """Decodes one answer.

    Blocks are keyed by their index; events that belong to no block, and unknown ones, are skipped; ``ping`` may stand
    anywhere.
    """

    whole_with_body = False

    def __init__(self, provider: str, failure: Callable[[Any], HttpStatusError]) -> None:
        self.complete = False
        self.finished = False
        self._provider = provider
        self._failure = failure
        self._blocks: dict[Any, dict[str, Any]] = {}
        self._pieces: dict[Any, list[str]] = {}
        self._usage: dict[str, Any] = {}
        self._word: str | None = None
        self._stop_sequence: str | None = None
        self._reason: str | None = None
        self._head: dict[str, Any] | None = {"role": "assistant"}

    def feed(self, event: Any) -> ChatUpdate | None:
        """Take one event.

        :raises StreamErrorEvent: it reports an error.
        :raises BadAnswerError: it is no object.
        """
        if not isinstance(event, dict):
            message = f"{self._provider}: a piece of the answer is {type(event).__name__}, not an object"
            raise BadAnswerError(message, provider=self._provider)
        kind, index = event.get("type"), place_at(event, "index")
        if kind == "content_block_delta":
            delta = event.get("delta")
            parts = self._delta(index, delta) if isinstance(delta, dict) else []
        elif kind == "content_block_start":
            block = event.get("content_block")
            parts = self._start(index, block) if isinstance(block, dict) else []
        elif kind == "content_block_stop":
            parts = self._stop(index)
        else:
            self._outer(kind, event)
            return None
        return self._update(parts) if parts else None

    def done(self) -> None:
        """A ``[DONE]``, which some gateways put behind the end."""

    def end(self) -> ChatUpdate | None:
        """Open blocks, the finish reason and the token counts.

        :raises TruncatedStreamError: nothing said that the answer is over.
        """
        if not self.finished:
            message = f"{self._provider}: the stream ended without message_stop: the answer is cut off"
            raise TruncatedStreamError(message, provider=self._provider)
        parts = [part for index in list(self._blocks) for part in self._stop(index)]
        finish = FINISH_WORDS.get(self._word, FinishReason.OTHER) if self._word else None
        if finish == FinishReason.CONTENT_FILTER:
            parts.append(ErrorContent(self._reason or "the model refused to answer", "refusal"))
        if self._usage:
            parts.append(UsageContent(_usage(self._usage)))
        properties = {"provider_finish_reason": self._word, "stop_sequence": self._stop_sequence}
        given = {name: value for name, value in properties.items() if value is not None}
        head, self._head = self._head or {}, None
        return ChatUpdate(tuple(parts), finish, properties=given, **head)

    def _outer(self, kind: Any, event: dict[str, Any]) -> None:
        """An event about the message as a whole."""
        if kind == "message_start":
            message = event.get("message")
            if isinstance(message, dict):
                self._take_usage(message.get("usage"))
                if self._head is not None:
                    names = {"response_id": text_at(message, "id"), "model": text_at(message, "model")}
                    self._head |= {name: value or None for name, value in names.items()}
        elif kind == "message_delta":
            self._message_delta(event)
        elif kind == "message_stop":
            self.finished = self.complete = True
        elif kind == "error" or event.get("error"):
            raise self._failure(event)

    def _message_delta(self, event: dict[str, Any]) -> None:
        self._take_usage(event.get("usage"))
        delta = event.get("delta")
        if not isinstance(delta, dict):
            return
        if text_at(delta, "stop_reason"):
            self._word = text_at(delta, "stop_reason")
            self.finished = True
        self._stop_sequence = text_at(delta, "stop_sequence") or self._stop_sequence
        details = delta.get("stop_details")
        self._reason = text_at(details, "explanation") or text_at(details, "category") or self._reason

    def _take_usage(self, usage: Any) -> None:
        # the last word counts: gateways begin with 0, and server tools add to the input while the answer runs
        if isinstance(usage, dict):
            self._usage |= {name: value for name, value in usage.items() if value is not None}

    def _start(self, index: Any, block: dict[str, Any]) -> list[Content]:
        kind = block.get("type")
        self._blocks[index] = dict(block)
        self._pieces[index] = []
        if kind == "text" and text_at(block, "text"):
            return [TextContent(block["text"])]
        if kind == "thinking" and text_at(block, "thinking"):
            return [ReasoningContent(block["thinking"])]
        return []

    def _delta(self, index: Any, delta: dict[str, Any]) -> list[Content]:
        kind = delta.get("type")
        if kind == "text_delta":
            return [TextContent(delta["text"])] if text_at(delta, "text") else []
        if kind == "thinking_delta":
            return [ReasoningContent(delta["thinking"])] if text_at(delta, "thinking") else []
        block = self._blocks.get(index)
        if block is None:
            return []
        if kind == "input_json_delta":
            self._pieces[index].append(text_at(delta, "partial_json"))
        elif kind == "signature_delta":
            block["signature"] = text_at(block, "signature") + text_at(delta, "signature")
        elif kind == "compaction_delta":
            block["content"] = delta.get("content")
        elif kind == "citations_delta":
            block["citations"] = [*objects_at(block, "citations"), delta.get("citation")]
        return []

    def _stop(self, index: Any) -> list[Content]:
        block = self._blocks.pop(index, None)
        if block is None:
            return []
        text = "".join(self._pieces.pop(index, ()))
        kind = block.get("type")
        if kind == "tool_use":
            return [tool_call(block.get("name"), text or block.get("input"), call_id=block.get("id"))]
        if kind == "thinking":
            signature = text_at(block, "signature")
            return [ReasoningContent("", ProviderData(FAMILY, {"signature": signature}))] if signature else []
        if kind == "redacted_thinking":
            return [ReasoningContent("", ProviderData(FAMILY, {"redacted": text_at(block, "data")}))]
        if kind in _SKIPPED_START or not kind:
            return []
        if text:
            call = tool_call(block.get("name") or kind, text)
            block["input"] = {} if call.arguments is None else dict(call.arguments)
        return [OpaqueContent(ProviderData(FAMILY, {"block": block}))]

    def _update(self, parts: list[Content]) -> ChatUpdate:
        if self._head is None:
            return ChatUpdate(tuple(parts))
        head, self._head = self._head, None
        return ChatUpdate(tuple(parts), **head)


def _usage(raw: dict[str, Any]) -> Usage:
    """The counts. This wire counts what was read from or written to the cache beside the input; ours includes it."""
    given, output = count_at(raw, "input_tokens"), count_at(raw, "output_tokens")
    cached, written = count_at(raw, "cache_read_input_tokens"), count_at(raw, "cache_creation_input_tokens")
    whole = None if given is None else given + (cached or 0) + (written or 0)
    return Usage(
        input_tokens=whole,
        output_tokens=output,
        total_tokens=None if whole is None or output is None else whole + output,
        cached_input_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=count_at(raw.get("output_tokens_details"), "thinking_tokens"),
    )
