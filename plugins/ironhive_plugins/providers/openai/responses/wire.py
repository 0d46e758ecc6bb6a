"""Requests and answers of the Responses wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ironhive.chat import ChatResponse, RequireTool, aggregate
from ironhive.errors import BadAnswerError, ConfigurationError
from ironhive.http import WireRequest
from ironhive_plugins.providers.openai.facts import MODELS, effort_word
from ironhive_plugins.providers.openai.responses.decoder import ResponsesDecoder
from ironhive_plugins.providers.openai.responses.items import split_system, write_items

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ironhive.chat import ChatMessage, ChatOptions, Tool
    from ironhive.errors import HttpStatusError


@dataclass(frozen=True, slots=True)
class ResponsesWire:
    """One server's Responses. Nothing is stored at the provider: reasoning travels encrypted in the conversation."""

    provider: str
    family: str
    model: str | None
    host: Mapping[str, Any]
    section: str = ""

    def request(self, messages: Sequence[ChatMessage], options: ChatOptions, *, stream: bool) -> WireRequest:
        """The request for one call.

        :raises ConfigurationError: neither the options nor the configuration name a model.
        """
        model = options.model or self.model
        if not model:
            where = f"{self.section}.model" if self.section else "a model"
            raise ConfigurationError(f"{self.provider}: no model is chosen; set {where} or name one for the call")
        facts = MODELS.of(model)
        system, rest = split_system(messages, options.instructions)
        items = write_items(rest, self.family)
        body: dict[str, Any] = {"model": model, "input": items, "store": False}
        if system and self.host.get("instructions", True):
            body["instructions"] = system
        elif system:
            items.insert(0, {"role": "system", "content": system})
        if options.max_output_tokens is not None:
            body["max_output_tokens"] = options.max_output_tokens
        if facts.get("sampling", True):
            sampling = {"temperature": options.temperature, "top_p": options.top_p}
            body |= {name: value for name, value in sampling.items() if value is not None}
        body |= _reasoning(options, facts)
        body |= _tools(options)
        body |= _format(options)
        if stream:
            body["stream"] = True
        body |= options.properties.get("extra_body", {})
        return WireRequest("/responses", body, stop=options.stop_sequences)

    def decoder(self, failure: Callable[[Any], HttpStatusError]) -> ResponsesDecoder:
        """A fresh decoder for one streamed answer."""
        return ResponsesDecoder(self.provider, self.family, failure)

    def response(self, body: Any, failure: Callable[[Any], HttpStatusError]) -> ChatResponse:
        """A complete answer."""
        if not isinstance(body, dict):
            message = f"{self.provider}: the answer is {type(body).__name__}, not an object"
            raise BadAnswerError(message, provider=self.provider)
        if body.get("error") or body.get("status") == "failed":
            raise failure(body)
        if not isinstance(body.get("output"), list):
            if "detail" in body or "message" in body:
                raise failure(body)
            keys = ", ".join(sorted(map(str, body))[:8]) or "nothing"
            message = f"{self.provider}: the answer is no response: it has no output (it has {keys})"
            raise BadAnswerError(message, provider=self.provider)
        decoder = self.decoder(failure)
        updates = [decoder.feed({"type": "response.completed", "response": body}), decoder.end()]
        return aggregate([update for update in updates if update is not None])


def _reasoning(options: ChatOptions, facts: Mapping[str, Any]) -> dict[str, Any]:
    wanted = options.reasoning
    effort = wanted.effort if wanted else None
    if facts.get("reasoning") is False or (effort is None and not facts.get("reasoning")):
        return {}
    body: dict[str, Any] = {"include": ["reasoning.encrypted_content"]}
    word = effort_word(effort, facts.get("efforts")) if effort else None
    reasoning: dict[str, Any] = {"effort": word} if word else {}
    output = wanted.output if wanted else None
    if output != "none" and (output is not None or (effort is not None and effort != "none")):
        reasoning["summary"] = "detailed" if output == "full" else "auto"
    return body | ({"reasoning": reasoning} if reasoning else {})


def _tools(options: ChatOptions) -> dict[str, Any]:
    if not options.tools:
        return {}
    body: dict[str, Any] = {"tools": [_tool(tool) for tool in options.tools]}
    mode = options.tool_mode
    if isinstance(mode, RequireTool):
        body["tool_choice"] = {"type": "function", "name": mode.name}
    elif mode is not None:
        body["tool_choice"] = mode
    return body


def _tool(tool: Tool) -> dict[str, Any]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": {"type": "object", "properties": {}, **tool.parameters},
        "strict": False,
    }


def _format(options: ChatOptions) -> dict[str, Any]:
    wanted = options.response_format
    if wanted is None:
        return {}
    if wanted.schema is None:
        return {"text": {"format": {"type": "json_object"}}}
    schema: dict[str, Any] = {"type": "json_schema", "name": wanted.name, "schema": dict(wanted.schema)}
    schema["strict"] = wanted.strict
    if wanted.description:
        schema["description"] = wanted.description
    return {"text": {"format": schema}}
