"""The section ``lmsupply`` of config.yaml."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ironhive.settings import SectionModel


class LMSupplySection(SectionModel):
    """Local models: which one, how much memory it may take, and how it runs."""

    enabled: bool = True
    """Off: never chosen on its own; still selectable by name."""
    generator_model: str = "gguf:auto"
    """``auto``, an alias of the catalogue, a Hugging Face id (``org/name`` or ``org/name:file.gguf``), or a path."""
    max_context_length: int | None = Field(None, ge=0)
    """Tokens; unset or 0 chooses by memory."""
    memory_limit_mb: int | None = Field(None, ge=1)
    """Most memory that loaded models may take together; unset chooses by what is free."""
    vram_budget_mb: int | None = Field(None, ge=0)
    """Graphics memory to plan with, where it cannot be measured."""
    system_ram_mb: int | None = Field(None, ge=1)
    """Main memory to plan with instead of what the machine has."""
    isolation: Literal["none", "process"] | None = None
    """``process`` runs the model in a child process, so that a crash of the native library leaves the host alive; unset
    is ``process`` in the server and ``none`` elsewhere."""
    cache_directory: str | None = None
    """Where downloaded models are kept; unset is ``$XDG_CACHE_HOME/ironhive/models``, else under ``~/.cache``."""
    offline: bool = False
    """Never download."""
    queue_seconds: float | None = Field(300.0, gt=0)
    """How long a request waits while the model answers another one."""
    max_output_tokens: int = Field(512, ge=1)
    """Bound of an answer where the call names none."""
    threads: int | None = Field(None, ge=1)
    """Threads of the engine; unset is the number of physical cores."""
