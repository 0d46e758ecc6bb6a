"""Which providers a gateway has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ironhive.contracts import ProviderRegistration


class ProviderRegistry:
    """Providers by id, ordered by priority (higher first), equal ones in the order of registration."""

    def __init__(self, providers: Iterable[ProviderRegistration] = ()) -> None:
        self._by_id: dict[str, ProviderRegistration] = {}
        self._ordered: tuple[ProviderRegistration, ...] | None = None
        for registration in providers:
            self.register(registration)

    def register(self, registration: ProviderRegistration) -> None:
        """Add a provider. One of the same id is replaced, and the new one counts as registered last."""
        self._by_id.pop(registration.id, None)
        self._by_id[registration.id] = registration
        self._ordered = None

    def ordered(self) -> tuple[ProviderRegistration, ...]:
        """All providers in the order in which they are asked by default."""
        if self._ordered is None:
            self._ordered = tuple(sorted(self._by_id.values(), key=lambda item: -item.priority))
        return self._ordered
