"""The regular expressions that schemas commonly hold, as GBNF rules."""

from __future__ import annotations

import re
from re import _constants as code  # type: ignore[attr-defined]  # the parser behind re; there is no public one
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

CLASSES = {
    code.CATEGORY_DIGIT: "0-9",
    code.CATEGORY_WORD: "a-zA-Z0-9_",
    code.CATEGORY_SPACE: " ",
}
DOT = r'[^"\\\x00-\x1F\x7F]'
NEEDS_ESCAPE = set('"\\')


def pattern_rule(pattern: str, max_length: int) -> str | None:
    """A rule for the inside of a JSON string that matches ``pattern`` from end to end.

    :param max_length: the bound put on repetitions that have none.
    :returns: None where the expression is not anchored at both ends or uses what a grammar cannot express (look-around,
        back references, characters that JSON escapes): then only the validation afterwards holds it.
    """
    try:
        tree = list(parser.parse(pattern))
    except re.error:
        return None
    if not tree or tree[0] != (code.AT, code.AT_BEGINNING) or tree[-1] != (code.AT, code.AT_END):
        return None
    try:
        return _sequence(tree[1:-1], max_length)
    except NotImplementedError:
        return None


def _sequence(items: Any, most: int) -> str:
    return " ".join(_item(kind, value, most) for kind, value in items) or '""'


def _item(kind: Any, value: Any, most: int) -> str:
    if kind is code.LITERAL:
        return f'"{_character(value)}"'
    if kind is code.NOT_LITERAL:
        return rf'[^{_in_class(value)}"\\\x00-\x1F\x7F]'
    if kind is code.ANY:
        return DOT
    if kind is code.IN:
        return _characters(value)
    if kind is code.SUBPATTERN:
        return f"({_sequence(value[3], most)})"
    if kind is code.BRANCH:
        return "(" + " | ".join(_sequence(branch, most) for branch in value[1]) + ")"
    if kind in (code.MAX_REPEAT, code.MIN_REPEAT):
        least, limit, inner = value
        upper = min(most, 64) if limit is code.MAXREPEAT else limit
        return f"({_sequence(inner, most)}){{{least},{max(least, upper)}}}"
    raise NotImplementedError


def _characters(items: Any) -> str:
    negated = items and items[0][0] is code.NEGATE
    body = "".join(_class_part(kind, value) for kind, value in (items[1:] if negated else items))
    return rf'[^{body}"\\\x00-\x1F\x7F]' if negated else f"[{body}]"


def _class_part(kind: Any, value: Any) -> str:
    if kind is code.LITERAL:
        return _in_class(value)
    if kind is code.RANGE:
        return f"{_in_class(value[0])}-{_in_class(value[1])}"
    if kind is code.CATEGORY and value in CLASSES:
        return CLASSES[value]
    raise NotImplementedError


def _character(point: int) -> str:
    if chr(point) in NEEDS_ESCAPE or not chr(point).isprintable() or not chr(point).isascii():
        raise NotImplementedError
    return chr(point)


def _in_class(point: int) -> str:
    character = _character(point)
    return f"\\x{point:02X}" if character in "^-[]" else character
