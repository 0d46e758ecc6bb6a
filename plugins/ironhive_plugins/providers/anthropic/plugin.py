"""The hooks of this plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.contracts import NotConfigured
from ironhive.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.contracts import ByoPreset, ProviderRegistration

SECTION = "anthropic"


@hookimpl
def ironhive_settings_model(section: str) -> type | None:
    """The model of the section ``anthropic``."""
    if section != SECTION:
        return None
    from ironhive_plugins.providers.anthropic.settings import AnthropicSection  # loads pydantic

    return AnthropicSection


@hookimpl
def ironhive_provider(
    name: str, settings: Any, id: str, priority: int | None, model: str | None
) -> ProviderRegistration | NotConfigured | None:
    """Anthropic, as the section describes it."""
    if name != SECTION:
        return None
    from ironhive.http import budget_for
    from ironhive_plugins.providers.anthropic.registration import anthropic
    from ironhive_plugins.providers.anthropic.settings import AnthropicSection

    section = (
        settings if isinstance(settings, AnthropicSection) else AnthropicSection.model_validate(dict(settings or {}))
    )
    budget = budget_for(
        name,
        idle=section.stream_idle_timeout_seconds,
        first_token=section.first_token_timeout_seconds,
        total=section.total_timeout_seconds,
        size=section.max_answer_bytes,
    )
    chosen = model or section.model or None
    missing = [word for word, value in (("API_KEY", section.api_key), ("MODEL", chosen)) if not value]
    if missing:
        keys = {"API_KEY": "anthropic.apiKey", "MODEL": "anthropic.model"}
        variables = " and ".join(f"ANTHROPIC_{word}" for word in missing)
        return NotConfigured(name, f"set {variables} (or {' and '.join(keys[word] for word in missing)})", ("claude",))
    return anthropic(
        id=id,
        priority=priority,
        model=chosen,
        api_key=section.api_key,
        base_url=section.endpoint,
        headers={key: value.reveal() for key, value in section.headers.items()},
        budget=budget,
        prompt_caching=section.prompt_caching,
        max_concurrency=section.max_concurrency,
    )


@hookimpl
def ironhive_byo_presets() -> Sequence[ByoPreset]:
    """The endpoint of this wire that a user can bring."""
    from ironhive_plugins.providers.anthropic.byo import byo_preset

    return [byo_preset()]
