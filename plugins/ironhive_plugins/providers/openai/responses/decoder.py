"""A Responses stream, decoded event by event."""

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
    UsageContent,
)
from ironhive.errors import BadAnswerError, TruncatedStreamError
from ironhive.http import objects_at, place_at, text_at, tool_call
from ironhive_plugins.providers.openai.responses.usage import read_usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from ironhive.chat import Content
    from ironhive.errors import HttpStatusError

_REASONING_DELTAS: Final = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
_ENDS: Final = ("response.completed", "response.incomplete", "response.cancelled")
_INCOMPLETE: Final = {
    "max_output_tokens": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
}


class ResponsesDecoder:
    """Decodes one answer.

    Events are told apart by the ``type`` in their JSON, since not every server names them. Items are keyed by
    ``output_index``: their ids may change between events. Deltas are shown as they come; an item that is finished, or
    listed in the final response, adds only what no delta has shown. Unknown events are skipped.
    """

    whole_with_body = False

    def __init__(self, provider: str, family: str, failure: Callable[[Any], HttpStatusError]) -> None:
        self.complete = False
        self.finished = False
        self._provider = provider
        self._family = family
        self._failure = failure
        self._shown: set[Any] = set()
        self._arguments: dict[Any, list[str]] = {}
        self._done: set[Any] = set()
        self._called = False
        self._refusal: list[str] = []
        self._final: dict[str, Any] | None = None
        self._head: dict[str, Any] | None = {"role": "assistant"}

    def feed(self, event: Any) -> ChatUpdate | None:
        """Take one event.

        :raises StreamErrorEvent: it reports an error.
        :raises BadAnswerError: it is no object.
        """
        if not isinstance(event, dict):
            message = f"{self._provider}: a piece of the answer is {type(event).__name__}, not an object"
            raise BadAnswerError(message, provider=self._provider)
        kind = event.get("type")
        if kind == "response.output_text.delta":
            text = text_at(event, "delta")
            if not text:
                return None
            self._shown.add(place_at(event, "output_index"))
            return self._update([TextContent(text)])
        return self._update(self._parts(kind, event))

    def done(self) -> None:
        """The server said ``[DONE]``, as some do behind the final event."""
        self.complete = self.complete or self.finished

    def end(self) -> ChatUpdate | None:
        """The finish reason and the token counts.

        :raises TruncatedStreamError: the final event did not come.
        """
        if self._final is None:
            message = f"{self._provider}: the stream ended without its final event: the answer is cut off"
            raise TruncatedStreamError(message, provider=self._provider)
        parts: list[Content] = []
        if self._refusal:
            parts.append(ErrorContent("".join(self._refusal), "refusal"))
        usage = self._final.get("usage")
        if isinstance(usage, dict):
            parts.append(UsageContent(read_usage(usage)))
        finish, word = self._finish(self._final)
        head, self._head = self._head or {}, None
        return ChatUpdate(tuple(parts), finish, properties={"provider_finish_reason": word} if word else {}, **head)

    def _parts(self, kind: Any, event: dict[str, Any]) -> list[Content]:
        index = place_at(event, "output_index")
        if kind == "response.output_item.done":
            return self._item(event.get("item"), index)
        if kind in _REASONING_DELTAS:
            self._shown.add(index)
            thought = text_at(event, "delta")
            return [ReasoningContent(thought)] if thought else []
        if kind == "response.function_call_arguments.delta":
            self._arguments.setdefault(index, []).append(text_at(event, "delta"))
        elif kind == "response.refusal.delta":
            self._shown.add(index)
            self._refusal.append(text_at(event, "delta"))
        elif kind in _ENDS:
            return self._end_event(event.get("response"))
        elif kind in ("error", "response.failed") or (kind is None and event.get("error")):
            raise self._failure(event.get("response") or event)
        elif isinstance(event.get("response"), dict):
            self._name(event["response"])
        return []

    def _item(self, item: Any, index: Any) -> list[Content]:
        """A finished item: what no delta has shown of it, and what has to be sent back with the conversation."""
        if not isinstance(item, dict):
            return []
        # the final response lists all items again: known by their place, or by their id where a server gives no place
        keys = {("place", index), ("id", text_at(item, "id"))} - {("place", None), ("id", "")}
        if keys & self._done:
            return []
        self._done |= keys
        kind = text_at(item, "type")
        if kind in ("function_call", "custom_tool_call"):
            self._called = True
            arguments = item.get("arguments") or "".join(self._arguments.pop(index, ()))
            if kind == "custom_tool_call":
                arguments = {"input": text_at(item, "input")}
            return [tool_call(item.get("name"), arguments, call_id=item.get("call_id") or item.get("id"))]
        if kind == "message":
            return self._message(item, index)
        if kind == "reasoning":
            return self._reasoning(item, index)
        return [OpaqueContent(ProviderData(self._family, {"item": item}))] if kind else []

    def _message(self, item: dict[str, Any], index: Any) -> list[Content]:
        parts: list[Content] = []
        content = item.get("content")
        if index not in self._shown:
            pieces = [{"text": content}] if isinstance(content, str) else objects_at(item, "content")
            for piece in pieces:
                text = text_at(piece, "text")
                if text:
                    parts.append(TextContent(text))
                elif text_at(piece, "refusal"):
                    self._refusal.append(text_at(piece, "refusal"))
        if text_at(item, "phase"):
            parts.append(TextContent("", ProviderData(self._family, {"phase": item["phase"]})))
        return parts

    def _reasoning(self, item: dict[str, Any], index: Any) -> list[Content]:
        text = ""
        if index not in self._shown:
            pieces = [*objects_at(item, "summary"), *objects_at(item, "content")]
            text = "".join(text_at(piece, "text") for piece in pieces)
        private = None
        if item.get("encrypted_content") or item.get("content"):
            # without a stored response its id means nothing to the server; the encrypted text is the item
            kept = {name: item[name] for name in ("type", "summary", "content", "encrypted_content") if item.get(name)}
            private = ProviderData(self._family, {"item": {"summary": [], **kept}})
        return [ReasoningContent(text, private)] if text or private else []

    def _end_event(self, response: Any) -> list[Content]:
        final = response if isinstance(response, dict) else {}
        if final.get("error") or final.get("status") == "failed":
            raise self._failure(final)
        self._name(final)
        self._final = final
        self.finished = self.complete = True
        output = final.get("output")
        parts: list[Content] = []
        for index, item in enumerate(output if isinstance(output, list) else ()):
            parts += self._item(item, index)
        return parts

    def _name(self, response: dict[str, Any]) -> None:
        if self._head is not None:
            names = {"response_id": text_at(response, "id"), "model": text_at(response, "model")}
            # the first name stays: Copilot gives each event another id
            self._head = {name: value for name, value in names.items() if value} | self._head

    def _update(self, parts: list[Content]) -> ChatUpdate | None:
        if not parts:
            return None
        if self._head is None:
            return ChatUpdate(tuple(parts))
        head, self._head = self._head, None
        return ChatUpdate(tuple(parts), **head)

    def _finish(self, final: dict[str, Any]) -> tuple[str | None, str | None]:
        status = text_at(final, "status") or None
        reason = text_at(final.get("incomplete_details"), "reason")
        word = f"{status}:{reason}" if status == "incomplete" and reason else status
        if status == "incomplete":
            return _INCOMPLETE.get(reason, FinishReason.OTHER), word
        if self._refusal:
            return FinishReason.CONTENT_FILTER, word
        if self._called:
            return FinishReason.TOOL_CALLS, word
        return (FinishReason.STOP if status in ("completed", None) else FinishReason.OTHER), word
