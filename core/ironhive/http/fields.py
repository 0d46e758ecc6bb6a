"""Fields of JSON from a server: what has not the expected type counts as absent."""

from __future__ import annotations

from typing import Any


def text_at(node: Any, key: str) -> str:
    """The text in a field, or an empty one."""
    value = node.get(key) if isinstance(node, dict) else None
    return value if isinstance(value, str) else ""


def count_at(node: Any, key: str) -> int | None:
    """The whole number in a field, or None."""
    value = node.get(key) if isinstance(node, dict) else None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def objects_at(node: Any, key: str) -> list[dict[str, Any]]:
    """The objects in a field that holds a list, or none."""
    value = node.get(key) if isinstance(node, dict) else None
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def place_at(node: Any, key: str) -> int | str | None:
    """The number or name in a field that says which part of an answer is meant, or None."""
    value = node.get(key) if isinstance(node, dict) else None
    return value if isinstance(value, (int, str)) else None
