"""What observers are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ironhive.contracts.failures import ErrorClassification


class TransitionKind(StrEnum):
    """What the gateway did."""

    RETRY = "retry"
    FALLBACK = "fallback"
    EXHAUSTED = "exhausted"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Transition:
    """One step of the gateway away from a provider.

    ``provider_id`` is the provider that failed or was demoted, never the destination. ``provider_index`` counts from 0
    in the order that was tried; for ``skipped`` in the order the selector gave. ``attempt`` is the 0-based number of
    the attempt that failed for ``retry``, else 0. ``error`` is None for ``skipped``.
    """

    kind: TransitionKind
    provider_id: str
    provider_index: int
    total_providers: int
    category: ErrorClassification
    error: BaseException | None = None
    attempt: int = 0


TransitionObserver = Callable[[Transition], None]
"""Called on the path of the call; must be quick. What it raises is logged once and otherwise ignored."""
