"""Facts about model families."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ironhive.http import FactTable

if TYPE_CHECKING:
    from pathlib import Path


def test_later_rules_refine_earlier_ones(tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    rules = [{"match": "big", "window": 8, "thinks": False}, {"match": "big-2", "thinks": True}]
    path.write_text(json.dumps({"families": rules}))
    table = FactTable(path)
    assert table.of("big-1") == {"window": 8, "thinks": False}
    assert table.of("Big-2-2026") == {"window": 8, "thinks": True}
    assert table.of("vendor/big-2") == {"window": 8, "thinks": True}
    assert table.of("models/big-1") == {"window": 8, "thinks": False}
    assert table.of("ft:big-1:me:x") == {"window": 8, "thinks": False}
    assert table.of("not-big") == {}
