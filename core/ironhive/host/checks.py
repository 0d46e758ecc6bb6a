"""What in a configuration nothing will read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.settings import CORE_SECTIONS, LATER_SECTIONS

if TYPE_CHECKING:
    from ironhive.plugins import PluginManager
    from ironhive.settings import Settings


def unread_keys(settings: Settings, plugins: PluginManager) -> list[str]:
    """One line for each key of the configuration that no part of this installation reads.

    Sections of plugins are looked into when the plugin is loaded; only its own model knows its keys.
    """
    from ironhive.settings.models import CoreSections, unknown_keys  # pydantic: only where settings are really read

    sections = {key: value for key, value in settings.tree.items() if key in CORE_SECTIONS}
    lines = [_unknown(settings, key[1:]) for key in unknown_keys(CoreSections, sections, "")]
    for name, value in settings.tree.items():
        if name in CORE_SECTIONS:
            continue
        if name in LATER_SECTIONS:
            lines.append(f"{name}: this version does not use this section yet")
        elif not any(item.name == name for item in plugins.index.plugins):
            lines.append(_unknown(settings, name))
        else:
            model = plugins.call("ironhive_settings_model", section=name)
            if model is not None:
                lines += [_unknown(settings, key) for key in unknown_keys(model, value, name)]
    return lines


def _unknown(settings: Settings, path: str) -> str:
    layer = next((found for key, found in settings.sources.items() if key == path or key.startswith(f"{path}.")), None)
    return f"unknown key {path}{f' in {layer.origin}' if layer else ''}: it has no effect"
