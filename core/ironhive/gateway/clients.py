"""The raw clients behind the registrations: made once, shared by all calls, closed when nobody uses them."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ironhive.gateway.places import Places

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ironhive.chat import ChatClient
    from ironhive.contracts import ProviderRegistration

logger = logging.getLogger("ironhive.gateway")


@dataclass(slots=True, eq=False)
class Lease:
    """The use of one client by calls that run now. ``retired`` means: close it after the last one."""

    registration: ProviderRegistration
    client: ChatClient
    places: Places | None
    users: int = 0
    retired: bool = False


@dataclass(slots=True)
class ClientPool:
    """Clients by provider id. A client is made at its first use and reused while its registration stays equal.

    ``leaving`` holds the leases whose clients wait to be closed; pools that share the list close for each other.
    """

    leaving: list[Lease] = field(default_factory=list)
    _leases: dict[str, Lease] = field(default_factory=dict)
    _current: dict[str, ProviderRegistration] | None = None

    async def borrow(self, registration: ProviderRegistration, queue_seconds: float | None = None) -> Lease:
        """The client of a registration for one call; give it back with :meth:`give_back`.

        Waits for a free place under the provider's ``max_concurrency``. Whatever the factory raises is raised.

        :raises ProviderBusyError: no place was free within ``queue_seconds``.
        """
        lease = self._leases.get(registration.id)
        if lease is None or (lease.registration is not registration and lease.registration != registration):
            lease = self._make(registration)
        lease.users += 1
        if lease.places is not None:
            try:
                await lease.places.take(queue_seconds)
            except BaseException:
                await self._release(lease)
                raise
        return lease

    async def give_back(self, lease: Lease) -> None:
        """End one use; a client that nobody wants any more is closed now."""
        if lease.places is not None:
            lease.places.leave()
        await self._release(lease)

    def keep_only(self, registrations: Iterable[ProviderRegistration]) -> None:
        """From now on only these registrations keep their clients; others serve the calls that hold them and go."""
        self._current = {item.id: item for item in registrations}
        for provider_id, lease in list(self._leases.items()):
            if self._current.get(provider_id) != lease.registration:
                self._retire(provider_id)

    async def close_leaving(self) -> None:
        """Close the clients that are no longer wanted."""
        while self.leaving:
            lease = self.leaving.pop()
            try:
                await _close(lease.client)
            except asyncio.CancelledError:
                self.leaving.append(lease)  # the call that happened to do this was cancelled; another one will
                raise

    async def aclose(self) -> None:
        """Close every client; those in use too, because their owner is closing."""
        self.leaving.extend(self._leases.values())
        self._leases.clear()
        await self.close_leaving()

    async def _release(self, lease: Lease) -> None:
        lease.users -= 1
        if lease.retired and not lease.users:
            self.leaving.append(lease)
        if self.leaving:
            await self.close_leaving()

    def _make(self, registration: ProviderRegistration) -> Lease:
        client = registration.client_factory()
        limit = registration.max_concurrency
        lease = Lease(registration, client, None if limit is None else Places(registration.id, limit))
        if self._current is not None and self._current.get(registration.id) != registration:
            lease.retired = True  # an outdated registration: the client lives for this call only
            return lease
        self._retire(registration.id)
        self._leases[registration.id] = lease
        return lease

    def _retire(self, provider_id: str) -> None:
        lease = self._leases.pop(provider_id, None)
        if lease is None:
            return
        lease.retired = True
        if not lease.users:
            self.leaving.append(lease)


async def _close(client: ChatClient) -> None:
    try:
        await client.aclose()
    except Exception:  # a stranger's client that cannot be closed must not keep the others open
        logger.warning("closing the client %r failed", client, exc_info=True)
