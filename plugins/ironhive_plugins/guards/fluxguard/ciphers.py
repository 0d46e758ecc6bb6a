"""Whole-text disguises: rot13, reversed text, leetspeak, letters set apart.

Each is tried only where its traces show, and leetspeak and spacing only on the stretch that shows them, so ordinary
text pays for one set look-up and two linear searches.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from ironhive_plugins.guards.fluxguard.engines import pattern
from ironhive_plugins.guards.fluxguard.normalise import View
from ironhive_plugins.guards.fluxguard.wordlists import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_SHORT = 2
_COMMON = words(
    "the and you your are with this that not all for have from will ignore instructions previous "
    "system prompt rules now must what without any answer tell reveal forget safety user"
)
_LONG = [word for word in _COMMON if len(word) > _SHORT]
_ROT13 = frozenset(codecs.encode(word, "rot13") for word in _LONG)
_REVERSED = frozenset(word[::-1] for word in _LONG) - {"era", "lla", "ton", "won"}
_ATBASH_TABLE = str.maketrans("abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponmlkjihgfedcba")
_ATBASH = frozenset(word.translate(_ATBASH_TABLE) for word in _LONG)
_ENOUGH = 2
_LEET_SIGN = r"[a-z][013457@$!]{1,3}[a-z]|[^a-z0-9@$!][013457@$]{1,3}[a-z]{1,12}[013457@$!]"
_LEET = str.maketrans("013457@$!", "oieastasi")
_LEET_REACH, _LEET_ENOUGH = 48, 3
_APART = r"[^\s](?:[ \t]{1,8}[^\s]){7,}"
_DOTTED = r"\b\pL(?:[-._*|/]\pL){2,}\b"
_SINGLE = re.compile(r"\S+")


def whole_text(text: str, read: Collection[str]) -> Iterator[tuple[str, View]]:
    """``(layer, view over text)`` for each disguise whose traces ``text`` (normalised, with the words ``read``)
    shows.
    """
    known = set(read)
    if len(known & _ROT13) >= _ENOUGH:
        yield "rot13", View(codecs.encode(text, "rot13"), None, len(text))
    if len(known & _REVERSED) >= _ENOUGH:
        yield "reversed", View(text[::-1], range(len(text) - 1, -1, -1), len(text))
    if len(known & _ATBASH) >= _ENOUGH:
        yield "atbash", View(text.translate(_ATBASH_TABLE), None, len(text))
    for start, end in _leet_stretches(text):
        yield "leet", View(text[start:end].translate(_LEET), range(start, end), len(text))
    for expression in (_APART, _DOTTED):
        joined = _joined(text, expression)
        if joined is not None:
            yield "spaced", joined


def _leet_stretches(text: str) -> Iterator[tuple[int, int]]:
    """Stretches in which words with digits in them stand close together."""
    start = end = count = 0
    for match in pattern(_LEET_SIGN).finditer(text):
        low, high = match.span()
        if count and low - end <= _LEET_REACH:
            end, count = high, count + 1
            continue
        if count >= _LEET_ENOUGH:
            yield max(0, start - _LEET_REACH), min(len(text), end + _LEET_REACH)
        start, end, count = low, high, 1
    if count >= _LEET_ENOUGH:
        yield max(0, start - _LEET_REACH), min(len(text), end + _LEET_REACH)


def _joined(text: str, expression: str) -> View | None:
    """Single letters set apart by one separator drawn together, wider gaps as one space; None when there are none."""
    parts: list[str] = []
    offsets: list[int] = []
    for match in pattern(expression).finditer(text):
        piece, base = match.group(), match.start()
        wide = expression is _APART
        last = 0
        for sign in _SINGLE.finditer(piece) if wide else re.finditer("[^-._*|/]", piece):
            if wide and sign.start() - last > 1:
                parts.append(" ")
                offsets.append(base + last)
            parts.append(sign.group())
            offsets.extend(range(base + sign.start(), base + sign.end()))
            last = sign.end()
        parts.append(" ")
        offsets.append(base + max(0, len(piece) - 1))
    return View("".join(parts), offsets, len(text)) if parts else None


def over(base: View, changed: View) -> View:
    """``changed`` (a view over ``base``'s text) as a view over the original text."""
    if base.offsets is None:
        return changed
    if changed.offsets is None:
        return View(changed.text, base.offsets, base.original_length)
    offsets = [base.offsets[index] for index in changed.offsets]
    return View(changed.text, offsets, base.original_length)
