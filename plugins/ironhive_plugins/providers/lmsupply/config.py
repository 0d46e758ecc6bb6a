"""What loading a model needs to know, as plain data: settings and arguments both become this."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

AUTO_NAMES = frozenset({"auto", "default", "gguf:auto"})
"""All of these leave the choice to memory."""


@dataclass(frozen=True, slots=True)
class LocalConfig:
    """How local models are found, fetched and run. Field by field it is the section ``lmsupply``; sizes in MB."""

    model: str = "gguf:auto"
    max_context_length: int | None = None
    memory_limit_mb: int | None = None
    vram_budget_mb: int | None = None
    system_ram_mb: int | None = None
    isolation: str = "none"
    cache_directory: Path | None = None
    offline: bool = False
    queue_seconds: float | None = 300.0
    max_output_tokens: int = 512
    threads: int | None = None

    @classmethod
    def of(cls, settings: Any, model: str | None = None) -> Self:
        """From the section's model or its plain mapping; ``model`` overrides the section's."""
        from ironhive_plugins.providers.lmsupply.settings import LMSupplySection  # pydantic: only when configured

        if not isinstance(settings, LMSupplySection):
            values: Mapping[str, Any] = settings or {}
            settings = LMSupplySection.model_validate(dict(values))
        return cls(
            model=model or settings.generator_model,
            max_context_length=settings.max_context_length or None,
            memory_limit_mb=settings.memory_limit_mb,
            vram_budget_mb=settings.vram_budget_mb,
            system_ram_mb=settings.system_ram_mb,
            isolation=settings.isolation or "none",
            cache_directory=Path(settings.cache_directory).expanduser() if settings.cache_directory else None,
            offline=settings.offline,
            queue_seconds=settings.queue_seconds,
            max_output_tokens=settings.max_output_tokens,
            threads=settings.threads,
        )

    @property
    def auto(self) -> bool:
        """Whether the choice of the model is ours."""
        return self.model.strip().lower() in AUTO_NAMES

    @property
    def cache(self) -> Path:
        """The folder that downloaded models are kept in."""
        return self.cache_directory or default_cache()


def default_cache() -> Path:
    """``$XDG_CACHE_HOME/ironhive/models``, else ``~/.cache/ironhive/models``."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache"
    return root / "ironhive" / "models"
