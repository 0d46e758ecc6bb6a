"""Remembers which providers fail, so that a dead one does not cost every call."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ironhive.contracts import ProviderRegistration


@dataclass(slots=True)
class _Record:
    failures: int = 0
    cooling_until: float = float("-inf")


class HealthMemory:
    """Failed calls in a row, per provider id.

    At ``threshold`` failures a provider cools for ``cooldown`` seconds: it stands behind the healthy ones, and is still
    asked when those fail. The end of the cooldown forgives nothing: the next failure starts another. Only a success
    clears a record.

    :param threshold: failures in a row; 0 turns the memory off.
    :param clock: seconds that only grow.
    """

    def __init__(
        self, *, threshold: int = 3, cooldown: float = 30.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._threshold = threshold
        self._cooldown = cooldown
        self._clock = clock
        self._records: dict[str, _Record] = {}

    def failed(self, provider_id: str) -> None:
        """Note one failed call."""
        if not self._threshold:
            return
        record = self._records.setdefault(provider_id, _Record())
        record.failures += 1
        if record.failures >= self._threshold:
            record.cooling_until = self._clock() + self._cooldown

    def succeeded(self, provider_id: str) -> None:
        """Forget the failures of a provider."""
        if self._records:
            self._records.pop(provider_id, None)

    def failures(self, provider_id: str) -> int:
        """How many calls in a row have failed."""
        record = self._records.get(provider_id)
        return record.failures if record else 0

    def cooling(self, provider_id: str) -> bool:
        """Whether the provider stands behind the others now."""
        record = self._records.get(provider_id)
        return record is not None and record.cooling_until > self._clock()

    def arrange(self, order: Sequence[ProviderRegistration]) -> tuple[Sequence[ProviderRegistration], tuple[int, ...]]:
        """The order with cooling providers moved back, and the places they had before."""
        if not self._records or len(order) < 2:  # noqa: PLR2004 - one provider has nowhere to move
            return order, ()
        demoted = tuple(index for index, item in enumerate(order) if self.cooling(item.id))
        if not demoted:
            return order, ()
        healthy = [item for index, item in enumerate(order) if index not in demoted]
        return [*healthy, *(order[index] for index in demoted)], demoted
