"""A Chat Completions stream, decoded event by event."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ironhive.chat import ChatUpdate, ErrorContent, FinishReason, ReasoningContent, TextContent, UsageContent
from ironhive.chat.thinking import ThinkSplitter
from ironhive.errors import BadAnswerError, TruncatedStreamError
from ironhive.http import text_at
from ironhive_plugins.providers.openai.chat.reasoning import ReasoningCollector, content_parts
from ironhive_plugins.providers.openai.chat.slots import CallSlots
from ironhive_plugins.providers.openai.chat.usage import read_usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from ironhive.chat import Content
    from ironhive.errors import HttpStatusError

FINISH_WORDS: Final = {
    "stop": FinishReason.STOP,
    "eos": FinishReason.STOP,
    "eos_token": FinishReason.STOP,
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "tool_use": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.CONTENT_FILTER,
    "refusal": FinishReason.CONTENT_FILTER,
    "safety": FinishReason.CONTENT_FILTER,
}
"""The common finish reason for each word that servers of this wire use."""


class ChatDecoder:
    """Decodes one answer: a stream, or a whole completion given as the one event.

    Text and reasoning go out as they come. Tool calls, token counts, the finish reason and a refusal go out together
    at the end, because servers send each of them early, late, twice or never.
    """

    whole_with_body = False

    def __init__(
        self,
        provider: str,
        family: str,
        failure: Callable[[Any], HttpStatusError],
        *,
        think_tags: bool = False,
        whole: bool = False,
    ) -> None:
        self.complete = False
        self.finished = False
        self._provider = provider
        self._failure = failure
        self._first = True
        self._plain = False
        self._whole = whole
        self._splitter = ThinkSplitter() if think_tags else None
        self._reasoning = ReasoningCollector(family)
        self._calls = CallSlots(family)
        self._usage: dict[str, Any] | None = None
        self._word: str | None = None
        self._refusal: list[str] = []
        self._filtered: set[str] = set()
        self._has_text = False
        self._response_id: str | None = None
        self._model: str | None = None

    def feed(self, event: Any) -> ChatUpdate | None:
        """Take one event.

        :raises StreamErrorEvent: it reports an error.
        :raises BadAnswerError: it is no object.
        """
        if self._plain:
            # most events are one piece of text and nothing else: they take this short way
            try:
                choice = event["choices"][0]
                delta = choice["delta"]
                if (
                    len(delta) == 1
                    and choice["finish_reason"] is None
                    and not choice.get("index")
                    and event.get("usage") is None
                    and "error" not in event
                ):
                    text = delta["content"]
                    if type(text) is str:
                        return ChatUpdate((TextContent(text),)) if text else None
            except (KeyError, IndexError, TypeError):
                pass
        update = self._general(event)
        self._plain = self._has_text and self._splitter is None and not self._whole and not self._reasoning.open
        return update

    def done(self) -> None:
        """The server said ``[DONE]``."""
        self.complete = self.finished = True

    def end(self) -> ChatUpdate | None:
        """Calls, counts and the finish reason.

        :raises TruncatedStreamError: nothing said that the answer is over.
        """
        if not self.finished:
            message = (
                f"{self._provider}: the stream ended without a finish reason or [DONE]: the answer is cut off; "
                "the server or a proxy closed the connection early"
            )
            raise TruncatedStreamError(message, provider=self._provider)
        parts = self._close_text()
        calls = self._calls.take()
        parts += calls
        if self._refusal:
            parts.append(ErrorContent("".join(self._refusal), "refusal"))
        elif self._filtered:
            parts.append(ErrorContent(f"filtered for {', '.join(sorted(self._filtered))}", "content_filter"))
        if self._usage is not None:
            parts.append(UsageContent(read_usage(self._usage)))
        finish = self._finish(called=bool(calls))
        properties = {"provider_finish_reason": self._word} if self._word else {}
        return ChatUpdate(tuple(parts), finish, properties=properties, **self._head())

    def _general(self, event: Any) -> ChatUpdate | None:
        if not isinstance(event, dict):
            message = f"{self._provider}: a piece of the answer is {type(event).__name__}, not an object"
            raise BadAnswerError(message, provider=self._provider)
        if event.get("error"):
            raise self._failure(event)
        groq = event.get("x_groq")
        if isinstance(groq, dict) and groq.get("error"):
            raise self._failure({"error": {"message": groq["error"]}})
        self._response_id = self._response_id or text_at(event, "id") or None
        self._model = self._model or text_at(event, "model") or None
        choices = event.get("choices")
        choice = _first_choice(choices)
        self._take_usage(event, ends=choice is None and isinstance(choices, list))
        if choice is None:
            return None
        if choice.get("error"):
            raise self._failure(choice)
        # Perplexity sends both: in a stream the message repeats all text so far, in a whole answer the delta is empty
        delta = (
            choice.get("message") or choice.get("delta")
            if self._whole
            else choice.get("delta") or choice.get("message")
        )
        parts = self._parts(delta) if isinstance(delta, dict) else []
        word = choice.get("finish_reason")
        if isinstance(word, str) and word:
            self._word = word
            self.finished = True
        self._take_filters(choice)
        if not parts:
            return None
        return ChatUpdate(tuple(parts), **self._head())

    def _parts(self, delta: dict[str, Any]) -> list[Content]:
        parts: list[Content] = []
        content = delta.get("content")
        thought = self._reasoning.read(delta)
        if isinstance(content, list):
            content, more = content_parts(content)
            thought = thought or more
        elif isinstance(content, dict):
            # Cloudflare hands structured output out as an object
            content = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        if thought:
            parts.append(ReasoningContent(thought))
        if isinstance(content, str) and content:
            parts += self._text(content)
        refusal = delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            self._refusal.append(refusal)
        calls = delta.get("tool_calls")
        if calls:
            self._calls.add(calls if isinstance(calls, list) else [calls])
        elif delta.get("function_call"):
            self._calls.add_legacy(delta["function_call"])
        return parts

    def _text(self, text: str) -> list[Content]:
        parts: list[Content] = []
        closing = self._reasoning.close()
        if closing is not None:
            parts.append(closing)
        parts += self._splitter.feed(text) if self._splitter is not None else (TextContent(text),)
        self._has_text = self._has_text or any(type(part) is TextContent for part in parts)
        if self._splitter is not None and self._splitter.settled:
            self._splitter = None
        return parts

    def _close_text(self) -> list[Content]:
        parts: list[Content] = []
        closing = self._reasoning.close()
        if closing is not None:
            parts.append(closing)
        if self._splitter is not None:
            held = self._splitter.finish()
            self._has_text = self._has_text or any(type(part) is TextContent for part in held)
            parts += held
        return parts

    def _take_usage(self, event: dict[str, Any], *, ends: bool) -> None:
        usage = event.get("usage")
        if not usage and isinstance(event.get("x_groq"), dict):
            usage = event["x_groq"].get("usage")
        if isinstance(usage, dict) and usage:
            self._usage = usage
            # counts alone, without a choice, come when the answer is over
            self.finished = self.finished or (ends and not self._first)
        if event.get("object") == "chat.completion.done":
            self.finished = True

    def _take_filters(self, choice: dict[str, Any]) -> None:
        results = choice.get("content_filter_results")
        for name, result in results.items() if isinstance(results, dict) else ():
            if isinstance(result, dict) and result.get("filtered"):
                self._filtered.add(name)

    def _finish(self, *, called: bool) -> str | None:
        mapped = FINISH_WORDS.get(self._word.lower(), FinishReason.OTHER) if self._word else None
        if self._refusal:
            return FinishReason.CONTENT_FILTER
        if called and mapped in (None, FinishReason.STOP):
            return FinishReason.TOOL_CALLS
        if mapped is None:
            return FinishReason.STOP if self._has_text else None
        return mapped

    def _head(self) -> dict[str, Any]:
        """What the first update of an answer says about all of it."""
        if not self._first:
            return {}
        self._first = False
        return {"role": "assistant", "response_id": self._response_id, "model": self._model}


def _first_choice(choices: Any) -> dict[str, Any] | None:
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and not choice.get("index"):
            return choice
    return None
