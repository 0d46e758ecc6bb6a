"""A chat client that runs the tools its model asks for."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from ironhive.agent.invocation import answer_call, failed, refused, timed
from ironhive.agent.round import Turn
from ironhive.agent.stops import STOP_REASON, Refusal, StopReason
from ironhive.chat import NO_OPTIONS, ChatUpdate, FinishReason, TextContent, aggregate, as_updates
from ironhive.errors import BadAnswerError, ConfigurationError, ToolError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from ironhive.agent.pipeline import ToolPipeline
    from ironhive.chat import (
        ChatClient,
        ChatMessage,
        ChatOptions,
        ChatResponse,
        ClientMetadata,
        ToolCallContent,
        ToolResultContent,
    )
    from ironhive.contracts import Invoke

    Ask = Callable[[Sequence[ChatMessage], ChatOptions], AsyncGenerator[ChatUpdate, None]]


class ToolCallingClient:
    """Any chat client, made one that runs tools.

    The tools are those of the options. After an answer that asks for tools, they run one after the other and the model
    is asked again with their results, until it asks for none. An unknown tool, arguments that cannot be read and a tool
    that fails are told to the model, which may do better. Updates of the inner client pass through as they are; each
    result follows as an update of role ``tool``. Usage adds up over all rounds.

    A turn also ends when a tool is only declared (its call is left for the host to answer), when a step of the
    pipeline ends it, and at ``max_iterations``; the property ``stop_reason`` of the response then says so.

    :param pipeline: steps around each call.
    :param invoker: runs one call instead of :func:`~ironhive.agent.run_tool`, limits of time included; not both.
    :param max_iterations: how often the model is asked in one turn at most; calls of the last round are not run.
    :param max_consecutive_errors: after so many rounds in a row that brought nothing but failures the turn fails.
    :param tool_seconds: how long one tool may run; None is no limit. A tool's own ``max_seconds`` holds as well.
    :raises ConfigurationError: a limit is out of range, or both ``pipeline`` and ``invoker`` are given.
    """

    def __init__(
        self,
        client: ChatClient,
        *,
        pipeline: ToolPipeline | None = None,
        invoker: Invoke | None = None,
        max_iterations: int = 10,
        max_consecutive_errors: int = 3,
        tool_seconds: float | None = None,
    ) -> None:
        if pipeline is not None and invoker is not None:
            message = "give a tool calling client either a pipeline or an invoker, not both"
            raise ConfigurationError(message)
        if max_iterations < 1 or max_consecutive_errors < 1 or (tool_seconds is not None and tool_seconds <= 0):
            message = "max_iterations and max_consecutive_errors must be at least 1, and tool_seconds more than 0"
            raise ConfigurationError(message)
        self.inner = client
        self.max_iterations = max_iterations
        self.max_consecutive_errors = max_consecutive_errors
        innermost = timed(tool_seconds)
        self._invoke: Invoke = pipeline.around(innermost) if pipeline is not None else invoker or innermost

    @property
    def metadata(self) -> ClientMetadata | None:
        """Who answers behind this client."""
        return self.inner.metadata

    async def complete(self, messages: Sequence[ChatMessage], options: ChatOptions | None = None) -> ChatResponse:
        """The whole turn at once: every round's messages, results included.

        :raises ToolError: too many rounds in a row failed.
        :raises IronHiveError: whatever the inner client raises.
        """
        async with aclosing(self.rounds(messages, options)) as updates:
            return aggregate([update async for update in updates])

    def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions | None = None
    ) -> AsyncGenerator[ChatUpdate, None]:
        """The turn piece by piece. Raises as :meth:`complete` does."""
        return self._turn(messages, options or NO_OPTIONS, self.inner.stream)

    def rounds(
        self, messages: Sequence[ChatMessage], options: ChatOptions | None = None
    ) -> AsyncGenerator[ChatUpdate, None]:
        """The turn message by message: the model is asked for whole answers, and what happened so far is seen."""
        return self._turn(messages, options or NO_OPTIONS, self._ask_whole)

    async def aclose(self) -> None:
        """Close the inner client."""
        await self.inner.aclose()

    async def _ask_whole(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[ChatUpdate, None]:
        for update in as_updates(await self.inner.complete(messages, options)):
            yield update

    async def _turn(
        self, messages: Sequence[ChatMessage], options: ChatOptions, ask: Ask
    ) -> AsyncGenerator[ChatUpdate, None]:
        turn = Turn(messages, options)
        for number in range(1, self.max_iterations + 1):
            turn.begin_round()
            seen = turn.updates
            async with aclosing(ask(tuple(turn.conversation), turn.options)) as updates:
                async for update in updates:
                    contents = update.contents
                    if seen and len(contents) == 1 and type(contents[0]) is TextContent and not update.finish_reason:
                        seen.append(update)  # nearly every update of a stream: nothing to look at
                        yield update
                    else:
                        yield turn.take(update)
            if turn.is_answered:
                return
            calls = turn.end_round()
            if not calls and turn.finish_reason != FinishReason.MALFORMED_TOOL_CALL:
                return
            async with aclosing(self._after_round(turn, calls, last=number == self.max_iterations)) as answers:
                async for update in answers:
                    yield update
            if turn.stop_reason is not None:
                yield ChatUpdate(properties={STOP_REASON: turn.stop_reason})
                return

    async def _after_round(
        self, turn: Turn, calls: Sequence[ToolCallContent], *, last: bool
    ) -> AsyncGenerator[ChatUpdate, None]:
        if not calls:
            self._retry_malformed(turn, last=last)
            return
        answers = self._refuse_all(calls, turn) if last else self._run_all(calls, turn)
        async with aclosing(answers):
            async for result in answers:
                turn.results.append(result)
                yield ChatUpdate((result,), role="tool")
        last_result = turn.results[-1].result if turn.results else ""
        turn.close_round()
        if turn.failed_rounds >= self.max_consecutive_errors:
            message = f"gave up after {turn.failed_rounds} rounds of failing tool calls; the last: {last_result}"
            raise ToolError(message)

    async def _run_all(self, calls: Sequence[ToolCallContent], turn: Turn) -> AsyncGenerator[ToolResultContent, None]:
        ended_by: ToolResultContent | None = None
        for call in calls:
            tool = turn.tools.get(call.name)
            if tool is not None and tool.invoke is None:
                turn.stop_reason = turn.stop_reason or StopReason.AWAITING_HOST_TOOLS
                continue
            if ended_by is not None:
                text = "Tool call not run: an earlier call of this round ended the request."
                yield refused(call, text, ended_by.refusal) if ended_by.refusal else failed(call, text)
                continue
            outcome = await answer_call(call, tools=turn.tools, invoke=self._invoke, messages=turn.so_far())
            if outcome.terminate:
                turn.stop_reason = StopReason.TOOL_TERMINATED
                ended_by = outcome.result
            yield outcome.result

    async def _refuse_all(
        self, calls: Sequence[ToolCallContent], turn: Turn
    ) -> AsyncGenerator[ToolResultContent, None]:
        turn.stop_reason = StopReason.STEP_LIMIT
        text = f"Tool call not run: this turn has used up its {self.max_iterations} model calls."
        for call in calls:
            yield refused(call, text, Refusal.STEP_LIMIT)

    def _retry_malformed(self, turn: Turn, *, last: bool) -> None:
        """Tell the model once that its call could not be read; a second time the turn has failed."""
        if last or turn.malformed_rounds:
            message = "the model's tool call could not be read, and asking again did not help; try another model"
            raise BadAnswerError(message)
        turn.ask_again("Your last tool call was malformed and was not run. Make the call again, or answer in text.")
