"""One turn of an agent: the model is asked, its tool calls are run, and it is asked again until it is done.

Open :mod:`~ironhive.agent.loop` first: :class:`AgentLoop` keeps a conversation and answers a prompt.
:class:`ToolCallingClient` is what runs the tools: a chat client around another one. :class:`ToolPipeline` puts steps
around each tool call.
"""

from ironhive.agent.client import ToolCallingClient
from ironhive.agent.invocation import run_tool
from ironhive.agent.loop import AgentLoop
from ironhive.agent.pairing import open_calls, pair_calls
from ironhive.agent.pipeline import ToolPipeline
from ironhive.agent.records import AgentChunk, AgentResponse, Thinking, ToolCallDelta, ToolCallRecord
from ironhive.agent.stops import Refusal, StopReason, stop_reason
from ironhive.agent.sync import run_sync
from ironhive.contracts import Invoke, MiddlewareStep, ToolInvocation

__all__ = [
    "AgentChunk",
    "AgentLoop",
    "AgentResponse",
    "Invoke",
    "MiddlewareStep",
    "Refusal",
    "StopReason",
    "Thinking",
    "ToolCallDelta",
    "ToolCallRecord",
    "ToolCallingClient",
    "ToolInvocation",
    "ToolPipeline",
    "open_calls",
    "pair_calls",
    "run_sync",
    "run_tool",
    "stop_reason",
]
