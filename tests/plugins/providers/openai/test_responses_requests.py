"""What a conversation becomes on the Responses wire."""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import Any

import pytest
from tests.wire.clients import client_for, sent
from tests.wire.conversation import PIXEL, WEATHER
from tests.wire.replay import PieceTransport

from ironhive.chat import (
    ChatMessage,
    ChatOptions,
    DataContent,
    OpaqueContent,
    ReasoningContent,
    ReasoningOptions,
    RequireTool,
    TextContent,
    ToolResultContent,
    aggregate,
)
from ironhive_plugins.providers.openai import openai, openai_compatible, xai

HELLO = [ChatMessage.user("hello")]
SERVER = openai(api_key="k", model="gpt-5.2", base_url="http://server.test/v1", wire="responses")


async def items(*conversation: ChatMessage, registration: Any = SERVER) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = (await sent(registration, conversation))["input"]
    return result


async def test_nothing_is_stored_and_encrypted_reasoning_is_asked_for() -> None:
    assert await sent(SERVER, HELLO) == {
        "model": "gpt-5.2",
        "input": [{"role": "user", "content": "hello"}],
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }
    assert "include" not in await sent(SERVER, HELLO, ChatOptions(model="gpt-4o"))


@pytest.mark.parametrize(
    ("options", "reasoning"),
    [
        (ReasoningOptions("high"), {"effort": "high", "summary": "auto"}),
        (ReasoningOptions("low", "full"), {"effort": "low", "summary": "detailed"}),
        (ReasoningOptions("low", "none"), {"effort": "low"}),
        (ReasoningOptions("none"), {"effort": "none"}),
        (ReasoningOptions(None, "summary"), {"summary": "auto"}),
        (None, None),
    ],
)
async def test_effort_and_summary(options: ReasoningOptions | None, reasoning: Any) -> None:
    assert (await sent(SERVER, HELLO, ChatOptions(reasoning=options))).get("reasoning") == reasoning


async def test_instructions_are_their_own_field_where_the_server_has_it() -> None:
    conversation = [ChatMessage.system("One."), *HELLO, ChatMessage.system("later")]
    body = await sent(SERVER, conversation, ChatOptions(instructions="Two."))
    assert body["instructions"] == "One.\n\nTwo."
    assert body["input"][-1] == {"role": "developer", "content": "later"}
    grok = xai(api_key="k", model="grok-4", wire="responses")
    body = await sent(grok, conversation, ChatOptions(instructions="Two."))
    assert "instructions" not in body
    assert body["input"][0] == {"role": "system", "content": "One.\n\nTwo."}


async def test_images_of_tools_need_no_detour() -> None:
    result = ToolResultContent("c1", "t", (TextContent("seen"), DataContent("image/png", PIXEL)))
    (item,) = await items(ChatMessage.tool(result))
    assert item["call_id"] == "c1"
    assert [part["type"] for part in item["output"]] == ["input_text", "input_image"]


async def test_documents() -> None:
    pdf = DataContent("application/pdf", b"%PDF", name="a.pdf")
    (item,) = await items(ChatMessage.user(pdf, DataContent("application/pdf", uri="https://h/x.pdf")))
    assert item["content"] == [
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="},
        {"type": "input_file", "file_url": "https://h/x.pdf"},
    ]


async def test_a_named_tool_is_required() -> None:
    body = await sent(SERVER, HELLO, ChatOptions(tools=(WEATHER,), tool_mode=RequireTool("get_weather")))
    assert body["tool_choice"] == {"type": "function", "name": "get_weather"}


async def answered(*output: dict[str, Any]) -> ChatMessage:
    final = {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": list(output)}}
    client = client_for("responses", PieceTransport([b"data: " + json.dumps(final).encode() + b"\n\n"]))
    async with aclosing(client.stream(HELLO)) as updates:
        (message,) = aggregate([update async for update in updates]).messages
    await client.aclose()
    return message


async def test_reasoning_and_server_items_go_back_in_their_order_and_only_to_their_server() -> None:
    reasoning = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "Hm."}],
        "encrypted_content": "xyz",
    }
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    call = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "t", "arguments": "{}"}
    text = {"type": "message", "phase": "commentary", "content": [{"type": "output_text", "text": "Look:"}]}
    message = await answered(reasoning, search, text, call)
    assert message.reasoning == "Hm."
    result = ChatMessage.tool(ToolResultContent("c1", "t", "x"))
    same = openai_compatible(base_url="http://server.test/v1", model="m", wire="responses")
    assert (await items(*HELLO, message, result, registration=same))[1:] == [
        {name: reasoning[name] for name in ("summary", "type", "encrypted_content")},
        search,
        {"role": "assistant", "content": "Look:", "phase": "commentary"},
        {"type": "function_call", "call_id": "c1", "name": "t", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "x"},
    ]
    other = openai_compatible(base_url="http://other.test/v1", model="m", wire="responses")
    kinds = [item.get("type", item.get("role")) for item in await items(*HELLO, message, result, registration=other)]
    assert kinds == ["user", "assistant", "function_call", "function_call_output"]


async def test_reasoning_that_the_server_kept_to_itself_is_not_named_to_it() -> None:
    message = await answered(
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": "yes"}]},
    )
    assert [type(part) for part in message.contents] == [TextContent]


async def test_stop_sequences_cut_the_answer_here() -> None:
    body = b'data: {"type":"response.output_text.delta","output_index":0,"delta":"one END two"}\n\n'
    client = client_for("responses", PieceTransport([body]))
    async with aclosing(client.stream(HELLO, ChatOptions(stop_sequences=("END",)))) as updates:
        response = aggregate([update async for update in updates])
    assert (response.text, response.finish_reason) == ("one ", "stop")
    await client.aclose()


def test_opaque_parts_do_not_show_their_content() -> None:
    from ironhive.chat import ProviderData

    part = OpaqueContent(ProviderData("responses:h", {"item": {"encrypted_content": "very-secret"}}))
    thought = ReasoningContent("", ProviderData("responses:h", {"item": {"encrypted_content": "very-secret"}}))
    assert "very-secret" not in repr(part) + repr(thought)


async def test_text_images_and_structure_in_one_question() -> None:
    from ironhive.chat import JsonFormat

    user = ChatMessage.user("look", DataContent("text/plain", b"words", name="w.txt"), DataContent("image/png", PIXEL))
    body = await sent(SERVER, [user], ChatOptions(response_format=JsonFormat(), max_output_tokens=9, temperature=0.5))
    assert [part["type"] for part in body["input"][0]["content"]] == ["input_text", "input_text", "input_image"]
    assert body["text"] == {"format": {"type": "json_object"}}
    assert body["max_output_tokens"] == 9
    assert "temperature" not in body  # this model refuses it
    described = JsonFormat({"type": "object"}, description="d")
    body = await sent(SERVER, HELLO, ChatOptions(response_format=described))
    assert body["text"]["format"]["description"] == "d"


async def test_a_call_without_a_model_says_where_to_set_one() -> None:
    from ironhive.errors import ConfigurationError

    with pytest.raises(ConfigurationError, match=r"set custom\.model"):
        await sent(openai_compatible(wire="responses"), HELLO)
