"""Google's generateContent wire: the Gemini models.

:func:`googleai` makes a provider registration; ``wire`` and ``decoder`` are the two directions of the wire,
``models.json`` holds the facts about model families.
"""

from ironhive_plugins.providers.googleai.plugin import (
    ironhive_byo_presets,
    ironhive_provider,
    ironhive_settings_model,
)
from ironhive_plugins.providers.googleai.registration import googleai

__all__ = ["googleai", "ironhive_byo_presets", "ironhive_provider", "ironhive_settings_model"]
