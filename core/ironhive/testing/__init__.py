"""Parts for tests of ironhive and of its plugins: a scripted client and a manual clock."""

from ironhive.testing.clock import ManualClock
from ironhive.testing.scripted import Call, ScriptedClient, scripted

__all__ = ["Call", "ManualClock", "ScriptedClient", "scripted"]
