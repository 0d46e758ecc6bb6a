"""Sorts failures: ask again, ask another provider, or give up."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Final

from ironhive.causes import absence, causes
from ironhive.contracts import ErrorClassification
from ironhive.errors import BadAnswerError, ConnectFailedError, GuardError, ProviderError, TruncatedStreamError
from ironhive.gateway.failures import reader_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ironhive.contracts import HttpFailure, HttpFailureReader

RETRY_STATUSES: Final = frozenset({408, 500, 502, 504})
"""Statuses of a server that may do better at once."""
BUSY_STATUSES: Final = frozenset({429, 503, 529})
"""Statuses of a server that knows when to come back, if it says so. 529 is Anthropic's "overloaded"."""

_ABSENT_KINDS: Final = frozenset({"refused", "host_not_found", "unreachable"})


class DefaultErrorClassifier:
    """The standard table.

    Guard errors and cancellation are terminal. 408, 500, 502 and 504 are retried; 429, 503 and 529 are retried when the
    provider said how long to wait, else the next provider is asked; so it is for every other status, because one
    provider's refusal says nothing about the others. Without a status, an endpoint that is not there (refused, unknown
    name, unreachable) sends to the next provider at once, while timeouts and connections that broke are retried.
    Anything else goes to the next provider.

    :param readers: read the HTTP facts out of exceptions that ironhive does not know; asked before the built-in one.
    """

    def __init__(self, readers: Iterable[HttpFailureReader] = ()) -> None:
        self._read = reader_of(readers)

    def classify(self, error: BaseException) -> ErrorClassification:
        """What to do about ``error``."""
        if isinstance(error, GuardError):
            return ErrorClassification.TERMINAL
        if isinstance(error, asyncio.CancelledError):
            timed_out = isinstance(error.__cause__, TimeoutError)
            return ErrorClassification.RETRYABLE if timed_out else ErrorClassification.TERMINAL
        failure = self._read(error)
        if failure is not None:
            return _by_status(failure)
        return _without_status(error)


def _by_status(failure: HttpFailure) -> ErrorClassification:
    if failure.status in RETRY_STATUSES:
        return ErrorClassification.RETRYABLE
    if failure.status in BUSY_STATUSES and failure.retry_after is not None:
        return ErrorClassification.RETRYABLE
    return ErrorClassification.FALLBACK_ELIGIBLE


def _without_status(error: BaseException) -> ErrorClassification:
    if isinstance(error, ConnectFailedError):
        absent = error.kind in _ABSENT_KINDS
        return ErrorClassification.FALLBACK_ELIGIBLE if absent else ErrorClassification.RETRYABLE
    if isinstance(error, (TimeoutError, TruncatedStreamError)):
        return ErrorClassification.RETRYABLE
    if isinstance(error, (ProviderError, BadAnswerError)):
        return ErrorClassification.FALLBACK_ELIGIBLE
    return _by_transport(error)


def _by_transport(error: BaseException) -> ErrorClassification:
    """Foreign errors, by the socket error at their root."""
    if absence(error) is not None:
        return ErrorClassification.FALLBACK_ELIGIBLE
    if any(isinstance(item, (TimeoutError, ConnectionError)) or _is_transport_error(item) for item in causes(error)):
        return ErrorClassification.RETRYABLE
    return ErrorClassification.FALLBACK_ELIGIBLE


def _is_transport_error(error: BaseException) -> bool:
    httpx = sys.modules.get("httpx")  # an error of a library that was never imported cannot be here
    return httpx is not None and isinstance(error, httpx.TransportError)
