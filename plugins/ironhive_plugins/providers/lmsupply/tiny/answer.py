"""Answering: from what was found, or from what the model knows."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ironhive.chat import ChatMessage, ChatUpdate, FinishReason, TextContent, UsageContent, aggregate
from ironhive_plugins.providers.lmsupply.tiny.grounding import repeats, strangeness, supported

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from ironhive.chat import ChatOptions, ChatResponse, Usage
    from ironhive.contracts import Generator
    from ironhive_plugins.providers.lmsupply.tiny.turn import TurnSoFar

SAMPLING = {"repetition_penalty": 1.1, "min_p": 0.05}
TEMPERATURE = 0.3
"""Greedy decoding repeats itself at this size; more than this wanders off."""
DRAFTS = 6
SHORT = 8
GOOD_ENOUGH = 0.2
"""A draft this close to the facts is taken at once."""
LONGEST = 160
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
    known = "\n\n".join(part for part in facts if part)
    prompt = f"{known}\n\nBased on the text above, answer in two sentences: {turn.request}"
    messages = (ChatMessage.system(SYSTEM), ChatMessage.user(prompt))
    best: Draft | None = None
    usage: Usage | None = None
    last: ChatResponse | None = None
    for number in range(DRAFTS):
        last = await _draft(generator, messages, _short(options, number))
        usage = last.usage if usage is None or last.usage is None else usage + last.usage
        draft = _judged(last, facts)
        if best is None or draft.fault < best.fault:
            best = draft
        if best.fault <= GOOD_ENOUGH:
            break
    if best is None or last is None:
        return
    yield ChatUpdate((TextContent(best.text),), role="assistant", model=last.model, response_id=last.response_id)
    contents = (UsageContent(usage),) if usage is not None else ()
    yield ChatUpdate(contents, finish_reason=best.finish, properties=last.properties)


async def from_knowledge(
    generator: Generator, turn: TurnSoFar, options: ChatOptions
) -> AsyncGenerator[ChatUpdate, None]:
    """The request as it is, with the last turns of the conversation before it."""
    system = (options.instructions or "").strip()
    short = system if 0 < len(system) <= GUIDING else SYSTEM
    messages = (ChatMessage.system(short), *turn.earlier[-EARLIER:], ChatMessage.user(turn.request))
    async with aclosing(generator.stream(messages, defaults(options).having(instructions=None, tools=()))) as updates:
        async for update in updates:
            yield update


def defaults(options: ChatOptions) -> ChatOptions:
    """The options with the sampling that suits such a model where they say nothing."""
    return options.having(
        temperature=TEMPERATURE if options.temperature is None else options.temperature,
        properties={**SAMPLING, **options.properties},
    )


def _short(options: ChatOptions, number: int) -> ChatOptions:
    limit = min(options.max_output_tokens or LONGEST, LONGEST)
    seed = None if options.seed is None else options.seed + number
    return defaults(options).having(
        max_output_tokens=limit, seed=seed, tools=(), tool_mode=None, instructions=None, response_format=None
    )


async def _draft(generator: Generator, messages: tuple[ChatMessage, ...], options: ChatOptions) -> ChatResponse:
    async with aclosing(generator.stream(messages, options)) as updates:
        return aggregate([update async for update in updates])


def _judged(response: ChatResponse, facts: Sequence[str]) -> Draft:
    text = _tidy(response.text)
    fault = strangeness(text, facts) + repeats(text)
    if response.finish_reason != FinishReason.STOP:
        fault += 1.0
    if len(text.split()) < SHORT:
        fault += 0.2
    return Draft(supported(text, facts), response.finish_reason, fault)


def _tidy(text: str) -> str:
    """Without the label that prompts of this form are answered with now and then."""
    text = text.strip()
    for label in ("Answer:", "A:"):
        text = text.removeprefix(label).lstrip()
    return text
