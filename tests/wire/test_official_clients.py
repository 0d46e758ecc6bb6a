"""The vendors' own clients and our plugins ask the same question in the same words.

Each vendor's client and each plugin send one conversation to a server that only listens. The JSON bodies are compared
field by field; where they differ on purpose, the difference is listed here with its reason.
"""

from __future__ import annotations

import base64
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anthropic as anthropic_sdk
import openai as openai_sdk
import pytest
from google import genai
from google.genai import types
from tests.wire.conversation import ANSWER, CONVERSATION, OPTIONS, PIXEL, SCHEMA
from tests.wire.loopback import Connection, Server, serving
from tests.wire.shapes import ABSENT, unlike

from ironhive.errors import IronHiveError
from ironhive_plugins.providers.anthropic import anthropic
from ironhive_plugins.providers.googleai import googleai
from ironhive_plugins.providers.openai import azure, openai

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ironhive.chat import ChatOptions
    from ironhive.contracts import ProviderRegistration

IMAGE = base64.b64encode(PIXEL).decode()
RESULT = '{"sky": "grau"}'


@asynccontextmanager
async def listening() -> AsyncIterator[Server]:
    """A server that refuses every request after having read it."""

    async def refuse(connection: Connection) -> None:
        await connection.whole(b'{"error": {"message": "only listening"}}', status=400)

    async with serving(refuse) as server:
        yield server


async def ours(registration: ProviderRegistration, server: Server, options: ChatOptions, *, stream: bool) -> None:
    client = registration.client_factory()
    asked = anext(client.stream(CONVERSATION, options)) if stream else client.complete(CONVERSATION, options)
    with pytest.raises(IronHiveError):
        await asked
    await client.aclose()


async def _first(asked: Any) -> None:
    """Wait for an answer, or for the first piece of a streamed one."""
    answer = await asked
    if hasattr(answer, "__aiter__"):
        await anext(aiter(answer))


def chat_messages() -> list[Any]:
    calls = [
        {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}},
        {"id": "call_2", "type": "function", "function": {"name": "get_time", "arguments": "{}"}},
    ]
    return [
        {"role": "system", "content": "Be brief.\n\nAnswer in French."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this, and how is the weather in Paris?"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE}"}},
            ],
        },
        {"role": "assistant", "content": "Let me look.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "call_1", "content": RESULT},
        {"role": "tool", "tool_call_id": "call_2", "content": "no clock"},
        {"role": "user", "content": "And tomorrow?"},
    ]


def chat_tools() -> list[Any]:
    return [
        {
            "type": "function",
            "function": {"name": "get_weather", "description": "Weather of a city.", "parameters": SCHEMA},
        },
        {
            "type": "function",
            "function": {
                "name": "get_time",
                "description": "The time of day.",
                "parameters": {"type": "object", "properties": {}},
            },
        },
    ]


@pytest.mark.parametrize("stream", [False, True])
async def test_chat_completions(*, stream: bool) -> None:
    async with listening() as server:
        sdk = openai_sdk.AsyncOpenAI(api_key="sk-1", base_url=f"{server.url}/v1", max_retries=0)
        extra: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}} if stream else {}
        with pytest.raises(openai_sdk.APIError):
            await sdk.chat.completions.create(
                model="gpt-4o",
                messages=chat_messages(),
                max_completion_tokens=500,
                temperature=0.5,
                top_p=0.9,
                stop=["END"],
                tools=chat_tools(),
                tool_choice="auto",
                response_format={
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "schema": ANSWER, "strict": True},
                },
                **extra,
            )
        await sdk.close()
        await ours(openai(api_key="sk-1", model="gpt-4o", base_url=f"{server.url}/v1"), server, OPTIONS, stream=stream)
        theirs, mine = server.requests
        assert unlike(theirs.json, mine.json) == {}
        assert (theirs.method, theirs.path) == (mine.method, mine.path)
        assert theirs.headers["authorization"] == mine.headers["authorization"]
        assert theirs.headers["content-type"] == mine.headers["content-type"]


@pytest.mark.parametrize("stream", [False, True])
async def test_responses(*, stream: bool) -> None:
    async with listening() as server:
        sdk = openai_sdk.AsyncOpenAI(api_key="sk-1", base_url=f"{server.url}/v1", max_retries=0)
        extra: dict[str, Any] = {"stream": True} if stream else {}
        tools = [{"type": "function", "strict": False, **tool["function"]} for tool in chat_tools()]
        with pytest.raises(openai_sdk.APIError):
            await sdk.responses.create(
                model="gpt-4o",
                instructions="Be brief.\n\nAnswer in French.",
                store=False,
                input=[
                    {
                        "role": "user",
                        "content": [
                            {"type": "input_text", "text": "What is this, and how is the weather in Paris?"},
                            {"type": "input_image", "image_url": f"data:image/png;base64,{IMAGE}", "detail": "auto"},
                        ],
                    },
                    {"role": "assistant", "content": "Let me look."},
                    {
                        "type": "function_call",
                        "call_id": "call_1",
                        "name": "get_weather",
                        "arguments": '{"city": "Paris"}',
                    },
                    {"type": "function_call", "call_id": "call_2", "name": "get_time", "arguments": "{}"},
                    {"type": "function_call_output", "call_id": "call_1", "output": RESULT},
                    {"type": "function_call_output", "call_id": "call_2", "output": "no clock"},
                    {"role": "user", "content": "And tomorrow?"},
                ],
                max_output_tokens=500,
                temperature=0.5,
                top_p=0.9,
                tools=tools,  # type: ignore[arg-type]
                tool_choice="auto",
                text={"format": {"type": "json_schema", "name": "answer", "schema": ANSWER, "strict": True}},
                **extra,
            )
        await sdk.close()
        registration = openai(api_key="sk-1", model="gpt-4o", base_url=f"{server.url}/v1", wire="responses")
        await ours(registration, server, OPTIONS, stream=stream)
        theirs, mine = server.requests
        # this wire has no stop sequences: the answer is cut by the client
        assert unlike(theirs.json, mine.json) == {}
        assert theirs.path == mine.path == "/v1/responses"


async def test_azure_by_its_older_addresses() -> None:
    async with listening() as server:
        sdk = openai_sdk.AsyncAzureOpenAI(
            api_key="az-1", azure_endpoint=server.url, api_version="2024-10-21", max_retries=0
        )
        with pytest.raises(openai_sdk.APIError):
            await sdk.chat.completions.create(
                model="my-gpt", messages=chat_messages(), tools=chat_tools(), max_completion_tokens=500
            )
        await sdk.close()
        registration = azure(endpoint=server.url, api_key="az-1", model="my-gpt", api_version="2024-10-21")
        options = OPTIONS.having(temperature=None, top_p=None, stop_sequences=(), tool_mode=None, response_format=None)
        await ours(registration, server, options, stream=False)
        theirs, mine = server.requests
        assert unlike(theirs.json, mine.json) == {}
        assert theirs.path == mine.path
        assert theirs.headers["api-key"] == mine.headers["api-key"] == "az-1"
        assert "authorization" not in mine.headers


@pytest.mark.parametrize("stream", [False, True])
async def test_messages(*, stream: bool) -> None:
    async with listening() as server:
        sdk = anthropic_sdk.AsyncAnthropic(api_key="sk-ant", base_url=server.url, max_retries=0)
        extra: dict[str, Any] = {"stream": True} if stream else {}
        with pytest.raises(anthropic_sdk.APIError):
            await sdk.messages.create(
                model="claude-sonnet-5",
                max_tokens=500,
                system=[{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Answer in French."}],
                messages=[
                    {
                        "role": "user",
                        "content": [
                            {"type": "text", "text": "What is this, and how is the weather in Paris?"},
                            {
                                "type": "image",
                                "source": {"type": "base64", "media_type": "image/png", "data": IMAGE},
                            },
                        ],
                    },
                    {
                        "role": "assistant",
                        "content": [
                            {"type": "text", "text": "Let me look."},
                            {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {"city": "Paris"}},
                            {"type": "tool_use", "id": "call_2", "name": "get_time", "input": {}},
                        ],
                    },
                    {
                        "role": "user",
                        "content": [
                            {"type": "tool_result", "tool_use_id": "call_1", "content": RESULT},
                            {"type": "tool_result", "tool_use_id": "call_2", "content": "no clock", "is_error": True},
                            {"type": "text", "text": "And tomorrow?"},
                        ],
                    },
                ],
                stop_sequences=["END"],
                tools=[
                    {"name": "get_weather", "description": "Weather of a city.", "input_schema": SCHEMA},
                    {
                        "name": "get_time",
                        "description": "The time of day.",
                        "input_schema": {"type": "object", "properties": {}},
                    },
                ],
                tool_choice={"type": "auto"},
                output_config={"format": {"type": "json_schema", "schema": ANSWER}},
                **extra,
            )
        await sdk.close()
        registration = anthropic(api_key="sk-ant", model="claude-sonnet-5", base_url=server.url)
        # temperature and top_p are left out on purpose: newer models refuse them, and their client has no such fields
        await ours(registration, server, OPTIONS, stream=stream)
        theirs, mine = server.requests
        mark = {"type": "ephemeral"}
        assert unlike(theirs.json, mine.json) == {
            # prompt caching: the stable system text, and the end of a conversation that goes on
            "system[0].cache_control": (ABSENT, mark),
            "messages[2].content[2].cache_control": (ABSENT, mark),
        }
        assert theirs.path == mine.path == "/v1/messages"
        # the key goes in the header that the service has always taken, and the version is the one of the recorded
        # answers that the decoder was proven on; newer versions of their client name newer ones
        assert (mine.headers["x-api-key"], mine.headers["anthropic-version"]) == ("sk-ant", "2023-06-01")
        assert theirs.headers["anthropic-version"] >= mine.headers["anthropic-version"]
        assert "authorization" not in mine.headers


@pytest.mark.parametrize("stream", [False, True])
async def test_generate_content(*, stream: bool) -> None:
    async with listening() as server:
        sdk = genai.Client(api_key="AIza", http_options=types.HttpOptions(base_url=server.url, api_version="v1beta"))
        config = types.GenerateContentConfig(
            system_instruction=[types.Part(text="Be brief."), types.Part(text="Answer in French.")],
            max_output_tokens=500,
            temperature=0.5,
            top_p=0.9,
            stop_sequences=["END"],
            tools=[
                types.Tool(
                    function_declarations=[
                        types.FunctionDeclaration(
                            name="get_weather", description="Weather of a city.", parameters_json_schema=SCHEMA
                        ),
                        types.FunctionDeclaration(name="get_time", description="The time of day."),
                    ]
                )
            ],
            tool_config=types.ToolConfig(
                function_calling_config=types.FunctionCallingConfig(mode=types.FunctionCallingConfigMode.AUTO)
            ),
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            response_mime_type="application/json",
            response_json_schema=ANSWER,
        )
        contents: list[Any] = [
            types.Content(
                role="user",
                parts=[
                    types.Part(text="What is this, and how is the weather in Paris?"),
                    types.Part.from_bytes(data=PIXEL, mime_type="image/png"),
                ],
            ),
            types.Content(
                role="model",
                parts=[
                    types.Part(text="Let me look."),
                    types.Part.from_function_call(name="get_weather", args={"city": "Paris"}),
                    types.Part.from_function_call(name="get_time", args={}),
                ],
            ),
            types.Content(
                role="user",
                parts=[
                    types.Part.from_function_response(name="get_weather", response={"result": json.loads(RESULT)}),
                    types.Part.from_function_response(name="get_time", response={"error": "no clock"}),
                    types.Part(text="And tomorrow?"),
                ],
            ),
        ]
        models = sdk.aio.models
        send = models.generate_content_stream if stream else models.generate_content
        with pytest.raises(genai.errors.APIError):
            await _first(send(model="gemini-2.5-flash", contents=contents, config=config))
        await sdk.aio.aclose()
        await ours(
            googleai(api_key="AIza", model="gemini-2.5-flash", base_url=server.url), server, OPTIONS, stream=stream
        )
        theirs, mine = server.requests
        # their client writes some names with underscores: the service takes both spellings of every name
        text = theirs.body.decode()
        for name, same in (("mime_type", "mimeType"), ("parameters_json_schema", "parametersJsonSchema")):
            text = text.replace(f'"{name}":', f'"{same}":')
        # it also names a role for the system text, which the service ignores
        assert unlike(json.loads(text), mine.json) == {"systemInstruction.role": ("user", ABSENT)}
        assert theirs.path == mine.path
        assert theirs.headers["x-goog-api-key"] == mine.headers["x-goog-api-key"]
