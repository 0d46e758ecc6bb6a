"""Glob patterns: ``*`` and ``?`` within one name, ``**`` across folders, ``[...]`` and ``{a,b}``.

Letter case does not matter: a model that looks for ``readme*`` means ``README.md`` too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ironhive.errors import ToolError

_MAGIC = re.compile(r"[*?\[{]")
_MAX_LENGTH = 1000


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
    try:
        return re.compile("".join(_translate(text)) + r"\Z", re.IGNORECASE | re.DOTALL)
    except re.error as error:
        message = f"the pattern {original!r} cannot be read: {error}"
        raise ToolError(message) from error


def _translate(text: str) -> list[str]:
    out: list[str] = []
    braces = 0
    index = 0
    while index < len(text):
        char = text[index]
        if text.startswith("**/", index):
            out.append("(?:.*/)?")
            index += 3
            continue
        if text.startswith("**", index):
            out.append(".*")
            index += 2
            continue
        if char == "[" and (end := text.find("]", index + 2)) > 0:
            body = text[index + 1 : end]
            negated = "^" if body[0] in "!^" else ""
            out.append(f"(?!/)[{negated}{_class(body[len(negated) :])}]")
            index = end + 1
            continue
        if char == "{" and "}" in text[index:]:
            braces += 1
            out.append("(?:")
        elif char == "}" and braces:
            braces -= 1
            out.append(")")
        elif char == "," and braces:
            out.append("|")
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char))
        index += 1
    out.append(")" * braces)
    return out


def _class(body: str) -> str:
    return body.replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
