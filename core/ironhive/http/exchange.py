"""Requests to one provider and the answers to them."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from ironhive.http.answer import Answer, idle_error, limited
from ironhive.http.bodies import encode_json, parse_json
from ironhive.http.connection import new_client
from ironhive.http.credentials import credential_headers
from ironhive.http.failures import connection_error
from ironhive.http.status import event_error, status_error
from ironhive.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    import httpx

    from ironhive.errors import HttpStatusError
    from ironhive.http.answer import EndpointConfig

_ERROR_BODY_BYTES: Final = 65536
_ERROR_BODY_SECONDS: Final = 10.0
_KEPT_URLS: Final = 64


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
        return event_error(self.config.provider, body, secrets=self.config.secrets)

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
            secrets=self.config.secrets,
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
