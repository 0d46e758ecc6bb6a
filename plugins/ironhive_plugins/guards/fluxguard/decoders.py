"""What else a text may say: encodings taken off, one layer at a time.

Each decoder looks for its own traces and hands out readable text together with the place it was hidden in. An
encoding alone is never a reason for alarm; only what it hides is judged.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from ironhive_plugins.guards.fluxguard import ciphers
from ironhive_plugins.guards.fluxguard.engines import pattern
from ironhive_plugins.guards.fluxguard.wordlists import words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from ironhive_plugins.guards.fluxguard.normalise import View


@dataclass(frozen=True, slots=True)
class Decoded:
    """Readable text found in an encoded place. ``start`` and ``end`` span the encoded original.

    ``view`` is set instead when the decoding keeps every position (rot13, leetspeak), so that spans stay exact.
    """

    layer: str
    text: str
    start: int
    end: int
    view: View | None = None


_BASE64 = r"[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]{4,})*={0,2}"
_HEX = r"(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[\s:,]{0,2}){8,}"
_HEX_NOISE = re.compile(r"0x|\\x|[^0-9A-Fa-f]")
_PERCENT = r"%[0-9A-Fa-f]{2}"
_ENTITY = r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|lt|gt|amp|quot|apos|nbsp);"
_ESCAPE = re.compile(r"\\(?:u\{?([0-9A-Fa-f]{4,6})\}?|x([0-9A-Fa-f]{2}))")
_BINARY = r"(?:[01]{8}[ ,]?){4,}"
_DECIMAL = r"(?:\b(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])\b[ ,;]{1,2}){7,}\d{2,3}"
_BASE32 = r"[A-Z2-7]{24,}={0,6}"
_MORSE = r"(?:[.-]{1,6}[ /|]{1,3}){12,}[.-]{1,6}"
_MORSE_LETTERS = dict(
    zip(
        words(
            ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- "
            "-..- -.-- --.."
        ),
        "abcdefghijklmnopqrstuvwxyz",
        strict=True,
    )
)
_FEW = 3
_SHORTEST, _SURELY_A_WORD = 6, 40


def decode(text: str, view: View, read: Collection[str]) -> Iterator[Decoded]:
    """Everything that one layer of decoding yields for ``text``; ``view`` is its normalised form, ``read`` that
    form's words.
    """
    for decoder in _BLOBS:
        yield from decoder(text)
    for layer, changed in ciphers.whole_text(view.text, read):
        yield Decoded(layer, changed.text, 0, len(text), ciphers.over(view, changed))


def _readable(raw: bytes) -> str | None:
    """``raw`` as text when it looks like writing, else None."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    letters = sum(char.isalpha() or char.isspace() for char in text)
    if (
        len(text) < _SHORTEST
        or letters < len(text) * 0.6
        or not all(char.isprintable() or char in "\r\n\t" for char in text)
    ):
        return None
    return text


def _base64(text: str) -> Iterator[Decoded]:
    for match in pattern(_BASE64).finditer(text):
        blob = match.group()
        if blob.isdigit() or (blob.islower() and len(blob) < _SURELY_A_WORD) or not _mixed(blob):
            continue
        compact = re.sub(r"\s", "", blob).rstrip("=").translate(_URL_SAFE)
        try:
            raw = base64.b64decode(compact + "=" * (-len(compact) % 4))
        except (binascii.Error, ValueError):
            continue
        readable = _readable(raw)
        if readable:
            yield Decoded("base64", readable, match.start(), match.end())


_URL_SAFE = str.maketrans("-_", "+/")


def _mixed(blob: str) -> bool:
    # Ordinary words and paths are lower case or have few capitals; base64 of text changes case all the time.
    head = blob[:64]
    capitals = sum(char.isupper() for char in head)
    return capitals * 8 > len(head)


def _hex(text: str) -> Iterator[Decoded]:
    for match in pattern(_HEX).finditer(text):
        digits = _HEX_NOISE.sub("", match.group())
        readable = _readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))
        if readable:
            yield Decoded("hex", readable, match.start(), match.end())


def _binary(text: str) -> Iterator[Decoded]:
    if "01" in text:
        for match in pattern(_BINARY).finditer(text):
            bits = re.sub("[^01]", "", match.group())
            readable = _readable(bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits) - 7, 8)))
            if readable:
                yield Decoded("binary", readable, match.start(), match.end())


def _decimal(text: str) -> Iterator[Decoded]:
    for match in pattern(_DECIMAL).finditer(text):
        readable = _readable(bytes(int(code) & 0x7F for code in re.findall(r"\d+", match.group())))
        if readable:
            yield Decoded("decimal", readable, match.start(), match.end())


def _base32(text: str) -> Iterator[Decoded]:
    for match in pattern(_BASE32).finditer(text):
        compact = match.group().rstrip("=")
        try:
            readable = _readable(base64.b32decode(compact + "=" * (-len(compact) % 8)))
        except (binascii.Error, ValueError):
            continue
        if readable:
            yield Decoded("base32", readable, match.start(), match.end())


def _morse(text: str) -> Iterator[Decoded]:
    if "-" in text and "." in text:
        for match in pattern(_MORSE).finditer(text):
            groups = re.split(r" {2,}|[/|]", match.group())
            plain = " ".join("".join(_MORSE_LETTERS.get(sign, "") for sign in group.split()) for group in groups)
            yield Decoded("morse", plain, match.start(), match.end())


def _region(layer: str, sign: str, expression: str, change: Callable[[str], str], text: str) -> Iterator[Decoded]:
    """The stretch from the first escape to the last one, read as a whole: escapes may cover single letters of a word.

    ``sign`` begins every escape.
    """
    if text.count(sign) < _FEW:
        return
    first = pattern(expression).search(text)
    if first is not None:
        start = max(text.rfind(" ", 0, first.start()) + 1, text.rfind("\n", 0, first.start()) + 1)
        space = text.find(" ", text.rfind(sign))
        end = len(text) if space < 0 else space
        changed = change(text[start:end])
        if changed != text[start:end]:
            yield Decoded(layer, changed, start, end)


def _percent(text: str) -> Iterator[Decoded]:
    yield from _region("percent", "%", _PERCENT, unquote, text)


def _entities(text: str) -> Iterator[Decoded]:
    yield from _region("html", "&", _ENTITY, html.unescape, text)


def _escapes(text: str) -> Iterator[Decoded]:
    yield from _region("unicode_escape", "\\", _ESCAPE.pattern, lambda part: _ESCAPE.sub(_unescape, part), text)


def _unescape(match: re.Match[str]) -> str:
    code = int(match.group(1) or match.group(2), 16)
    return chr(code) if code <= sys.maxunicode else ""


_BLOBS = (_base64, _hex, _percent, _entities, _escapes, _binary, _decimal, _base32, _morse)
