"""Everything that speaks OpenAI's wires: OpenAI, Azure, xAI, GPUStack, Ollama, LM Studio and any compatible server.

The functions make provider registrations; ``presets`` tells the servers apart, ``chat`` and ``responses`` are the
wires, ``models.json`` holds the facts about model families and hosts.
"""

from ironhive_plugins.providers.openai.plugin import ironhive_byo_presets, ironhive_provider, ironhive_settings_model
from ironhive_plugins.providers.openai.registrations import (
    azure,
    gpustack,
    lmstudio,
    ollama,
    openai,
    openai_compatible,
    xai,
)

__all__ = [
    "azure",
    "gpustack",
    "ironhive_byo_presets",
    "ironhive_provider",
    "ironhive_settings_model",
    "lmstudio",
    "ollama",
    "openai",
    "openai_compatible",
    "xai",
]
