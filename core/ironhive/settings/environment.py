"""The environment variables that are read: this closed list and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

VARIABLES: Final[dict[str, tuple[str, str]]] = {
    "GPUSTACK_ENDPOINT": ("gpuStack", "endpoint"),
    "GPUSTACK_API_KEY": ("gpuStack", "apiKey"),
    "GPUSTACK_MODEL": ("gpuStack", "model"),
    "OPENAI_API_KEY": ("openai", "apiKey"),
    "OPENAI_MODEL": ("openai", "model"),
    "OPENAI_ENDPOINT": ("openai", "endpoint"),
    "AZURE_OPENAI_ENDPOINT": ("azureopenai", "endpoint"),
    "AZURE_OPENAI_API_KEY": ("azureopenai", "apiKey"),
    "AZURE_OPENAI_MODEL": ("azureopenai", "model"),
    "ANTHROPIC_API_KEY": ("anthropic", "apiKey"),
    "ANTHROPIC_MODEL": ("anthropic", "model"),
    # the alias stands first, so that the preferred name overwrites it
    "GOOGLE_API_KEY": ("googleai", "apiKey"),
    "GOOGLEAI_API_KEY": ("googleai", "apiKey"),
    "GOOGLEAI_MODEL": ("googleai", "model"),
    "XAI_API_KEY": ("xai", "apiKey"),
    "XAI_MODEL": ("xai", "model"),
    "XAI_ENDPOINT": ("xai", "endpoint"),
    "OLLAMA_ENDPOINT": ("ollama", "endpoint"),
    "OLLAMA_MODEL": ("ollama", "model"),
    "OLLAMA_ENABLED": ("ollama", "enabled"),
    "LMSTUDIO_ENDPOINT": ("lmstudio", "endpoint"),
    "LMSTUDIO_MODEL": ("lmstudio", "model"),
    "LMSTUDIO_ENABLED": ("lmstudio", "enabled"),
    "LMSUPPLY_ENABLED": ("lmsupply", "enabled"),
}
"""Variable name to section and key."""


def environment_tree(environ: Mapping[str, str]) -> dict[str, Any]:
    """The settings in a set of variables. Blank ones count as unset; a switch is on only for the word ``true``."""
    tree: dict[str, Any] = {}
    for variable, (section, key) in VARIABLES.items():
        value = (environ.get(variable) or "").strip()
        if value:
            tree.setdefault(section, {})[key] = value.lower() == "true" if key == "enabled" else value
    return tree


def read_dotenv(path: Path) -> dict[str, str]:
    """The variables of a ``.env`` file; absent or unreadable gives none. Nothing reaches ``os.environ``."""
    if not path.is_file():
        return {}
    from dotenv import dotenv_values  # only where there is a file

    try:
        values = dotenv_values(path, encoding="utf-8-sig", interpolate=False)
    except (OSError, UnicodeDecodeError):
        return {}
    return {name: value for name, value in values.items() if value is not None}
