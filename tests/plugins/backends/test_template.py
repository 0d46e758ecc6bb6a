"""Chat templates of other families, rendered as their models expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ironhive.chat import ChatMessage, ChatOptions, Tool, ToolCallContent, ToolResultContent
from ironhive.errors import ModelError
from ironhive.inference.conversation import alternating
from ironhive.inference.plan import make_plan

if TYPE_CHECKING:
    from ironhive_plugins.backends.llamacpp.template import ChatTemplate

pytestmark = pytest.mark.local

NATIVE = """{%- if tools %}<tools>{% for tool in tools %}{{ tool | tojson }}{% endfor %}</tools>{% endif %}
{%- for message in messages %}<|{{ message.role }}|>{{ message.content }}
{%- for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %}
{%- endfor %}<|assistant|>{% if enable_thinking is defined and enable_thinking is false %}<think>

</think>

{% endif %}"""
STRICT = """{% for message in messages %}
{%- if message.role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}
[{{ message.role }}] {{ message.content }}{% endfor %}"""
TOOL = Tool("weather", "Tell it.", {"type": "object", "properties": {"city": {"type": "string"}}})
CONVERSATION = (
    ChatMessage.system("Be brief."),
    ChatMessage.user("Weather?"),
    ChatMessage.assistant(ToolCallContent("1", "weather", {"city": "Rome"})),
    ChatMessage.tool(ToolResultContent("1", "weather", {"sky": "blue"})),
)


def template(source: str | None) -> ChatTemplate:
    from ironhive_plugins.backends.llamacpp.template import ChatTemplate

    return ChatTemplate(source, bos="<s>", eos="</s>", model="m")


def render(source: str | None, **options) -> str:
    made = template(source)
    plan = make_plan(CONVERSATION, ChatOptions(**options), native=made.native_calls)
    return made.render(plan.messages, tools=plan.described, thinking=plan.thinking)


def test_a_template_that_knows_tools_gets_them_as_they_are() -> None:
    text = render(NATIVE, tools=(TOOL,))
    assert text.startswith('<tools>{"type": "function", "function": {"name": "weather"')
    assert '<tool_call>{"name": "weather", "arguments": {"city": "Rome"}}</tool_call>' in text
    assert '<|tool|>{"sky": "blue"}<|assistant|>' in text
    assert "You can call these tools" not in text


def test_another_one_gets_them_as_text_in_the_same_notation() -> None:
    text = render(None, tools=(TOOL,))
    assert text.startswith("<|im_start|>system\nBe brief.\n\nYou can call these tools")
    assert '<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>' in text
    assert '<|im_start|>user\n<tool_response>\n{"sky": "blue"}\n</tool_response>' in text


def test_thinking_is_switched_where_the_template_knows_it() -> None:
    from ironhive.chat import ReasoningOptions

    assert template(NATIVE).thinks
    assert render(NATIVE, reasoning=ReasoningOptions(effort="none")).endswith("<think>\n\n</think>\n\n")
    assert render(NATIVE, reasoning=ReasoningOptions(effort="low")).endswith("<|assistant|>")
    assert not template(None).thinks


def test_a_strict_template_refuses_and_takes_the_alternating_form() -> None:
    made = template(STRICT)
    plan = make_plan(CONVERSATION, ChatOptions(), native=False)
    with pytest.raises(ModelError, match="System role not supported"):
        made.render(plan.messages, tools=(), thinking=None)
    text = made.render(alternating(plan.messages), tools=(), thinking=None)
    assert "[user] Be brief.\n\nWeather?" in text
    assert "[assistant] <tool_call>" in text


def test_a_template_runs_in_a_sandbox() -> None:
    with pytest.raises(ModelError):
        template("{{ ''.__class__.__mro__[1].__subclasses__() }}").render([], tools=(), thinking=None)
    with pytest.raises(ModelError, match="cannot be read"):
        template("{% for %}")
