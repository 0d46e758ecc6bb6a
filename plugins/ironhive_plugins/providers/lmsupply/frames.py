"""Messages between the host and a model's process: pickles, each behind its length.

Both ends are this program; nothing from outside reaches the pipe.
"""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ironhive.chat import ChatMessage, Tool, ToolResultContent, result_text

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from ironhive.chat import ChatOptions

HEAD = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class Request:
    """Something for the child to do: ``open``, ``stream``, ``count``, ``score``, ``warm_up`` or ``cancel``."""

    number: int
    kind: str
    payload: Any = None


@dataclass(frozen=True, slots=True)
class Reply:
    """Something from the child; ``kind`` is ``item``, ``end`` or ``error``."""

    number: int
    kind: str
    payload: Any = None


def encode(message: Request | Reply) -> bytes:
    """The bytes of a message."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return HEAD.pack(len(data)) + data


async def read_message(reader: asyncio.StreamReader) -> Any:
    """The next message.

    :raises asyncio.IncompleteReadError: the other end is gone.
    """
    (size,) = HEAD.unpack(await reader.readexactly(HEAD.size))
    return pickle.loads(await reader.readexactly(size))  # noqa: S301  # our own process at the other end


def sendable(messages: Sequence[ChatMessage], options: ChatOptions) -> tuple[tuple[ChatMessage, ...], ChatOptions]:
    """The same request without what cannot travel: functions of tools, and whatever objects tools returned."""
    tools = tuple(Tool(tool.name, tool.description, tool.parameters) for tool in options.tools)
    return tuple(_flat(message) for message in messages), options.having(tools=tools)


def _flat(message: ChatMessage) -> ChatMessage:
    parts = tuple(
        replace(part, result=result_text(part.result)) if isinstance(part, ToolResultContent) else part
        for part in message.contents
    )
    return replace(message, contents=parts)
