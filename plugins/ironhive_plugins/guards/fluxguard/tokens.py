"""One pass over a view: words become concepts, each word looked up once in its life."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, NamedTuple

from ironhive_plugins.guards.fluxguard.concepts import UNSPACED, WORD, phrase_matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive_plugins.guards.fluxguard.concepts import Lexicon, Phrase

DELIMITER = (
    r"<\|/?[a-z_]{2,20}\|>|\[/?(?:inst|system|sys|admin|assistant|ai)\b|<</?sys>>|</?(?:system|instructions?|admin|assistant|information|important)>"
    r"|##[ \t]{0,4}(?:system|new instructions?|instructions?)\b|<!--"
)
"""Marks that pretend to end one speaker's text and begin another's."""

TOKEN = re.compile(DELIMITER + "|" + WORD.pattern + r"|[.!?…;:](?=[\s\"')\]]|$)|\n+|[。！？।؟；：]+")
Parts = tuple[tuple[int, int], ...]
_BREAK = frozenset(".!?…\n。！？।؟;:；：")
_REMEMBERED = 12_000
_SIGNS_PER_WORD = 3
"""Signs of Chinese, Japanese or Korean that take the room of one English word."""

_STEMMED = "*"
"""Stands for a phrase whose second word is given by its beginning."""

_LATIN_PART = re.compile("[a-z]{2,}")
BREAK_GAP = 4
"""How many words' distance the end of a sentence counts as."""


class Token:
    """What is known about one distinct word. ``code`` is its stable hash; ``size`` its length in words.

    ``parts`` are the concepts inside a run of an unspaced script, each with its distance (in words) from the run's
    start.
    """

    __slots__ = ("code", "feature_count", "mask", "parts", "second", "size", "weight")

    def __init__(self, mask: int, phrases: list[Phrase], code: int, size: float = 1, parts: Parts = ()) -> None:
        self.mask = mask
        self.second: dict[str, list[Phrase]] = {}
        for phrase in phrases:
            second = phrase[0][0]
            self.second.setdefault(_STEMMED if second.endswith("*") else second, []).append(phrase)
        self.code = code
        self.size = size
        self.parts = parts
        self.weight: int | None = None
        self.feature_count = 0


class Hit(NamedTuple):
    """Concepts at one place. ``position`` counts words (sentence ends count more), ``first`` and ``last`` index
    tokens.
    """

    position: int
    mask: int
    first: int
    last: int
    wide: bool


class Vocabulary(dict[str, Token]):
    """Tokens by their text, filled on demand and emptied when it has grown too far."""

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__()
        self.lexicon = lexicon
        self.break_bit = lexicon.bit("BRK")
        self.delimiter_bit = lexicon.bit("DELIM")
        self._pieces = _trie_pattern(lexicon.pieces) if lexicon.pieces else None

    def __missing__(self, word: str) -> Token:
        if len(self) >= _REMEMBERED:
            self.clear()
        token = self._learn(word)
        self[word] = token
        return token

    def _learn(self, word: str) -> Token:
        if word[0] in "<[#":
            return Token(self.delimiter_bit, [], zlib.crc32(b"<"))
        if word[0] in _BREAK:
            return Token(self.break_bit, [], zlib.crc32(b"."), 0)
        code = zlib.crc32(word[:40].encode("utf-8", "surrogatepass"))
        if UNSPACED.search(word):
            parts = self._parts(word)
            mask = 0
            for _, bit in parts:
                mask |= bit
            return Token(mask, self.lexicon.lookup(word)[1], code, len(word) / _SIGNS_PER_WORD, parts)
        mask, phrases = self.lexicon.lookup(word)
        return Token(mask, phrases, code, 1)

    def _parts(self, word: str) -> Parts:
        parts: list[tuple[int, int]] = []
        for match in self._pieces.finditer(word) if self._pieces else ():
            piece = match.group(1)
            for end in range(1, len(piece) + 1):  # "no limits" also says "limits"
                mask = self.lexicon.pieces.get(piece[:end], 0)
                if mask:
                    parts.append((match.start() // _SIGNS_PER_WORD, mask))
        for match in _LATIN_PART.finditer(word):
            mask = self.lexicon.lookup(match.group())[0]
            if mask:
                parts.append((match.start() // _SIGNS_PER_WORD, mask))
        return tuple(sorted(parts))


def _trie_pattern(pieces: dict[str, int]) -> re.Pattern[str]:
    # Pieces may overlap ("system prompt" in "show the system prompt"), hence the lookahead: every start is tried once.
    ordered = sorted(pieces, key=lambda piece: (-len(piece), piece))
    return re.compile(f"(?=({'|'.join(map(re.escape, ordered))}))")


def read(text: str, vocabulary: Vocabulary) -> tuple[list[str], list[Token], list[Hit]]:
    """The words of a view, what is known about each, and the places that carry a concept."""
    words = TOKEN.findall(text)
    tokens = [vocabulary[word] for word in words]
    return words, tokens, _hits(words, tokens, vocabulary.break_bit)


def _hits(words: Sequence[str], tokens: list[Token], break_bit: int) -> list[Hit]:
    hits: list[Hit] = []
    shift = 0
    count = len(words)
    for index, token in enumerate(tokens):
        mask = token.mask
        if mask == break_bit:
            shift += BREAK_GAP
            continue
        if token.parts or token.size > 1:
            if token.second:
                phrase_mask, last = _with_phrases(token, words, index)
                if phrase_mask & ~mask:
                    hits.append(Hit(index + shift, phrase_mask & ~mask, index, last, wide=True))
            if mask:
                hits.extend(Hit(index + shift + offset, bit, index, index, wide=True) for offset, bit in token.parts)
            shift += max(0, int(token.size) - 1)
            continue
        last = index
        if token.second and (_STEMMED in token.second or (index + 1 < count and words[index + 1] in token.second)):
            mask, last = _with_phrases(token, words, index)
        if mask:
            hits.append(Hit(index + shift, mask, index, last, wide=False))
    return hits


def _with_phrases(token: Token, words: Sequence[str], index: int) -> tuple[int, int]:
    mask, last = token.mask, index
    second = words[index + 1] if index + 1 < len(words) else ""
    for rest, bit in (*token.second.get(second, ()), *token.second.get(_STEMMED, ())):
        if phrase_matches(rest, words[index + 1 : index + 1 + len(rest)]):
            mask |= bit
            last = max(last, index + len(rest))
    return mask, last
