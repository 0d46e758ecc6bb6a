"""The driver of a tiny model: what :class:`~ironhive_plugins.providers.lmsupply.bridge.GeneratorClient` talks to."""

from __future__ import annotations

import uuid
from contextlib import aclosing
from typing import TYPE_CHECKING

from ironhive.chat import ChatUpdate, FinishReason, ToolCallContent
from ironhive_plugins.providers.lmsupply.tiny.answer import defaults, from_facts, from_knowledge
from ironhive_plugins.providers.lmsupply.tiny.choice import Chooser, usable_tools
from ironhive_plugins.providers.lmsupply.tiny.facts import FACTS, facts
from ironhive_plugins.providers.lmsupply.tiny.turn import read_turn

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from ironhive.chat import ChatMessage, ChatOptions
    from ironhive.contracts import Generator, GeneratorInfo

TINY = 1_000_000_000
"""Parameters below which a model is driven this way."""


def is_tiny(info: GeneratorInfo) -> bool:
    """Whether a model is small enough to need it; a model whose size is unknown is not."""
    return info.parameters is not None and info.parameters < TINY


class TinyModel:
    """Answers like a generator; see the package for how."""

    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self._chooser = Chooser(generator)

    async def stream(self, messages: Sequence[ChatMessage], options: ChatOptions) -> AsyncGenerator[ChatUpdate, None]:
        """One round: a tool call, or the answer."""
        async with aclosing(self._source(messages, options)) as updates:
            async for update in updates:
                yield update

    def _source(self, messages: Sequence[ChatMessage], options: ChatOptions) -> AsyncGenerator[ChatUpdate, None]:
        free = bool(options.tools) and options.tool_mode in {None, "auto"} and options.response_format is None
        if not free:  # a forced call or a schema is the grammar's business, not a choice
            return self._generator.stream(messages, defaults(options))
        return self._round(messages, options)

    async def _round(self, messages: Sequence[ChatMessage], options: ChatOptions) -> AsyncGenerator[ChatUpdate, None]:
        turn = read_turn(messages)
        known = facts(turn.steps)
        tools = usable_tools(options.tools)
        call = await self._chooser.next_call(tools, turn, fill=sum(map(len, known)) / FACTS, options=options)
        if call is not None:
            content = ToolCallContent(f"call_{uuid.uuid4().hex[:24]}", call.tool, dict(call.arguments))
            yield ChatUpdate((content,), role="assistant", model=self._generator.info.model_id)
            yield ChatUpdate(finish_reason=FinishReason.TOOL_CALLS)
            return
        answer = (
            from_facts(self._generator, turn, known, options)
            if known
            else from_knowledge(self._generator, turn, options)
        )
        async with aclosing(answer) as updates:
            async for update in updates:
                yield update
