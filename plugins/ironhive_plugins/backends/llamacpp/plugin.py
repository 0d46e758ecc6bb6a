"""The description of the backend: cheap to import, the engine comes when a model is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.hooks import hookimpl

if TYPE_CHECKING:
    from pathlib import Path

    from ironhive.contracts import Backend

MAGIC = b"GGUF"


@hookimpl
def ironhive_backend(path: Path) -> Backend | None:
    """The engine for a file that begins as GGUF files begin."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return None
    from ironhive_plugins.backends.llamacpp.backend import LlamaBackend

    return LlamaBackend()
