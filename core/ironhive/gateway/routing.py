"""One call on its way through the providers: retry, fallback, health.

Streaming and non-streaming calls run through the same loop: an attempt ends with a whole answer or with the first
update of a stream.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from ironhive.contracts import ErrorClassification, Transition, TransitionKind
from ironhive.errors import ProviderBusyError
from ironhive.gateway.classification import DefaultErrorClassifier
from ironhive.gateway.policy import explain, explain_downloads, may_follow, within_trust

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ironhive.contracts import ErrorClassifier, HttpFailureReader, ProviderRegistration, TransitionObserver
    from ironhive.gateway.health import HealthMemory
    from ironhive.gateway.options import GatewayOptions

logger = logging.getLogger("ironhive.gateway")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Route:
    """The providers of one call, in the order in which they are asked."""

    first_choice: ProviderRegistration
    order: Sequence[ProviderRegistration]
    held_back: tuple[ProviderRegistration, ...] = ()

    def after(self, index: int) -> int | None:
        """The next provider that may be asked, None when there is none."""
        for following in range(index + 1, len(self.order)):
            if may_follow(self.order[following], self.first_choice):
                return following
        return None

    def annotate(self, error: Exception) -> None:
        """Note on an error which providers were there and not asked."""
        passed_over = [item for item in self.order if not may_follow(item, self.first_choice)]
        if self.held_back:
            error.add_note(explain(self.first_choice, self.held_back))
        if passed_over:
            error.add_note(explain_downloads(passed_over))


@dataclass(frozen=True, slots=True)
class _Step:
    """What to do next: which provider, its how manieth attempt, after how many seconds."""

    index: int
    attempt: int
    wait: float


class Router:
    """Asks providers in turn until one answers."""

    def __init__(
        self,
        options: GatewayOptions,
        *,
        classifier: ErrorClassifier,
        reader: HttpFailureReader,
        health: HealthMemory,
        announce: TransitionObserver,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._options = options
        self._classifier = classifier
        self._read = reader
        self._health = health
        self._announce = announce
        self._sleep = sleep

    def route(self, order: Sequence[ProviderRegistration]) -> Route:
        """The way for a selector's order: bounded by trust, cooling providers last."""
        first = order[0]
        if not self._options.enable_fallback:
            return Route(first, (first,))
        allowed, held_back = within_trust(order, self._options.fallback)
        arranged, demoted = self._health.arrange(allowed)
        for index in demoted:
            self._announce(
                Transition(
                    TransitionKind.SKIPPED,
                    allowed[index].id,
                    index,
                    len(allowed),
                    ErrorClassification.FALLBACK_ELIGIBLE,
                )
            )
        return Route(first, arranged, held_back)

    async def run(
        self, route: Route, attempt: Callable[[ProviderRegistration], Awaitable[T]]
    ) -> tuple[ProviderRegistration, T]:
        """Attempt the call until it succeeds, and say with whom.

        Raises what the last attempt raised. The caller reports a success with :meth:`succeeded`.
        """
        task = asyncio.current_task()
        cancelled = task.cancelling() if task is not None else 0
        step = _Step(route.after(-1) or 0, 0, 0.0)
        while True:
            registration = route.order[step.index]
            try:
                return registration, await attempt(registration)
            except Exception as error:
                if task is not None and task.cancelling() > cancelled:
                    raise  # the caller wants out: a client that turned the cancellation into an error changes nothing
                following = self._after_failure(error, route, step)
                if following is None:
                    raise
            step = following
            if step.wait > 0:
                await self._sleep(step.wait)

    def succeeded(self, registration: ProviderRegistration) -> None:
        """Clear the provider's record."""
        self._health.succeeded(registration.id)

    def _after_failure(self, error: Exception, route: Route, step: _Step) -> _Step | None:
        category = self._classify(error)
        if category is ErrorClassification.TERMINAL:
            return None
        if category is ErrorClassification.RETRYABLE:
            wait = self._wait(error, step.attempt)
            if wait is not None:
                self._tell(TransitionKind.RETRY, route, step, error, category)
                return _Step(step.index, step.attempt + 1, wait)
        if not self._options.enable_fallback:
            return None
        if not isinstance(error, ProviderBusyError):  # a limit of ours says nothing about the provider's health
            self._health.failed(route.order[step.index].id)
        following = route.after(step.index)
        if following is None:
            self._tell(TransitionKind.EXHAUSTED, route, step, error, category)
            route.annotate(error)
            return None
        self._tell(TransitionKind.FALLBACK, route, step, error, category)
        return _Step(following, 0, 0.0)

    def _classify(self, error: Exception) -> ErrorClassification:
        try:
            return self._classifier.classify(error)
        except Exception:  # a plugin's classifier must not replace the failure it was asked about
            logger.warning("the classifier %r raised; the standard table is used", self._classifier, exc_info=True)
            return DefaultErrorClassifier((self._read,)).classify(error)

    def _wait(self, error: Exception, attempt: int) -> float | None:
        """Seconds until the next attempt at the same provider, None when there is none."""
        numbers = self._options.resilience
        if attempt >= numbers.max_retries:
            return None
        backoff = numbers.base_delay_seconds * (attempt + 1)
        failure = self._read(error)
        if failure is None or failure.retry_after is None:
            return backoff
        if failure.retry_after > numbers.max_retry_after_seconds:
            return None
        return max(backoff, failure.retry_after)

    def _tell(
        self, kind: TransitionKind, route: Route, step: _Step, error: Exception, category: ErrorClassification
    ) -> None:
        self._announce(
            Transition(
                kind,
                route.order[step.index].id,
                step.index,
                len(route.order),
                category,
                error,
                step.attempt if kind is TransitionKind.RETRY else 0,
            )
        )
