"""Requests and answers of the generateContent wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ironhive.chat import ChatResponse, RequireTool, aggregate
from ironhive.errors import BadAnswerError, ConfigurationError
from ironhive.http import WireRequest
from ironhive_plugins.providers.googleai.decoder import GoogleDecoder
from ironhive_plugins.providers.googleai.facts import MODELS, thinking_budgets, thinking_level
from ironhive_plugins.providers.googleai.messages import ContentWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ironhive.chat import ChatMessage, ChatOptions, Tool
    from ironhive.errors import HttpStatusError

_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY"}


@dataclass(frozen=True, slots=True)
class GoogleWire:
    """The generateContent wire."""

    provider: str
    model: str | None = None

    def request(self, messages: Sequence[ChatMessage], options: ChatOptions, *, stream: bool) -> WireRequest:
        """The request for one call.

        :raises ConfigurationError: neither the options nor the configuration name a model.
        """
        model = (options.model or self.model or "").removeprefix("models/")
        if not model:
            raise ConfigurationError(
                f"{self.provider}: no model is chosen; set googleai.model or name one for the call"
            )
        facts = MODELS.of(model)
        writer = ContentWriter(bool(facts.get("signatures")), bool(facts.get("tool_media")))
        body: dict[str, Any] = {"contents": writer.write(messages)}
        texts = [message.text for message in messages if message.role == "system"] + [options.instructions or ""]
        system = [{"text": text} for text in texts if text.strip()]
        if system and facts.get("system", True):
            body["systemInstruction"] = {"parts": system}
        elif system:
            body["contents"].insert(0, {"role": "user", "parts": system})
        if options.tools:
            body["tools"] = [{"functionDeclarations": [_tool(tool) for tool in options.tools]}]
            body |= _choice(options)
        config = _sampling(options) | _format(options) | _thinking(options, facts)
        if config:
            body["generationConfig"] = config
        body |= options.properties.get("extra_body", {})
        action = "streamGenerateContent?alt=sse" if stream else "generateContent"
        return WireRequest(f"/models/{model}:{action}", body)

    def decoder(self, failure: Callable[[Any], HttpStatusError]) -> GoogleDecoder:
        """A fresh decoder for one streamed answer."""
        return GoogleDecoder(self.provider, failure)

    def response(self, body: Any, failure: Callable[[Any], HttpStatusError]) -> ChatResponse:
        """A complete answer; a server that was not asked for events streams an array of the same objects."""
        events = body if isinstance(body, list) else [body]
        known = ("candidates", "promptFeedback", "usageMetadata", "error")
        if not any(isinstance(event, dict) and any(key in event for key in known) for event in events):
            keys = ", ".join(sorted(map(str, body))[:8]) if isinstance(body, dict) else type(body).__name__
            message = f"{self.provider}: the answer holds no candidates (it has {keys or 'nothing'})"
            raise BadAnswerError(message, provider=self.provider)
        decoder = self.decoder(failure)
        updates = [decoder.feed(event) for event in events]
        decoder.done()
        updates.append(decoder.end())
        return aggregate([update for update in updates if update is not None])


def _tool(tool: Tool) -> dict[str, Any]:
    declaration: dict[str, Any] = {"name": tool.name, "description": tool.description}
    # a function without parameters is declared without a schema: an empty object is refused by some models
    if tool.parameters.get("properties"):
        declaration["parametersJsonSchema"] = {"type": "object", **tool.parameters}
    return declaration


def _choice(options: ChatOptions) -> dict[str, Any]:
    mode = options.tool_mode
    if mode is None:
        return {}
    config: dict[str, Any] = {"mode": "ANY"} if isinstance(mode, RequireTool) else {"mode": _MODES[mode]}
    if isinstance(mode, RequireTool):
        config["allowedFunctionNames"] = [mode.name]
    return {"toolConfig": {"functionCallingConfig": config}}


def _sampling(options: ChatOptions) -> dict[str, Any]:
    fields = {
        "maxOutputTokens": options.max_output_tokens,
        "temperature": options.temperature,
        "topP": options.top_p,
        "topK": options.top_k,
        "seed": options.seed,
        "presencePenalty": options.presence_penalty,
        "frequencyPenalty": options.frequency_penalty,
        "stopSequences": list(options.stop_sequences) or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _format(options: ChatOptions) -> dict[str, Any]:
    wanted = options.response_format
    if wanted is None:
        return {}
    config: dict[str, Any] = {"responseMimeType": "application/json"}
    if wanted.schema is not None:
        config["responseJsonSchema"] = dict(wanted.schema)
    return config


def _thinking(options: ChatOptions, facts: Mapping[str, Any]) -> dict[str, Any]:
    wanted = options.reasoning
    effort = wanted.effort if wanted else None
    kind = facts.get("thinking", "none")
    if wanted is None or kind == "none" or (effort is None and wanted.output in (None, "none")):
        return {}
    config: dict[str, Any] = {}
    if effort is not None and kind == "level":
        config["thinkingLevel"] = thinking_level(effort, facts.get("levels", ("low", "high")))
    elif effort is not None:
        config["thinkingBudget"] = max(thinking_budgets().get(effort, 0), facts.get("min_budget", 0))
    if effort != "none" and wanted.output != "none":
        config["includeThoughts"] = True
    return {"thinkingConfig": config}
