"""What keeps a local call within bounds, whatever the caller left open."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ironhive.chat import NO_OPTIONS, ReasoningOptions, aggregate
from ironhive.errors import NotReadyError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from ironhive.chat import ChatClient, ChatMessage, ChatOptions, ChatResponse, ChatUpdate, ClientMetadata, Effort


class ReadinessProbe(Protocol):
    """Says whether a local model can take a request, and which models there are."""

    async def is_ready(self) -> bool:
        """Whether a request can be taken now."""
        ...

    async def available_model_ids(self) -> Sequence[str]:
        """The ids that a request may name."""
        ...


@dataclass(frozen=True, slots=True)
class LocalSafetyOptions:
    """Bounds for calls that set none themselves.

    ``default_max_output_tokens`` keeps a small model from running on. ``default_reasoning_effort`` is ``"none"``
    because a model that thinks by default can spend a small bound on thinking alone and answer nothing; None leaves the
    model its own default.
    """

    default_max_output_tokens: int | None = 512
    default_reasoning_effort: Effort | None = "none"


class SafeClient:
    """Readiness, then the model's id, then the length bound, then the reasoning default, then the inner client.

    The caller's options are never changed: the defaults go into a copy.

    :param probe: asked before every call; None leaves readiness and ids to the inner client.
    """

    def __init__(self, inner: ChatClient, probe: ReadinessProbe | None, options: LocalSafetyOptions) -> None:
        self._inner = inner
        self._probe = probe
        self._options = options

    @property
    def metadata(self) -> ClientMetadata | None:
        """The inner client's."""
        return self._inner.metadata

    @property
    def inner(self) -> ChatClient:
        """The client inside."""
        return self._inner

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions | None = None
    ) -> AsyncGenerator[ChatUpdate, None]:
        """The answer piece by piece.

        :raises NotReadyError: the model is not ready, or is not the one that was asked for.
        """
        bounded = await self._admit(options or NO_OPTIONS)
        async with aclosing(self._inner.stream(messages, bounded)) as updates:
            async for update in updates:
                yield update

    async def complete(self, messages: Sequence[ChatMessage], options: ChatOptions | None = None) -> ChatResponse:
        """The whole answer.

        :raises NotReadyError: the model is not ready, or is not the one that was asked for.
        """
        async with aclosing(self.stream(messages, options)) as updates:
            return aggregate([update async for update in updates])

    async def aclose(self) -> None:
        """Close the inner client."""
        await self._inner.aclose()

    async def _admit(self, options: ChatOptions) -> ChatOptions:
        if self._probe is not None:
            await self._check(self._probe, options.model)
        if options.max_output_tokens is None:
            options = options.having(max_output_tokens=self._options.default_max_output_tokens)
        if options.reasoning is None and self._options.default_reasoning_effort is not None:
            options = options.having(reasoning=ReasoningOptions(effort=self._options.default_reasoning_effort))
        return options

    @staticmethod
    async def _check(probe: ReadinessProbe, model: str | None) -> None:
        if not await probe.is_ready():
            message = "the local model is not ready; load it first"
            raise NotReadyError(message, model=model or "")
        if model is None:
            return
        ids = tuple(await probe.available_model_ids())
        if model not in ids:
            message = f"the local model {model!r} is not loaded; available: {', '.join(ids) or 'none'}"
            raise NotReadyError(message, model=model)
