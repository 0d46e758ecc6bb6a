"""A conversation with a model: one prompt in, one turn out."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import fields
from typing import TYPE_CHECKING

from ironhive.agent.client import ToolCallingClient
from ironhive.agent.conversation import Conversation
from ironhive.agent.records import AgentChunk, chunks_of, response_of
from ironhive.agent.stops import stop_reason
from ironhive.chat import NO_OPTIONS, TextContent, as_updates

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Sequence

    from ironhive.agent.records import AgentResponse
    from ironhive.chat import (
        ChatClient,
        ChatMessage,
        ChatOptions,
        ChatUpdate,
        Prompt,
        Tool,
        ToolCallContent,
    )


class AgentLoop:
    """Keeps a conversation and answers prompts in it, one turn at a time.

    The client decides whether tools are run: a :class:`~ironhive.agent.ToolCallingClient` runs them, any other only
    reports the calls its model asked for. Whatever ends a turn - an error, a cancellation, a caller who stops reading -
    what happened until then stays in the history, with every call answered, so that the next turn can go on from it.

    :param client: who answers.
    :param tools: what the model may call.
    :param instructions: the operator's text, given to the model as system text at every turn.
    :param options: options of every turn; what one turn sets for itself goes before them.
    :param history: the conversation to start from.
    """

    def __init__(
        self,
        client: ChatClient,
        *,
        tools: Iterable[Tool] = (),
        instructions: str | None = None,
        options: ChatOptions | None = None,
        history: Sequence[ChatMessage] = (),
    ) -> None:
        self.client = client
        self.options = (options or NO_OPTIONS).having(tools=tuple(tools) or (options or NO_OPTIONS).tools)
        self.instructions = instructions
        self._conversation = Conversation(history)

    @property
    def history(self) -> tuple[ChatMessage, ...]:
        """The conversation so far, without instructions."""
        return tuple(self._conversation.messages)

    def initialize_history(self, messages: Iterable[ChatMessage]) -> None:
        """Replace the conversation, for example by one that was stored."""
        self._conversation.replace(messages)

    def clear_history(self) -> None:
        """Forget the conversation."""
        self.initialize_history(())

    async def run(self, prompt: Prompt, *, options: ChatOptions | None = None) -> AgentResponse:
        """One turn for a prompt, whole.

        :param prompt: text, a message or several.
        :param options: for this turn only; a field that is set replaces the loop's, ``instructions`` are added to it.
        :raises IronHiveError: the turn failed, or another one is running in this loop.
        """
        return await self._run(prompt, options)

    def stream(self, prompt: Prompt, *, options: ChatOptions | None = None) -> AsyncGenerator[AgentChunk, None]:
        """One turn for a prompt, piece by piece; the last chunk carries the record of the turn.

        Nothing happens before the first chunk is asked for. Close the generator (``contextlib.aclosing``) to stop
        early. Parameters and errors as for :meth:`run`.
        """
        return self._stream(prompt, options)

    async def continue_run(self, *, options: ChatOptions | None = None) -> AgentResponse:
        """One more turn without a new prompt.

        :raises IronHiveError: the conversation does not end with a user message or with a result for every call.
        """
        return await self._run(None, options)

    def continue_stream(self, *, options: ChatOptions | None = None) -> AsyncGenerator[AgentChunk, None]:
        """As :meth:`continue_run`, piece by piece."""
        return self._stream(None, options)

    async def aclose(self) -> None:
        """Close the client."""
        await self.client.aclose()

    async def _run(self, prompt: Prompt | None, options: ChatOptions | None) -> AgentResponse:
        asked = self._begin(prompt, options)
        with self._conversation.turn() as turn:
            async with aclosing(self._whole_answers(asked)) as updates:
                async for update in updates:
                    turn.updates.append(update)
        return response_of(turn.response, stop_reason(turn.response, asked.tools))

    async def _stream(self, prompt: Prompt | None, options: ChatOptions | None) -> AsyncGenerator[AgentChunk, None]:
        asked = self._begin(prompt, options)
        calls: dict[str, ToolCallContent] = {}
        with self._conversation.turn() as turn:
            seen = turn.updates
            async with aclosing(self.client.stream(self.history, asked)) as updates:
                async for update in updates:
                    seen.append(update)
                    contents = update.contents
                    if len(contents) == 1 and type(contents[0]) is TextContent:
                        yield AgentChunk(contents[0].text)  # nearly every update of a stream
                    else:
                        for chunk in chunks_of(update, calls):
                            yield chunk
        yield AgentChunk(turn=response_of(turn.response, stop_reason(turn.response, asked.tools)))

    async def _whole_answers(self, options: ChatOptions) -> AsyncGenerator[ChatUpdate, None]:
        if isinstance(self.client, ToolCallingClient):
            async with aclosing(self.client.rounds(self.history, options)) as updates:
                async for update in updates:
                    yield update
        else:
            for update in as_updates(await self.client.complete(self.history, options)):
                yield update

    def _begin(self, prompt: Prompt | None, options: ChatOptions | None) -> ChatOptions:
        self._conversation.open_turn(prompt)
        return merge_options(self.options.having(instructions=self.instructions), options)


def merge_options(base: ChatOptions, turn: ChatOptions | None) -> ChatOptions:
    """The options of one turn: a field that ``turn`` sets replaces that of ``base``; instructions are joined."""
    if turn is None:
        return base
    values = {item.name: getattr(turn, item.name) for item in fields(turn)}
    changes = {name: value for name, value in values.items() if value != getattr(NO_OPTIONS, name)}
    if base.instructions and turn.instructions:
        changes["instructions"] = f"{base.instructions}\n\n{turn.instructions}"
    return base.having(**changes)
