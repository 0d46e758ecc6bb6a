"""Every type that crosses the boundary between core and a plugin.

Plain data and protocols; nothing here does I/O. The packages that use a contract (``ironhive.gateway``,
``ironhive.agent``) offer it again under their own name.
"""

from ironhive.contracts.backends import Backend, Generator, GeneratorInfo, OpenOptions, Scorer
from ironhive.contracts.byo import ByoPreset, CredentialPlacement, Endpoint
from ironhive.contracts.diagnosis import Diagnosis, Level
from ironhive.contracts.events import Transition, TransitionKind, TransitionObserver
from ironhive.contracts.failures import ErrorClassification, ErrorClassifier, HttpFailure, HttpFailureReader
from ironhive.contracts.guards import (
    Decision,
    FailMode,
    Finding,
    Guard,
    MaskingGuard,
    Scanner,
    ScanningGuard,
    Severity,
    Unmasker,
    Verdict,
)
from ironhive.contracts.middleware import Invoke, MiddlewareStep, ToolInvocation
from ironhive.contracts.providers import (
    ClientFactory,
    ModelInfo,
    ModelLister,
    NotConfigured,
    ProviderKind,
    ProviderRegistration,
    ProviderSelector,
    SelectionContext,
)
from ironhive.contracts.services import CommandEntry, SessionServices

__all__ = [
    "Backend",
    "ByoPreset",
    "ClientFactory",
    "CommandEntry",
    "CredentialPlacement",
    "Decision",
    "Diagnosis",
    "Endpoint",
    "ErrorClassification",
    "ErrorClassifier",
    "FailMode",
    "Finding",
    "Generator",
    "GeneratorInfo",
    "Guard",
    "HttpFailure",
    "HttpFailureReader",
    "Invoke",
    "Level",
    "MaskingGuard",
    "MiddlewareStep",
    "ModelInfo",
    "ModelLister",
    "NotConfigured",
    "OpenOptions",
    "ProviderKind",
    "ProviderRegistration",
    "ProviderSelector",
    "Scanner",
    "ScanningGuard",
    "Scorer",
    "SelectionContext",
    "SessionServices",
    "Severity",
    "ToolInvocation",
    "Transition",
    "TransitionKind",
    "TransitionObserver",
    "Unmasker",
    "Verdict",
]
