"""One conversation with something of everything, for requests to be made of."""

from __future__ import annotations

from ironhive.chat import (
    ChatMessage,
    ChatOptions,
    DataContent,
    JsonFormat,
    TextContent,
    Tool,
    ToolCallContent,
    ToolResultContent,
)

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)
"""A PNG of one pixel."""

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "The city."}, "days": {"type": "integer"}},
    "required": ["city"],
}
WEATHER = Tool("get_weather", "Weather of a city.", SCHEMA)
TIME = Tool("get_time", "The time of day.")
ANSWER = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}

CONVERSATION = [
    ChatMessage.system("Be brief."),
    ChatMessage.user("What is this, and how is the weather in Paris?", DataContent("image/png", PIXEL)),
    ChatMessage.assistant(
        "Let me look.",
        ToolCallContent("call_1", "get_weather", {"city": "Paris"}, '{"city": "Paris"}'),
        ToolCallContent("call_2", "get_time", {}),
    ),
    ChatMessage.tool(
        ToolResultContent("call_1", "get_weather", {"sky": "grau"}),
        ToolResultContent("call_2", "get_time", "no clock", success=False),
    ),
    ChatMessage.user("And tomorrow?"),
]

OPTIONS = ChatOptions(
    instructions="Answer in French.",
    max_output_tokens=500,
    temperature=0.5,
    top_p=0.9,
    stop_sequences=("END",),
    tools=(WEATHER, TIME),
    tool_mode="auto",
    response_format=JsonFormat(ANSWER, name="answer", strict=True),
)

__all__ = ["ANSWER", "CONVERSATION", "OPTIONS", "PIXEL", "SCHEMA", "TIME", "WEATHER", "TextContent"]
