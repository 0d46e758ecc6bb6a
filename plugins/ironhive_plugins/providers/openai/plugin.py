"""The hooks of this plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.contracts import CredentialPlacement, NotConfigured
from ironhive.hooks import hookimpl
from ironhive_plugins.providers.openai.presets import BY_SECTION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.contracts import ByoPreset, ProviderRegistration
    from ironhive_plugins.providers.openai.presets import Preset
    from ironhive_plugins.providers.openai.settings import ServerSection


@hookimpl
def ironhive_settings_model(section: str) -> type | None:
    """The models of the sections of this wire."""
    if section not in BY_SECTION:
        return None
    from ironhive_plugins.providers.openai.settings import SECTIONS  # loads pydantic

    return SECTIONS[section]


@hookimpl
def ironhive_provider(
    name: str, settings: Any, id: str, priority: int | None, model: str | None
) -> ProviderRegistration | NotConfigured | None:
    """The server that a section describes."""
    preset = BY_SECTION.get(name)
    if preset is None:
        return None
    from ironhive_plugins.providers.openai.settings import SECTIONS

    section = settings if isinstance(settings, SECTIONS[name]) else SECTIONS[name].model_validate(dict(settings or {}))
    budget = _budget(name, section)
    missing = _missing(preset, section, model)
    if missing:
        return NotConfigured(name, missing, preset.aliases)
    from ironhive_plugins.providers.openai.registrations import register

    return register(
        preset,
        id=id,
        priority=priority,
        model=model or section.model or None,
        api_key=section.api_key,
        base_url=section.endpoint,
        placement=_placement(section),
        headers={key: value.reveal() for key, value in section.headers.items()},
        budget=budget,
        carry_tool_images=section.carry_tool_images,
        think_tags=section.think_tags,
        token_limit=section.token_limit_parameter,
        wire=getattr(section, "wire", None),
        api_version=getattr(section, "api_version", None),
        max_concurrency=section.max_concurrency,
    )


@hookimpl
def ironhive_byo_presets() -> Sequence[ByoPreset]:
    """The endpoints of this wire that a user can bring."""
    from ironhive_plugins.providers.openai.byo import byo_presets

    return byo_presets()


def _budget(name: str, section: ServerSection) -> Any:
    from ironhive.http import budget_for

    return budget_for(
        name,
        idle=section.stream_idle_timeout_seconds,
        first_token=section.first_token_timeout_seconds,
        total=section.total_timeout_seconds,
        size=section.max_answer_bytes,
    )


def _placement(section: ServerSection) -> CredentialPlacement | None:
    """Where the key goes when the section says so: in a header of its own, or under another scheme."""
    header, scheme = section.api_key_header, section.api_key_scheme
    if header is None and scheme is None:
        return None
    return CredentialPlacement(header or "Authorization", scheme or None)


def _missing(preset: Preset, section: ServerSection, model: str | None) -> str:
    """What has to be set before the section can be used; empty when nothing is missing."""
    variables = preset.variables
    if hasattr(section, "enabled"):
        return "" if section.enabled else f"set {preset.section}.enabled to true (or {variables}_ENABLED=true)"
    names = []
    if preset.section in ("gpuStack", "azureopenai", "custom") and not section.endpoint:
        names.append(("endpoint", f"{variables}_ENDPOINT"))
    if (preset.key == "required" or preset.section == "gpuStack") and not section.api_key:
        names.append(("apiKey", f"{variables}_API_KEY"))
    if not (model or section.model):
        names.append(("model", f"{variables}_MODEL"))
    if not names:
        return ""
    keys = " and ".join(f"{preset.section}.{key}" for key, _ in names)
    if preset.section == "custom":
        return f"set {keys}"
    return f"set {' and '.join(variable for _, variable in names)} (or {keys})"
