"""Answering: from what was found, or from what the model knows."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from ironhive.chat import ChatMessage, ChatUpdate, FinishReason, TextContent, UsageContent, aggregate
from ironhive_plugins.providers.lmsupply.tiny.grounding import (
    most_agreed,
    repeats,
    strangeness,
    supported,
    whole_sentences,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Sequence

    from ironhive.chat import ChatOptions, ChatResponse
    from ironhive.contracts import Generator
    from ironhive_plugins.providers.lmsupply.tiny.turn import TurnSoFar

SAMPLING = {"repetition_penalty": 1.1, "min_p": 0.05}
TEMPERATURE = 0.3
"""Greedy decoding repeats itself at this size; more than this wanders off."""
DRAFTS = 6
SHORT = 8
NAMES_ONLY = 0.4
GOOD_ENOUGH = 0.2
"""A draft this close to the facts is taken at once."""
LONGEST = 160
LONG = 400
SHORT_ANSWER = 64
OPINIONS = 5
LOOKS_LONG = 3
EARLIER = 4
GUIDING = 240
"""Characters of system text up to which it guides such a model more than it misleads it."""
SYSTEM = "You answer briefly and truthfully."


@dataclass(frozen=True, slots=True)
class Draft:
    """One attempt at an answer, and how bad it is: 0 is best."""

    text: str
    finish: str | None
    fault: float


async def from_facts(
    generator: Generator, turn: TurnSoFar, facts: Sequence[str], options: ChatOptions
) -> AsyncGenerator[ChatUpdate, None]:
    """Several short drafts from the restated facts, and of these the one that keeps to them best."""
    drafts: list[ChatResponse] = []
    best: Draft | None = None
    while len(drafts) < DRAFTS and (best is None or best.fault > GOOD_ENOUGH):
        # the last one is drawn from the names alone: little to say, and little to get wrong
        known, extra = (facts, 0.0) if len(drafts) < DRAFTS - 1 else (facts[:1], NAMES_ONLY)
        messages = _question(known, turn.request)
        drafts.append(await _draft(generator, messages, _bounded(options, len(drafts), LONGEST)))
        draft = _judged(drafts[-1], facts, extra)
        best = draft if best is None or draft.fault < best.fault else best
    if best is not None:
        for update in _as_updates(best.text, best.finish, drafts):
            yield update


def _question(facts: Sequence[str], request: str) -> tuple[ChatMessage, ...]:
    known = "\n\n".join(part for part in facts if part)
    prompt = f"{known}\n\nBased on the text above, answer in two sentences: {request}"
    return ChatMessage.system(SYSTEM), ChatMessage.user(prompt)


async def from_knowledge(
    generator: Generator, turn: TurnSoFar, options: ChatOptions
) -> AsyncGenerator[ChatUpdate, None]:
    """The request as it is, with the last turns of the conversation before it. Several short answers are drawn, and the
    one that agrees best with the others is given: what such a model knows comes back, what it makes up differs every
    time. Where none of them comes to an end, the request wants a long answer, and gets one.
    """
    system = (options.instructions or "").strip()
    short = system if 0 < len(system) <= GUIDING else SYSTEM
    messages = (ChatMessage.system(short), *turn.earlier[-EARLIER:], ChatMessage.user(turn.request))
    drafts: list[ChatResponse] = []
    while len(drafts) < OPINIONS and (len(drafts) < LOOKS_LONG or _ended(drafts)):
        drafts.append(await _draft(generator, messages, _bounded(options, len(drafts), SHORT_ANSWER)))
    ended = _ended(drafts)
    if not ended:
        limit = options.max_output_tokens or LONG
        ended = [await _draft(generator, messages, _bounded(options, 0, limit))]
    chosen = ended[most_agreed([_tidy(draft.text) for draft in ended])]
    for update in _as_updates(
        _tidy(chosen.text), chosen.finish_reason, [*drafts, *(() if chosen in drafts else (chosen,))]
    ):
        yield update


def defaults(options: ChatOptions) -> ChatOptions:
    """The options with the sampling that suits such a model where they say nothing."""
    return options.having(
        temperature=TEMPERATURE if options.temperature is None else options.temperature,
        properties={**SAMPLING, **options.properties},
    )


def _bounded(options: ChatOptions, number: int, limit: int) -> ChatOptions:
    seed = None if options.seed is None else options.seed + number
    return defaults(options).having(
        max_output_tokens=min(options.max_output_tokens or limit, limit),
        seed=seed,
        tools=(),
        tool_mode=None,
        instructions=None,
        response_format=None,
    )


def _as_updates(text: str, finish: str | None, drafts: Sequence[ChatResponse]) -> Iterator[ChatUpdate]:
    """The chosen answer; the usage counts every draft."""
    last = drafts[-1]
    yield ChatUpdate((TextContent(text),), role="assistant", model=last.model, response_id=last.response_id)
    usages = [draft.usage for draft in drafts if draft.usage is not None]
    contents = (UsageContent(reduce(add, usages)),) if usages else ()
    yield ChatUpdate(contents, finish_reason=finish, properties=last.properties)


def _ended(drafts: Sequence[ChatResponse]) -> list[ChatResponse]:
    """The drafts that came to an end by themselves."""
    return [draft for draft in drafts if draft.finish_reason == FinishReason.STOP and draft.text.strip()]


async def _draft(generator: Generator, messages: tuple[ChatMessage, ...], options: ChatOptions) -> ChatResponse:
    async with aclosing(generator.stream(messages, options)) as updates:
        return aggregate([update async for update in updates])


def _judged(response: ChatResponse, facts: Sequence[str], extra: float) -> Draft:
    text = _tidy(response.text)
    fault = extra + strangeness(text, facts) + repeats(text)
    if response.finish_reason != FinishReason.STOP:
        fault += 1.0
        text = whole_sentences(text)
    kept = supported(text, facts)
    if len(kept.split()) < SHORT:
        fault += 0.2
    if " says:" in text or not text[:1].isalnum():  # it copies, lists or quotes instead of answering
        fault += 0.5
    if not text.startswith(kept[:20]):  # what it began with is not so, and the rest hangs in the air
        fault += 0.5
    return Draft(kept, response.finish_reason, fault)


def _tidy(text: str) -> str:
    """Without the label that prompts of this form are answered with now and then."""
    text = text.strip()
    for label in ("Answer:", "A:"):
        text = text.removeprefix(label).lstrip()
    return text
