"""Requests and answers of the Chat Completions wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ironhive.chat import ChatResponse, RequireTool, aggregate
from ironhive.errors import BadAnswerError, ConfigurationError
from ironhive.http import WireRequest
from ironhive_plugins.providers.openai.chat.decoder import ChatDecoder
from ironhive_plugins.providers.openai.chat.messages import MessageWriter
from ironhive_plugins.providers.openai.facts import MODELS, effort_word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ironhive.chat import ChatMessage, ChatOptions, Tool
    from ironhive.errors import HttpStatusError


@dataclass(frozen=True, slots=True)
class ChatWire:
    """One server's Chat Completions. ``host`` holds the facts about the host; the rest is as in its preset."""

    provider: str
    family: str
    model: str | None
    host: Mapping[str, Any]
    section: str = ""
    limit_field: str = "max_tokens"
    think_tags: bool = False
    switches: bool = False
    samplers: bool = False
    carry_tool_images: bool = False

    def request(self, messages: Sequence[ChatMessage], options: ChatOptions, *, stream: bool) -> WireRequest:
        """The request for one call.

        :raises ConfigurationError: neither the options nor the configuration name a model.
        """
        model = options.model or self.model
        if not model:
            where = f"{self.section}.model" if self.section else "a model"
            raise ConfigurationError(f"{self.provider}: no model is chosen; set {where} or name one for the call")
        facts = MODELS.of(model)
        writer = MessageWriter(
            self.family,
            carry_tool_images=self.carry_tool_images,
            short_ids=bool(self.host.get("short_call_ids")),
            no_text="" if self.samplers and not self.host else None,
            system_role=self.host.get("system_role", "system") if facts.get("reasoning") else "system",
        )
        body: dict[str, Any] = {"model": model, "messages": writer.write(messages, options.instructions)}
        body |= self._limits(options)
        body |= _sampling(options, facts)
        if self.samplers:
            body |= _samplers(options)
        body |= self._reasoning(options, facts)
        body |= _tools(options)
        body |= _format(options)
        if stream:
            body["stream"] = True
            if self.host.get("stream_usage", True):
                body["stream_options"] = {"include_usage": True}
        body |= options.properties.get("extra_body", {})
        return WireRequest("/chat/completions", body)

    def decoder(self, failure: Callable[[Any], HttpStatusError]) -> ChatDecoder:
        """A fresh decoder for one streamed answer."""
        return ChatDecoder(self.provider, self.family, failure, think_tags=self.think_tags)

    def response(self, body: Any, failure: Callable[[Any], HttpStatusError]) -> ChatResponse:
        """A complete answer: the same fields as in a stream, all in one piece."""
        decoder = ChatDecoder(self.provider, self.family, failure, think_tags=self.think_tags, whole=True)
        first = decoder.feed(body)
        if not isinstance(body.get("choices"), list):
            raise failure(body) if "detail" in body or "message" in body else self._no_choices(body)
        decoder.done()
        last = decoder.end()
        return aggregate([update for update in (first, last) if update is not None])

    def _no_choices(self, body: Mapping[str, Any]) -> BadAnswerError:
        keys = ", ".join(sorted(map(str, body))[:8]) or "nothing"
        message = f"{self.provider}: the answer is no chat completion: it has no choices (it has {keys})"
        return BadAnswerError(message, provider=self.provider)

    def _limits(self, options: ChatOptions) -> dict[str, Any]:
        if options.max_output_tokens is None:
            return {}
        names = ("max_tokens", "max_completion_tokens") if self.limit_field == "both" else (self.limit_field,)
        return dict.fromkeys(names, options.max_output_tokens)

    def _reasoning(self, options: ChatOptions, facts: Mapping[str, Any]) -> dict[str, Any]:
        effort = options.reasoning.effort if options.reasoning else None
        if effort is None or facts.get("reasoning", self.host.get("reasoning")) is False:
            return {}
        word = effort_word(effort, facts.get("efforts"))
        on = effort != "none"
        if self.host.get("reasoning_object"):
            return {"reasoning": {"effort": word} if on and word else {"enabled": on}}
        if self.host.get("thinking_type"):
            return {"thinking": {"type": "enabled" if on else "disabled"}}
        body: dict[str, Any] = {"reasoning_effort": word} if word else {}
        if self.switches and self.host.get("switches", True):
            body["chat_template_kwargs"] = {"enable_thinking": on}
        return body


def _sampling(options: ChatOptions, facts: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {"seed": options.seed}
    if facts.get("sampling", True):
        fields |= {"temperature": options.temperature, "top_p": options.top_p}
    if facts.get("sampling", True) and facts.get("penalties", True):
        fields |= {"frequency_penalty": options.frequency_penalty, "presence_penalty": options.presence_penalty}
    if facts.get("sampling", True) and facts.get("stop", True):
        fields["stop"] = list(options.stop_sequences) or None
    return {name: value for name, value in fields.items() if value is not None}


def _samplers(options: ChatOptions) -> dict[str, Any]:
    fields = {"top_k": options.top_k}
    for name in ("min_p", "repetition_penalty"):
        fields[name] = options.properties.get(name)
    return {name: value for name, value in fields.items() if value is not None}


def _tools(options: ChatOptions) -> dict[str, Any]:
    if not options.tools:
        return {}
    body: dict[str, Any] = {"tools": [_tool(tool) for tool in options.tools]}
    mode = options.tool_mode
    if isinstance(mode, RequireTool):
        body["tool_choice"] = {"type": "function", "function": {"name": mode.name}}
    elif mode is not None:
        body["tool_choice"] = mode
    return body


def _tool(tool: Tool) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {}, **tool.parameters}
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": parameters},
    }


def _format(options: ChatOptions) -> dict[str, Any]:
    wanted = options.response_format
    if wanted is None:
        return {}
    if wanted.schema is None:
        return {"response_format": {"type": "json_object"}}
    schema: dict[str, Any] = {"name": wanted.name, "schema": dict(wanted.schema), "strict": wanted.strict}
    if wanted.description:
        schema["description"] = wanted.description
    return {"response_format": {"type": "json_schema", "json_schema": schema}}
