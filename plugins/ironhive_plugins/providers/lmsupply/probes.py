"""Whether local models can take a request, and which there are."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from ironhive_plugins.providers.lmsupply.pool import GeneratorPool


class LazyReadinessProbe:
    """Readiness by a function, for a single model that the caller loaded.

    :param ready: asked at every call; may be async.
    :param model_ids: the ids that there are, as they are now: later changes of the collection do not count.
    """

    def __init__(self, ready: Callable[[], bool | Awaitable[bool]], model_ids: Iterable[str]) -> None:
        self._ready = ready
        self._ids = tuple(model_ids)

    async def is_ready(self) -> bool:
        """What the function says now."""
        answer = self._ready()
        return bool(await answer) if inspect.isawaitable(answer) else bool(answer)

    async def available_model_ids(self) -> Sequence[str]:
        """The ids given at the start."""
        return self._ids


class GeneratorPoolProbe:
    """Readiness of a pool: it is ready once a model is loaded; its ids are those of the loaded models."""

    def __init__(self, pool: GeneratorPool) -> None:
        self._pool = pool

    async def is_ready(self) -> bool:
        """Whether a model is loaded."""
        return bool(self._pool.loaded())

    async def available_model_ids(self) -> Sequence[str]:
        """The ids of the loaded models."""
        return tuple(model.id for model in self._pool.loaded())
