"""Token counts of the Chat Completions wire."""

from __future__ import annotations

from typing import Any

from ironhive.chat import Usage


def read_usage(raw: dict[str, Any]) -> Usage:
    """The counts of one answer. Servers that leave reasoning out of the output get it added: their totals show it."""
    given = _count(raw, "prompt_tokens")
    output = _count(raw, "completion_tokens")
    total = _count(raw, "total_tokens")
    inner = raw.get("prompt_tokens_details")
    cached = _count(inner, "cached_tokens")
    if cached is None:
        cached = _count(raw, "prompt_cache_hit_tokens")  # DeepSeek
    if cached is None:
        cached = _count(raw, "cached_tokens") or None  # Moonshot, Together; others put a 0 there that means nothing
    reasoning = _count(raw.get("completion_tokens_details"), "reasoning_tokens")
    if reasoning is None:
        reasoning = _count(raw, "reasoning_tokens")
    if None not in (given, output, total, reasoning) and reasoning and given + output + reasoning == total:  # type: ignore[operator]
        output = output + reasoning  # type: ignore[operator]
    return Usage(
        input_tokens=given,
        output_tokens=output,
        total_tokens=total,
        cached_input_tokens=cached,
        cache_write_tokens=_count(inner, "cache_write_tokens"),
        reasoning_tokens=reasoning,
    )


def _count(raw: Any, name: str) -> int | None:
    value = raw.get(name) if isinstance(raw, dict) else None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
