"""What every in-process engine needs around its decoding loop, so that a backend is little more than that loop.

A backend implements :class:`Engine` (render a chat, decode under a guide, close) and hands it to
:class:`EngineGenerator`, which is the complete :class:`ironhive.contracts.Generator`: one thread that owns the engine,
a queue with a bounded wait, cancellation within a token, reasoning and tool calls told apart, stop strings, usage.
"""

from ironhive.inference.engine import Engine, Guide, Job, Sampling, Tally
from ironhive.inference.generator import EngineGenerator
from ironhive.inference.hardware import physical_cores
from ironhive.inference.schema import call_schema, simplify

__all__ = [
    "Engine",
    "EngineGenerator",
    "Guide",
    "Job",
    "Sampling",
    "Tally",
    "call_schema",
    "physical_cores",
    "simplify",
]
