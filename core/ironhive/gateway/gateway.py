"""The gateway: every model call's first gate."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeVar

from ironhive.chat import NO_OPTIONS, as_messages
from ironhive.contracts import SelectionContext
from ironhive.errors import ConfigurationError, NoProviderError
from ironhive.gateway.classification import DefaultErrorClassifier
from ironhive.gateway.clients import ClientPool
from ironhive.gateway.clock import SYSTEM_CLOCK
from ironhive.gateway.failures import reader_of
from ironhive.gateway.guarding import GuardSeam
from ironhive.gateway.health import HealthMemory
from ironhive.gateway.holding import held_back
from ironhive.gateway.masking import Restorer
from ironhive.gateway.options import GatewayOptions
from ironhive.gateway.registry import ProviderRegistry
from ironhive.gateway.routing import Router
from ironhive.gateway.selection import by_priority
from ironhive.gateway.streams import OpenStream, inspected_at_end, restored
from ironhive.gateway.transitions import Announcer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
    from types import TracebackType

    from ironhive.chat import ChatMessage, ChatOptions, ChatResponse, ChatUpdate, Prompt
    from ironhive.contracts import (
        ErrorClassifier,
        Guard,
        HttpFailureReader,
        ProviderRegistration,
        ProviderSelector,
        TransitionObserver,
        Unmasker,
    )
    from ironhive.gateway.clients import Lease
    from ironhive.gateway.clock import Clock
    from ironhive.plugins import PluginManager
    from ironhive.settings import Settings


T = TypeVar("T")


@dataclass(slots=True)
class GatewayState:
    """What outlives a call: the health memory and the clients. Gateways that are given the same one share it."""

    health: HealthMemory
    clients: ClientPool

    @classmethod
    def fresh(
        cls, options: GatewayOptions, clock: Clock = SYSTEM_CLOCK, *, leaving: list[Lease] | None = None
    ) -> GatewayState:
        """An empty memory with the numbers of ``options``; ``leaving`` as in :class:`ClientPool`."""
        numbers = options.resilience
        health = HealthMemory(
            threshold=numbers.failure_threshold, cooldown=numbers.cooldown_seconds, clock=clock.monotonic
        )
        return cls(health, ClientPool([] if leaving is None else leaving))


class Gateway:
    """A chat client over several providers: selects one, guards input and output, retries, falls back.

    Without a guard nothing is inspected. The guard sees the conversation once per call, before any provider, and each
    answer once. Messages and options reach every provider unchanged; ``metadata`` is None because the provider is
    chosen per call (``model`` of the response tells who answered).

    Failures are sorted by ``classifier``. A retryable one is asked again at the same provider, then, like any other
    but a terminal one, at the next provider; when all failed, the last error is raised as it is. A stream is retried
    and falls back until its first update; a later error passes through. A guard error is terminal and says nothing
    about a provider's health.

    Clients are made at their first use, once per registration, and closed by :meth:`aclose`; ``async with`` does that.

    :param providers: in the order of registration; a later one replaces an earlier one of the same id.
    :param guard: inspects input and output; None inspects nothing.
    :param selector: orders the providers of a call and may leave some out.
    :param classifier: sorts failures; :class:`~ironhive.gateway.DefaultErrorClassifier` by default.
    :param options: numbers and switches.
    :param failure_readers: read HTTP facts out of exceptions that ironhive does not know.
    :param clock: time for backoff and cooldown.
    :param state: health memory and clients to share with other gateways; whoever made it closes its clients.
    """

    def __init__(
        self,
        providers: Iterable[ProviderRegistration] = (),
        *,
        guard: Guard | None = None,
        selector: ProviderSelector = by_priority,
        classifier: ErrorClassifier | None = None,
        options: GatewayOptions | None = None,
        failure_readers: Iterable[HttpFailureReader] = (),
        clock: Clock = SYSTEM_CLOCK,
        state: GatewayState | None = None,
    ) -> None:
        self.options = options or GatewayOptions()
        self.registry = ProviderRegistry(providers)
        readers = tuple(failure_readers)
        self._selector = selector
        self._seam = None if guard is None else GuardSeam(guard, self.options.fail_mode)
        self._owns_clients = state is None
        self._state = state or GatewayState.fresh(self.options, clock)
        self._router = Router(
            self.options,
            classifier=classifier or DefaultErrorClassifier(readers),
            reader=reader_of(readers),
            health=self._state.health,
            announce=Announcer(self.options.on_transition),
            sleep=clock.sleep,
        )
        self._closed = False

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        plugins: PluginManager | None = None,
        providers: Iterable[ProviderRegistration] | None = None,
        on_transition: TransitionObserver | None = None,
    ) -> Self:
        """The gateway that the ``gateway`` section of a configuration describes.

        :param plugins: where components are found; a manager over everything installed by default.
        :param providers: what can answer; the configured ones by default.
        :param on_transition: told of each retry, fallback, exhaustion and demotion.
        :raises ConfigurationError: a value does not fit, or a component that is named is missing or broken.
        """
        from ironhive.gateway.assembly import gateway_parts  # plugins and settings are needed only here

        parts = gateway_parts(settings, plugins=plugins, providers=providers, on_transition=on_transition)
        return cls(
            parts.providers,
            guard=parts.guard,
            selector=parts.selector,
            classifier=parts.classifier,
            options=parts.options,
            failure_readers=(parts.failure_reader,),
        )

    @property
    def metadata(self) -> None:
        """None: the provider is chosen per call."""
        return

    @property
    def health(self) -> HealthMemory:
        """Which providers failed lately."""
        return self._state.health

    @property
    def guard(self) -> Guard | None:
        """The guard in use, None when nothing is inspected."""
        return None if self._seam is None else self._seam.guard

    async def complete(self, messages: Prompt, options: ChatOptions | None = None) -> ChatResponse:
        """The whole answer at once.

        :raises GuardError: input or output is forbidden.
        :raises NoProviderError: there is no provider to ask.
        """
        conversation, unmasker = await self._admit(messages)
        chosen = options or NO_OPTIONS
        clients = self._state.clients

        async def attempt(registration: ProviderRegistration) -> ChatResponse:
            lease = await clients.borrow(registration, self.options.queue_seconds)
            try:
                return await lease.client.complete(conversation, chosen)
            finally:
                await clients.give_back(lease)

        answered_by, response = await self._route(conversation, chosen, attempt)
        if self._seam is not None:
            await self._seam.judge(response)
        self._router.succeeded(answered_by)
        return response if unmasker is None else Restorer(unmasker).restore_response(response)

    async def stream(self, messages: Prompt, options: ChatOptions | None = None) -> AsyncGenerator[ChatUpdate, None]:
        """The answer piece by piece; close the generator when you stop early.

        :raises GuardError: input or output is forbidden. Where the output is judged at its end, its text was shown
            before and has to be taken back; closing early raises it from ``aclose``.
        :raises NoProviderError: there is no provider to ask.
        """
        conversation, unmasker = await self._admit(messages)
        opened = await self._open(conversation, options or NO_OPTIONS)
        try:
            if self._seam is None:
                if opened.first is not None:
                    yield opened.first
                    async for update in opened.rest:
                        yield update
                return
            async with aclosing(self._guarded(opened, self._seam, unmasker)) as updates:
                async for update in updates:
                    yield update
        finally:
            await opened.aclose()

    async def aclose(self) -> None:
        """Close the clients of all providers. Calls afterwards are refused."""
        self._closed = True
        if self._owns_clients:
            await self._state.clients.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _admit(self, messages: Prompt) -> tuple[Sequence[ChatMessage], Unmasker | None]:
        if self._closed:
            message = "this gateway is closed; make a new one"
            raise ConfigurationError(message)
        conversation = as_messages(messages)
        if self._seam is None:
            return conversation, None
        return await self._seam.admit(conversation)

    async def _route(
        self,
        conversation: Sequence[ChatMessage],
        options: ChatOptions,
        attempt: Callable[[ProviderRegistration], Awaitable[T]],
    ) -> tuple[ProviderRegistration, T]:
        candidates = self.registry.ordered()
        if not candidates:
            message = (
                "no provider is registered; give the gateway one, or set OPENAI_API_KEY and OPENAI_MODEL, for example"
            )
            raise NoProviderError(message)
        order = self._selector(SelectionContext(conversation, options, candidates))
        if not order:
            message = f"the selector chose none of the {len(candidates)} providers; check gateway.selector"
            raise NoProviderError(message)
        return await self._router.run(self._router.route(order), attempt)

    async def _open(self, conversation: Sequence[ChatMessage], options: ChatOptions) -> OpenStream:
        clients = self._state.clients

        async def attempt(registration: ProviderRegistration) -> OpenStream:
            lease = await clients.borrow(registration, self.options.queue_seconds)
            return await OpenStream.start(lease, clients, conversation, options)

        answered_by, opened = await self._route(conversation, options, attempt)
        self._router.succeeded(answered_by)
        return opened

    def _guarded(
        self, opened: OpenStream, seam: GuardSeam, unmasker: Unmasker | None
    ) -> AsyncGenerator[ChatUpdate, None]:
        hold = self.options.stream_guard == "hold"
        updates = held_back(opened, seam, self.options.hold_characters) if hold else inspected_at_end(opened, seam)
        return updates if unmasker is None else restored(updates, unmasker)
