"""Whole-text disguises: rot13, reversed text, leetspeak, letters set apart.

Each is tried only where its traces show, so ordinary text pays for one set look-up.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from ironhive_plugins.guards.fluxguard.normalise import View

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMON = (
    "the and you your are with this that not all for have from will ignore instructions previous system prompt rules now "
    "must what without any answer tell reveal forget safety user"
).split()
_ROT13 = frozenset(codecs.encode(word, "rot13") for word in _COMMON if len(word) > 2)
_REVERSED = frozenset(word[::-1] for word in _COMMON if len(word) > 2) - {"era", "lla", "ton", "won"}
_ATBASH_TABLE = str.maketrans("abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponmlkjihgfedcba")
_ATBASH = frozenset(word.translate(_ATBASH_TABLE) for word in _COMMON if len(word) > 2)
_WORD = re.compile("[a-z]{3,}")
_LEET_WORD = re.compile(r"[a-z][013457@$!]+(?=[a-z])|(?<![a-z0-9])[013457@$]+[a-z]+[013457@$!][a-z]*|(?<![a-z0-9])7h[3e1]?")
_LEET = str.maketrans("013457@$!", "oieastasi")
_APART = re.compile(r"(?<!\S)(?:\S[ \t]{1,8}){7,}\S(?!\S)")
_DOTTED = re.compile(r"(?<![^\W_])[^\W_](?:[-._*|/][^\W_]){2,}(?![^\W_])")
_ENOUGH = 2


def whole_text(text: str) -> Iterator[tuple[str, View]]:
    """``(layer, view over text)`` for each disguise whose traces ``text`` (normalised) shows."""
    words = set(_WORD.findall(text))
    if len(words & _ROT13) >= _ENOUGH:
        yield "rot13", View(codecs.encode(text, "rot13"), None, len(text))
    if len(words & _REVERSED) >= _ENOUGH:
        yield "reversed", View(text[::-1], range(len(text) - 1, -1, -1), len(text))
    if len(words & _ATBASH) >= _ENOUGH:
        yield "atbash", View(text.translate(_ATBASH_TABLE), None, len(text))
    if len(_LEET_WORD.findall(text)) > _ENOUGH:
        yield "leet", View(text.translate(_LEET), None, len(text))
    if _APART.search(text) or _DOTTED.search(text):
        yield "spaced", _joined(text)


def _joined(text: str) -> View:
    """Single letters set apart by one separator drawn together; wider gaps become one space."""
    drop: set[int] = set()
    for match in _APART.finditer(text):
        for gap in re.finditer(r"[ \t]+", match.group()):
            start = match.start() + gap.start()
            wide = len(gap.group()) > 1
            drop.update(range(start + wide, match.start() + gap.end()))
    for match in _DOTTED.finditer(text):
        drop.update(range(match.start() + 1, match.end(), 2))
    kept = [index for index in range(len(text)) if index not in drop]
    return View("".join(text[index] for index in kept), kept, len(text))


def over(base: View, changed: View) -> View:
    """``changed`` (a view over ``base``'s text) as a view over the original text."""
    if base.offsets is None:
        return changed
    if changed.offsets is None:
        return View(changed.text, base.offsets, base.original_length)
    offsets = [base.offsets[index] for index in changed.offsets]
    return View(changed.text, offsets, base.original_length)
