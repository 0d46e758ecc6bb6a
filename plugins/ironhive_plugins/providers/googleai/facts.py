"""What ``models.json`` says about a model."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ironhive.http import FactTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FILE = Path(__file__).with_name("models.json")

MODELS: Final = FactTable(_FILE)
"""Facts by model id. What the general rule says of Gemini is meant for models that come later."""

_LEVELS = ("minimal", "low", "medium", "high")


@cache
def thinking_budgets() -> Mapping[str, int]:
    """Tokens of thinking per effort, for models that take a budget."""
    budgets: Mapping[str, int] = json.loads(_FILE.read_text(encoding="utf-8"))["budgets"]
    return budgets


def thinking_level(effort: str, offered: Sequence[str]) -> str:
    """The nearest level that a model offers; thinking cannot be switched off, so ``none`` is the lowest."""
    word = {"none": "minimal", "extra_high": "high"}.get(effort, effort)
    wanted = _LEVELS.index(word)
    return min(offered, key=lambda level: (abs(_LEVELS.index(level) - wanted), -_LEVELS.index(level)))
