"""The engine for a model file, whichever plugin has it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ironhive.errors import ModelLoadError
from ironhive.plugins.manager import PluginManager

if TYPE_CHECKING:
    from ironhive.contracts import Backend


def open_backend(path: Path | str, manager: PluginManager | None = None) -> Backend:
    """The backend that can open this model file or folder.

    :param manager: the running host's plugins; without one the installed backends are looked up afresh.
    :raises ModelLoadError: no installed backend knows the format.
    """
    plugins = manager or PluginManager()
    names = plugins.load("backend")
    backend: Backend | None = plugins.call("ironhive_backend", path=Path(path))
    if backend is None:
        engines = ", ".join(names) or "none"
        message = f"no backend can open {path} (installed: {engines}); a GGUF file or an ONNX folder is expected"
        raise ModelLoadError(message, model=str(path))
    return backend
