"""Opening a GGUF file."""

from __future__ import annotations

import asyncio
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ironhive.errors import ModelLoadError, PluginError
from ironhive.inference import EngineGenerator
from ironhive.inference.generator import QUEUE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator
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
    try:
        with _sleeping_threads():
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


@contextmanager
def _sleeping_threads() -> Iterator[None]:
    """While the engine is loaded: its threads are to sleep at barriers, unless the user's environment says otherwise.

    By default they spin, and on a processor that other programs use too that makes generation several times slower.
    The OpenMP library reads the variable once, when it is loaded; afterwards the environment is as it was.
    """
    if {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & os.environ.keys():
        yield
        return
    os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        yield
    finally:
        del os.environ["OMP_WAIT_POLICY"]
