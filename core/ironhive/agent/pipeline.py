"""Steps around a tool call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.chat import ToolResultContent
from ironhive.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ironhive.contracts import Invoke, MiddlewareStep, ToolInvocation


class ToolPipeline:
    """An onion of steps: the first one given is the outermost, the tool lies in the middle.

    A step calls ``proceed`` to go on, or returns a result without it to refuse the call. Steps read their state from
    the conversation and keep none, so one pipeline serves all conversations.

    :param steps: async callables ``(invocation, proceed) -> ToolResultContent``.
    """

    def __init__(self, steps: Iterable[MiddlewareStep] = ()) -> None:
        self.steps: tuple[MiddlewareStep, ...] = tuple(steps)

    def around(self, invoke: Invoke) -> Invoke:
        """``invoke`` with all steps around it."""
        for step in reversed(self.steps):
            invoke = _wrap(step, invoke)
        return invoke


def _wrap(step: MiddlewareStep, proceed: Invoke) -> Invoke:
    async def invoke(invocation: ToolInvocation) -> ToolResultContent:
        result: object = await step(invocation, proceed)
        if not isinstance(result, ToolResultContent):
            name = getattr(step, "__qualname__", type(step).__qualname__)
            message = f"step {name!r} returned {type(result).__name__}; a step must return a ToolResultContent"
            raise PluginError(message)
        return result

    return invoke
