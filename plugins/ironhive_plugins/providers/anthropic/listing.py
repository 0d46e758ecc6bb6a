"""The list of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.contracts import ModelInfo
from ironhive.errors import BadAnswerError
from ironhive_plugins.providers.anthropic.facts import MODELS

if TYPE_CHECKING:
    from collections.abc import Sequence


def read_models(body: Any, *, provider: str) -> Sequence[ModelInfo]:
    """The models in the provider's own order.

    :raises BadAnswerError: this is no list of models.
    """
    entries = body.get("data") if isinstance(body, dict) else None
    if not isinstance(entries, list):
        raise BadAnswerError(f"{provider}: the answer is no list of models", provider=provider)
    return [
        ModelInfo(
            id=str(entry["id"]),
            provider=provider,
            name=entry.get("display_name"),
            context_window=entry.get("max_input_tokens") or MODELS.of(str(entry["id"])).get("window"),
        )
        for entry in entries
        if isinstance(entry, dict) and entry.get("id")
    ]
