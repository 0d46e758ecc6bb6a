"""The complete generator around an engine."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ironhive.chat import ChatMessage, ChatUpdate, FinishReason, TextContent, Usage, UsageContent
from ironhive.chat.thinking import THINK_CLOSE, THINK_OPEN
from ironhive.errors import ModelError
from ironhive.inference.calls import CLOSER, OPENER, read_call
from ironhive.inference.conversation import alternating
from ironhive.inference.engine import DEFAULT_SAMPLING, Job, Sampling, Tally
from ironhive.inference.plan import effective, make_plan
from ironhive.inference.reader import AnswerReader
from ironhive.inference.worker import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from ironhive.chat import ChatOptions
    from ironhive.contracts import GeneratorInfo
    from ironhive.inference.engine import Engine, Guide
    from ironhive.inference.plan import Plan
    from ironhive.inference.worker import Ticket

ATTEMPTS = 4
"""How often a guided value is drawn until it also fits what the grammar could not express."""
QUEUE_SECONDS = 300.0
"""How long a request waits for its turn unless the caller says otherwise."""


class EngineGenerator:
    """A :class:`ironhive.contracts.Generator` around an :class:`~ironhive.inference.Engine`.

    :param engine: the loaded model; owned from now on.
    :param queue_seconds: how long a request may wait for its turn; None is no limit.
    :param defaults: the sampling used where options say nothing.
    """

    def __init__(
        self, engine: Engine, *, queue_seconds: float | None = QUEUE_SECONDS, defaults: Sampling = DEFAULT_SAMPLING
    ) -> None:
        self._engine = engine
        self._queue_seconds = queue_seconds
        self._defaults = defaults
        self._worker = Worker(f"ironhive-{engine.info.backend}", at_end=engine.close)

    @property
    def info(self) -> GeneratorInfo:
        """What was loaded."""
        return self._engine.info

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions | None = None
    ) -> AsyncGenerator[ChatUpdate, None]:
        """Generate an answer; see :meth:`ironhive.contracts.Generator.stream`.

        :raises ModelBusyError: its turn did not come in time.
        :raises ContextOverflowError: the conversation does not fit the window.
        """
        plan = make_plan(messages, effective(options), native=self._engine.native_calls, defaults=self._defaults)
        work = partial(_answer, self._engine, plan)
        async with aclosing(self._worker.stream(work, wait_seconds=self._queue_seconds)) as updates:
            async for update in updates:
                yield update

    async def count_tokens(self, text: str) -> int:
        """How many tokens the model makes of a text."""
        return await asyncio.to_thread(self._engine.count, text)

    async def score(
        self, messages: Sequence[ChatMessage], continuations: Sequence[str], *, start: str = ""
    ) -> list[float]:
        """How likely the model finds each text as the answer; see :class:`ironhive.contracts.Scorer`."""
        plan = make_plan(messages, effective(None), native=self._engine.native_calls, defaults=self._defaults)
        work = partial(_score, self._engine, plan, tuple(continuations), start)
        async with aclosing(self._worker.stream(work, wait_seconds=self._queue_seconds)) as answers:
            return [value async for value in answers]

    async def warm_up(self) -> None:
        """Run one short request, so that the first real one does not pay for page faults and lazy allocation."""
        options = effective(None).having(max_output_tokens=1, temperature=0.0)
        async with aclosing(self.stream((ChatMessage.user("hi"),), options)) as updates:
            async for _ in updates:
                pass

    async def aclose(self) -> None:
        """Unload the model; a running request is stopped, waiting ones fail."""
        await self._worker.aclose()


def _answer(engine: Engine, plan: Plan, ticket: Ticket[ChatUpdate]) -> None:
    """One request, in the engine's thread."""
    prompt = _render(engine, plan)
    response_id = f"local_{uuid.uuid4().hex[:24]}"
    ticket.emit(ChatUpdate(role="assistant", response_id=response_id, model=engine.info.model_id))
    if plan.forced:
        _forced_call(engine, plan, prompt, ticket)
    elif plan.guide is not None and not plan.guide.opener:
        _structured(engine, plan, prompt, ticket)
    else:
        _free(engine, plan, prompt, ticket)


def _score(engine: Engine, plan: Plan, continuations: tuple[str, ...], start: str, ticket: Ticket[float]) -> None:
    for value in engine.score(_render(engine, plan) + start, continuations, ticket.stopped):
        ticket.emit(value)


def _render(engine: Engine, plan: Plan) -> str:
    render = partial(engine.render, tools=plan.described, thinking=plan.thinking)
    try:
        prompt = render(plan.messages)
    except ModelError:
        prompt = render(alternating(plan.messages))
    if plan.thinking is False and _opens_thinking(prompt):
        prompt += f"\n{THINK_CLOSE}\n\n"
    return prompt


def _opens_thinking(prompt: str) -> bool:
    return prompt.rstrip().endswith(THINK_OPEN)


def _free(engine: Engine, plan: Plan, prompt: str, ticket: Ticket[ChatUpdate]) -> None:
    """Text, reasoning and calls as the model likes."""
    total = Tally()
    seen = ""
    for attempt in range(ATTEMPTS):
        resumed = attempt > 0
        guide = replace(plan.guide, opener="") if plan.guide is not None and resumed else plan.guide
        reader = AnswerReader(
            stops=plan.stops,
            tools=plan.tools,
            thinking_open=_opens_thinking(prompt),
            show_reasoning=plan.show_reasoning,
        )
        if resumed:
            list(reader.feed(seen))
        job = _job(plan, prompt + seen, ticket, guide, attempt, used=total.output_tokens)
        written = _read(engine, job, reader, ticket)
        _add(total, job.tally)
        if reader.broken is None or ticket.stopped() or job.tally.hit_limit or reader.calls:
            break
        seen = (seen + written)[: (seen + written).rfind(OPENER) + len(OPENER)] + "\n"
    if not ticket.stopped():
        ticket.emit(_last(_finish_of(reader, total), total))


def _read(engine: Engine, job: Job, reader: AnswerReader, ticket: Ticket[ChatUpdate]) -> str:
    pieces = engine.decode(job)
    written: list[str] = []
    for piece in pieces:
        written.append(piece)
        for part in reader.feed(piece):
            ticket.emit(ChatUpdate((part,)))
        if reader.stopped:
            break
    for part in reader.finish():
        ticket.emit(ChatUpdate((part,)))
    return "".join(written)


def _finish_of(reader: AnswerReader, tally: Tally) -> str:
    if reader.calls:
        return FinishReason.TOOL_CALLS
    if tally.hit_limit and not reader.stopped:
        return FinishReason.LENGTH
    if reader.broken is not None or reader.in_call:
        return FinishReason.MALFORMED_TOOL_CALL
    return FinishReason.STOP


def _forced_call(engine: Engine, plan: Plan, prompt: str, ticket: Ticket[ChatUpdate]) -> None:
    """Exactly one call; it leaves only whole and valid."""
    total = Tally()
    finish = FinishReason.MALFORMED_TOOL_CALL
    for attempt in range(ATTEMPTS):
        job = _job(plan, f"{prompt}{OPENER}\n", ticket, plan.guide, attempt)
        body = "".join(engine.decode(job))
        _add(total, job.tally)
        if ticket.stopped():
            return
        if job.tally.hit_limit:
            finish = FinishReason.LENGTH
            break
        call = read_call(body.removesuffix(CLOSER), plan.tools)
        if call.error is None:
            ticket.emit(ChatUpdate((call,)))
            finish = FinishReason.TOOL_CALLS
            break
        finish = FinishReason.MALFORMED_TOOL_CALL
    ticket.emit(_last(finish, total))


def _structured(engine: Engine, plan: Plan, prompt: str, ticket: Ticket[ChatUpdate]) -> None:
    """JSON under a schema, streamed."""
    total = Tally()
    job = _job(plan, prompt, ticket, plan.guide, 0)
    for piece in engine.decode(job):
        ticket.emit(ChatUpdate((TextContent(piece),)))
    _add(total, job.tally)
    if not ticket.stopped():
        ticket.emit(_last(FinishReason.LENGTH if total.hit_limit else FinishReason.STOP, total))


def _job(
    plan: Plan, prompt: str, ticket: Ticket[ChatUpdate], guide: Guide | None, attempt: int, *, used: int = 0
) -> Job:
    """A further attempt draws other tokens: greedy decoding would repeat itself."""
    sampling = plan.sampling
    if attempt:
        seed = None if sampling.seed is None else sampling.seed + attempt
        sampling = replace(sampling, temperature=max(sampling.temperature, 0.5), seed=seed)
    sampling = replace(sampling, max_tokens=max(1, sampling.max_tokens - used))
    return Job(prompt, sampling, guide, ticket.stopped)


def _add(total: Tally, one: Tally) -> None:
    """Usage of several attempts: the prompt counts once, what was written counts always."""
    total.prompt_tokens = total.prompt_tokens or one.prompt_tokens
    total.cached_tokens = total.cached_tokens or one.cached_tokens
    total.output_tokens += one.output_tokens
    total.prompt_seconds += one.prompt_seconds
    total.output_seconds += one.output_seconds
    total.hit_limit = one.hit_limit


def _last(finish: str, tally: Tally) -> ChatUpdate:
    usage = Usage(
        input_tokens=tally.prompt_tokens,
        output_tokens=tally.output_tokens,
        total_tokens=tally.prompt_tokens + tally.output_tokens,
        cached_input_tokens=tally.cached_tokens,
    )
    fresh = tally.prompt_tokens - tally.cached_tokens
    timings = {
        "prompt_seconds": tally.prompt_seconds,
        "output_seconds": tally.output_seconds,
        "prompt_tokens_per_second": fresh / tally.prompt_seconds if tally.prompt_seconds else None,
        "output_tokens_per_second": tally.output_tokens / tally.output_seconds if tally.output_seconds else None,
        "cached_tokens": tally.cached_tokens,
    }
    return ChatUpdate((UsageContent(usage),), finish_reason=finish, properties={"timings": timings})
