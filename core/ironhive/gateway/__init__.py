"""One safe call: provider selection, guardrail, resilience, as a chat client.

Open :mod:`~ironhive.gateway.gateway` first. ``routing`` holds retry and fallback, ``classification`` the table of
failures, ``health`` the memory of them, ``policy`` where fallback may go, ``guarding`` the guard's seam, ``streams`` and
``holding`` the ways a guarded stream is passed on, ``degeneration`` the stop of answers that repeat themselves,
``tenants`` gateways per tenant, ``byo`` endpoints that a user brings.
"""

from ironhive.contracts import (
    ErrorClassification,
    ErrorClassifier,
    Guard,
    HttpFailure,
    HttpFailureReader,
    ProviderKind,
    ProviderRegistration,
    ProviderSelector,
    SelectionContext,
    Transition,
    TransitionKind,
    Verdict,
)
from ironhive.errors import GuardError, GuardFailedError
from ironhive.gateway.classification import DefaultErrorClassifier
from ironhive.gateway.failures import read_http_failure, retry_hint
from ironhive.gateway.gateway import Gateway, GatewayState
from ironhive.gateway.health import HealthMemory
from ironhive.gateway.options import FailMode, GatewayOptions, Resilience
from ironhive.gateway.registry import ProviderRegistry
from ironhive.gateway.selection import by_priority

__all__ = [
    "DefaultErrorClassifier",
    "ErrorClassification",
    "ErrorClassifier",
    "FailMode",
    "Gateway",
    "GatewayOptions",
    "GatewayState",
    "Guard",
    "GuardError",
    "GuardFailedError",
    "HealthMemory",
    "HttpFailure",
    "HttpFailureReader",
    "ProviderKind",
    "ProviderRegistration",
    "ProviderRegistry",
    "ProviderSelector",
    "Resilience",
    "SelectionContext",
    "Transition",
    "TransitionKind",
    "Verdict",
    "by_priority",
    "read_http_failure",
    "retry_hint",
]
