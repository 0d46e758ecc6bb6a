"""The list of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.contracts import ModelInfo
from ironhive.errors import BadAnswerError
from ironhive_plugins.providers.googleai.facts import MODELS

if TYPE_CHECKING:
    from collections.abc import Sequence


def read_models(body: Any, *, provider: str) -> Sequence[ModelInfo]:
    """The models that can chat, in the provider's own order, without the ``models/`` before their names.

    :raises BadAnswerError: this is no list of models.
    """
    entries = body.get("models") if isinstance(body, dict) else None
    if not isinstance(entries, list):
        raise BadAnswerError(f"{provider}: the answer is no list of models", provider=provider)
    return [_model(entry, provider) for entry in entries if isinstance(entry, dict) and _chats(entry)]


def _chats(entry: dict[str, Any]) -> bool:
    methods = entry.get("supportedGenerationMethods")
    return bool(entry.get("name")) and (not isinstance(methods, list) or "generateContent" in methods)


def _model(entry: dict[str, Any], provider: str) -> ModelInfo:
    name = str(entry["name"]).removeprefix("models/")
    window = entry.get("inputTokenLimit")
    return ModelInfo(
        id=name,
        provider=provider,
        name=entry.get("displayName"),
        context_window=window if isinstance(window, int) else MODELS.of(name).get("window"),
    )
