"""Glob patterns: ``*`` and ``?`` within one name, ``**`` across folders, ``[...]`` and ``{a,b}``.

Letter case does not matter: a model that looks for ``readme*`` means ``README.md`` too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product

from ironhive.errors import ToolError

_MAGIC = re.compile(r"[*?\[{]")
_MAX_LENGTH = 1000
_MAX_BRACES = 20
_MAX_ALTERNATIVES = 200
_SHOWN = 60
_TOO_MANY = "the pattern {} stands for too many patterns; use fewer braces and fewer ** within names"


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern cut in two: the folder it starts from (literal), and what is to match below it."""

    base: str
    matches: re.Pattern[str]
    recursive: bool


def parse(pattern: str) -> Glob:
    """Read a pattern.

    :raises ToolError: it is blank, too long or cannot be read.
    """
    text = pattern.strip().replace("\\", "/")
    if not text or len(text) > _MAX_LENGTH:
        message = "the pattern is empty" if not text else f"the pattern is longer than {_MAX_LENGTH} characters"
        raise ToolError(message)
    if text.endswith("/"):
        text += "**"
    parts = text.split("/")
    literal: list[str] = []
    while len(parts) > 1 and not _MAGIC.search(parts[0]):
        literal.append(parts.pop(0))
    base = "/".join(literal) or ("/" if literal else ".")
    rest = "/".join(part for part in parts if part not in ("", "."))
    return Glob(base, _compile(rest, pattern), "/" in rest or "**" in rest)


def matcher_of_names(pattern: str) -> re.Pattern[str]:
    """A matcher of relative paths; a pattern without a slash means files of that name in any folder.

    :raises ToolError: as :func:`parse`.
    """
    text = pattern.strip().replace("\\", "/").removeprefix("./")
    if not text or len(text) > _MAX_LENGTH:
        message = "the file pattern is empty; use * for all files" if not text else "the file pattern is too long"
        raise ToolError(message)
    return _compile(text if "/" in text else f"**/{text}", pattern)


def _compile(text: str, original: str) -> re.Pattern[str]:
    alternatives = [plain for option in _expand(text, original) for plain in _spread(option)]
    if len(alternatives) > _MAX_ALTERNATIVES:
        raise ToolError(_TOO_MANY.format(original[:_SHOWN]))
    try:
        return re.compile("|".join(rf"(?:{_path(plain)})\Z" for plain in alternatives), re.IGNORECASE | re.DOTALL)
    except re.error as error:
        message = f"the pattern {original!r} cannot be read: {error}"
        raise ToolError(message) from error


def _expand(text: str, original: str) -> list[str]:
    """``a{b,c}`` written out as ``ab`` and ``ac``; braces without a partner stand for themselves."""
    if text.count("{") > _MAX_BRACES:
        raise ToolError(_TOO_MANY.format(original[:_SHOWN]))
    start = text.find("{")
    if start < 0:
        return [text]
    found = _options(text, start)
    if found is None:
        heads, end = ["{"], start + 1
    else:
        options, end = found
        heads = [head for option in options for head in _expand(option, original)]
    tails = _expand(text[end:], original)
    if len(heads) * len(tails) > _MAX_ALTERNATIVES:
        raise ToolError(_TOO_MANY.format(original[:_SHOWN]))
    return [f"{text[:start]}{head}{tail}" for head in heads for tail in tails]


def _options(text: str, start: int) -> tuple[list[str], int] | None:
    """What stands between the commas of the braces that open at ``start``, and where the text goes on behind them.

    None when they are never closed.
    """
    depth, begin, options = 0, start + 1, []
    for index in range(start, len(text)):
        char = text[index]
        depth += {"{": 1, "}": -1}.get(char, 0)
        if (char == "," and depth == 1) or depth == 0:
            options.append(text[begin:index])
            begin = index + 1
        if depth == 0:
            return options, index + 1
    return None


def _spread(text: str) -> list[str]:
    """``**`` inside a name, ``a**b``, means the same name or one further below: ``a*b`` and ``a*/**/*b``."""
    names = text.split("/")
    spread = [[name] if set(name) <= {"*"} or "**" not in name else _spread_name(name) for name in names]
    count = 1
    for options in spread:
        count *= len(options)
    if count > _MAX_ALTERNATIVES:
        raise ToolError(_TOO_MANY.format(text[:_SHOWN]))
    return ["/".join(chosen) for chosen in product(*spread)]


def _spread_name(name: str) -> list[str]:
    head, _, tail = name.partition("**")
    tail = tail.lstrip("*").replace("**", "*")
    return [f"{head}*{tail}", f"{head}*/**/*{tail}" if head else f"**/*{tail}"]


def _path(pattern: str) -> str:
    """A pattern without braces as a regular expression that never tries the same thing twice.

    Each ``**`` takes as little as it can and does not take more later; only the last one looks for its place. What is
    found that way is found whenever there is anything to find, as for ``*`` within a name.
    """
    groups: list[list[str]] = [[]]
    for name in pattern.split("/"):
        if len(name) > 1 and set(name) == {"*"}:
            groups.append([])
        else:
            groups[-1].append(_name(name))
    if len(groups) == 1:
        return "/".join(groups[0])
    first, *middle, last = groups
    out = "".join(f"{name}/" for name in first)
    out += "".join(f"(?>(?:[^/]*/)*?{''.join(f'{name}/' for name in names)})" for names in middle if names)
    return out + (f"(?:[^/]*/)*{'/'.join(last)}" if last else ".*")


def _name(pattern: str) -> str:
    pieces: list[str] = [""]
    index = 0
    while index < len(pattern):
        char = pattern[index]
        if char == "*":
            pieces.append("")
        elif char == "[" and (end := pattern.find("]", index + 2)) > 0:
            body = pattern[index + 1 : end]
            negated = "^" if body[0] in "!^" else ""
            pieces[-1] += f"(?!/)[{negated}{_class(body[len(negated) :])}]"
            index = end
        else:
            pieces[-1] += "[^/]" if char == "?" else re.escape(char)
        index += 1
    first, *middle = pieces
    if not middle:
        return first
    last = middle.pop()
    return first + "".join(f"(?>[^/]*?{piece})" for piece in middle if piece) + f"[^/]*{last}"


def _class(body: str) -> str:
    return body.replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
