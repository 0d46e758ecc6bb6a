"""JSON bodies compared field by field."""

from __future__ import annotations

from typing import Any

ABSENT = "(absent)"


def unlike(theirs: Any, ours: Any, path: str = "") -> dict[str, tuple[Any, Any]]:
    """Each place where two JSON values differ, with what stands there on either side."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        found: dict[str, tuple[Any, Any]] = {}
        for key in sorted({*theirs, *ours}):
            found |= unlike(theirs.get(key, ABSENT), ours.get(key, ABSENT), f"{path}.{key}" if path else key)
        return found
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        found = {}
        for index, (one, other) in enumerate(zip(theirs, ours, strict=True)):
            found |= unlike(one, other, f"{path}[{index}]")
        return found
    return {} if theirs == ours and type(theirs) is type(ours) else {path: (theirs, ours)}
