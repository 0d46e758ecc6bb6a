"""The lexicon: which words carry which concept, in every language at once.

Rules are written over concepts ("a word of overriding near a word for instructions"), so a language is added by adding
words.
A lexicon file holds ``CONCEPT: entry, entry`` lines. In scripts with spaces an entry is a word, a beginning of words
(``word*``) or a phrase; in Chinese, Japanese and Korean it is a piece of text that may stand anywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING

from ironhive_plugins.guards.fluxguard.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Sequence

LANGUAGES = ("en", "ko", "ja", "zh", "es", "de", "fr", "ru", "pt", "ar", "hi", "it")
WORD = re.compile(r"(?:[^\W_]|[\u0900-\u0903\u093a-\u094f]){1,64}(?:'(?:[^\W_]){1,64})?")
"""A word, or a piece of one: what is longer than any word is read in pieces."""

UNSPACED = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ARABIC_PREFIX = re.compile(
    "^[\u0648\u0641]?[\u0628\u0644\u0643]?(?:\u0627\u0644|\u0644\u0644)?(?=..)"
)  # and/so, in/for/like, the
_LONGEST_STEM = 24
Phrase = tuple[tuple[str, ...], int]


@dataclass(slots=True)
class Lexicon:
    """Words by concept mask. ``bits`` names the concepts; ``phrases`` is keyed by the first word of a phrase."""

    bits: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    stems: dict[str, int] = field(default_factory=dict)
    pieces: dict[str, int] = field(default_factory=dict)
    phrases: dict[str, list[Phrase]] = field(default_factory=dict)
    phrase_stems: dict[str, list[Phrase]] = field(default_factory=dict)
    openings: frozenset[str] = frozenset()
    """The first two letters of every beginning: most words are done after one look."""

    def bit(self, concept: str) -> int:
        """The bit of a concept, made on first use."""
        return self.bits.setdefault(concept, 1 << len(self.bits))

    def mask(self, concepts: str) -> int:
        """The union of concepts joined by ``|``; raises KeyError for one that no lexicon knows."""
        mask = 0
        for concept in concepts.split("|"):
            mask |= self.bits[concept]
        return mask

    def add(self, concept: str, entry: str) -> None:
        """Give ``concept`` one more entry."""
        bit = self.bit(concept)
        entry = normalise(entry.strip()).text
        if not entry:
            return
        if UNSPACED.search(entry):
            words = entry.split()
            joined = "".join(words)
            self.pieces[joined] = self.pieces.get(joined, 0) | bit
            if len(words) > 1:  # Korean may write the words of a phrase apart, each with an ending of its own
                rest = tuple(f"{word}*" for word in words[1:])
                self.phrase_stems.setdefault(words[0], []).append((rest, bit))
            return
        words = re.findall(WORD.pattern + r"\*?", entry)
        if len(words) == 1:
            self._add_word(words[0], bit)
        elif words:
            target = self.phrase_stems if words[0].endswith("*") else self.phrases
            target.setdefault(words[0].rstrip("*"), []).append((tuple(words[1:]), bit))

    def _add_word(self, word: str, bit: int) -> None:
        target = self.stems if word.endswith("*") else self.words
        word = word.rstrip("*")
        target[word] = target.get(word, 0) | bit

    def lookup(self, word: str) -> tuple[int, list[Phrase]]:
        """The concepts of one word of a script with spaces, and the phrases that may begin with it."""
        word = word.removesuffix("'s")
        mask = self.words.get(word, 0)
        phrases = list(self.phrases.get(word, ()))
        if "\u0620" <= word[0] <= "\u064a":
            bare = _ARABIC_PREFIX.sub("", word)
            if bare != word:
                mask, phrases = self.lookup(bare)
                mask |= self.words.get(word, 0)
        if word[:2] in self._openings():
            for end in range(2, min(len(word), _LONGEST_STEM) + 1):
                beginning = word[:end]
                mask |= self.stems.get(beginning, 0)
                phrases += self.phrase_stems.get(beginning, ())
        return mask, phrases

    def _openings(self) -> frozenset[str]:
        if not self.openings:
            self.openings = frozenset(stem[:2] for stem in (*self.stems, *self.phrase_stems))
        return self.openings


def load_lexicon(languages: tuple[str, ...] = LANGUAGES) -> Lexicon:
    """Read the lexicon files that ship in the package."""
    lexicon = Lexicon()
    for concept in ("BRK", "DELIM"):  # what the tokeniser marks itself
        lexicon.bit(concept)
    folder = resources.files(__package__) / "lexicon"
    for language in languages:
        for line in (folder / f"{language}.txt").read_text("utf-8").splitlines():
            concept, colon, entries = line.partition(":")
            if colon and not line.startswith("#"):
                for entry in re.split("[,،、]", entries):
                    lexicon.add(concept.strip(), entry)
    return lexicon


def phrase_matches(rest: tuple[str, ...], following: Sequence[str]) -> bool:
    """Whether the words after a phrase's first one stand in ``following``."""
    if len(following) < len(rest):
        return False
    return all(
        have.startswith(want[:-1]) if want.endswith("*") else have == want
        for want, have in zip(rest, following, strict=False)
    )
