"""One tool call: find the tool, read the arguments, run it, and turn whatever happens into a result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ironhive.agent.stops import Refusal
from ironhive.chat import NO_PROPERTIES, ToolResultContent
from ironhive.contracts import ToolInvocation
from ironhive.errors import IronHiveError, ToolArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ironhive.chat import ChatMessage, Tool, ToolCallContent
    from ironhive.contracts import Invoke

UNREADABLE: Mapping[str, Any] = NO_PROPERTIES
"""Stands for arguments that could not be read; :func:`run_tool` refuses it, and a step may put readable ones there."""

_LISTED_TOOLS = 20
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came to, and whether a step asked to end the request after it."""

    result: ToolResultContent
    terminate: bool = False


async def answer_call(
    call: ToolCallContent, *, tools: Mapping[str, Tool], invoke: Invoke, messages: Sequence[ChatMessage]
) -> Outcome:
    """Run one call. Never raises but for cancellation: a failure becomes a result that the model can read."""
    tool = tools.get(call.name)
    if tool is None:
        return Outcome(failed(call, _no_such_tool(call.name, tools)))
    invocation = ToolInvocation(call, tool, read_arguments(call, tool), messages)
    try:
        result = await invoke(invocation)
    except BaseException as error:
        if not is_the_tools_own(error):
            raise
        result = failed(call, describe_failure(error))
    return Outcome(result, invocation.terminate)


async def run_tool(invocation: ToolInvocation) -> ToolResultContent:
    """The innermost step: the tool itself.

    Arguments that could not be read are refused and the tool is not run.

    :raises Exception: whatever the tool raises; steps around may deal with it, the client turns the rest into results.
    """
    call = invocation.call
    if invocation.arguments is UNREADABLE:
        return refused(call, _unreadable(call, invocation.tool), Refusal.INVALID_ARGUMENTS)
    value = await invocation.tool(invocation.arguments)
    return ToolResultContent(call.call_id, call.name, value)


def timed(seconds: float | None) -> Invoke:
    """:func:`run_tool` with a limit; a tool's own ``max_seconds`` shortens it.

    A tool that does not end in time is cancelled and the call refused, with a text that is the same for every call of
    that tool, so that repeats can be recognised.
    """

    async def invoke(invocation: ToolInvocation) -> ToolResultContent:
        limits = [limit for limit in (seconds, invocation.tool.max_seconds) if limit is not None]
        if not limits:
            return await run_tool(invocation)
        from asyncio import timeout  # slow to import: only where there is something to time

        limit = min(limits)
        clock = timeout(limit)
        try:
            async with clock:
                return await run_tool(invocation)
        except TimeoutError:
            if not clock.expired():
                raise
        text = f"Tool call stopped: {invocation.call.name} did not finish within {limit:g} seconds. Ask it for less."
        return refused(invocation.call, text, Refusal.TIMED_OUT)

    return invoke


def read_arguments(call: ToolCallContent, tool: Tool) -> Mapping[str, Any]:
    """The arguments of a call; none at all count as ``{}`` for a tool that requires none.

    :returns: ``UNREADABLE`` where there is nothing to run the tool with.
    """
    if call.arguments is not None:
        return call.arguments
    return {} if _says_nothing(call.raw) and not _required(tool) else UNREADABLE


def failed(call: ToolCallContent, text: str) -> ToolResultContent:
    """The result of a call that went wrong."""
    return ToolResultContent(call.call_id, call.name, text, success=False)


def refused(call: ToolCallContent, text: str, code: str) -> ToolResultContent:
    """The result of a call that was not run because of the rule ``code``."""
    return ToolResultContent(call.call_id, call.name, text, success=False, refusal=code)


def is_the_tools_own(error: BaseException) -> bool:
    """Whether a tool or a step failed, and not the turn it runs in: foreign code may raise anything.

    A tool that leaves the program, or waits for something that was cancelled, ends itself only. The turn's own
    cancellation shows on the task that is cancelled.
    """
    if isinstance(error, (Exception, SystemExit)):
        return True
    from asyncio import CancelledError, current_task  # slow to import: only where something has gone wrong

    task = current_task() if isinstance(error, CancelledError) else None
    return task is not None and not task.cancelling()


def describe_failure(error: BaseException) -> str:
    """What the model reads about an exception: our own errors speak for themselves, others say their type."""
    try:
        text = str(error).strip()
    except Exception:  # noqa: BLE001 - a stranger's exception, which cannot even say what it is
        text = ""
    if isinstance(error, ToolArgumentError):
        return f"Error: {text}\nThe tool was not run. Call it again with arguments that fit its parameters."
    if isinstance(error, IronHiveError) and text:
        return f"Error: {text}"
    return f"Error: {type(error).__name__}: {text}" if text else f"Error: {type(error).__name__}"


def _says_nothing(raw: str) -> bool:
    if not raw.strip():
        return True
    try:
        return not json.loads(raw)
    except ValueError:
        return False


def _required(tool: Tool) -> tuple[str, ...]:
    required = tool.parameters.get("required") or ()
    return tuple(str(name) for name in required)


def _unreadable(call: ToolCallContent, tool: Tool) -> str:
    reason = call.error or "they are not a JSON object"
    required = _required(tool)
    needed = f" Required: {', '.join(required)}." if required else ""
    return (
        f"Tool call not run: the arguments of {call.name} could not be read: {reason}. "
        f"Call it again with one JSON object.{needed}"
    )


def _no_such_tool(name: str, tools: Mapping[str, Tool]) -> str:
    from difflib import get_close_matches  # only where a model got a name wrong

    name = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..."
    if not tools:
        return f"Error: there is no tool named {name!r}; no tools are available. Answer without one."
    by_key = {_key(known): known for known in tools}
    close = [by_key[key] for key in get_close_matches(_key(name), list(by_key), n=3, cutoff=0.6)]
    hint = f" Did you mean {' or '.join(close)}?" if close else ""
    listed = ", ".join(list(tools)[:_LISTED_TOOLS])
    more = f" and {len(tools) - _LISTED_TOOLS} more" if len(tools) > _LISTED_TOOLS else ""
    return f"Error: there is no tool named {name!r}.{hint} Available tools: {listed}{more}."


def _key(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
