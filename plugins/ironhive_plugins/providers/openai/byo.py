"""The endpoints of this wire that a user can bring, and the checks of what was entered."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ironhive.contracts import ByoPreset
from ironhive.errors import ConfigurationError
from ironhive.http import address_problem
from ironhive_plugins.providers.openai import presets
from ironhive_plugins.providers.openai.registrations import register

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.contracts import Endpoint, ModelInfo, ProviderRegistration
    from ironhive_plugins.providers.openai.presets import Preset

_CATALOGUE = (
    (1, "openai", presets.OPENAI),
    (4, "grok", presets.XAI),
    (5, "ollama", presets.OLLAMA),
    (6, "gpustack", presets.GPUSTACK),
    (7, "custom", presets.CUSTOM),
)
"""Position in the catalogue of all wires, the preset's id, and its server."""


def byo_presets() -> Sequence[ByoPreset]:
    """The presets of this wire."""
    return [_preset(position, name, preset) for position, name, preset in _CATALOGUE]


def _preset(position: int, name: str, preset: Preset) -> ByoPreset:
    own_address = name != "custom"
    return ByoPreset(
        id=name,
        kind=preset.kind,
        default_base_url=preset.base_url if own_address else None,
        key_required=preset.key == "required",
        base_url_required=not own_address,
        placement_allowed=True,
        check=partial(check, name, preset),
        register=partial(_register, name, preset),
        list_models=partial(_list_models, name, preset),
        position=position,
    )


def check(name: str, preset: Preset, endpoint: Endpoint) -> str | None:
    """Why an endpoint cannot be used, without touching the network; None when it can."""
    if name == "custom" and not endpoint.base_url:
        return "custom needs a base URL"
    problem = address_problem(endpoint.base_url) if endpoint.base_url else None
    if problem:
        return problem
    if preset.key == "required" and not endpoint.api_key:
        return f"{name} needs an API key"
    try:
        _register(name, preset, endpoint, id=name, priority=0, model=None)
    except ConfigurationError as error:
        return str(error)
    return None


def _register(
    name: str, preset: Preset, endpoint: Endpoint, *, id: str, priority: int, model: str | None, **more: Any
) -> ProviderRegistration:
    return register(
        preset,
        id=id,
        priority=priority,
        model=model,
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
        headers=endpoint.headers,
        placement=endpoint.placement,
        name=name,
        aliases=(),
        **more,
    )


async def _list_models(name: str, preset: Preset, endpoint: Endpoint) -> Sequence[ModelInfo]:
    registration = _register(name, preset, endpoint, id=name, priority=0, model=None)
    return await registration.list_models() if registration.list_models else ()
