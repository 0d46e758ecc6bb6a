"""Loading a model: find it, see that it fits, open it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ironhive.contracts import OpenOptions
from ironhive_plugins.providers.lmsupply import memory
from ironhive_plugins.providers.lmsupply.config import LocalConfig
from ironhive_plugins.providers.lmsupply.gguf import MAGIC, read_header
from ironhive_plugins.providers.lmsupply.progress import silent
from ironhive_plugins.providers.lmsupply.resolve import ModelFile, resolve

if TYPE_CHECKING:
    from ironhive.contracts import Generator
    from ironhive_plugins.providers.lmsupply.progress import ProgressCallback


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


async def load_with(config: LocalConfig, progress: ProgressCallback, *, limit: int | None = None) -> Generator:
    """:func:`load` with the settings as one object; ``limit`` bounds the bytes this one model may take."""
    file = await resolve(config, progress)
    options = await asyncio.to_thread(open_options, config, file, limit)
    if config.isolation == "process":
        from ironhive_plugins.providers.lmsupply.isolation import open_in_child

        return await open_in_child(file.path, options)
    from ironhive.plugins import open_backend

    return await open_backend(file.path).open(file.path, options)


def open_options(config: LocalConfig, file: ModelFile, limit: int | None = None) -> OpenOptions:
    """How the file is to be opened: the context that fits, threads, and the estimate it is admitted with.

    :raises ModelMemoryError: it does not fit.
    """
    options = OpenOptions(model_id=file.id, threads=config.threads, extra={"queue_seconds": config.queue_seconds})
    if not _is_gguf(file.path):
        return replace(options, context_length=config.max_context_length)
    header = read_header(file.path)
    bound = memory.budget(config) if limit is None else limit
    wanted = memory.wanted_context(config, header.context_length)
    context = memory.fit(header, context=wanted, limit=bound, model=file.id)
    needs = memory.estimate(header, context)
    return replace(options, context_length=context, extra={**options.extra, "memory_bytes": needs})


def _is_gguf(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC
