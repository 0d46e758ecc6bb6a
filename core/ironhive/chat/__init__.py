"""The vocabulary of a conversation with a model: messages, options, updates, tools, and the client protocol.

Open :mod:`~ironhive.chat.messages` first; :mod:`~ironhive.chat.client` holds the one interface that every provider,
wrapper and gateway implements.
"""

from ironhive.chat.aggregate import ResponseBuilder, aggregate, as_updates
from ironhive.chat.client import ChatClient, ClientMetadata
from ironhive.chat.content import (
    Content,
    DataContent,
    ErrorContent,
    OpaqueContent,
    ProviderData,
    ReasoningContent,
    TextContent,
    ToolCallContent,
    ToolResultContent,
    Usage,
    UsageContent,
    result_text,
)
from ironhive.chat.messages import (
    NO_PROPERTIES,
    ChatMessage,
    ChatResponse,
    ChatUpdate,
    FinishReason,
    Prompt,
    Role,
    as_messages,
)
from ironhive.chat.options import (
    NO_OPTIONS,
    ChatOptions,
    Effort,
    JsonFormat,
    ReasoningOptions,
    ReasoningOutput,
    RequireTool,
    ToolMode,
)
from ironhive.chat.tools import Tool, tool

__all__ = [
    "NO_OPTIONS",
    "NO_PROPERTIES",
    "ChatClient",
    "ChatMessage",
    "ChatOptions",
    "ChatResponse",
    "ChatUpdate",
    "ClientMetadata",
    "Content",
    "DataContent",
    "Effort",
    "ErrorContent",
    "FinishReason",
    "JsonFormat",
    "OpaqueContent",
    "Prompt",
    "ProviderData",
    "ReasoningContent",
    "ReasoningOptions",
    "ReasoningOutput",
    "RequireTool",
    "ResponseBuilder",
    "Role",
    "TextContent",
    "Tool",
    "ToolCallContent",
    "ToolMode",
    "ToolResultContent",
    "Usage",
    "UsageContent",
    "aggregate",
    "as_messages",
    "as_updates",
    "result_text",
    "tool",
]
