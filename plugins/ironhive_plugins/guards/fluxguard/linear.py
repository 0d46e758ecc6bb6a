"""The second opinion: a linear score over hashed words, word pairs and concept pairs.

The text is judged by its worst window, so an attack in a long document is not diluted. Weights are one signed byte per
bucket, read from the file that ships in the package; nothing but integer arithmetic happens here, which makes the
score the same on every machine.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from importlib import resources
from itertools import accumulate, pairwise
from math import isqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive_plugins.guards.fluxguard.tokens import Hit, Token

BUCKET_BITS = 18
MASK = (1 << BUCKET_BITS) - 1
WINDOW, STRIDE = 160, 80
"""Window length and step, in tokens."""

PAIR_REACH = 10
"""How far apart, in words, two concepts may stand to count as a pair."""

_MAGIC = b"FLUXLIN1"
_SOFTEN = 8
_SHORT_WORD = 6


def word_features(word: str, code: int, size: float) -> list[int]:
    """Buckets that one word owns by itself: the word and its beginning, or the character pairs and triples of an
    unspaced run.
    """
    if size <= 1:
        if word.isdigit():
            return [zlib.crc32(b"0") & MASK]
        if len(word) <= _SHORT_WORD:
            return [code & MASK]
        return [code & MASK, zlib.crc32(b"^" + word[:5].encode("utf-8", "surrogatepass")) & MASK]
    grams = [word[i : i + 2] for i in range(len(word) - 1)] + [word[i : i + 3] for i in range(len(word) - 2)]
    return [zlib.crc32(gram.encode("utf-8", "surrogatepass")) & MASK for gram in grams]


def pair_features(codes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Buckets of neighbouring words and of words with one between them; entry ``i`` belongs to word ``i``."""
    pairs = [((a * 5 + b * 3 + 0x1234) >> 2) & MASK for a, b in pairwise(codes)]
    skips = [((a * 7 + b * 11 + 0x77) >> 3) & MASK for a, b in zip(codes, codes[2:], strict=False)]
    return pairs, skips


def concept_features(hits: Sequence[Hit], strong: int) -> list[tuple[int, int]]:
    """``(token, bucket)`` of each two and three consecutive strong concepts that stand close together."""
    found: list[tuple[int, int]] = []
    before = older = None
    for hit in hits:
        mask = hit.mask & strong
        if not mask:
            continue
        if before is not None and hit.position - before[0] <= PAIR_REACH:
            found.append((hit.first, ((before[1] * 1_000_003 + mask * 97) % 2_147_483_647) & MASK))
            if older is not None and before[0] - older[0] <= PAIR_REACH:
                triple = older[1] * 8_191 + before[1] * 131_071 + mask * 524_287
                found.append((hit.first, (triple % 2_147_483_629) & MASK))
        older, before = before, (hit.position, mask)
    return found


def scale(features: int) -> int:
    """What a window's sum is divided by, times 256: long windows do not win by length."""
    return isqrt((features + _SOFTEN) << 16)


@dataclass(frozen=True, slots=True)
class LinearModel:
    """Weights ready for use. ``unit`` is the window score that training took for a clear case."""

    weights: Sequence[int]
    bias: int
    unit: int

    def score(
        self, words: Sequence[str], tokens: Sequence[Token], hits: Sequence[Hit], strong: int
    ) -> tuple[float, int]:
        """The worst window's score in units (1.0: clearly an attack, -1.0: clearly not) and that window's first
        token.
        """
        if not tokens:
            return -1.0, 0
        sums, counts = self._contributions(words, tokens, hits, strong)
        total, feats = [0, *accumulate(sums)], [0, *accumulate(counts)]
        best, where, size = -(1 << 62), 0, len(tokens)
        for start in range(0, max(1, size - STRIDE), STRIDE):
            end = min(size, start + WINDOW)
            value = ((total[end] - total[start]) << 8) // scale(feats[end] - feats[start])
            if value > best:
                best, where = value, start
        return (best + self.bias) / self.unit, where

    def _contributions(
        self, words: Sequence[str], tokens: Sequence[Token], hits: Sequence[Hit], strong: int
    ) -> tuple[list[int], list[int]]:
        weights = self.weights
        sums = []
        for word, token in zip(words, tokens, strict=True):
            if token.weight is None:
                token.feature_count = len(features := word_features(word, token.code, token.size)) + 2
                token.weight = sum(weights[bucket] for bucket in features)
            sums.append(token.weight)
        counts = [token.feature_count for token in tokens]
        pairs, skips = pair_features([token.code for token in tokens])
        for index, bucket in enumerate(pairs):
            sums[index] += weights[bucket]
        for index, bucket in enumerate(skips):
            sums[index] += weights[bucket]
        for index, bucket in concept_features(hits, strong):
            sums[index] += weights[bucket]
            counts[index] += 1
        return sums, counts


def load_model(data: bytes | None = None) -> LinearModel:
    """The model that ships in the package, or the one in ``data``; raises ValueError for a foreign or torn file."""
    if data is None:
        data = (resources.files(__package__) / "weights.bin").read_bytes()
    if data[:8] != _MAGIC:
        raise ValueError("not a fluxguard weights file")
    bias, unit = int.from_bytes(data[8:12], "little", signed=True), int.from_bytes(data[12:16], "little")
    raw = zlib.decompress(data[16:])
    if len(raw) != MASK + 1:
        raise ValueError("fluxguard weights file is torn")
    return LinearModel(memoryview(raw).cast("b"), bias, unit)


def pack_model(weights: bytes, bias: int, unit: int) -> bytes:
    """The file form of a model; ``weights`` are signed bytes, one per bucket."""
    head = _MAGIC + bias.to_bytes(4, "little", signed=True) + unit.to_bytes(4, "little")
    return head + zlib.compress(weights, 9)
