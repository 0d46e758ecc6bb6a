"""Opening a GGUF file."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from ironhive.errors import ModelLoadError, PluginError
from ironhive.inference import EngineGenerator
from ironhive.inference.generator import QUEUE_SECONDS

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from ironhive.contracts import Generator, OpenOptions


class LlamaBackend:
    """llama.cpp, through llama-cpp-python."""

    @property
    def name(self) -> str:
        """``llamacpp``."""
        return "llamacpp"

    async def open(self, path: Path, options: OpenOptions) -> Generator:
        """Load a GGUF file. ``options.extra`` knows ``queue_seconds``, ``gpu_layers`` and ``batch``.

        :raises PluginError: llama-cpp-python is not installed.
        :raises ModelLoadError: the file is damaged, or of an architecture that this llama.cpp does not know.
        :raises ModelMemoryError: there is no memory for the context.
        """
        engine_module = _engine_module()
        engine = await asyncio.to_thread(engine_module.LlamaEngine.load, path, options)
        return EngineGenerator(engine, queue_seconds=options.extra.get("queue_seconds", QUEUE_SECONDS))


def _engine_module() -> ModuleType:
    """The engine, imported now. Its threads wait without spinning unless the user's environment says otherwise: on a
    processor that other programs use too, spinning at every barrier makes generation several times slower.
    """
    if not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & os.environ.keys():
        os.environ["OMP_WAIT_POLICY"] = "passive"  # read once, when the OpenMP library is loaded
    try:
        from ironhive_plugins.backends.llamacpp import engine
    except ModuleNotFoundError as error:
        message = f"local models need {error.name}, which is not installed: run  pip install 'ironhive[local]'"
        raise PluginError(message) from error
    except (ImportError, OSError, RuntimeError) as error:
        message = (
            f"llama-cpp-python cannot be used ({error}): reinstall it with  "
            "pip install --force-reinstall 'ironhive[local]'"
        )
        raise ModelLoadError(message) from error
    return engine
