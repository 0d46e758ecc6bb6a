"""Local inference: engines that open a model file and generate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ironhive.chat import NO_PROPERTIES

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence
    from pathlib import Path

    from ironhive.chat import ChatMessage, ChatOptions, ChatUpdate


@dataclass(frozen=True, slots=True)
class GeneratorInfo:
    """A loaded model: its id, file, window in tokens, engine, and size.

    ``parameters`` counts weights (None when the file does not say); ``memory_bytes`` is the estimate it was admitted
    with. ``thinks`` says whether its chat template can turn thinking on and off.
    """

    model_id: str
    path: str
    context_length: int
    backend: str
    parameters: int | None = None
    memory_bytes: int | None = None
    thinks: bool = False


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """How to open a model. ``context_length`` None takes what the model and the memory allow; ``threads`` None takes
    the physical cores. ``extra`` holds what one engine alone knows.
    """

    model_id: str | None = None
    context_length: int | None = None
    threads: int | None = None
    extra: Mapping[str, Any] = NO_PROPERTIES


class Generator(Protocol):
    """A loaded model. Owned by whoever opened it; safe to share between tasks and threads; runs one request at a time
    and queues the others.
    """

    @property
    def info(self) -> GeneratorInfo:
        """What was loaded."""
        ...

    def stream(self, messages: Sequence[ChatMessage], options: ChatOptions) -> AsyncGenerator[ChatUpdate, None]:
        """Generate an answer. Reasoning, text and tool calls arrive apart; the last update carries the finish reason,
        usage, and the property ``timings``. Closing the generator stops within one token.
        """
        ...

    async def count_tokens(self, text: str) -> int:
        """How many tokens the model makes of a text."""
        ...

    async def warm_up(self) -> None:
        """Run once, so that the first real request does not pay for it."""
        ...

    async def aclose(self) -> None:
        """Unload the model; a running request is stopped."""
        ...


@runtime_checkable
class Scorer(Protocol):
    """What a generator may offer besides: judging texts instead of writing one. A caller tests for it with
    ``isinstance`` and does without where it is missing.
    """

    async def score(
        self, messages: Sequence[ChatMessage], continuations: Sequence[str], *, start: str = ""
    ) -> list[float]:
        """How likely the model finds each text as the answer.

        :param start: what every answer begins with; not judged.
        :returns: one natural logarithm of a probability per continuation, added up over its tokens.
        """
        ...


class Backend(Protocol):
    """An engine for one or more model file formats."""

    @property
    def name(self) -> str:
        """The engine's name, as in the configuration."""
        ...

    async def open(self, path: Path, options: OpenOptions) -> Generator:
        """Load a model.

        :raises ModelLoadError: the file cannot be used.
        :raises ModelMemoryError: it does not fit.
        :raises PluginError: the engine is not installed; the message says what to install.
        """
        ...
