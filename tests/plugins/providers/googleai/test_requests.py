"""What a conversation becomes on the generateContent wire."""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import Any

import pytest
from tests.wire.clients import client_for, sent
from tests.wire.conversation import PIXEL, SCHEMA, TIME, WEATHER
from tests.wire.replay import PieceTransport

from ironhive.chat import (
    ChatMessage,
    ChatOptions,
    DataContent,
    JsonFormat,
    ProviderData,
    ReasoningContent,
    ReasoningOptions,
    RequireTool,
    TextContent,
    ToolCallContent,
    ToolResultContent,
    aggregate,
)
from ironhive_plugins.providers.googleai import googleai

HELLO = [ChatMessage.user("hello")]
SERVER = googleai(api_key="k", model="gemini-2.5-flash")
NEW = googleai(api_key="k", model="gemini-3-pro-preview")


async def contents(*conversation: ChatMessage, registration: Any = SERVER) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = (await sent(registration, conversation))["contents"]
    return result


async def test_only_what_was_asked_for_is_sent() -> None:
    assert await sent(SERVER, HELLO) == {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}


async def test_system_text_and_instructions_are_apart_from_the_conversation() -> None:
    body = await sent(SERVER, [ChatMessage.system("One."), *HELLO], ChatOptions(instructions="Two."))
    assert body["systemInstruction"] == {"parts": [{"text": "One."}, {"text": "Two."}]}
    # Gemma has no place for it
    body = await sent(googleai(api_key="k", model="gemma-3-27b-it"), [ChatMessage.system("One."), *HELLO])
    assert "systemInstruction" not in body
    assert body["contents"][0]["parts"] == [{"text": "One."}]


async def test_tools_and_the_choice_among_them() -> None:
    body = await sent(SERVER, HELLO, ChatOptions(tools=(WEATHER, TIME)))
    assert body["tools"] == [
        {
            "functionDeclarations": [
                {"name": "get_weather", "description": "Weather of a city.", "parametersJsonSchema": SCHEMA},
                {"name": "get_time", "description": "The time of day."},
            ]
        }
    ]
    assert "toolConfig" not in body


@pytest.mark.parametrize(
    ("mode", "config"),
    [
        ("auto", {"mode": "AUTO"}),
        ("none", {"mode": "NONE"}),
        ("required", {"mode": "ANY"}),
        (RequireTool("get_time"), {"mode": "ANY", "allowedFunctionNames": ["get_time"]}),
    ],
)
async def test_tool_choice(mode: Any, config: Any) -> None:
    body = await sent(SERVER, HELLO, ChatOptions(tools=(TIME,), tool_mode=mode))
    assert body["toolConfig"] == {"functionCallingConfig": config}


async def test_sampling_and_structure() -> None:
    options = ChatOptions(
        temperature=0.0, top_p=0.5, top_k=3, seed=7, max_output_tokens=9, stop_sequences=("END",),
        frequency_penalty=0.1, presence_penalty=0.2, response_format=JsonFormat(SCHEMA),
    )  # fmt: skip
    assert (await sent(SERVER, HELLO, options))["generationConfig"] == {
        "temperature": 0.0, "topP": 0.5, "topK": 3, "seed": 7, "maxOutputTokens": 9, "stopSequences": ["END"],
        "frequencyPenalty": 0.1, "presencePenalty": 0.2, "responseMimeType": "application/json",
        "responseJsonSchema": SCHEMA,
    }  # fmt: skip
    plain = await sent(SERVER, HELLO, ChatOptions(response_format=JsonFormat()))
    assert plain["generationConfig"] == {"responseMimeType": "application/json"}


@pytest.mark.parametrize(
    ("model", "reasoning", "config"),
    [
        ("gemini-2.5-flash", ReasoningOptions("low"), {"thinkingBudget": 1024, "includeThoughts": True}),
        ("gemini-2.5-flash", ReasoningOptions("none"), {"thinkingBudget": 0}),
        ("gemini-2.5-pro", ReasoningOptions("none"), {"thinkingBudget": 128}),
        ("gemini-2.5-flash", ReasoningOptions("high", "none"), {"thinkingBudget": 24576}),
        ("gemini-3-pro-preview", ReasoningOptions("low"), {"thinkingLevel": "low", "includeThoughts": True}),
        ("gemini-3-pro-preview", ReasoningOptions("extra_high"), {"thinkingLevel": "high", "includeThoughts": True}),
        ("gemini-3-pro-preview", ReasoningOptions("none"), {"thinkingLevel": "low"}),
        ("gemini-3-flash-preview", ReasoningOptions("none"), {"thinkingLevel": "minimal"}),
        ("gemini-3-flash-preview", ReasoningOptions(None, "summary"), {"includeThoughts": True}),
        ("gemini-2.0-flash", ReasoningOptions("high"), None),
        ("gemini-3-pro-preview", None, None),
    ],
)
async def test_thinking_is_asked_for_as_the_model_takes_it(model: str, reasoning: Any, config: Any) -> None:
    body = await sent(SERVER, HELLO, ChatOptions(model=model, reasoning=reasoning))
    assert body.get("generationConfig", {}).get("thinkingConfig") == config


async def test_images_and_documents() -> None:
    (entry,) = await contents(
        ChatMessage.user(
            DataContent("application/pdf", b"%PDF"),
            DataContent("image/png", uri="https://h/x.png"),
            DataContent("text/plain", b"words", name="w.txt"),
        )
    )
    assert entry["parts"] == [
        {"inlineData": {"mimeType": "application/pdf", "data": "JVBERg=="}},
        {"fileData": {"mimeType": "image/png", "fileUri": "https://h/x.png"}},
        {"text": "w.txt:\nwords"},
    ]


async def test_results_are_objects_under_the_name_of_their_call() -> None:
    calls = ChatMessage.assistant(*[ToolCallContent(f"c{index}", f"t{index}", {}) for index in range(4)])
    results = ChatMessage.tool(
        ToolResultContent("c0", "t0", {"a": 1}),
        ToolResultContent("c1", "t1", "text"),
        ToolResultContent("c2", "t2", "broke", success=False),
        ToolResultContent("c3", "", None),
    )
    out = await contents(*HELLO, calls, results)
    assert [part["functionResponse"] for part in out[2]["parts"]] == [
        {"name": "t0", "response": {"result": {"a": 1}}},
        {"name": "t1", "response": {"result": "text"}},
        {"name": "t2", "response": {"error": "broke"}},
        {"name": "t3", "response": {"result": ""}},
    ]


async def test_images_of_tools_are_inside_the_result_or_behind_it_as_the_model_takes_it() -> None:
    seen = (TextContent("seen"), DataContent("image/png", PIXEL))
    turn = [
        *HELLO,
        ChatMessage.assistant(ToolCallContent("c", "t", {})),
        ChatMessage.tool(ToolResultContent("c", "t", seen)),
    ]
    first, second = (await contents(*turn))[2]["parts"]
    assert first["functionResponse"]["response"] == {"result": "seen"}
    assert "inlineData" in second
    (only,) = (await contents(*turn, registration=NEW))[2]["parts"]
    assert "inlineData" in only["functionResponse"]["parts"][0]


async def answered(*parts: dict[str, Any]) -> ChatMessage:
    chunks = [{"candidates": [{"content": {"parts": [part]}}]} for part in parts]
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"  # type: ignore[assignment]
    body = b"".join(b"data: %s\r\n\r\n" % json.dumps(chunk).encode() for chunk in chunks)
    client = client_for("gemini", PieceTransport([body]))
    async with aclosing(client.stream(HELLO)) as updates:
        (message,) = aggregate([update async for update in updates]).messages
    await client.aclose()
    return message


async def test_signatures_go_back_on_the_parts_they_came_with() -> None:
    parts: list[dict[str, Any]] = [
        {"text": "hm", "thought": True},
        {"text": "So:"},
        {"functionCall": {"name": "t", "args": {"a": 1}, "id": "k1"}, "thoughtSignature": "sig-1"},
        {"functionCall": {"name": "u", "args": {}}},
        {"text": "", "thoughtSignature": "sig-2"},
    ]
    message = await answered(*parts)
    assert (message.text, message.reasoning) == ("So:", "hm")
    first, second = message.tool_calls
    results = ChatMessage.tool(ToolResultContent(first.call_id, "t", "x"), ToolResultContent(second.call_id, "u", "y"))
    out = await contents(*HELLO, message, results, registration=NEW)
    assert out[1]["parts"] == parts[1:]  # a thought without a signature is of no use to the model
    assert out[2]["parts"] == [
        {"functionResponse": {"name": "t", "id": "k1", "response": {"result": "x"}}},
        {"functionResponse": {"name": "u", "response": {"result": "y"}}},
    ]


async def test_signed_text_and_thoughts_keep_their_signature() -> None:
    parts: list[dict[str, Any]] = [
        {"text": "hm", "thought": True, "thoughtSignature": "sig-0"},
        {"text": "Done.", "thoughtSignature": "sig-1"},
    ]
    assert (await contents(*HELLO, await answered(*parts)))[1]["parts"] == parts


async def test_calls_that_another_model_made_are_marked_so_where_signatures_are_demanded() -> None:
    calls = [ToolCallContent("c1", "t", {}), ToolCallContent("c2", "u", {})]
    foreign = ChatMessage.assistant(ReasoningContent("hm", ProviderData("anthropic", {"signature": "x"})), *calls)
    first, second = (await contents(*HELLO, foreign, registration=NEW))[1]["parts"]
    assert first["thoughtSignature"] == "skip_thought_signature_validator"
    assert "thoughtSignature" not in second
    assert "Signature" not in json.dumps(await contents(*HELLO, foreign))


async def test_an_image_that_the_model_made_is_data_and_other_parts_are_kept() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "1"}}
    message = await answered(
        {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}},
        {"inlineData": {"data": "%%%"}},
        code,
        {"text": "Done."},
    )
    image = message.contents[0]
    assert isinstance(image, DataContent)
    assert (image.media_type, image.data) == ("image/png", b"\x89PNG")
    assert code in (await contents(*HELLO, message))[1]["parts"]
