"""What ``models.json`` says about a model."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ironhive.http import FactTable

if TYPE_CHECKING:
    from collections.abc import Mapping

_FILE = Path(__file__).with_name("models.json")

MODELS: Final = FactTable(_FILE)
"""Facts by model id. What the general rule says of Claude is meant for models that come later."""

DEFAULT_MAX_TOKENS: Final = 64_000
"""New tokens where the caller sets no limit: this wire has no request without one."""


@cache
def thinking_budgets() -> Mapping[str, int]:
    """Tokens of thinking per effort, for models that take a budget."""
    budgets: Mapping[str, int] = json.loads(_FILE.read_text(encoding="utf-8"))["budgets"]
    return budgets
