"""The description of the backend: cheap to import, the engine comes when a model is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.hooks import hookimpl

if TYPE_CHECKING:
    from pathlib import Path

    from ironhive.contracts import Backend

CONFIG = "genai_config.json"


@hookimpl
def ironhive_backend(path: Path) -> Backend | None:
    """The engine for a folder with a ``genai_config.json``."""
    if not (path / CONFIG).is_file():
        return None
    from ironhive_plugins.backends.onnxgenai.backend import OnnxBackend

    return OnnxBackend()
