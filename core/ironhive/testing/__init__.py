"""Parts for tests of ironhive and of its plugins, without network and without waiting.

``scripted`` holds a chat client that plays back a script, ``provider`` a model server on this machine, ``server`` the
misbehaving HTTP server under it, ``clock`` a clock that stands still.
"""

from ironhive.testing.clock import ManualClock
from ironhive.testing.provider import chat_completion, chat_events, scripted_provider
from ironhive.testing.scripted import Call, ScriptedClient, scripted
from ironhive.testing.server import Fault, LoopbackServer, Reply, Request, free_port

__all__ = [
    "Call",
    "Fault",
    "LoopbackServer",
    "ManualClock",
    "Reply",
    "Request",
    "ScriptedClient",
    "chat_completion",
    "chat_events",
    "free_port",
    "scripted",
    "scripted_provider",
]
