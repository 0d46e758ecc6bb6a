"""Token counts of the Chat Completions wire."""

from __future__ import annotations

from typing import Any

from ironhive.chat import Usage
from ironhive.http import count_at


def read_usage(raw: dict[str, Any]) -> Usage:
    """The counts of one answer. Servers that leave reasoning out of the output get it added: their totals show it."""
    given = count_at(raw, "prompt_tokens")
    output = count_at(raw, "completion_tokens")
    total = count_at(raw, "total_tokens")
    inner = raw.get("prompt_tokens_details")
    cached = count_at(inner, "cached_tokens")
    if cached is None:
        cached = count_at(raw, "prompt_cache_hit_tokens")  # DeepSeek
    if cached is None:
        cached = count_at(raw, "cached_tokens") or None  # Moonshot, Together; others put a 0 there that means nothing
    reasoning = count_at(raw.get("completion_tokens_details"), "reasoning_tokens")
    if reasoning is None:
        reasoning = count_at(raw, "reasoning_tokens")
    if None not in (given, output, total, reasoning) and reasoning and given + output + reasoning == total:  # type: ignore[operator]
        output = output + reasoning  # type: ignore[operator]
    return Usage(
        input_tokens=given,
        output_tokens=output,
        total_tokens=total,
        cached_input_tokens=cached,
        cache_write_tokens=count_at(inner, "cache_write_tokens"),
        reasoning_tokens=reasoning,
    )
