"""Which engines can run a model here."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from ironhive.errors import PluginError
from ironhive.plugins import scan

ENGINES = {"llama_cpp": "llama.cpp", "onnxruntime_genai": "ONNX Runtime GenAI"}
"""The engines of ironhive's own backends, by module."""
OWN_BACKENDS = frozenset({"llamacpp", "onnxgenai"})


def installed_engines() -> list[str]:
    """The names of those that are installed; nothing is imported."""
    return [name for module, name in ENGINES.items() if _is_there(module)]


def require_engine() -> None:
    """See that something could run a model, before one is fetched.

    :raises PluginError: no engine is installed, and no backend of another distribution that might bring its own.
    """
    if installed_engines() or set(scan().names("backend")) - OWN_BACKENDS:
        return
    message = "local models need llama-cpp-python, which is not installed: run  pip install 'ironhive[local]'"
    raise PluginError(message)


def _is_there(module: str) -> bool:
    if module in sys.modules:
        return sys.modules[module] is not None
    return find_spec(module) is not None
