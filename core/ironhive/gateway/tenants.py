"""A gateway for each tenant: own providers and secrets, shared guard, selector, classifier and options."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Self

from ironhive.errors import ConfigurationError
from ironhive.gateway.clients import ClientPool
from ironhive.gateway.clock import SYSTEM_CLOCK
from ironhive.gateway.gateway import Gateway, GatewayState
from ironhive.gateway.options import GatewayOptions
from ironhive.gateway.registry import ProviderRegistry
from ironhive.gateway.selection import by_priority

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ironhive.contracts import ErrorClassifier, Guard, HttpFailureReader, ProviderRegistration, ProviderSelector
    from ironhive.gateway.clients import Lease
    from ironhive.gateway.clock import Clock


class TenantGateways:
    """Gateways by tenant. Ask for one at every request; it is cheap.

    The resolver is asked each time, so a changed set of providers or a rotated secret takes effect with the next
    gateway. A client is reused while its registration is equal (see :class:`ironhive.contracts.ClientFactory`); one
    that is no longer wanted is closed when the last call that uses it ends. Health memory is kept per tenant. Only the
    ``max_tenants`` tenants used last are remembered: for others clients and health begin anew.

    :param resolver: gives a tenant's registrations, at once and without I/O; load secrets before you ask.
    :param max_tenants: how many tenants are remembered; 1000 tenants without open calls need a few megabytes beside
        their clients.
    :raises ConfigurationError: the resolver cannot be called, or ``max_tenants`` is less than 1.
    """

    def __init__(
        self,
        resolver: Callable[[str], Iterable[ProviderRegistration]],
        *,
        guard: Guard | None = None,
        selector: ProviderSelector = by_priority,
        classifier: ErrorClassifier | None = None,
        options: GatewayOptions | None = None,
        failure_readers: Iterable[HttpFailureReader] = (),
        clock: Clock = SYSTEM_CLOCK,
        max_tenants: int = 1000,
    ) -> None:
        given: Any = resolver
        if not callable(given):
            message = "TenantGateways needs a resolver: a function from a tenant to its provider registrations"
            raise ConfigurationError(message)
        if max_tenants < 1:
            message = f"max_tenants must be at least 1, not {max_tenants}"
            raise ConfigurationError(message, key="max_tenants")
        self._resolver = resolver
        self._guard = guard
        self._selector = selector
        self._classifier = classifier
        self._options = options or GatewayOptions()
        self._readers = tuple(failure_readers)
        self._clock = clock
        self._max_tenants = max_tenants
        self._states: OrderedDict[str, GatewayState] = OrderedDict()
        self._leaving: list[Lease] = []  # of all tenants: the next call of any of them closes what has gone idle
        self._closed = False

    def __len__(self) -> int:
        """How many tenants are remembered."""
        return len(self._states)

    def for_tenant(self, tenant: str) -> Gateway:
        """The gateway of a tenant, with the providers that the resolver names now.

        It need not be closed. Whatever the resolver raises is raised; a tenant without providers gets a gateway whose
        calls say so.

        :raises ConfigurationError: the tenant is empty.
        """
        if self._closed:
            message = "these tenant gateways are closed; make new ones"
            raise ConfigurationError(message)
        if not tenant:
            message = "a tenant needs a name; the empty text is none"
            raise ConfigurationError(message)
        registrations = ProviderRegistry(self._resolver(tenant)).ordered()
        state = self._state(tenant)
        state.clients.keep_only(registrations)
        return Gateway(
            registrations,
            guard=self._guard,
            selector=self._selector,
            classifier=self._classifier,
            options=self._options,
            failure_readers=self._readers,
            clock=self._clock,
            state=state,
        )

    async def aclose(self) -> None:
        """Close all clients of all tenants."""
        self._closed = True
        states = tuple(self._states.values())
        self._states.clear()
        for state in states:
            await state.clients.aclose()
        await ClientPool(self._leaving).aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _state(self, tenant: str) -> GatewayState:
        state = self._states.get(tenant)
        if state is None:
            state = self._states[tenant] = GatewayState.fresh(self._options, self._clock, leaving=self._leaving)
        self._states.move_to_end(tenant)
        while len(self._states) > self._max_tenants:
            _, forgotten = self._states.popitem(last=False)
            forgotten.clients.keep_only(())
        return state
