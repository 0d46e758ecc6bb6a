"""One normalised view of a text, with the way back to the original offsets.

Lower case, NFKC, invisible characters dropped, Unicode tag characters read as the ASCII that they hide, accents and
Arabic vowel marks stripped, look-alike letters folded. Everything later works on this view; ASCII text costs one
``lower()``.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ironhive_plugins.guards.fluxguard.confusables import fold_confusables

if TYPE_CHECKING:
    from collections.abc import Sequence

_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_FOREIGN = re.compile("[^\x09\x0a\x0d\x20-\x7e]+")
_SPARSE = 12
"""Fewer foreign stretches than one in so many characters are folded one by one."""

_TAG_BASE = 0xE0000
_FILLERS = frozenset({0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x034F, 0x17B4, 0x17B5, 0x0640})
_PUNCTUATION = {0x2018: "'", 0x2019: "'", 0x201B: "'", 0x201C: '"', 0x201D: '"', 0x2028: "\n", 0x2029: "\n", 0x85: "\n"}
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_MARKS = (range(0x300, 0x370), range(0x64B, 0x660), range(0x670, 0x671))
_NEGATIVE_CAPITALS, _ROW, _LETTERS = range(0x1F150, 0x1F18A), 32, 26
_STRIPPED_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "ARABIC")
_CLUSTER = re.compile(
    "[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]+|.[\u0300-\u036f\u064b-\u065f\u3099\u309a]+", re.DOTALL
)
_LONGEST_CLUSTER = 64


@dataclass(frozen=True, slots=True)
class View:
    """A readable form of a text. ``offsets`` maps each position to the original (``None``: the same position)."""

    text: str
    offsets: Sequence[int] | None = None
    original_length: int = 0
    hidden: int = 0

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original code-point span of ``[start, end)`` in this view."""
        if self.offsets is None:
            return start, end
        if not self.offsets:
            return 0, self.original_length
        first = self.offsets[min(start, len(self.offsets) - 1)]
        last = self.offsets[min(end, len(self.offsets)) - 1] if end else first
        return min(first, last), min(max(first, last) + 1, self.original_length)


class _Folds(dict[int, str]):
    """Replacement of each character, worked out when it is first met; remembers which ones change the length."""

    def __init__(self) -> None:
        super().__init__()
        self.resizing: set[str] = set()

    def __missing__(self, code: int) -> str:
        fold = _fold(code)
        if len(fold) != 1:
            self.resizing.add(chr(code))
        self[code] = fold
        return fold


def _fold(code: int) -> str:
    char = chr(code)
    if char.isascii():
        return "" if _CONTROL.match(char) else char.lower()
    if code - _TAG_BASE in range(0x80):
        return char_of_tag(code)
    category = unicodedata.category(char)
    if category == "Cf" or code in _FILLERS or any(code in selectors for selectors in _SELECTORS):
        return ""
    if code in _PUNCTUATION:
        return _PUNCTUATION[code]
    if category == "Zs":
        return " "
    if any(code in marks for marks in _MARKS):
        return ""
    if code in _NEGATIVE_CAPITALS:  # circled and squared white on black, which NFKC leaves alone
        place = (code - _NEGATIVE_CAPITALS.start) % _ROW
        return chr(ord("a") + place) if place < _LETTERS else char
    return _compose(char)


def char_of_tag(code: int) -> str:
    """The ASCII letter that a Unicode tag character hides (lower case), or nothing."""
    low = code - _TAG_BASE
    return chr(low).lower() if low in range(0x20, 0x7F) else ""


def _compose(char: str) -> str:
    folded = unicodedata.normalize("NFKC", char).lower()
    out: list[str] = []
    for part in folded:
        if not part.isascii() and unicodedata.name(part, "").startswith(_STRIPPED_SCRIPTS):
            out.extend(c for c in unicodedata.normalize("NFKD", part) if not unicodedata.category(c).startswith("M"))
        elif ord(part) not in _MARKS[0]:
            out.append(part)
    return "".join(out)


_folds = _Folds()
_FOLD_LIMIT = 20_000


def normalise(text: str) -> View:
    """The view of ``text`` that every rule reads. Linear in its length."""
    if text.isascii() and not _CONTROL.search(text):
        return View(text.lower(), None, len(text))
    if len(_folds) > _FOLD_LIMIT:  # unassigned planes of garbage must not grow the table without end
        _folds.clear()
        _folds.resizing.clear()
    return _folded(text) if unicodedata.is_normalized("NFC", text) else _by_cluster(text)


def _folded(text: str) -> View:
    if _folds.resizing.isdisjoint(_unknown_free(text)):
        if len(_FOREIGN.findall(text)) * _SPARSE > len(text):
            folded = text.translate(_folds)
        else:
            folded = _FOREIGN.sub(lambda stretch: stretch.group().translate(_folds), text.lower())
        if len(folded) == len(text):
            return View(fold_confusables(folded), None, len(text))
    return _by_stretch(text)


def _unknown_free(text: str) -> set[str]:
    """The characters that need folding, each of them folded once so that it is known which ones change the length."""
    foreign = set(text)
    foreign = {char for char in foreign if char >= "\x80" or char < " "}
    for char in foreign:
        _folds[ord(char)]
    return foreign


def _by_stretch(text: str) -> View:
    """Folds a text whose length changes: stretches of plain ASCII are copied whole."""
    parts: list[str] = []
    offsets = array("q")
    last = hidden = 0
    for match in _FOREIGN.finditer(text):
        start, end = match.span()
        parts.append(text[last:start].lower())
        offsets.extend(range(last, start))
        for index in range(start, end):
            fold = _folds[ord(text[index])]
            parts.append(fold)
            hidden += not fold
            offsets.extend([index] * len(fold))
        last = end
    parts.append(text[last:].lower())
    offsets.extend(range(last, len(text)))
    return View(fold_confusables("".join(parts)), offsets, len(text), hidden)


def _by_cluster(text: str) -> View:
    """For text whose letters are spelled with separate marks or jamo: those are joined first."""
    parts: list[str] = []
    origin = array("q")
    last = 0
    for match in _CLUSTER.finditer(text):
        start, end = match.span()
        cluster = match.group()
        joined = unicodedata.normalize("NFC", cluster[:_LONGEST_CLUSTER]) + cluster[_LONGEST_CLUSTER:]
        parts += [text[last:start], joined]
        origin.extend(range(last, start))
        origin.extend([start] * len(joined))
        last = end
    parts.append(text[last:])
    origin.extend(range(last, len(text)))
    view = _folded("".join(parts))
    offsets = origin if view.offsets is None else [origin[index] for index in view.offsets]
    return View(view.text, offsets, len(text), view.hidden)
