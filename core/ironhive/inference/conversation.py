"""A conversation as the plain mappings that chat templates read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ironhive.chat import DataContent, TextContent, ToolCallContent, ToolResultContent, result_text
from ironhive.inference.calls import CLOSER, OPENER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatMessage, Tool

Plain = dict[str, Any]


def plain_messages(messages: Sequence[ChatMessage], *, native: bool) -> list[Plain]:
    """The messages, reasoning left out, tool results one message each.

    :param native: the template knows tool calls and results; else they become text in the same notation.
    """
    result: list[Plain] = []
    for message in messages:
        result += _plain(message, native=native)
    return _system_first(result)


def _plain(message: ChatMessage, *, native: bool) -> list[Plain]:
    texts: list[str] = []
    calls: list[ToolCallContent] = []
    results: list[Plain] = []
    for part in message.contents:
        match part:
            case TextContent(text=text):
                texts.append(text)
            case DataContent():
                texts.append(result_text(part))
            case ToolCallContent():
                calls.append(part)
            case ToolResultContent():
                results.append(_result(part, native=native))
    text = "".join(texts)
    if calls:
        return [_with_calls(text, calls, native=native), *results]
    if results and not text:
        return results
    role = "user" if message.role == "tool" else message.role
    return [*results, {"role": role, "content": text}]


def _result(part: ToolResultContent, *, native: bool) -> Plain:
    text = result_text(part.result)
    if native:
        return {"role": "tool", "name": part.name, "tool_call_id": part.call_id, "content": text}
    return {"role": "user", "content": f"<tool_response>\n{text}\n</tool_response>"}


def _with_calls(text: str, calls: list[ToolCallContent], *, native: bool) -> Plain:
    if native:
        listed = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": dict(call.arguments or {})},
            }
            for call in calls
        ]
        return {"role": "assistant", "content": text, "tool_calls": listed}
    blocks = [
        f"{OPENER}\n{json.dumps({'name': call.name, 'arguments': dict(call.arguments or {})}, ensure_ascii=False)}\n"
        f"{CLOSER}"
        for call in calls
    ]
    return {"role": "assistant", "content": "\n".join([text, *blocks] if text else blocks)}


def _system_first(messages: list[Plain]) -> list[Plain]:
    """Leading system texts as one; templates take a single one."""
    count = 0
    while count < len(messages) and messages[count]["role"] == "system":
        count += 1
    if count <= 1:
        return messages
    joined = "\n\n".join(message["content"] for message in messages[:count])
    return [{"role": "system", "content": joined}, *messages[count:]]


def with_system(messages: list[Plain], text: str) -> list[Plain]:
    """The messages with ``text`` at the end of the leading system message."""
    if not text:
        return messages
    if messages and messages[0]["role"] == "system":
        joined = f"{messages[0]['content']}\n\n{text}"
        return [{"role": "system", "content": joined}, *messages[1:]]
    return [{"role": "system", "content": text}, *messages]


def alternating(messages: list[Plain]) -> list[Plain]:
    """For templates that know no system role or insist on taking turns: system text goes to the next user message,
    neighbours of one role become one.
    """
    result: list[Plain] = []
    for message in messages:
        role = "assistant" if message["role"] == "assistant" else "user"
        if result and result[-1]["role"] == role:
            result[-1] = {"role": role, "content": f"{result[-1]['content']}\n\n{message['content']}"}
        else:
            result.append({"role": role, "content": message["content"]})
    if result and result[0]["role"] == "assistant":
        result.insert(0, {"role": "user", "content": "(continued)"})
    return result


def described(tools: Sequence[Tool]) -> list[Plain]:
    """The tools in the shape that templates with tool support read."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def tool_text(tools: Sequence[Tool]) -> str:
    """How to call tools, for a template that does not say it itself."""
    lines = [json.dumps(item["function"], ensure_ascii=False) for item in described(tools)]
    example = '{"name": "<tool name>", "arguments": {<arguments as JSON>}}'
    return "\n".join(
        [
            "You can call these tools; each line describes one, with a JSON Schema of its arguments:",
            "<tools>",
            *lines,
            "</tools>",
            "To call a tool, write exactly this, and wait for the result in <tool_response> tags:",
            OPENER,
            example,
            CLOSER,
            "Call a tool only when it helps; otherwise answer directly.",
        ]
    )
