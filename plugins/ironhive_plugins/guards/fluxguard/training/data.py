"""Reads labelled rows; needs nothing but the standard library."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def read_rows(folder: Path) -> list[dict[str, Any]]:
    """All labelled rows of a data folder (``*.jsonl.gz``), in file order."""
    rows: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8", errors="surrogatepass") as lines:
            rows.extend(json.loads(line) for line in lines)
    return rows
