"""Stops an answer that repeats itself: small local models fall into saying the same words until the token limit."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ironhive.chat import ChatUpdate, FinishReason, ResponseBuilder
from ironhive.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from ironhive.chat import ChatClient, ChatMessage, ChatOptions, ChatResponse, ClientMetadata

REPEATED_UNIT_KEY: Final = "ironhive.degeneration.unit"
"""The property of the last update and of the response that holds the repeated unit."""

_WORDS_RUN: Final = 15
"""Characters of repetition that end an answer when words repeat within a line: "to to to to to", and more than the four
copies of a short syllable that people write on purpose."""

_SENTENCE_LETTERS: Final = 10
"""Letters in at least two words from which a unit with commas or digits in it is a sentence, not a list of values."""

_PROSE_MARKS: Final = frozenset(" \t\n.!?'\u2019\u2026\u3002\uff01\uff1f-")
_SENTENCE_MARKS: Final = frozenset(',;:"()0123456789\u3001\uff0c\uff1b\uff1a\u201c\u201d\u2018\u00ab\u00bb')


@dataclass(frozen=True, slots=True)
class DegenerationOptions:
    """When an answer counts as repeating itself.

    :param window: characters at the end of the answer that are looked at.
    :param max_period: the longest unit, in characters.
    :param min_repeats: copies in a row, at least 2.
    :raises ConfigurationError: a number is too small.
    """

    window: int = 240
    max_period: int = 60
    min_repeats: int = 4

    def __post_init__(self) -> None:
        for name, least in (("window", 2), ("max_period", 1), ("min_repeats", 2)):
            if getattr(self, name) < least:
                message = f"degeneration stop: {name} must be at least {least}, not {getattr(self, name)}"
                raise ConfigurationError(message, key=name)


_DEFAULTS: Final = DegenerationOptions()


def find_repeating_unit(text: str, options: DegenerationOptions = _DEFAULTS) -> str | None:
    """The unit that the end of a text repeats, None when the text is fine.

    A unit contains a letter, is at most ``max_period`` characters long, and fills the end of the text with at least
    ``min_repeats`` copies. How long the repetition must be depends on what repeats, so that good answers are not cut:
    words of one line 15 characters; lines a quarter of the window; a single letter ("hmmmm", "AAAA", "ff ff") half of
    it; anything with the marks of tables, markup, code or lists of values the whole window. The smallest unit counts;
    it may begin inside a word.
    """
    tail = text[-options.window :]
    for period in range(1, min(options.max_period, len(tail) // options.min_repeats) + 1):
        if tail[-1] != tail[-1 - period]:
            continue
        span = period * options.min_repeats
        if tail[-span:-period] != tail[-span + period :]:
            continue
        unit = tail[-period:]
        if any(map(str.isalpha, unit)) and _run(tail, period) >= _least_run(unit, options.window):
            return unit
    return None


def _run(tail: str, period: int) -> int:
    """How many characters at the end repeat with this period."""
    at = len(tail) - 1
    while at >= period and tail[at] == tail[at - period]:
        at -= 1
    return len(tail) - 1 - at + period


def _least_run(unit: str, window: int) -> int:
    marks = {character for character in unit if not character.isalpha() and not _is_accent(character)} - _PROSE_MARKS
    if marks - _SENTENCE_MARKS or (marks and not _is_sentence(unit)):
        return window
    if len({character for character in unit.casefold() if character.isalpha()}) == 1:
        return window // 2
    return window // 4 if "\n" in unit else _WORDS_RUN


def _is_sentence(unit: str) -> bool:
    """Several words with enough letters, counted around the end: a unit may begin inside a word."""
    words = sum(unit[at].isalpha() and not unit[at - 1].isalpha() for at in range(len(unit)))
    return words > 1 and sum(map(str.isalpha, unit)) >= _SENTENCE_LETTERS


def _is_accent(character: str) -> bool:
    """Part of a letter: an accent or a vowel sign of its own."""
    import unicodedata

    return unicodedata.category(character).startswith("M")


class DegenerationStopClient:
    """Any chat client, with answers that repeat themselves ended.

    What was already shown stays. The last update, and the response of ``complete``, have the finish reason
    ``degeneration`` and the repeated unit under :data:`REPEATED_UNIT_KEY`. Text and reasoning are watched apart.
    ``complete`` is served through the stream, so that it ends early as well.
    """

    def __init__(self, client: ChatClient, options: DegenerationOptions = _DEFAULTS) -> None:
        self._client = client
        self._options = options

    @property
    def metadata(self) -> ClientMetadata | None:
        """That of the wrapped client."""
        return self._client.metadata

    async def complete(self, messages: Sequence[ChatMessage], options: ChatOptions | None = None) -> ChatResponse:
        """The whole answer, as far as it is good."""
        builder = ResponseBuilder()
        async with aclosing(self.stream(messages, options)) as updates:
            async for update in updates:
                builder.add(update)
        return builder.build()

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions | None = None
    ) -> AsyncGenerator[ChatUpdate, None]:
        """The answer piece by piece; on a repetition the inner stream is closed and one last update follows."""
        watch = _Watch(self._options)
        async with aclosing(self._client.stream(messages, options)) as updates:
            async for update in updates:
                yield update
                if watch.repeats(update):
                    break
        if watch.unit is not None:
            yield ChatUpdate(
                finish_reason=FinishReason.DEGENERATION,
                role="assistant",
                response_id=watch.response_id,
                message_id=watch.message_id,
                properties={REPEATED_UNIT_KEY: watch.unit},
            )

    async def aclose(self) -> None:
        """Close the wrapped client."""
        await self._client.aclose()


def with_degeneration_stop(
    client: ChatClient, *, window: int = 240, max_period: int = 60, min_repeats: int = 4
) -> DegenerationStopClient:
    """Wrap any client, a gateway included, so that it stops answers that repeat themselves.

    Parameters as in :class:`DegenerationOptions`. Around a gateway the text that was let through is still inspected.

    :raises ConfigurationError: a number is too small.
    """
    return DegenerationStopClient(client, DegenerationOptions(window, max_period, min_repeats))


class _Watch:
    """The ends of what one stream has said."""

    def __init__(self, options: DegenerationOptions) -> None:
        self._options = options
        self._text = ""
        self._reasoning = ""
        self.unit: str | None = None
        self.response_id: str | None = None
        self.message_id: str | None = None

    def repeats(self, update: ChatUpdate) -> bool:
        """Take an update; True when the answer has begun to repeat itself."""
        self.response_id = update.response_id or self.response_id
        self.message_id = update.message_id or self.message_id
        if update.finish_reason is not None:
            return False  # it has ended by itself
        text, reasoning = update.text, update.reasoning
        if text:
            self._text = (self._text + text)[-self._options.window :]
            self.unit = find_repeating_unit(self._text, self._options)
        if reasoning and self.unit is None:
            self._reasoning = (self._reasoning + reasoning)[-self._options.window :]
            self.unit = find_repeating_unit(self._reasoning, self._options)
        return self.unit is not None
