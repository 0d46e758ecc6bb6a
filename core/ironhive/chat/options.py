"""What a caller may ask of one model call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from ironhive.chat.messages import NO_PROPERTIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ironhive.chat.tools import Tool

Effort = Literal["none", "low", "medium", "high", "extra_high"]
ReasoningOutput = Literal["none", "summary", "full"]


@dataclass(frozen=True, slots=True)
class ReasoningOptions:
    """How hard a model should think, and how much of it to hand out. None leaves it to the model."""

    effort: Effort | None = None
    output: ReasoningOutput | None = None


@dataclass(frozen=True, slots=True)
class RequireTool:
    """The model must call the tool of this name."""

    name: str


ToolMode = Literal["auto", "none", "required"] | RequireTool


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """The answer must be JSON; with ``schema`` (a JSON Schema object) it must also fit it."""

    schema: Mapping[str, Any] | None = None
    name: str = "output"
    description: str | None = None
    strict: bool = False


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Options of one model call; None always means "the provider's default".

    ``model`` overrides the registration's model. ``instructions`` is the operator's text for this call: it reaches the
    model as system text and never becomes part of the history. ``max_output_tokens`` bounds new tokens, reasoning
    included. ``temperature``, ``top_p`` and the penalties have the meaning of the OpenAI API. ``properties`` carries
    what one provider alone knows (``repetition_penalty``, ``min_p`` for local models). Instances are immutable: a
    wrapper that needs other values makes a copy with :meth:`having`.
    """

    model: str | None = None
    instructions: str | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    seed: int | None = None
    stop_sequences: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    tool_mode: ToolMode | None = None
    response_format: JsonFormat | None = None
    reasoning: ReasoningOptions | None = None
    properties: Mapping[str, Any] = NO_PROPERTIES

    def having(self, **changes: Any) -> ChatOptions:
        """A copy with some fields replaced."""
        return replace(self, **changes)


NO_OPTIONS = ChatOptions()
"""All defaults."""
