"""What is known about model families, read from one data file per wire."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_KEPT_MODELS: Final = 256


class FactTable:
    """The rules of one ``models.json``.

    The file holds ``{"families": [{"match": regex, ...facts}, ...]}``. A rule applies to a model whose id, without a
    leading ``vendor/`` or ``ft:`` and in lower case, begins with ``match``; facts of later rules replace those of
    earlier ones, so that the general comes first and the exception after it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rules: list[tuple[re.Pattern[str], Mapping[str, Any]]] | None = None
        self._known: dict[str, Mapping[str, Any]] = {}

    def of(self, model: str) -> Mapping[str, Any]:
        """All facts about a model; empty for one nobody has described."""
        facts = self._known.get(model)
        if facts is None:
            name = model.lower().rpartition("/")[2].removeprefix("ft:")
            facts = {}
            for pattern, more in self._load():
                if pattern.match(name):
                    facts = {**facts, **more}
            if len(self._known) < _KEPT_MODELS:
                self._known[model] = facts
        return facts

    def _load(self) -> list[tuple[re.Pattern[str], Mapping[str, Any]]]:
        if self._rules is None:
            families = json.loads(self._path.read_text(encoding="utf-8"))["families"]
            self._rules = [
                (re.compile(rule["match"]), {key: value for key, value in rule.items() if key != "match"})
                for rule in families
            ]
        return self._rules
