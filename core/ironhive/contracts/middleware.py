"""Steps around a tool call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ironhive.chat import ChatMessage, Tool, ToolCallContent, ToolResultContent


@dataclass(slots=True)
class ToolInvocation:
    """One tool call on its way through the pipeline.

    ``messages`` is the conversation so far, this call's assistant message included: steps read their state from it and
    keep none. ``arguments`` may be replaced by a step. ``terminate`` set to True ends the request after this call.
    """

    call: ToolCallContent
    tool: Tool
    arguments: Mapping[str, Any]
    messages: Sequence[ChatMessage] = ()
    terminate: bool = False
    properties: dict[str, Any] = field(default_factory=dict)


Invoke = Callable[[ToolInvocation], "Awaitable[ToolResultContent]"]
"""The rest of the pipeline, ending in the tool."""


class MiddlewareStep(Protocol):
    """A step of the tool pipeline: call ``proceed`` to go on, or return a result without it to refuse the call."""

    async def __call__(self, invocation: ToolInvocation, proceed: Invoke) -> ToolResultContent:
        """Handle one call."""
        ...
