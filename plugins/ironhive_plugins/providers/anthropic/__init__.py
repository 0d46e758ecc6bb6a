"""Anthropic's Messages wire.

:func:`anthropic` makes a provider registration; ``request`` and ``decoder`` are the two directions of the wire,
``models.json`` holds the facts about model families.
"""

from ironhive_plugins.providers.anthropic.plugin import (
    ironhive_byo_presets,
    ironhive_provider,
    ironhive_settings_model,
)
from ironhive_plugins.providers.anthropic.registration import anthropic

__all__ = ["anthropic", "ironhive_byo_presets", "ironhive_provider", "ironhive_settings_model"]
