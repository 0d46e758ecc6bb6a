"""What one call asks of an engine: prompt parts, sampling and guide."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ironhive.chat import NO_OPTIONS, RequireTool
from ironhive.errors import ConfigurationError
from ironhive.inference.calls import CLOSER, OPENER
from ironhive.inference.conversation import described, plain_messages, tool_text, with_system
from ironhive.inference.engine import DEFAULT_SAMPLING, Guide, Sampling
from ironhive.inference.schema import MAX_STRING, call_schema, simplify

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ironhive.chat import ChatMessage, ChatOptions, Tool
    from ironhive.inference.conversation import Plain

ANY_OBJECT: Mapping[str, Any] = {"type": "object", "additionalProperties": True}


@dataclass(frozen=True, slots=True)
class Plan:
    """One call, ready to be rendered and decoded.

    ``forced`` means that the output is one call and nothing else; ``tools`` holds what may be called.
    """

    messages: list[Plain]
    described: list[Plain]
    tools: Mapping[str, Tool]
    sampling: Sampling
    guide: Guide | None
    forced: bool
    thinking: bool | None
    show_reasoning: bool
    stops: tuple[str, ...]


def make_plan(
    messages: Sequence[ChatMessage], options: ChatOptions, *, native: bool, defaults: Sampling = DEFAULT_SAMPLING
) -> Plan:
    """Read the options.

    :param native: the engine's template shows tools by itself.
    :raises ConfigurationError: a tool is required that is not offered.
    """
    tools = _offered(options)
    sampling = sampling_of(options, defaults)
    plain = plain_messages(messages, native=native)
    if options.instructions:
        plain = [{"role": "system", "content": options.instructions}, *plain]
        plain = plain_messages_joined(plain)
    if tools and not native:
        plain = with_system(plain, tool_text(tools))
    forced = bool(tools) and options.tool_mode not in {None, "auto"}
    guide = _guide(options, tools, forced=forced, max_string=min(MAX_STRING, max(64, sampling.max_tokens)))
    if guide is not None:
        sampling = replace(sampling, repetition_penalty=1.0) if not guide.opener else sampling
    reasoning = options.reasoning
    effort = reasoning.effort if reasoning else None
    thinking = None if effort is None else effort != "none"
    return Plan(
        messages=plain,
        described=described(tools) if native else [],
        tools={tool.name: tool for tool in tools},
        sampling=sampling,
        guide=guide,
        forced=forced,
        thinking=False if guide is not None and not guide.opener else thinking,
        show_reasoning=not (reasoning and reasoning.output == "none"),
        stops=tuple(options.stop_sequences),
    )


def plain_messages_joined(messages: list[Plain]) -> list[Plain]:
    """Instructions and the conversation's own system text as one system message."""
    rest = messages[1:]
    if rest and rest[0]["role"] == "system":
        joined = f"{messages[0]['content']}\n\n{rest[0]['content']}"
        return [{"role": "system", "content": joined}, *rest[1:]]
    return messages


def _offered(options: ChatOptions) -> tuple[Tool, ...]:
    if not options.tools or options.tool_mode == "none":
        return ()
    if isinstance(options.tool_mode, RequireTool):
        wanted = tuple(tool for tool in options.tools if tool.name == options.tool_mode.name)
        if not wanted:
            names = ", ".join(tool.name for tool in options.tools)
            message = f"tool {options.tool_mode.name!r} is required and not offered; offered are: {names}"
            raise ConfigurationError(message)
        return wanted
    return options.tools


def _guide(options: ChatOptions, tools: tuple[Tool, ...], *, forced: bool, max_string: int) -> Guide | None:
    if tools:
        schema = call_schema(tools, max_string=max_string)
        return Guide(schema) if forced else Guide(schema, OPENER, CLOSER)
    if options.response_format is not None:
        return Guide(simplify(options.response_format.schema or ANY_OBJECT, max_string=max_string))
    return None


def sampling_of(options: ChatOptions, defaults: Sampling) -> Sampling:
    """The sampling that options ask for; what they leave open comes from ``defaults``."""
    chosen: dict[str, Any] = {
        "max_tokens": options.max_output_tokens,
        "temperature": options.temperature,
        "top_p": options.top_p,
        "top_k": options.top_k,
        "frequency_penalty": options.frequency_penalty,
        "presence_penalty": options.presence_penalty,
        "seed": None if options.seed is None else options.seed & 0xFFFF_FFFF,
        "min_p": _number(options.properties.get("min_p")),
        "repetition_penalty": _number(options.properties.get("repetition_penalty")),
    }
    return replace(defaults, **{key: value for key, value in chosen.items() if value is not None})


def _number(value: Any) -> float | None:
    """A number, also when it came as text; anything else counts as not given."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def effective(options: ChatOptions | None) -> ChatOptions:
    """Options that are there."""
    return NO_OPTIONS if options is None else options
