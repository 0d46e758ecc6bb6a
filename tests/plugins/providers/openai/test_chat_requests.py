"""What a conversation becomes on the Chat Completions wire."""

from __future__ import annotations

import base64
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
    JsonFormat,
    OpaqueContent,
    ProviderData,
    ReasoningContent,
    ReasoningOptions,
    RequireTool,
    TextContent,
    ToolCallContent,
    ToolResultContent,
    aggregate,
)
from ironhive_plugins.providers.openai import gpustack, ollama, openai, openai_compatible

HELLO = [ChatMessage.user("hello")]
SERVER = openai_compatible(base_url="http://server.test", model="m")
IMAGE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}"}}


async def messages(*conversation: ChatMessage, registration: Any = SERVER, **options: Any) -> list[dict[str, Any]]:
    body = await sent(registration, conversation, ChatOptions(**options))
    result: list[dict[str, Any]] = body["messages"]
    return result


async def test_only_what_was_asked_for_is_sent() -> None:
    assert await sent(SERVER, HELLO) == {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


async def test_system_text_and_the_calls_instructions_are_one_message_at_the_beginning() -> None:
    system, user = await messages(ChatMessage.system("One."), ChatMessage.system("Two."), *HELLO, instructions="Three.")
    assert system == {"role": "system", "content": "One.\n\nTwo.\n\nThree."}
    assert user["role"] == "user"
    assert (await messages(*HELLO, instructions="Only."))[0] == {"role": "system", "content": "Only."}


async def test_a_later_system_message_stays_where_it_is() -> None:
    roles = [entry["role"] for entry in await messages(*HELLO, ChatMessage.system("summary"), *HELLO)]
    assert roles == ["user", "system", "user"]


async def test_openai_calls_the_operator_of_a_reasoning_model_developer() -> None:
    own = openai(api_key="k", model="gpt-5.2")
    assert (await messages(ChatMessage.system("s"), *HELLO, registration=own))[0]["role"] == "developer"
    assert (await messages(ChatMessage.system("s"), *HELLO, registration=own, model="gpt-4o"))[0]["role"] == "system"


async def test_images_documents_and_sounds_are_parts() -> None:
    (entry,) = await messages(
        ChatMessage.user(
            "look",
            DataContent("image/png", PIXEL),
            DataContent("image/jpeg", uri="https://h/x.jpg"),
            DataContent("application/pdf", b"%PDF", name="a.pdf"),
            DataContent("text/csv", b"a,b", name="t.csv"),
            DataContent("audio/mpeg", b"mp3"),
            DataContent("application/pdf", uri="https://h/x.pdf"),
        )
    )
    assert entry["content"] == [
        {"type": "text", "text": "look"},
        IMAGE,
        {"type": "image_url", "image_url": {"url": "https://h/x.jpg"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}},
        {"type": "text", "text": "t.csv:\na,b"},
        {"type": "input_audio", "input_audio": {"data": "bXAz", "format": "mp3"}},
        {"type": "text", "text": "[application/pdf at https://h/x.pdf]"},
    ]


CALL = ToolCallContent("c1", "shot", {"x": 1}, '{"x":1}')


async def test_tool_results_are_text_whatever_they_were() -> None:
    results = ChatMessage.tool(
        ToolResultContent("c1", "t", {"a": [1]}),
        ToolResultContent("c2", "t", None),
        ToolResultContent("c3", "t", (TextContent("seen"), DataContent("image/png", PIXEL))),
    )
    out = await messages(*HELLO, ChatMessage.assistant(CALL), results)
    assert [entry["content"] for entry in out[2:]] == ['{"a": [1]}', "", f"seen\n[image/png, {len(PIXEL)} bytes]"]


async def test_images_of_tools_follow_all_results_in_a_user_message_when_asked_for() -> None:
    carrying = gpustack(model="m", carry_tool_images=True)
    results = ChatMessage.tool(
        ToolResultContent("c1", "t", (TextContent("seen"), DataContent("image/png", PIXEL))),
        ToolResultContent("c2", "t", DataContent("image/png", PIXEL)),
        ToolResultContent("c3", "t", "text"),
    )
    out = await messages(*HELLO, ChatMessage.assistant(CALL), results, *HELLO, registration=carrying)
    assert [entry["role"] for entry in out] == ["user", "assistant", "tool", "tool", "tool", "user", "user"]
    assert out[2]["content"] == "seen"
    assert out[3]["content"] == "(the image follows in the next user message)"
    assert out[5]["content"][1:] == [IMAGE, IMAGE]
    out = await messages(*HELLO, ChatMessage.assistant(CALL), results, registration=carrying)
    assert out[-1]["content"][1:] == [IMAGE, IMAGE]


async def test_calls_that_did_not_parse_or_name_no_tool_are_never_repeated_verbatim() -> None:
    broken = ToolCallContent("c1", "t", None, '{"a": ', "not JSON")
    nameless = ToolCallContent("c2", "", None, "", "the call names no tool")
    _, entry = await messages(*HELLO, ChatMessage.assistant(broken, nameless))
    assert entry == {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{}"}},
            {"id": "c2", "type": "function", "function": {"name": "unknown_tool", "arguments": "{}"}},
        ],
    }


async def test_a_turn_of_calls_alone_has_the_content_that_the_server_takes() -> None:
    turn = [*HELLO, ChatMessage.assistant(CALL)]
    assert (await messages(*turn))[1]["content"] == ""
    own = openai(api_key="k", model="gpt-4o")
    assert (await messages(*turn, registration=own))[1]["content"] is None


async def test_empty_turns_and_parts_of_other_providers_are_left_out() -> None:
    foreign = ProviderData("anthropic", {"signature": "s"})
    out = await messages(
        *HELLO,
        ChatMessage.assistant(ReasoningContent("hm", foreign), OpaqueContent(foreign)),
        ChatMessage.user(""),
        ChatMessage.assistant(ReasoningContent("hm", foreign), "text"),
    )
    assert out == [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "text"}]


@pytest.mark.parametrize(
    ("mode", "choice"),
    [
        (None, None),
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        (RequireTool("get_weather"), {"type": "function", "function": {"name": "get_weather"}}),
    ],
)
async def test_tool_choice(mode: Any, choice: Any) -> None:
    body = await sent(SERVER, HELLO, ChatOptions(tools=(WEATHER,), tool_mode=mode))
    assert body.get("tool_choice") == choice
    assert "tool_choice" not in await sent(SERVER, HELLO, ChatOptions(tool_mode=mode))


@pytest.mark.parametrize(
    ("wanted", "sent_format"),
    [
        (JsonFormat(), {"type": "json_object"}),
        (
            JsonFormat({"type": "object"}, name="n", description="d", strict=True),
            {
                "type": "json_schema",
                "json_schema": {"name": "n", "schema": {"type": "object"}, "strict": True, "description": "d"},
            },
        ),
    ],
)
async def test_structured_output(wanted: JsonFormat, sent_format: Any) -> None:
    assert (await sent(SERVER, HELLO, ChatOptions(response_format=wanted)))["response_format"] == sent_format


SAMPLING = ChatOptions(
    temperature=0.0,
    top_p=0.5,
    top_k=40,
    frequency_penalty=0.1,
    presence_penalty=0.2,
    seed=7,
    stop_sequences=("END",),
    max_output_tokens=9,
    properties={"min_p": 0.05, "repetition_penalty": 1.1, "unrelated": 1, "extra_body": {"service_tier": "flex"}},
)
SAMPLERS = {
    "temperature": 0.0, "top_p": 0.5, "frequency_penalty": 0.1, "presence_penalty": 0.2, "seed": 7, "stop": ["END"],
    "service_tier": "flex",
}  # fmt: skip


async def extra(registration: Any, options: ChatOptions) -> dict[str, Any]:
    body = await sent(registration, HELLO, options)
    return {name: value for name, value in body.items() if name not in ("model", "messages")}


async def test_sampling_fields_go_where_they_are_known() -> None:
    local = {"top_k": 40, "min_p": 0.05, "repetition_penalty": 1.1, "max_tokens": 9}
    assert await extra(SERVER, SAMPLING) == {**SAMPLERS, **local}
    assert await extra(openai(api_key="k", model="gpt-4o"), SAMPLING) == {**SAMPLERS, "max_completion_tokens": 9}
    # reasoning models refuse them
    assert await extra(openai(api_key="k", model="gpt-5.2"), SAMPLING) == {
        "seed": 7, "service_tier": "flex", "max_completion_tokens": 9,
    }  # fmt: skip


async def test_the_field_of_the_token_limit_can_be_chosen() -> None:
    both = openai_compatible(model="m", token_limit="both")
    assert await extra(both, ChatOptions(max_output_tokens=9)) == {"max_tokens": 9, "max_completion_tokens": 9}


def effort(word: Any, output: Any = None) -> ChatOptions:
    return ChatOptions(reasoning=ReasoningOptions(word, output))


@pytest.mark.parametrize(
    ("registration", "word", "expected"),
    [
        (openai(api_key="k", model="gpt-5"), "none", {"reasoning_effort": "minimal"}),
        (openai(api_key="k", model="gpt-5.2"), "none", {"reasoning_effort": "none"}),
        (openai(api_key="k", model="gpt-5.2"), "extra_high", {"reasoning_effort": "xhigh"}),
        (openai(api_key="k", model="o3"), "extra_high", {"reasoning_effort": "high"}),
        (openai(api_key="k", model="gpt-4o"), "high", {}),
        (ollama(model="qwen3"), "low", {"reasoning_effort": "low"}),
        (
            gpustack(model="qwen3"),
            "none",
            {"reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": False}},
        ),
        (
            gpustack(model="qwen3"),
            "medium",
            {"reasoning_effort": "medium", "chat_template_kwargs": {"enable_thinking": True}},
        ),
        (openai_compatible(base_url="https://openrouter.ai/api", model="x/y"), "low", {"reasoning": {"effort": "low"}}),
        (
            openai_compatible(base_url="https://api.deepseek.com", model="deepseek-chat"),
            "none",
            {"thinking": {"type": "disabled"}},
        ),
        (openai_compatible(base_url="https://api.mistral.ai", model="mistral-small"), "high", {}),
        (SERVER, None, {}),
    ],
)
async def test_an_effort_is_asked_for_in_the_words_of_the_server(registration: Any, word: Any, expected: Any) -> None:
    assert await extra(registration, effort(word)) == expected


async def test_counts_are_asked_for_when_streaming() -> None:
    body = await sent(SERVER, HELLO, stream=True)
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    mistral = openai_compatible(base_url="https://api.mistral.ai", model="m")
    assert "stream_options" not in await sent(mistral, HELLO, stream=True)


async def test_mistral_gets_ids_of_nine_letters_that_still_belong_together() -> None:
    mistral = openai_compatible(base_url="https://api.mistral.ai", model="m")
    call = ToolCallContent("call_0123456789abcdef", "t", {})
    result = ChatMessage.tool(ToolResultContent(call.call_id, "t", "x"))
    out = await messages(*HELLO, ChatMessage.assistant(call), result, registration=mistral)
    (sent_call,) = out[1]["tool_calls"]
    assert sent_call["id"] == out[2]["tool_call_id"]
    assert len(sent_call["id"]) == 9
    assert sent_call["id"].isalnum()


async def answered(*events: str, base_url: str = "http://server.test/v1") -> ChatMessage:
    """The message that a stream of these events adds up to."""
    body = "".join(f"data: {event}\n\n" for event in (*events, "[DONE]")).encode()
    client = client_for("chat", PieceTransport([body]), base_url=base_url)
    async with aclosing(client.stream(HELLO)) as updates:
        (message,) = aggregate([update async for update in updates]).messages
    await client.aclose()
    return message


CALLING = (
    '{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"t","arguments":"{}"}}]}}]}',
    '{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}',
)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_of_a_turn_with_tools_goes_back_under_its_own_name_to_the_same_server(field: str) -> None:
    message = await answered(
        f'{{"choices":[{{"delta":{{"{field}":"Hm, "}}}}]}}',
        f'{{"choices":[{{"delta":{{"{field}":"so."}}}}]}}',
        *CALLING,
    )
    assert message.reasoning == "Hm, so."
    result = ChatMessage.tool(ToolResultContent("c1", "t", "x"))
    for _ in range(2):  # in the second round and in the third
        assert (await messages(*HELLO, message, result))[1][field] == "Hm, so."
    elsewhere = openai_compatible(base_url="http://other.test", model="m")
    assert field not in (await messages(*HELLO, message, result, registration=elsewhere))[1]


async def test_reasoning_of_a_plain_answer_is_not_sent_back() -> None:
    message = await answered(
        '{"choices":[{"delta":{"reasoning_content":"Hm."}}]}',
        '{"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}]}',
    )
    assert (await messages(*HELLO, message))[1] == {"role": "assistant", "content": "yes"}


async def test_signed_reasoning_details_go_back_as_they_came() -> None:
    message = await answered(
        '{"choices":[{"delta":{"reasoning":"Hm, ","reasoning_details":[{"type":"reasoning.text","index":0,"text":"Hm, "}]}}]}',
        '{"choices":[{"delta":{"reasoning":"so.","reasoning_details":[{"type":"reasoning.text","index":0,"text":"so.","signature":"sig"}]}}]}',
        '{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.encrypted","index":1,"data":"xyz"}]}}]}',
        '{"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}]}',
    )
    assert message.reasoning == "Hm, so."
    assert (await messages(*HELLO, message))[1]["reasoning_details"] == [
        {"type": "reasoning.text", "index": 0, "text": "Hm, so.", "signature": "sig"},
        {"type": "reasoning.encrypted", "index": 1, "data": "xyz"},
    ]


async def test_signatures_of_googles_openai_surface_go_back_on_their_call() -> None:
    message = await answered(
        '{"choices":[{"delta":{"tool_calls":[{"id":"c1","extra_content":{"google":{"thought_signature":"sig"}},'
        '"function":{"name":"t","arguments":"{}"}}]}}]}',
        CALLING[1],
    )
    (call,) = (await messages(*HELLO, message))[1]["tool_calls"]
    assert call["extra_content"] == {"google": {"thought_signature": "sig"}}
    elsewhere = openai_compatible(base_url="http://other.test", model="m")
    (call,) = (await messages(*HELLO, message, registration=elsewhere))[1]["tool_calls"]
    assert "extra_content" not in call
