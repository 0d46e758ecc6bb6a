"""The small face of an engine: what differs between llama.cpp, ONNX Runtime and the next one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ironhive.contracts import GeneratorInfo


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is drawn. ``temperature`` 0 takes the likeliest one.

    The defaults are those of the LM-Supply family of local runners: temperature 0.7, nucleus 0.9 of the best 50, at
    least a twentieth of the best token's probability, and a repetition penalty of 1.1 over the answer's last 64 tokens.
    """

    max_tokens: int = 512
    temperature: float = 0.7
    top_p: float = 0.9
    top_k: int = 50
    min_p: float = 0.05
    repetition_penalty: float = 1.1
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    seed: int | None = None


DEFAULT_SAMPLING = Sampling()
"""All defaults."""


@dataclass(frozen=True, slots=True)
class Guide:
    """JSON that the output is bound to.

    Without ``opener`` the whole output is one value of ``schema`` (already simplified, see
    :func:`ironhive.inference.simplify`). With it the model writes freely until it writes ``opener``; from there on it
    is bound to ``opener value closer``, repeated as often as it likes. JSON is written as ``json.dumps`` writes it.
    """

    schema: Mapping[str, Any]
    opener: str = ""
    closer: str = ""


@dataclass(slots=True)
class Tally:
    """What one decoding came to, filled in by the engine. Times are in seconds."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    prompt_seconds: float = 0.0
    output_seconds: float = 0.0
    hit_limit: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One decoding: a rendered prompt, how to sample, what to keep to, and when to stop."""

    prompt: str
    sampling: Sampling
    guide: Guide | None
    stopped: Callable[[], bool]
    tally: Tally = field(default_factory=Tally)


class Engine(Protocol):
    """A loaded model. All methods but :meth:`count` are called by one thread, one at a time."""

    @property
    def info(self) -> GeneratorInfo:
        """What was loaded."""
        ...

    @property
    def native_calls(self) -> bool:
        """Whether the model's own template shows tools and calls as JSON between ``<tool_call>`` tags."""
        ...

    def render(
        self, messages: Sequence[Mapping[str, Any]], *, tools: Sequence[Mapping[str, Any]], thinking: bool | None
    ) -> str:
        """The prompt, up to where the assistant begins to speak.

        :raises ModelError: the model's template refuses this order of messages.
        """
        ...

    def count(self, text: str) -> int:
        """How many tokens a text is. Called from any thread."""
        ...

    def decode(self, job: Job) -> Iterator[str]:
        """The answer in pieces of whole characters; it looks at ``job.stopped`` before every token.

        :raises ContextOverflowError: the prompt does not fit the window.
        """
        ...

    def score(self, prompt: str, continuations: Sequence[str], stopped: Callable[[], bool]) -> list[float]:
        """The log-probability of each text after the prompt, added up over its tokens; less than all when stopped.

        :raises ContextOverflowError: the prompt does not fit the window.
        """
        ...

    def close(self) -> None:
        """Give the memory back."""
        ...
