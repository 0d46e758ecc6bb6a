"""Opening an ONNX model folder."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ironhive.errors import ModelLoadError, PluginError
from ironhive.inference import EngineGenerator
from ironhive.inference.generator import QUEUE_SECONDS

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from ironhive.contracts import Generator, OpenOptions


class OnnxBackend:
    """ONNX Runtime GenAI."""

    @property
    def name(self) -> str:
        """``onnxgenai``."""
        return "onnxgenai"

    async def open(self, path: Path, options: OpenOptions) -> Generator:
        """Load a model folder. ``options.extra`` knows ``queue_seconds`` and ``providers``: execution providers in the
        order to try, ``cpu`` after all of them.

        :raises PluginError: onnxruntime-genai is not installed.
        :raises ModelLoadError: the folder is damaged or of a kind that this release does not know.
        """
        engine_module = _engine_module()
        engine = await asyncio.to_thread(engine_module.OnnxEngine.load, path, options)
        return EngineGenerator(engine, queue_seconds=options.extra.get("queue_seconds", QUEUE_SECONDS))


def _engine_module() -> ModuleType:
    try:
        from ironhive_plugins.backends.onnxgenai import engine
    except ModuleNotFoundError as error:
        message = f"ONNX models need {error.name}, which is not installed: run  pip install 'ironhive[onnx]'"
        raise PluginError(message) from error
    except (ImportError, OSError) as error:
        message = (
            f"onnxruntime-genai cannot be used ({error}): reinstall it with  "
            "pip install --force-reinstall 'ironhive[onnx]'"
        )
        raise ModelLoadError(message) from error
    return engine
