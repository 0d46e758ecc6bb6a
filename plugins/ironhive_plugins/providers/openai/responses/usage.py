"""Token counts of the Responses wire."""

from __future__ import annotations

from typing import Any

from ironhive.chat import Usage


def read_usage(raw: dict[str, Any]) -> Usage:
    """The counts of one answer."""
    return Usage(
        input_tokens=_count(raw, "input_tokens"),
        output_tokens=_count(raw, "output_tokens"),
        total_tokens=_count(raw, "total_tokens"),
        cached_input_tokens=_count(raw.get("input_tokens_details"), "cached_tokens"),
        reasoning_tokens=_count(raw.get("output_tokens_details"), "reasoning_tokens"),
    )


def _count(raw: Any, name: str) -> int | None:
    value = raw.get(name) if isinstance(raw, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
