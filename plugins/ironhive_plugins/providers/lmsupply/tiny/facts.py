"""What tool calls brought, in plain words that a tiny model can use."""

from __future__ import annotations

import mimetypes
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ironhive_plugins.providers.lmsupply.tiny.turn import Step

LISTED = re.compile(r"^\[(DIR|FILE)\]\s+(.+?)(?:\s\([^()]*\))?$")
"""A line of a listing: kind, name, size."""

UNREAD = frozenset({"__pycache__", "node_modules"})
"""Folders that hold nothing written for people."""

MARKUP = (
    (re.compile(r"```[\w-]*"), ""),
    (re.compile(r"\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)"), ""),
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), ""),
    (re.compile(r"\[([^\]]+)\]\([^)]*\)"), r"\1"),
    (re.compile(r"</?[a-zA-Z][^<>]{0,200}>"), ""),
    (re.compile(r"<!--.*?-->", re.DOTALL), ""),
    (re.compile(r"^[#=*/;\s>-]+\s", re.MULTILINE), ""),
    (re.compile(r"\*\*|__|`"), ""),
    (re.compile(r"https?://\S+"), ""),
)
"""What marks text up without saying anything."""

CODE = re.compile(r"[{}()=;<>\[\]]{2}|[=;{}]\s*$")

NAMES_SHOWN = 40
MOSTLY = 0.5
SENTENCE = 5
SHORTEST = 40
FIRST_FILE = 900
FACTS = 2000
"""Characters of facts in one prompt: about 500 tokens, the most that such a model still makes something of."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Names that listings have shown, as paths that can be used in calls. Folders end with a slash."""

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


def seen_names(steps: Sequence[Step]) -> Seen:
    """All names in the listings so far, each once, hidden ones and pictures left out."""
    files: dict[str, None] = {}
    folders: dict[str, None] = {}
    for step in steps:
        base = _base(step)
        for kind, name in listed(step.text):
            path = f"{base}{name}"
            if name.startswith(".") or "/." in name or name.rstrip("/") in UNREAD:
                continue
            if kind == "DIR":
                folders[path] = None
            elif _is_text(name):
                files[path] = None
    return Seen(tuple(files), tuple(folders))


def listed(text: str) -> Iterable[tuple[str, str]]:
    """(``DIR`` or ``FILE``, name) for each line of a listing; nothing for other texts."""
    for line in text.splitlines():
        match = LISTED.match(line)
        if match:
            yield match.group(1), match.group(2).rstrip("/") + ("/" if match.group(1) == "DIR" else "")


def facts(steps: Sequence[Step], limit: int = FACTS) -> list[str]:
    """What the steps brought, restated within about ``limit`` characters: the names first, then one text per source,
    prose before code and data, because such a model makes most of what it reads first. Empty: nothing was brought.
    """
    texts = [(step, plain(step.text)) for step in steps if step.text.strip() and not _is_listing(step)]
    texts.sort(key=lambda item: -_prose(item[1]))
    parts = [names_line(steps)]
    left = limit - len(parts[0])
    for step, text in texts:
        room = min(left, FIRST_FILE if _prose(text) >= MOSTLY else FIRST_FILE // 3)
        if room >= SHORTEST and text:
            parts.append(f"{_subject(step)} says:\n{_cut(text, room)}")
            left -= len(parts[-1])
    return parts if any(parts) else []


def names_line(steps: Sequence[Step]) -> str:
    """All names seen so far in one line; a folder that was looked into is replaced by what is in it."""
    opened = {f"{_base(step)}" for step in steps if _is_listing(step)}
    names = [
        f"{_base(step)}{name}"
        for step in steps
        for _, name in listed(step.text)
        if not name.startswith(".") and f"{_base(step)}{name}" not in opened
    ]
    if not names:
        return "The directory has no files in it." if opened else ""
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return f"The directory contains these files: {', '.join(names[:NAMES_SHOWN])}{more}."


def plain(text: str) -> str:
    """Text without markup, empty lines and rulers."""
    for pattern, replacement in MARKUP:
        text = pattern.sub(replacement, text)
    lines = (re.sub(r"\s+", " ", line).strip(" |") for line in text.splitlines())
    return "\n".join(line for line in lines if any(character.isalnum() for character in line))


def _is_listing(step: Step) -> bool:
    return any(True for _ in listed(step.text))


def _subject(step: Step) -> str:
    return next((str(value) for value in step.arguments.values() if isinstance(value, str)), step.name)


def _prose(text: str) -> float:
    """The share of lines that read like sentences."""
    lines = text.splitlines()
    sentences = sum(len(line.split()) >= SENTENCE and not CODE.search(line) for line in lines)
    return sentences / len(lines) if lines else 0.0


def _cut(text: str, room: int) -> str:
    """The beginning, ended where a line or sentence ends."""
    if len(text) <= room:
        return text
    head = text[:room]
    end = max(head.rfind("\n"), head.rfind(". ") + 1)
    return head[: end if end > room // 2 else room].rstrip()


def _base(step: Step) -> str:
    """The folder that a listing's names are relative to, with a slash at its end."""
    path = next((str(value) for value in step.arguments.values() if isinstance(value, str)), ".")
    path = path.rstrip("/")
    return "" if path in {"", "."} else f"{path}/"


def _is_text(name: str) -> bool:
    kind, packed = mimetypes.guess_type(name)
    if packed is not None:
        return False
    kind = kind or "text/plain"
    main = kind.partition("/")[0]
    return main == "text" or any(word in kind for word in ("json", "xml", "javascript", "toml", "yaml", "script", "sh"))
