"""Requests to one provider and the answers to them."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ironhive.errors import ProviderTimeoutError, StreamIdleTimeoutError, StreamLimitError
from ironhive.http.bodies import encode_json, parse_json
from ironhive.http.budgets import NO_BUDGET, StreamBudget
from ironhive.http.connection import CONNECT_SECONDS, new_client
from ironhive.http.credentials import BEARER, credential_headers
from ironhive.http.failures import connection_error
from ironhive.http.status import event_error, status_error
from ironhive.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    import httpx

    from ironhive.contracts import CredentialPlacement
    from ironhive.errors import HttpStatusError
    from ironhive.secrets import Secret

_ERROR_BODY_BYTES: Final = 65536
_ERROR_BODY_SECONDS: Final = 10.0
_KEPT_URLS: Final = 64


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


class Exchange:
    """Sends requests to one endpoint over one HTTP client, which is made at the first request."""

    def __init__(self, config: EndpointConfig, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self.config = config
        self._transport = transport
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._urls: dict[str, httpx.URL] = {}
        self._headers = {
            "user-agent": f"ironhive/{__version__}",
            **dict(config.headers),
            **credential_headers(config.key, config.placement),
        }

    async def get(self, path: str) -> Any:
        """The JSON that a GET request answers.

        :raises ProviderError: whatever went wrong, under its own name.
        """
        async with self._send("GET", path, None, {}) as answer:
            return parse_json(await answer.read(), provider=self.config.provider)

    async def post(self, path: str, body: Any, headers: Mapping[str, str]) -> Any:
        """The JSON that a POST request with a JSON body answers.

        :raises ProviderError: whatever went wrong, under its own name.
        """
        async with self._send("POST", path, body, headers) as answer:
            return parse_json(await answer.read(), provider=self.config.provider)

    @asynccontextmanager
    async def open(self, path: str, body: Any, headers: Mapping[str, str]) -> AsyncGenerator[Answer, None]:
        """A streamed answer, as soon as its status says success.

        :raises ProviderError: there is none.
        """
        more = {"accept": "text/event-stream", "accept-encoding": "identity", **headers}
        async with self._send("POST", path, body, more, stream=True) as answer:
            yield answer

    def failure(self, body: Any) -> HttpStatusError:
        """The error for an error object inside an answer."""
        return event_error(self.config.provider, body, secret=self.config.key)

    async def aclose(self) -> None:
        """Close all connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    @asynccontextmanager
    async def _send(
        self, method: str, path: str, body: Any, headers: Mapping[str, str], *, stream: bool = False
    ) -> AsyncGenerator[Answer, None]:
        import httpx

        config = self.config
        client = self._open_client()
        request = client.build_request(
            method,
            self._url(path),
            content=None if body is None else encode_json(body),
            headers={**self._headers, **({} if body is None else {"content-type": "application/json"}), **headers},
            timeout=httpx.Timeout(None, connect=config.connect, read=config.budget.idle_seconds if stream else None),
        )
        started = asyncio.get_running_loop().time()
        try:
            async with limited(config, started, first_token=stream):
                response = await client.send(request, stream=True)
        except httpx.ReadTimeout as error:
            raise idle_error(config) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise connection_error(error, provider=config.provider, url=config.base_url) from error
        try:
            if not response.is_success:
                raise await self._refusal(response)
            yield Answer(response, config, started)
        finally:
            await response.aclose()

    async def _refusal(self, response: httpx.Response) -> HttpStatusError:
        import httpx

        body = b""
        # the status says enough, should the words that explain it not come
        with suppress(TimeoutError, httpx.HTTPError):
            async with asyncio.timeout(_ERROR_BODY_SECONDS), aclosing(response.aiter_bytes()) as chunks:  # type: ignore[type-var]
                async for chunk in chunks:
                    body += chunk
                    if len(body) >= _ERROR_BODY_BYTES:
                        break
        return status_error(
            self.config.provider,
            status=response.status_code,
            headers=response.headers,
            body=body[:_ERROR_BODY_BYTES],
            secret=self.config.key,
        )

    def _open_client(self) -> httpx.AsyncClient:
        # connections belong to the event loop that opened them; a script may run several loops one after another
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client = new_client(self.config.base_url, connect=self.config.connect, transport=self._transport)
            self._loop = loop
        return self._client

    def _url(self, path: str) -> httpx.URL:
        url = self._urls.get(path)
        if url is None:
            import httpx

            url = httpx.URL(self.config.base_url + path)
            if self.config.query:
                url = url.copy_merge_params(dict(self.config.query))
            if len(self._urls) < _KEPT_URLS:
                self._urls[path] = url
        return url


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
