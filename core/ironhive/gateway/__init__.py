"""One safe call: provider selection, guardrail, resilience, as a chat client.

Open :mod:`~ironhive.gateway.gateway` first. ``routing`` holds retry and fallback, ``classification`` the table of
failures, ``health`` the memory of them, ``policy`` where fallback may go, ``guarding`` the guard's seam, ``streams``
and ``holding`` the ways a guarded stream is passed on, ``degeneration`` the stop of answers that repeat themselves,
``tenants`` gateways per tenant, ``byo`` endpoints that a user brings, ``configured`` what a configuration describes.
"""

from ironhive.contracts import (
    ErrorClassification,
    ErrorClassifier,
    FailMode,
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
from ironhive.gateway.degeneration import (
    REPEATED_UNIT_KEY,
    DegenerationOptions,
    DegenerationStopClient,
    find_repeating_unit,
    with_degeneration_stop,
)
from ironhive.gateway.failures import read_http_failure
from ironhive.gateway.gateway import Gateway, GatewayState
from ironhive.gateway.health import HealthMemory
from ironhive.gateway.options import GatewayOptions, Resilience
from ironhive.gateway.registry import ProviderRegistry
from ironhive.gateway.selection import by_priority
from ironhive.gateway.tenants import TenantGateways

__all__ = [
    "REPEATED_UNIT_KEY",
    "DefaultErrorClassifier",
    "DegenerationOptions",
    "DegenerationStopClient",
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
    "TenantGateways",
    "Transition",
    "TransitionKind",
    "Verdict",
    "by_priority",
    "find_repeating_unit",
    "read_http_failure",
    "with_degeneration_stop",
]
