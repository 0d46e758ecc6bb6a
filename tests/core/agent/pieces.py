"""Short ways to write what a model says, and tools for it to call."""

from __future__ import annotations

from typing import Any

from ironhive.chat import (
    ChatUpdate,
    FinishReason,
    Tool,
    ToolCallContent,
    Usage,
    UsageContent,
    tool,
)
from ironhive.errors import ToolError


def call(name: str, arguments: dict[str, Any] | None = None, call_id: str = "1", **more: Any) -> ChatUpdate:
    """The model asks for a tool."""
    content = ToolCallContent(call_id, name, {} if arguments is None else arguments, **more)
    return ChatUpdate((content,), FinishReason.TOOL_CALLS, role="assistant")


def calls(*contents: ToolCallContent) -> list[ChatUpdate]:
    """The model asks for several tools in one round."""
    return [ChatUpdate(contents, FinishReason.TOOL_CALLS, role="assistant")]


def unreadable(name: str, raw: str, call_id: str = "1") -> list[ChatUpdate]:
    """The model asks for a tool with arguments that are no JSON object."""
    return calls(ToolCallContent(call_id, name, None, raw=raw, error="expected a value at character 4"))


def usage(into: int, out: int) -> ChatUpdate:
    """Token counts of one model call."""
    return ChatUpdate((UsageContent(Usage(into, out, into + out)),))


def stop(finish: str | None = FinishReason.STOP) -> ChatUpdate:
    """The model has finished."""
    return ChatUpdate(finish_reason=finish)


class Workshop:
    """Tools that take down how they were used."""

    def __init__(self) -> None:
        self.used: list[str] = []

    @property
    def tools(self) -> tuple[Tool, ...]:
        @tool(read_only=True, target="key")
        async def lookup(key: str) -> str:
            """Look something up."""
            self.used.append(key)
            return f"value of {key}"

        @tool
        async def tick() -> str:
            """Count."""
            self.used.append("tick")
            return f"tick {len(self.used)}"

        @tool
        async def fail(reason: str = "the disk is on fire") -> str:
            """Fail."""
            self.used.append("fail")
            raise ToolError(reason)

        return lookup, tick, fail, Tool("ask_person", "Answered by the host.")
