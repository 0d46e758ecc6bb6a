"""The numbers and switches of a gateway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ironhive.errors import ConfigurationError

if TYPE_CHECKING:
    from ironhive.contracts import FailMode, TransitionObserver

StreamGuard = Literal["end", "hold"]
FallbackBound = Literal["trusted", "any"]


@dataclass(frozen=True, slots=True)
class Resilience:
    """How often a provider is asked, and when it is asked last.

    A provider is asked at most ``1 + max_retries`` times per call. Before retry number n the gateway waits n times
    ``base_delay_seconds``, or longer when the provider asks for it, up to ``max_retry_after_seconds``: a longer wait
    is not waited, the next provider is asked instead. After ``failure_threshold`` failed calls in a row (0: never) a
    provider stands behind the healthy ones for ``cooldown_seconds``.

    :raises ConfigurationError: a number is negative.
    """

    max_retries: int = 2
    base_delay_seconds: float = 0.2
    failure_threshold: int = 3
    cooldown_seconds: float = 30.0
    max_retry_after_seconds: float = 10.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not value >= 0:  # so that NaN is refused too
                message = f"resilience.{name} must be 0 or more, not {value!r}"
                raise ConfigurationError(message, key=name)


@dataclass(frozen=True, slots=True)
class GatewayOptions:
    """How a gateway behaves.

    :param enable_fallback: False never changes the provider: no fallback, no health memory in the order, and none of
        the transitions but ``retry``. Retries of the first provider go on.
    :param fallback: ``trusted`` keeps a fallback to providers at least as trusted as the first choice, see
        :mod:`ironhive.gateway.policy`; ``any`` lifts that bound.
    :param resilience: numbers of retry and health memory.
    :param stream_guard: ``end`` inspects a streamed answer when it is complete, after its text was shown; ``hold``
        inspects while it grows and keeps its end back until it is judged.
    :param hold_characters: with ``hold``, how many characters of the answer's end are kept back. Text that the guard
        forbids is never shown when it is at most this long. 256 is about 50 words: longer than a
        key, an address or an injected sentence, and about one second of a fast model's output.
    :param queue_seconds: longest wait for a provider that already runs ``max_concurrency`` calls; None waits as long as
        it takes. Afterwards the next provider is asked.
    :param fail_mode: what becomes of a call when the guard fails or is not sure. None takes the guard's own
        ``fail_mode`` where it has that attribute, else ``closed``.
    :param on_transition: told of each retry, fallback, exhaustion and demotion.
    :raises ConfigurationError: a value is out of range.
    """

    enable_fallback: bool = True
    fallback: FallbackBound = "trusted"
    resilience: Resilience = Resilience()
    stream_guard: StreamGuard = "end"
    hold_characters: int = 256
    queue_seconds: float | None = None
    fail_mode: FailMode | Literal["closed", "open"] | None = None
    on_transition: TransitionObserver | None = None

    def __post_init__(self) -> None:
        if self.fallback not in ("trusted", "any"):
            message = f"fallback must be 'trusted' or 'any', not {self.fallback!r}"
            raise ConfigurationError(message, key="fallback")
        if self.stream_guard not in ("end", "hold"):
            message = f"stream_guard must be 'end' or 'hold', not {self.stream_guard!r}"
            raise ConfigurationError(message, key="stream_guard")
        if self.fail_mode not in (None, "closed", "open"):
            message = f"fail_mode must be 'closed' or 'open', not {self.fail_mode!r}"
            raise ConfigurationError(message, key="fail_mode")
        if self.hold_characters < 1:
            message = f"hold_characters must be at least 1, not {self.hold_characters}"
            raise ConfigurationError(message, key="hold_characters")
        if self.queue_seconds is not None and not self.queue_seconds > 0:
            message = f"queue_seconds must be more than 0 or None, not {self.queue_seconds!r}"
            raise ConfigurationError(message, key="queue_seconds")
