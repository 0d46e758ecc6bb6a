"""Parts for tests of ironhive and of its plugins, without network and without waiting.

``scripted`` holds a chat client that plays back a script, ``provider`` a model server on this machine, ``server`` the
misbehaving HTTP server under it, ``clock`` a clock that stands still. ``conformance`` is the base of the suites that
every plugin of a kind should pass: ``provider_conformance``, ``guard_conformance``.
"""

from ironhive.testing.clock import ManualClock
from ironhive.testing.conformance import CheckResult, Conformance, NotApplicableError, run_suite
from ironhive.testing.guard_conformance import GuardConformance
from ironhive.testing.provider import chat_completion, chat_events, scripted_provider
from ironhive.testing.provider_conformance import ProviderConformance
from ironhive.testing.scripted import Call, ScriptedClient, scripted
from ironhive.testing.server import Fault, LoopbackServer, Reply, Request, free_port

__all__ = [
    "Call",
    "CheckResult",
    "Conformance",
    "Fault",
    "GuardConformance",
    "LoopbackServer",
    "ManualClock",
    "NotApplicableError",
    "ProviderConformance",
    "Reply",
    "Request",
    "ScriptedClient",
    "chat_completion",
    "chat_events",
    "free_port",
    "run_suite",
    "scripted",
    "scripted_provider",
]
