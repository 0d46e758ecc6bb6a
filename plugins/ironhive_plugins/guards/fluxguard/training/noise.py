"""Texts without meaning, as benign examples: what the statistical layer has never met must not look like an attack."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_COUNT, _WORDS = 160, 200
_LETTERS = "etaoinshrdlucmfgypwbvkjxqz"
_SHAPES = ('"{}",\n', "0x{}, ", "{} ", "{}_{}(x)\n", "{} = {}\n", "- {}\n", "{}; ", "{}Of{}, ")


def noise_texts() -> Iterator[str]:
    """Lists of made-up words, identifiers and numbers, always the same."""
    for number in range(_COUNT):
        shape = _SHAPES[number % len(_SHAPES)]
        hexadecimal = shape.startswith("0x")
        pairs = [(_word(number, place, hexadecimal), _word(place, number, hexadecimal)) for place in range(_WORDS)]
        yield "".join(shape.format(*pair) for pair in pairs)


def _word(first: int, second: int, hexadecimal: bool) -> str:  # noqa: FBT001 - one of two alphabets
    code = zlib.crc32(b"%d/%d" % (first, second))
    if hexadecimal:
        return f"{code:08X}"
    length = 3 + code % 7
    return "".join(_LETTERS[(code >> (3 * place)) % (5 + 3 * (place % 6))] for place in range(length))
