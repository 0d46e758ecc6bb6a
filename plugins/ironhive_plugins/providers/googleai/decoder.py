"""A generateContent stream, decoded event by event."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any, Final

from ironhive.chat import (
    ChatUpdate,
    DataContent,
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
from ironhive.http import count_at, objects_at, text_at, tool_call
from ironhive_plugins.providers.googleai.messages import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable

    from ironhive.chat import Content
    from ironhive.errors import HttpStatusError

_FILTERS: Final = (
    "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "JAILBREAK",
)  # fmt: skip

FINISH_WORDS: Final = {
    "STOP": FinishReason.STOP,
    "MAX_TOKENS": FinishReason.LENGTH,
    "FUNCTION_CALL": FinishReason.TOOL_CALLS,
    "MALFORMED_FUNCTION_CALL": FinishReason.MALFORMED_TOOL_CALL,
    "UNEXPECTED_TOOL_CALL": FinishReason.MALFORMED_TOOL_CALL,
    **dict.fromkeys(_FILTERS, FinishReason.CONTENT_FILTER),
}
"""The common finish reason for each of this wire's."""


class GoogleDecoder:
    """Decodes one answer of the first candidate. Token counts come with each event and grow: the last ones count."""

    def __init__(self, provider: str, failure: Callable[[Any], HttpStatusError]) -> None:
        self.complete = False
        self.finished = False
        self._provider = provider
        self._failure = failure
        self._usage: dict[str, Any] = {}
        self._word: str | None = None
        self._message: str | None = None
        self._blocked: str | None = None
        self._called = False
        self._has_text = False
        self._modern = False
        self._head: dict[str, Any] | None = {"role": "assistant"}

    def feed(self, event: Any) -> ChatUpdate | None:
        """Take one event.

        :raises StreamErrorEvent: it reports an error.
        :raises BadAnswerError: it is no object.
        """
        if not isinstance(event, dict):
            message = f"{self._provider}: a piece of the answer is {type(event).__name__}, not an object"
            raise BadAnswerError(message, provider=self._provider)
        if event.get("error"):
            raise self._failure(event)
        self._modern = self._modern or bool(event.get("modelVersion") or event.get("responseId"))
        usage = event.get("usageMetadata")
        if isinstance(usage, dict):
            self._usage |= {name: value for name, value in usage.items() if value is not None}
        if self._head is not None:
            names = {"response_id": text_at(event, "responseId"), "model": text_at(event, "modelVersion")}
            self._head |= {name: value for name, value in names.items() if value}
        self._feedback(event.get("promptFeedback"))
        parts = self._candidate(_first(event.get("candidates")))
        if not parts:
            return None
        head, self._head = self._head or {}, None
        return ChatUpdate(tuple(parts), **head)

    def done(self) -> None:
        """A ``[DONE]``, which a proxy may add."""
        self.complete = self.finished = True

    @property
    def whole_with_body(self) -> bool:
        """Old servers gave no finish reason; those that name their model version always do."""
        return not self.finished and not self._modern and (self._has_text or self._called)

    def end(self) -> ChatUpdate | None:
        """The finish reason and the token counts.

        :raises TruncatedStreamError: nothing said that the answer is over.
        """
        if not self.finished:
            message = f"{self._provider}: the stream ended without a finish reason: the answer is cut off"
            raise TruncatedStreamError(message, provider=self._provider)
        finish = self._finish()
        parts: list[Content] = []
        reason = self._reason(finish)
        if reason is not None:
            parts.append(reason)
        usage = _usage(self._usage)
        if usage != Usage():
            parts.append(UsageContent(usage))
        properties = {"provider_finish_reason": self._word, "provider_block_reason": self._blocked}
        given = {name: word for name, word in properties.items() if word}
        head, self._head = self._head or {}, None
        return ChatUpdate(tuple(parts), finish, properties=given, **head)

    def _feedback(self, feedback: Any) -> None:
        if text_at(feedback, "blockReason"):
            self._blocked = text_at(feedback, "blockReason")
            self._message = text_at(feedback, "blockReasonMessage") or self._message
            self.finished = True

    def _candidate(self, candidate: dict[str, Any] | None) -> list[Content]:
        if candidate is None:
            return []
        raw = objects_at(candidate.get("content"), "parts")
        parts = [made for part in raw if (made := self._part(part)) is not None]
        if text_at(candidate, "finishReason"):
            self._word = text_at(candidate, "finishReason")
            self._message = text_at(candidate, "finishMessage") or self._message
            self.finished = True
        return parts

    def _part(self, part: dict[str, Any]) -> Content | None:
        signature = text_at(part, "thoughtSignature")
        private = ProviderData(FAMILY, {"signature": signature}) if signature else None
        text = part.get("text")
        if isinstance(text, str):
            if part.get("thought"):
                return ReasoningContent(text, private) if text or private else None
            if text:
                self._has_text = True
                return TextContent(text, private)
            return OpaqueContent(ProviderData(FAMILY, {"part": part})) if private else None
        call = part.get("functionCall")
        if isinstance(call, dict):
            self._called = True
            own = {"signature": signature, "id": text_at(call, "id")}
            kept = {name: value for name, value in own.items() if value}
            return tool_call(
                call.get("name"),
                call.get("args"),
                call_id=call.get("id"),
                private=ProviderData(FAMILY, kept) if kept else None,
            )
        data = part.get("inlineData")
        if isinstance(data, dict) and isinstance(data.get("data"), str):
            return _data(data)
        return OpaqueContent(ProviderData(FAMILY, {"part": part})) if part else None

    def _finish(self) -> str | None:
        if self._word is None:
            if self._blocked:
                return FinishReason.CONTENT_FILTER
            if self._called:
                return FinishReason.TOOL_CALLS
            return FinishReason.STOP if self._has_text else None
        mapped = FINISH_WORDS.get(self._word, FinishReason.OTHER)
        return FinishReason.TOOL_CALLS if self._called and mapped == FinishReason.STOP else mapped

    def _reason(self, finish: str | None) -> ErrorContent | None:
        """Why there is no ordinary answer, in the provider's words where it has some."""
        word = self._word or self._blocked
        if finish in (FinishReason.STOP, FinishReason.TOOL_CALLS, FinishReason.LENGTH, None):
            return None
        return ErrorContent(self._message or f"the provider stopped with {word}", word)


def _first(candidates: Any) -> dict[str, Any] | None:
    for candidate in candidates if isinstance(candidates, list) else ():
        if isinstance(candidate, dict) and not candidate.get("index"):
            return candidate
    return None


def _data(data: dict[str, Any]) -> Content | None:
    try:
        return DataContent(text_at(data, "mimeType") or "application/octet-stream", base64.b64decode(data["data"]))
    except (binascii.Error, ValueError):
        return None


def _usage(raw: dict[str, Any]) -> Usage:
    """The counts. This wire counts thoughts beside the output; ours includes them."""
    output, thoughts = count_at(raw, "candidatesTokenCount"), count_at(raw, "thoughtsTokenCount")
    return Usage(
        input_tokens=count_at(raw, "promptTokenCount"),
        output_tokens=None if output is None and thoughts is None else (output or 0) + (thoughts or 0),
        total_tokens=count_at(raw, "totalTokenCount"),
        cached_input_tokens=count_at(raw, "cachedContentTokenCount"),
        reasoning_tokens=thoughts,
    )
