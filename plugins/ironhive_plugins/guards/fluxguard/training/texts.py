"""The project's own multilingual texts, spun from hand-written templates.

Templates of even position may be used for rules and training, templates of odd position only to judge: a phrasing never
stands on both sides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Half = Literal["rule", "test"]
FILLS = 5
"""How often one template is filled, with different values in its slots."""

TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True, slots=True)
class OwnText:
    """One generated text. ``template`` counts the templates of one language and kind from zero."""

    text: str
    attack: bool
    language: str
    template: int

    @property
    def half(self) -> Half:
        """Which side of the template split this text belongs to."""
        return "test" if self.template % 2 else "rule"


def own_texts(half: Half | None = None) -> Iterator[OwnText]:
    """All generated texts, or those of one half, always in the same order."""
    for path in sorted(TEMPLATES.glob("*.txt")):
        for item in _language(path):
            if half is None or item.half == half:
                yield item


def _language(path: Path) -> Iterator[OwnText]:
    slots: dict[str, list[str]] = {}
    counts = {"A": 0, "B": 0}
    for line in path.read_text("utf-8").splitlines():
        key, _, body = line.partition(": ")
        if key.startswith("@"):
            slots[key[1:]] = [value.strip() for value in body.split("|")]
        elif key in counts:
            template = counts[key]
            counts[key] += 1
            seen = dict.fromkeys(_fill(body, slots, template, turn) for turn in range(FILLS))
            for text in seen:
                yield OwnText(text, key == "A", path.stem, template)


def _fill(body: str, slots: dict[str, list[str]], template: int, turn: int) -> str:
    def value(match: re.Match[str]) -> str:
        values = slots[match.group(1)]
        return values[(turn + template * 3) % len(values)]

    return re.sub(r"\{(\w)\}", value, body)
