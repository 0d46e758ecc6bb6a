"""How failures are read and sorted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class ErrorClassification(StrEnum):
    """What the gateway does about a failure."""

    RETRYABLE = "retryable"
    """Ask the same provider again, within the retry budget."""
    FALLBACK_ELIGIBLE = "fallback_eligible"
    """Ask the next provider at once."""
    TERMINAL = "terminal"
    """Raise it to the caller now."""


@dataclass(frozen=True, slots=True)
class HttpFailure:
    """The HTTP facts inside an exception: the status, and the wait the provider asked for in seconds."""

    status: int
    retry_after: float | None = None


HttpFailureReader = Callable[[BaseException], HttpFailure | None]
"""Reads the HTTP facts out of an exception; None when it knows nothing about it. The first answer counts."""


class ErrorClassifier(Protocol):
    """Sorts a failure. Decorate :class:`ironhive.gateway.DefaultErrorClassifier` to change one case."""

    def classify(self, error: BaseException) -> ErrorClassification:
        """What to do about ``error``."""
        ...
