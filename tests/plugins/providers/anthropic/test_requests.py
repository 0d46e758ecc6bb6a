"""What a conversation becomes on the Messages wire."""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import Any

import pytest
from tests.wire.clients import client_for, sent
from tests.wire.conversation import ANSWER, PIXEL, TIME, WEATHER
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
from ironhive_plugins.providers.anthropic import anthropic
from ironhive_plugins.providers.anthropic.schema import closed_schema

HELLO = [ChatMessage.user("hello")]
MARK = {"type": "ephemeral"}
SERVER = anthropic(api_key="k", model="claude-sonnet-4-5")
PLAIN = anthropic(api_key="k", model="claude-sonnet-4-5", prompt_caching=False)


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


async def turns(*conversation: ChatMessage, registration: Any = PLAIN) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = (await sent(registration, conversation))["messages"]
    return result


async def test_only_what_was_asked_for_is_sent() -> None:
    assert await sent(SERVER, HELLO) == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 64_000,
        "messages": [{"role": "user", "content": [text("hello")]}],
    }


@pytest.mark.parametrize(
    ("model", "limit"),
    [
        ("claude-3-haiku-20240307", 4096),
        ("claude-3-5-sonnet-latest", 8192),
        ("claude-opus-4-1", 32_000),
        ("claude-new", 64_000),
    ],
)
async def test_the_limit_that_this_wire_demands_fits_the_model(model: str, limit: int) -> None:
    assert (await sent(SERVER, HELLO, ChatOptions(model=model)))["max_tokens"] == limit
    assert (await sent(SERVER, HELLO, ChatOptions(model=model, max_output_tokens=9)))["max_tokens"] == 9


async def test_the_stable_beginning_is_marked_and_the_calls_own_instructions_stand_behind_it() -> None:
    conversation = [ChatMessage.system("One."), ChatMessage.system("Two."), *HELLO]
    body = await sent(SERVER, conversation, ChatOptions(instructions="Now."))
    assert body["system"] == [text("One."), text("Two.", cache_control=MARK), text("Now.")]
    assert body["messages"] == [{"role": "user", "content": [text("hello")]}]


async def test_without_system_text_the_tools_are_marked() -> None:
    body = await sent(SERVER, HELLO, ChatOptions(tools=(WEATHER, TIME)))
    assert "cache_control" not in body["tools"][0]
    assert body["tools"][1]["cache_control"] == MARK
    assert (
        "cache_control"
        not in (await sent(SERVER, [ChatMessage.system("s"), *HELLO], ChatOptions(tools=(TIME,))))["tools"][0]
    )


async def test_the_end_of_a_conversation_that_goes_on_is_marked() -> None:
    conversation = [*HELLO, ChatMessage.assistant("hi"), ChatMessage.user("again")]
    out = await turns(*conversation, registration=SERVER)
    assert out[-1]["content"] == [text("again", cache_control=MARK)]
    assert out[0]["content"] == [text("hello")]
    marks = json.dumps(await sent(SERVER, [ChatMessage.system("s"), *conversation], ChatOptions(tools=(TIME,)))).count(
        "cache_control"
    )
    assert marks <= 4  # the wire takes no more


async def test_caching_can_be_switched_off() -> None:
    conversation = [ChatMessage.system("s"), *HELLO, ChatMessage.assistant("hi"), *HELLO]
    assert "cache_control" not in json.dumps(await sent(PLAIN, conversation, ChatOptions(tools=(TIME,))))


async def test_results_stand_first_and_roles_alternate() -> None:
    out = await turns(
        ChatMessage.user("one"),
        ChatMessage.user("two"),
        ChatMessage.assistant("look", ToolCallContent("c1", "t", {})),
        ChatMessage.user("by the way"),
        ChatMessage.tool(ToolResultContent("c1", "t", "x"), ToolResultContent("c2", "t", "no", success=False)),
    )
    assert [turn["role"] for turn in out] == ["user", "assistant", "user"]
    assert out[0]["content"] == [text("one"), text("two")]
    assert [block["type"] for block in out[2]["content"]] == ["tool_result", "tool_result", "text"]
    assert out[2]["content"][1]["is_error"] is True
    assert "is_error" not in out[2]["content"][0]


async def test_a_conversation_begins_with_the_user_and_a_last_answer_ends_without_blanks() -> None:
    out = await turns(ChatMessage.assistant("hi  \n"))
    assert [turn["role"] for turn in out] == ["user", "assistant"]
    assert out[1]["content"] == [text("hi")]


async def test_blank_texts_are_left_out() -> None:
    out = await turns(ChatMessage.user("hello", "  ", ""), ChatMessage.assistant(""), ChatMessage.user("more"))
    assert out == [{"role": "user", "content": [text("hello"), text("more")]}]


async def test_images_and_documents() -> None:
    (turn,) = await turns(
        ChatMessage.user(
            DataContent("image/png", PIXEL),
            DataContent("image/png", uri="https://h/x.png"),
            DataContent("application/pdf", b"%PDF", name="a.pdf"),
            DataContent("application/pdf", uri="https://h/x.pdf"),
            DataContent("text/plain", b"words", name="w.txt"),
            DataContent("audio/wav", b"123"),
        )
    )
    kinds = [(block["type"], block.get("source", {}).get("type"), block.get("title")) for block in turn["content"]]
    assert kinds == [
        ("image", "base64", None),
        ("image", "url", None),
        ("document", "base64", "a.pdf"),
        ("document", "url", None),
        ("document", "text", "w.txt"),
        ("text", None, None),
    ]


async def test_images_of_tools_are_part_of_the_result() -> None:
    out = await turns(
        ChatMessage.tool(ToolResultContent("c", "t", (TextContent("seen"), DataContent("image/png", PIXEL))))
    )
    assert [block["type"] for block in out[0]["content"][0]["content"]] == ["text", "image"]


async def test_ids_of_other_providers_are_put_into_the_letters_this_wire_takes() -> None:
    call = ToolCallContent("resp:1/call.2", "t", {})
    out = await turns(*HELLO, ChatMessage.assistant(call), ChatMessage.tool(ToolResultContent(call.call_id, "t", "x")))
    assert out[1]["content"][0]["id"] == out[2]["content"][0]["tool_use_id"] == "resp_1_call_2"


@pytest.mark.parametrize(
    ("mode", "choice"),
    [
        ("auto", {"type": "auto"}),
        ("none", {"type": "none"}),
        ("required", {"type": "any"}),
        (RequireTool("get_time"), {"type": "tool", "name": "get_time"}),
        (None, None),
    ],
)
async def test_tool_choice(mode: Any, choice: Any) -> None:
    assert (await sent(SERVER, HELLO, ChatOptions(tools=(TIME,), tool_mode=mode))).get("tool_choice") == choice


def effort(word: Any, model: str, output: Any = None, **more: Any) -> ChatOptions:
    return ChatOptions(model=model, reasoning=ReasoningOptions(word, output), **more)


@pytest.mark.parametrize(
    ("options", "thinking", "config"),
    [
        (effort("low", "claude-sonnet-4-5"), {"type": "enabled", "budget_tokens": 4000}, None),
        (effort("extra_high", "claude-opus-4-1"), {"type": "enabled", "budget_tokens": 31_999}, None),
        (effort("high", "claude-sonnet-4-5", max_output_tokens=2000), {"type": "enabled", "budget_tokens": 1999}, None),
        (effort("high", "claude-sonnet-4-5", max_output_tokens=1000), None, None),
        (effort("none", "claude-sonnet-4-5"), None, None),
        (effort("high", "claude-3-5-haiku-latest"), None, None),
        (effort("high", "claude-sonnet-4-6"), {"type": "adaptive"}, {"effort": "high"}),
        (effort("extra_high", "claude-sonnet-4-6"), {"type": "adaptive"}, {"effort": "max"}),
        (effort("extra_high", "claude-opus-5"), {"type": "adaptive", "display": "summarized"}, {"effort": "xhigh"}),
        (effort("low", "claude-opus-5", "none"), {"type": "adaptive"}, {"effort": "low"}),
        (effort("none", "claude-opus-5"), {"type": "disabled"}, None),
        (effort("high", "claude-opus-5", tools=(TIME,), tool_mode="required"), None, {"effort": "high"}),
        (effort("high", "claude-sonnet-4-5", tools=(TIME,), tool_mode="required"), None, None),
    ],
)
async def test_thinking_is_asked_for_as_the_model_takes_it(options: ChatOptions, thinking: Any, config: Any) -> None:
    body = await sent(SERVER, HELLO, options)
    assert (body.get("thinking"), body.get("output_config")) == (thinking, config)


@pytest.mark.parametrize(
    ("model", "more", "expected"),
    [
        ("claude-sonnet-4-5", {}, {"temperature": 1.0, "top_k": 40}),
        ("claude-sonnet-4-20250514", {}, {"temperature": 1.0, "top_p": 0.5, "top_k": 40}),
        ("claude-3-haiku-20240307", {}, {"temperature": 1.0, "top_p": 0.5, "top_k": 40}),
        ("claude-opus-5", {}, {}),
        ("claude-unheard-of", {}, {}),
        ("claude-sonnet-4-5", {"reasoning": ReasoningOptions("low")}, {}),
    ],
)
async def test_sampling_fields_go_only_where_they_are_taken(model: str, more: Any, expected: Any) -> None:
    options = ChatOptions(model=model, temperature=1.5, top_p=0.5, top_k=40, seed=3, frequency_penalty=1.0, **more)
    body = await sent(SERVER, HELLO, options)
    known = ("temperature", "top_p", "top_k", "seed", "frequency_penalty")
    assert {name: body[name] for name in known if name in body} == expected


async def test_structured_output_where_the_model_has_it_and_by_words_elsewhere() -> None:
    options = ChatOptions(response_format=JsonFormat(ANSWER))
    assert (await sent(SERVER, HELLO, options))["output_config"] == {
        "format": {"type": "json_schema", "schema": ANSWER}
    }
    old = await sent(SERVER, HELLO, options.having(model="claude-3-haiku-20240307"))
    assert "output_config" not in old
    assert '"summary"' in old["system"][-1]["text"]
    assert "JSON" in (await sent(SERVER, HELLO, ChatOptions(response_format=JsonFormat())))["system"][-1]["text"]


async def test_an_effort_and_a_schema_share_their_field() -> None:
    options = effort("low", "claude-opus-5").having(response_format=JsonFormat(ANSWER))
    assert sorted((await sent(SERVER, HELLO, options))["output_config"]) == ["effort", "format"]


def test_schemas_are_closed_and_limits_become_words() -> None:
    schema = {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1, "description": "How many."},
            "items": {"type": "array", "items": {"type": "object", "properties": {}}, "minItems": 3},
            "either": {"oneOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
        },
        "$defs": {"x": {"type": "object", "properties": {}}},
    }
    closed = closed_schema(schema)
    assert closed["additionalProperties"] is False
    assert closed["$defs"]["x"]["additionalProperties"] is False
    assert closed["properties"]["items"]["items"]["additionalProperties"] is False
    assert closed["properties"]["n"] == {"type": "integer", "description": "How many.\n(minimum: 1)"}
    assert "minItems" not in closed["properties"]["items"]
    assert closed["properties"]["either"] == {
        "anyOf": [{"type": "string", "description": "(maxLength: 3)"}, {"type": "null"}]
    }
    assert "minimum" in schema["properties"]["n"]  # type: ignore[index]


async def test_blank_stop_sequences_are_applied_here() -> None:
    body = await sent(SERVER, HELLO, ChatOptions(stop_sequences=("END", "\n\n")))
    assert body["stop_sequences"] == ["END"]


async def answered(*blocks: dict[str, Any]) -> ChatMessage:
    body = {"type": "message", "id": "m", "content": list(blocks), "stop_reason": "tool_use"}
    transport = PieceTransport([json.dumps(body).encode()], headers={"content-type": "application/json"})
    client = client_for("anthropic", transport)
    (message,) = (await client.complete(HELLO)).messages
    await client.aclose()
    return message


BLOCKS: list[dict[str, Any]] = [
    {"type": "thinking", "thinking": "Hm.", "signature": "sig-1"},
    {"type": "redacted_thinking", "data": "xyz"},
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
    {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
    {"type": "text", "text": "So:"},
    {"type": "tool_use", "id": "toolu_1", "name": "t", "input": {"a": 1}},
]


async def test_signed_and_opaque_blocks_go_back_as_they_came() -> None:
    message = await answered(*BLOCKS)
    assert (message.text, message.reasoning) == ("So:", "Hm.")
    result = ChatMessage.tool(ToolResultContent("toolu_1", "t", "x"))
    out = await turns(*HELLO, message, result)
    assert out[1]["content"] == BLOCKS


async def test_thinking_without_text_keeps_its_signature() -> None:
    hidden = {"type": "thinking", "thinking": "", "signature": "sig-1"}
    message = await answered(hidden, BLOCKS[-1])
    assert (await turns(*HELLO, message))[1]["content"] == [hidden, BLOCKS[-1]]


async def test_thoughts_of_others_are_left_out() -> None:
    foreign = ReasoningContent("hm", ProviderData("gemini", {"signature": "g"}))
    out = await turns(*HELLO, ChatMessage.assistant(foreign, ReasoningContent("unsigned"), "text"))
    assert out[1]["content"] == [text("text")]


async def test_streamed_thoughts_keep_their_signatures_apart() -> None:
    events = [
        {"type": "message_start", "message": {"id": "m"}},
        *[
            event
            for index in (0, 1)
            for event in (
                {"type": "content_block_start", "index": index, "content_block": {"type": "thinking", "thinking": ""}},
                {
                    "type": "content_block_delta",
                    "index": index,
                    "delta": {"type": "thinking_delta", "thinking": f"thought {index}"},
                },
                {
                    "type": "content_block_delta",
                    "index": index,
                    "delta": {"type": "signature_delta", "signature": f"sig-{index}"},
                },
                {"type": "content_block_stop", "index": index},
            )
        ],
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]
    body = b"".join(b"data: %s\n\n" % json.dumps(event).encode() for event in events)
    client = client_for("anthropic", PieceTransport([body]))
    async with aclosing(client.stream(HELLO)) as updates:
        (message,) = aggregate([update async for update in updates]).messages
    await client.aclose()
    assert (await turns(*HELLO, message))[1]["content"] == [
        {"type": "thinking", "thinking": "thought 0", "signature": "sig-0"},
        {"type": "thinking", "thinking": "thought 1", "signature": "sig-1"},
    ]


async def test_ids_that_a_model_uses_again_are_told_apart() -> None:
    conversation = list(HELLO)
    for _ in range(2):
        conversation += [
            ChatMessage.assistant(ToolCallContent("0", "t", {})),
            ChatMessage.tool(ToolResultContent("0", "t", "x")),
        ]
    out = await turns(*conversation)
    assert [out[1]["content"][0]["id"], out[2]["content"][0]["tool_use_id"]] == ["0", "0"]
    assert [out[3]["content"][0]["id"], out[4]["content"][0]["tool_use_id"]] == ["0_2", "0_2"]
