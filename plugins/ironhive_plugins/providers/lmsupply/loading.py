"""Loading a model: find it, see that it fits, open it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ironhive.contracts import OpenOptions
from ironhive.errors import ModelMemoryError
from ironhive_plugins.providers.lmsupply import memory
from ironhive_plugins.providers.lmsupply.config import LocalConfig
from ironhive_plugins.providers.lmsupply.gguf import MAGIC, read_header
from ironhive_plugins.providers.lmsupply.progress import silent
from ironhive_plugins.providers.lmsupply.resolve import resolve

if TYPE_CHECKING:
    from pathlib import Path

    from ironhive.contracts import Generator
    from ironhive_plugins.providers.lmsupply.progress import ProgressCallback
    from ironhive_plugins.providers.lmsupply.stores import ModelFile


async def load(model: str = "auto", *, progress: ProgressCallback | None = None, **settings: Any) -> Generator:
    """Load a local model. The caller owns it and closes it with ``aclose()``.

    :param model: ``auto``, an alias of the catalogue, a Hugging Face id (``org/name`` or ``org/name:file.gguf``), a
        path, or an id that the models on this machine go by.
    :param progress: told what is fetched; None says nothing.
    :param settings: fields of :class:`~ironhive_plugins.providers.lmsupply.config.LocalConfig`, for example
        ``max_context_length=4096``.
    :raises ModelNotFoundError: there is no such model.
    :raises DownloadError: it could not be fetched.
    :raises ModelMemoryError: it does not fit into the memory that may be used.
    :raises ModelLoadError: the file cannot be used.
    :raises PluginError: the engine is not installed.
    """
    return await load_with(LocalConfig(model=model, **settings), progress or silent)


async def load_with(config: LocalConfig, progress: ProgressCallback) -> Generator:
    """:func:`load` with the settings as one object."""
    file = await resolve(config, progress)
    options = await asyncio.to_thread(open_options, config, file)
    return await open_file(config, file, options)


async def open_file(config: LocalConfig, file: ModelFile, options: OpenOptions) -> Generator:
    """Open a file that was found to fit, in this process or in one of its own."""
    if config.isolation == "process":
        from ironhive_plugins.providers.lmsupply.isolation import open_in_child

        return await open_in_child(file.path, options)
    from ironhive.plugins import open_backend

    backend = await asyncio.to_thread(open_backend, file.path)
    return await backend.open(file.path, options)


def open_options(config: LocalConfig, file: ModelFile, limit: int | None = None) -> OpenOptions:
    """How the file is to be opened: the context that fits, threads, and the estimate it is admitted with.

    :raises ModelMemoryError: it does not fit.
    """
    options = OpenOptions(model_id=file.id, threads=config.threads, extra={"queue_seconds": config.queue_seconds})
    if not _is_gguf(file.path):
        return _folder_options(config, file, options, limit)
    header = read_header(file.path)
    bound = memory.budget(config) if limit is None else limit
    wanted = memory.wanted_context(config, header.context_length)
    context = memory.fit(header, context=wanted, limit=bound, model=file.id)
    needs = memory.estimate(header, context)
    return replace(options, context_length=context, extra={**options.extra, "memory_bytes": needs})


def _folder_options(config: LocalConfig, file: ModelFile, options: OpenOptions, limit: int | None) -> OpenOptions:
    """An ONNX folder states no cache size: its files and a tenth are what it is admitted with."""
    files = file.path.iterdir() if file.path.is_dir() else [file.path]
    needs = int(sum(item.stat().st_size for item in files if item.is_file()) * memory.OVERHEAD)
    bound = memory.budget(config) if limit is None else limit
    if needs > bound:
        message = f"{file.id} needs {needs / memory.MB:.0f} MB and {bound / memory.MB:.0f} MB may be used"
        raise ModelMemoryError(message, model=file.id)
    return replace(options, context_length=config.max_context_length, extra={**options.extra, "memory_bytes": needs})


def _is_gguf(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC
