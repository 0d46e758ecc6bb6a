"""An answer whose body is read within its limits."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ironhive.errors import ProviderTimeoutError, StreamIdleTimeoutError, StreamLimitError
from ironhive.http.budgets import NO_BUDGET, StreamBudget
from ironhive.http.connection import CONNECT_SECONDS
from ironhive.http.credentials import BEARER
from ironhive.http.failures import connection_error
from ironhive.secrets import Secret

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    import httpx

    from ironhive.contracts import CredentialPlacement


_PLAIN_HEADERS = frozenset({"anthropic-version", "user-agent"})
"""Headers whose values are no secret."""


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """Where a provider is and how it is spoken to.

    ``base_url`` is complete up to the paths of the wire, without a slash at its end. ``headers`` and ``query`` are sent
    with each request. ``connect`` is in seconds.
    """

    provider: str
    base_url: str
    key: Secret | None = None
    placement: CredentialPlacement = BEARER
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    query: tuple[tuple[str, str], ...] = ()
    budget: StreamBudget = NO_BUDGET
    connect: float = CONNECT_SECONDS

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """What must not be repeated: the key, and the values of the headers that were configured."""
        values = [Secret(value) for name, value in self.headers if name.lower() not in _PLAIN_HEADERS]
        return tuple(values) if self.key is None else (self.key, *values)


class Answer:
    """An answer with a success status whose body has not been read yet."""

    def __init__(self, response: httpx.Response, config: EndpointConfig, started: float) -> None:
        self._response = response
        self._config = config
        self._started = started
        self._size = 0
        self.headers: Mapping[str, str] = response.headers
        self.content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        self.framed = "transfer-encoding" in self.headers or "content-length" in self.headers
        """The end of the body is marked: a connection that breaks before it is noticed."""
        self.first_token = False
        """Set by the reader of a stream at the first piece of the answer: ends the first-token limit."""

    async def read(self) -> bytes:
        """The whole body, within the total time and size."""
        self.first_token = True
        async with aclosing(self.chunks()) as chunks:
            return b"".join([chunk async for chunk in chunks])

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """The body as it arrives, within the budget.

        :raises StreamIdleTimeoutError: nothing came for too long.
        :raises ProviderTimeoutError: the first token or the end took too long.
        :raises StreamLimitError: the body is larger than allowed.
        :raises ConnectFailedError: the connection broke.
        """
        import httpx

        budget = self._config.budget
        encoded = "content-encoding" in self.headers
        source = self._response.aiter_bytes() if encoded else self._response.aiter_raw()
        watched = budget.first_token_seconds or budget.total_seconds
        try:
            async with aclosing(self._timed(source) if watched else source) as pieces:  # type: ignore[type-var]
                async for chunk in pieces:
                    if budget.max_bytes is not None:
                        self._count(len(chunk), budget.max_bytes)
                    yield chunk
        except httpx.ReadTimeout as error:
            raise idle_error(self._config) from error
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise connection_error(error, provider=self._config.provider, url=self._config.base_url) from error

    async def _timed(self, source: Any) -> AsyncGenerator[bytes, None]:
        while True:
            try:
                async with limited(self._config, self._started, first_token=not self.first_token):
                    chunk = await anext(source)
            except StopAsyncIteration:
                return
            yield chunk

    def _count(self, more: int, limit: int) -> None:
        self._size += more
        if self._size > limit:
            name = self._config.provider
            message = f"{name}: the answer is longer than the {limit} bytes that maxAnswerBytes allows; it was cut off"
            raise StreamLimitError(message, provider=name)


@asynccontextmanager
async def limited(config: EndpointConfig, started: float, *, first_token: bool) -> AsyncGenerator[None, None]:
    """Run the body within the budget's first-token and total limits, counted from ``started``.

    :raises ProviderTimeoutError: a limit has passed; ``what`` is ``first_token`` or ``total``.
    """
    limits = [(config.budget.total_seconds, "total", "totalTimeoutSeconds")]
    if first_token:
        limits.append((config.budget.first_token_seconds, "first_token", "firstTokenTimeoutSeconds"))
    active = [(seconds, what, key) for seconds, what, key in limits if seconds is not None]
    if not active:
        yield
        return
    seconds, what, key = min(active)
    deadline = asyncio.timeout_at(started + seconds)
    try:
        async with deadline:
            yield
    except TimeoutError as error:
        if not deadline.expired():
            raise
        part = "first token" if what == "first_token" else "end of the answer"
        message = f"{config.provider}: the {part} did not come within {seconds:g} s ({key})"
        raise ProviderTimeoutError(message, what=what, seconds=seconds, provider=config.provider) from error


def idle_error(config: EndpointConfig) -> StreamIdleTimeoutError:
    """The error for a stream that fell silent."""
    seconds = config.budget.idle_seconds
    message = (
        f"{config.provider}: stream idle timeout: nothing came for {seconds:g} s (streamIdleTimeoutSeconds); "
        "a local server needs more than it takes to read the prompt"
    )
    return StreamIdleTimeoutError(message, what="idle", seconds=seconds, provider=config.provider)
