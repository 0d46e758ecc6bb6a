"""Token counts of the Responses wire."""

from __future__ import annotations

from typing import Any

from ironhive.chat import Usage
from ironhive.http import count_at


def read_usage(raw: dict[str, Any]) -> Usage:
    """The counts of one answer."""
    return Usage(
        input_tokens=count_at(raw, "input_tokens"),
        output_tokens=count_at(raw, "output_tokens"),
        total_tokens=count_at(raw, "total_tokens"),
        cached_input_tokens=count_at(raw.get("input_tokens_details"), "cached_tokens"),
        reasoning_tokens=count_at(raw.get("output_tokens_details"), "reasoning_tokens"),
    )
