"""The list of models of a server with one of the OpenAI wires."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.contracts import ModelInfo
from ironhive.errors import BadAnswerError
from ironhive_plugins.providers.openai.facts import MODELS

if TYPE_CHECKING:
    from collections.abc import Sequence

_WINDOWS = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx", "max_input_tokens")


def read_models(body: Any, *, provider: str) -> Sequence[ModelInfo]:
    """The models in the server's own order, with the window where the server or ``models.json`` knows it.

    :raises BadAnswerError: this is no list of models.
    """
    entries = body.get("data", body.get("models")) if isinstance(body, dict) else body
    if entries is None and isinstance(body, dict) and "data" in body:
        entries = []  # Ollama without a model
    if not isinstance(entries, list):
        raise BadAnswerError(f"{provider}: the answer is no list of models", provider=provider)
    return [_model(entry, provider) for entry in entries if isinstance(entry, dict) and _name(entry)]


def _name(entry: dict[str, Any]) -> str:
    return str(entry.get("id") or entry.get("name") or "")


def _model(entry: dict[str, Any], provider: str) -> ModelInfo:
    name = _name(entry)
    return ModelInfo(
        id=name,
        provider=provider,
        name=entry.get("display_name") or (entry.get("name") if entry.get("id") else None),
        context_window=_window(entry) or MODELS.of(name).get("window"),
    )


def _window(entry: dict[str, Any]) -> int | None:
    meta = entry.get("meta")
    for source in (entry, meta if isinstance(meta, dict) else {}):
        for key in (*_WINDOWS, "n_ctx_train"):
            value = source.get(key)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return None
