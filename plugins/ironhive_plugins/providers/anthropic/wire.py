"""Requests and answers of the Messages wire."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ironhive.chat import ChatResponse, RequireTool, aggregate
from ironhive.errors import BadAnswerError, ConfigurationError
from ironhive.http import WireRequest
from ironhive_plugins.providers.anthropic.decoder import AnthropicDecoder
from ironhive_plugins.providers.anthropic.facts import DEFAULT_MAX_TOKENS, MODELS, thinking_budgets
from ironhive_plugins.providers.anthropic.messages import write_messages
from ironhive_plugins.providers.anthropic.schema import closed_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ironhive.chat import ChatMessage, ChatOptions, Tool
    from ironhive.errors import HttpStatusError

_MARK: Final = {"type": "ephemeral"}
_MIN_BUDGET: Final = 1024


@dataclass(frozen=True, slots=True)
class AnthropicWire:
    """The Messages wire.

    With ``prompt_caching`` two places are marked: the end of the system text (tools come before it, so they are kept
    too), and in a conversation that goes on, with tools or after a first turn, the end of the last message.
    """

    provider: str
    model: str | None = None
    prompt_caching: bool = True

    def request(self, messages: Sequence[ChatMessage], options: ChatOptions, *, stream: bool) -> WireRequest:
        """The request for one call.

        :raises ConfigurationError: neither the options nor the configuration name a model.
        """
        model = options.model or self.model
        if not model:
            raise ConfigurationError(
                f"{self.provider}: no model is chosen; set anthropic.model or name one for the call"
            )
        facts = MODELS.of(model)
        limit = options.max_output_tokens or min(DEFAULT_MAX_TOKENS, facts.get("max_output", DEFAULT_MAX_TOKENS))
        turns = write_messages(messages)
        tools = [_tool(tool) for tool in options.tools]
        body: dict[str, Any] = {"model": model, "max_tokens": limit, "messages": turns}
        stable = [message.text for message in messages if message.role == "system" and message.text.strip()]
        system = self._system(stable, options, facts)
        if system:
            body["system"] = system
        elif self.prompt_caching and tools:
            tools[-1]["cache_control"] = _MARK
        if self.prompt_caching and turns and (tools or len(turns) > 1):
            _mark_last(turns)
        if tools:
            body["tools"] = tools
            body |= _choice(options)
        body |= _thinking(
            options, facts, limit, forced="tool_choice" in body and body["tool_choice"]["type"] in ("any", "tool")
        )
        body |= _sampling(options, facts, thinks=body.get("thinking", {}).get("type") in ("enabled", "adaptive"))
        body |= _format(options, facts, body.get("output_config", {}))
        stops = [stop for stop in options.stop_sequences if stop.strip()]  # blank ones are refused
        if stops:
            body["stop_sequences"] = stops
        if stream:
            body["stream"] = True
        body |= options.properties.get("extra_body", {})
        blank = tuple(stop for stop in options.stop_sequences if stop and not stop.strip())
        return WireRequest("/v1/messages", body, stop=blank)

    def decoder(self, failure: Callable[[Any], HttpStatusError]) -> AnthropicDecoder:
        """A fresh decoder for one streamed answer."""
        return AnthropicDecoder(self.provider, failure)

    def response(self, body: Any, failure: Callable[[Any], HttpStatusError]) -> ChatResponse:
        """A complete answer, read as the stream that would have brought it."""
        if isinstance(body, dict) and (body.get("type") == "error" or body.get("error")):
            raise failure(body)
        if not isinstance(body, dict) or not isinstance(body.get("content"), list):
            keys = ", ".join(sorted(map(str, body))[:8]) if isinstance(body, dict) else type(body).__name__
            message = f"{self.provider}: the answer is no message: it has no content (it has {keys})"
            raise BadAnswerError(message, provider=self.provider)
        decoder = self.decoder(failure)
        events: list[dict[str, Any]] = [{"type": "message_start", "message": {**body, "content": []}}]
        for index, block in enumerate(body["content"]):
            events.append({"type": "content_block_start", "index": index, "content_block": block})
            events.append({"type": "content_block_stop", "index": index})
        events += [{"type": "message_delta", "delta": body, "usage": body.get("usage")}, {"type": "message_stop"}]
        updates = [decoder.feed(event) for event in events] + [decoder.end()]
        return aggregate([update for update in updates if update is not None])

    def _system(self, stable: list[str], options: ChatOptions, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
        blocks = [{"type": "text", "text": text} for text in stable]
        if blocks and self.prompt_caching:
            blocks[-1]["cache_control"] = _MARK  # type: ignore[assignment]
        # what belongs to this call alone stands behind the mark
        if options.instructions and options.instructions.strip():
            blocks.append({"type": "text", "text": options.instructions})
        wanted = options.response_format
        if wanted is not None and (wanted.schema is None or not facts.get("structured", True)):
            blocks.append({"type": "text", "text": _json_instruction(wanted.schema)})
        return blocks


def _mark_last(turns: list[dict[str, Any]]) -> None:
    for block in reversed(turns[-1]["content"]):
        if block["type"] not in ("thinking", "redacted_thinking"):
            block["cache_control"] = _MARK
            return


def _tool(tool: Tool) -> dict[str, Any]:
    schema = {"type": "object", "properties": {}, **tool.parameters}
    return {"name": tool.name, "description": tool.description, "input_schema": schema}


def _choice(options: ChatOptions) -> dict[str, Any]:
    mode = options.tool_mode
    if mode is None:
        return {}
    if isinstance(mode, RequireTool):
        return {"tool_choice": {"type": "tool", "name": mode.name}}
    return {"tool_choice": {"type": {"auto": "auto", "none": "none", "required": "any"}[mode]}}


def _thinking(options: ChatOptions, facts: Mapping[str, Any], limit: int, *, forced: bool) -> dict[str, Any]:
    wanted = options.reasoning
    effort = wanted.effort if wanted else None
    kind = facts.get("thinking", "adaptive")
    if effort is None or kind == "none":
        return {}
    if effort == "none":
        return {"thinking": {"type": "disabled"}} if kind == "adaptive" else {}
    # a call that must use a tool cannot think first: the wire refuses the two together
    if kind == "budget":
        budget = min(thinking_budgets()[effort], limit - 1)
        return {} if forced or budget < _MIN_BUDGET else {"thinking": {"type": "enabled", "budget_tokens": budget}}
    word = "xhigh" if effort == "extra_high" else effort
    offered = facts.get("efforts") or [word]
    body: dict[str, Any] = {"output_config": {"effort": word if word in offered else offered[-1]}}
    if not forced:
        body["thinking"] = {"type": "adaptive"}
        if facts.get("display") and (wanted is None or wanted.output != "none"):
            body["thinking"]["display"] = "summarized"
    return body


def _sampling(options: ChatOptions, facts: Mapping[str, Any], *, thinks: bool) -> dict[str, Any]:
    known = facts.get("sampling", "none")
    if known == "none" or thinks:
        return {}  # newer models and thinking ones refuse a request that sets any of these
    fields = {"temperature": options.temperature, "top_p": options.top_p, "top_k": options.top_k}
    if known == "one" and options.temperature is not None:
        fields["top_p"] = None
    if fields["temperature"] is not None:
        fields["temperature"] = min(1.0, fields["temperature"])  # this wire's scale ends at 1
    return {name: value for name, value in fields.items() if value is not None}


def _format(options: ChatOptions, facts: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    wanted = options.response_format
    if wanted is None or wanted.schema is None or not facts.get("structured", True):
        return {}
    schema = {"type": "json_schema", "schema": closed_schema(dict(wanted.schema))}
    return {"output_config": {**config, "format": schema}}


def _json_instruction(schema: Mapping[str, Any] | None) -> str:
    text = "Answer with one JSON value and nothing else: no explanation and no code fence."
    if schema is not None:
        text += f" It must fit this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}"
    return text
