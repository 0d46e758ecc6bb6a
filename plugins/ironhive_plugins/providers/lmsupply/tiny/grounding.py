"""Which of several answers keeps to the facts, and which of its sentences do not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WORD = re.compile(r"[^\W\d_]{4,}")
NUMBER = re.compile(r"\d+")
FILE_NAME = re.compile(r"[\w-]+(?:\.[A-Za-z]\w*)+")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`(])|\n+")
STEM = 5
NUMBER_WEIGHT = 3.0
"""A number or a file name out of the air weighs as much as three words."""
MADE_UP = 0.6
"""A sentence this strange says something the facts do not."""


def strangeness(answer: str, parts: Sequence[str]) -> float:
    """How much of an answer the facts do not mention: 0 is nothing, above 1 is mostly out of the air.

    :param parts: the facts, one text per source; the first one is known everywhere. A sentence is held against the
        source that fits it best: one that mixes two sources says something that neither does.
    """
    sentences = split(answer)
    weights = [max(1, len(sentence.split())) for sentence in sentences]
    values = [_sentence(sentence, parts) for sentence in sentences]
    total = sum(weight * value for weight, value in zip(weights, values, strict=True))
    return total / sum(weights) if weights else 1.0


def supported(answer: str, parts: Sequence[str]) -> str:
    """The answer without sentences that are made up; as it is where all are."""
    kept = [sentence for sentence in split(answer) if _sentence(sentence, parts) < MADE_UP]
    return " ".join(kept) if kept else answer


def whole_sentences(answer: str) -> str:
    """An answer that was cut, up to its last full stop; as it is where it has none."""
    end = max(answer.rfind(mark) for mark in (". ", "! ", "? ", ".\n"))
    return answer[: end + 1] if end > 0 else answer


def repeats(answer: str) -> float:
    """The share of an answer's word triples that occur more than once."""
    words = answer.lower().split()
    triples = list(zip(words, words[1:], words[2:], strict=False))
    return 1 - len(set(triples)) / len(triples) if triples else 0.0


def most_agreed(answers: Sequence[str]) -> int:
    """The place of the answer that shares most words with the others: the minimum-risk choice among samples."""
    bags = [{word[:STEM].lower() for word in re.findall(r"\w+", answer)} for answer in answers]
    shares = [
        sum(len(bag & other) / max(1, len(bag | other)) for place, other in enumerate(bags) if place != own)
        for own, bag in enumerate(bags)
    ]
    return max(range(len(answers)), key=shares.__getitem__)


def split(answer: str) -> list[str]:
    """Sentences and lines."""
    return [sentence for sentence in SENTENCE_END.split(answer.strip()) if sentence.strip()]


def _sentence(sentence: str, parts: Sequence[str]) -> float:
    everywhere = parts[0] if parts else ""
    return min(
        (_against(sentence, f"{everywhere}\n{part}") for part in parts[1:]), default=_against(sentence, everywhere)
    )


def _against(sentence: str, facts: str) -> float:
    """Words count by their first letters, so that "counts" and "counting" are one."""
    stems = {word[:STEM].lower() for word in WORD.findall(facts)}
    numbers = set(NUMBER.findall(facts))
    words = WORD.findall(sentence)
    strange = sum(word[:STEM].lower() not in stems for word in words)
    invented = sum(number not in numbers for number in NUMBER.findall(sentence))
    names = set(FILE_NAME.findall(facts.lower()))
    invented += sum(name not in names for name in FILE_NAME.findall(sentence.lower()))
    return (strange + NUMBER_WEIGHT * invented) / max(5, len(words))
