"""Streamed updates added up to a response, and taken apart again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.chat.content import ReasoningContent, TextContent, UsageContent
from ironhive.chat.messages import NO_PROPERTIES, ChatMessage, ChatResponse, ChatUpdate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ironhive.chat.content import Content, ProviderData, Usage
    from ironhive.chat.messages import Role


class ResponseBuilder:
    """Collects updates in linear time. Later ids, model names and finish reasons replace earlier ones.

    Neighbouring texts are joined, and neighbouring reasoning texts likewise; a part that carries provider data ends
    its run, so that the data stays with the text it came with. A change of message id or role starts a new message.
    """

    def __init__(self) -> None:
        self._messages: list[ChatMessage] = []
        self._contents: list[Content] = []
        self._run: list[str] = []
        self._run_type: type[TextContent | ReasoningContent] | None = None
        self._role: Role | None = None
        self._message_id: str | None = None
        self._usage: Usage | None = None
        self._properties: dict[str, Any] = {}
        self.finish_reason: str | None = None
        self.response_id: str | None = None
        self.model: str | None = None

    def add(self, update: ChatUpdate) -> None:
        """Take the next update."""
        if self._starts_message(update):
            self._close_message()
        if update.role is not None:
            self._role = update.role
        if update.message_id is not None:
            self._message_id = update.message_id
        for part in update.contents:
            kind = type(part)
            if kind is TextContent or kind is ReasoningContent:
                self._add_text(part)  # type: ignore[arg-type]  # narrowed by identity, which is the fast test
            elif isinstance(part, UsageContent):
                self._usage = part.usage
            else:
                self._close_run(None)
                self._contents.append(part)
        if update.finish_reason is not None:
            self.finish_reason = update.finish_reason
        if update.response_id is not None:
            self.response_id = update.response_id
        if update.model is not None:
            self.model = update.model
        if update.properties:
            self._properties.update(update.properties)

    def build(self) -> ChatResponse:
        """The response so far."""
        self._close_message()
        return ChatResponse(
            messages=tuple(self._messages),
            finish_reason=self.finish_reason,
            usage=self._usage,
            response_id=self.response_id,
            model=self.model,
            properties=dict(self._properties) if self._properties else NO_PROPERTIES,
        )

    def _starts_message(self, update: ChatUpdate) -> bool:
        if not self._contents and not self._run:
            return False
        new_role = update.role is not None and self._role is not None and update.role != self._role
        new_id = (
            update.message_id is not None and self._message_id is not None and update.message_id != self._message_id
        )
        return new_role or new_id

    def _add_text(self, part: TextContent | ReasoningContent) -> None:
        kind = type(part)
        if self._run_type is not kind:
            if not part.text and part.private is None:
                return
            self._close_run(None)
            self._run_type = kind
        self._run.append(part.text)
        if part.private is not None:
            self._close_run(part.private)

    def _close_run(self, private: ProviderData | None) -> None:
        if self._run_type is not None:
            text = "".join(self._run)
            if text or private is not None:
                self._contents.append(self._run_type(text, private))
            self._run.clear()
            self._run_type = None

    def _close_message(self) -> None:
        self._close_run(None)
        if self._contents:
            self._messages.append(ChatMessage(self._role or "assistant", tuple(self._contents), self._message_id))
            self._contents = []
        self._role = None
        self._message_id = None


def aggregate(updates: Iterable[ChatUpdate]) -> ChatResponse:
    """The response that these updates add up to."""
    builder = ResponseBuilder()
    for update in updates:
        builder.add(update)
    return builder.build()


def as_updates(response: ChatResponse) -> Iterator[ChatUpdate]:
    """A complete response as the updates that a stream would have shown; :func:`aggregate` gives it back."""
    for index, message in enumerate(response.messages):
        yield ChatUpdate(
            contents=message.contents,
            role=message.role,
            message_id=message.message_id or f"{response.response_id or 'message'}-{index}",
            response_id=response.response_id,
            model=response.model,
        )
    tail: tuple[Content, ...] = () if response.usage is None else (UsageContent(response.usage),)
    if tail or response.finish_reason is not None or response.properties:
        yield ChatUpdate(
            contents=tail,
            finish_reason=response.finish_reason,
            response_id=response.response_id,
            model=response.model,
            properties=response.properties,
        )
