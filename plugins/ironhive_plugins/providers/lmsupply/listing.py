"""What ``ironhive models`` shows of local models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.contracts import ModelInfo
from ironhive_plugins.providers.lmsupply import memory
from ironhive_plugins.providers.lmsupply.catalogue import CATALOGUE
from ironhive_plugins.providers.lmsupply.resolve import PLANNED_CONTEXT
from ironhive_plugins.providers.lmsupply.stores import FoundModel, find_models

if TYPE_CHECKING:
    from ironhive_plugins.providers.lmsupply.catalogue import CatalogueModel
    from ironhive_plugins.providers.lmsupply.config import LocalConfig


def listed(config: LocalConfig, provider: str) -> list[ModelInfo]:
    """Installed models first, each with its size, window and whether it fits into memory."""
    limit = memory.budget(config)
    found = find_models(config)
    here = {model.id.partition(":")[0].lower() for model in found}
    known = [model for model in CATALOGUE if model.repository.lower() not in here]
    return [_installed(model, provider, limit) for model in found] + [_known(model, provider, limit) for model in known]


def _installed(model: FoundModel, provider: str, limit: int) -> ModelInfo:
    return ModelInfo(
        id=model.id,
        provider=provider,
        name=model.header.name,
        context_window=model.header.context_length,
        size_bytes=model.size,
        path=str(model.path),
        installed=True,
        fits=memory.estimate(model.header, min(PLANNED_CONTEXT, model.header.context_length or PLANNED_CONTEXT))
        <= limit,
    )


def _known(model: CatalogueModel, provider: str, limit: int) -> ModelInfo:
    return ModelInfo(
        id=model.alias,
        provider=provider,
        name=f"{model.repository} ({model.quantisation})",
        context_window=model.context,
        size_bytes=model.weights,
        installed=False,
        fits=model.needs(PLANNED_CONTEXT) <= limit,
    )
