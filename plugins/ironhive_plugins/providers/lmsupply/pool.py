"""Several models, loaded and unloaded within a memory limit."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from ironhive.errors import ModelBusyError, ModelMemoryError
from ironhive_plugins.providers.lmsupply import memory
from ironhive_plugins.providers.lmsupply.config import LocalConfig
from ironhive_plugins.providers.lmsupply.loading import open_file, open_options
from ironhive_plugins.providers.lmsupply.progress import silent
from ironhive_plugins.providers.lmsupply.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from ironhive.contracts import Generator
    from ironhive_plugins.providers.lmsupply.progress import ProgressCallback


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model in the pool. ``last_used`` is on the pool's clock; ``users`` counts who is using it now."""

    id: str
    memory_bytes: int
    last_used: float
    users: int


class _Slot:
    def __init__(self, generator: Generator, size: int) -> None:
        self.generator = generator
        self.size = size
        self.users = 0
        self.last_used = 0.0


class GeneratorPool:
    """Loads models on demand and unloads the one that was not used for longest when room is needed. A model in use is
    never unloaded: a request for another one waits for it, within bounds.

    :param config: how models are found and run; its memory limit bounds all loaded models together.
    :param wait_seconds: how long a request waits for models in use; None is no limit.
    """

    def __init__(
        self,
        config: LocalConfig | None = None,
        *,
        progress: ProgressCallback | None = None,
        wait_seconds: float | None = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config = config or LocalConfig()
        self._progress = progress or silent
        self._wait_seconds = wait_seconds
        self._clock = clock
        self._slots: dict[str, _Slot] = {}
        self._changed = asyncio.Condition()

    @property
    def limit_bytes(self) -> int:
        """What all models may take together."""
        return memory.budget(self._config) + (0 if self._config.memory_limit_mb else self.allocated_bytes)

    @property
    def allocated_bytes(self) -> int:
        """The estimates of the loaded models, added up."""
        return sum(slot.size for slot in self._slots.values())

    def loaded(self) -> tuple[LoadedModel, ...]:
        """The loaded models, the least recently used first."""
        found = [
            LoadedModel(slot.generator.info.model_id, slot.size, slot.last_used, slot.users)
            for slot in self._slots.values()
        ]
        return tuple(sorted(found, key=lambda model: model.last_used))

    def is_loaded(self, model: str) -> bool:
        """Whether a model is loaded, by the name it was asked for or by its id."""
        return self._find(model) is not None

    @asynccontextmanager
    async def use(self, model: str = "auto") -> AsyncIterator[Generator]:
        """A model for as long as the block lasts; loaded before, if it must be.

        :raises ModelMemoryError: it does not fit even with nothing else loaded.
        :raises ModelBusyError: the room it needs is taken by models in use, for longer than the pool waits.
        """
        slot = await self._acquire(model)
        try:
            yield slot.generator
        finally:
            async with self._changed:
                slot.users -= 1
                slot.last_used = self._clock()
                self._changed.notify_all()

    async def unload(self, model: str) -> bool:
        """Unload a model that nobody uses. False: it is not loaded, or in use."""
        async with self._changed:
            name = self._find(model)
            if name is None or self._slots[name].users:
                return False
            await self._drop(name)
            return True

    async def aclose(self) -> None:
        """Unload everything; running requests are stopped."""
        async with self._changed:
            for name in list(self._slots):
                await self._drop(name)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _acquire(self, model: str) -> _Slot:
        async with self._changed:
            name = self._find(model)
            if name is None:
                name = model
                self._slots[name] = await self._load(model)
            slot = self._slots[name]
            slot.users += 1
            slot.last_used = self._clock()
            return slot

    async def _load(self, model: str) -> _Slot:
        config = replace(self._config, model=model)
        file = await resolve(config, self._progress)
        limit = self.limit_bytes
        options = await asyncio.to_thread(open_options, config, file, limit)
        size = int(options.extra["memory_bytes"])
        if size > limit:
            message = f"{file.id} needs {size / memory.MB:.0f} MB and the pool may take {limit / memory.MB:.0f} MB"
            raise ModelMemoryError(message, model=file.id)
        await self._make_room(size, limit, file.id)
        return _Slot(await open_file(config, file, options), size)

    async def _make_room(self, size: int, limit: int, model: str) -> None:
        try:
            async with asyncio.timeout(self._wait_seconds):
                while self.allocated_bytes + size > limit:
                    idle = [name for name, slot in self._slots.items() if not slot.users]
                    if idle:
                        await self._drop(min(idle, key=lambda name: self._slots[name].last_used))
                    else:
                        await self._changed.wait()
        except TimeoutError:
            message = f"no room for {model}: the loaded models stayed in use for {self._wait_seconds:g} s"
            raise ModelBusyError(message, model=model) from None

    async def _drop(self, name: str) -> None:
        await self._slots.pop(name).generator.aclose()

    def _find(self, model: str) -> str | None:
        if model in self._slots:
            return model
        return next((name for name, slot in self._slots.items() if slot.generator.info.model_id == model), None)
