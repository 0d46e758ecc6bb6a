"""How connections are made."""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING

import pytest
from tests.wire.loopback import Connection, serving

from ironhive.contracts import ProviderKind
from ironhive.errors import ConnectFailedError
from ironhive.http import EndpointConfig, Exchange, connect_seconds, new_client

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_server_of_the_own_network_answers_sooner_or_is_not_there() -> None:
    assert connect_seconds(ProviderKind.LAN) == connect_seconds(ProviderKind.LOCAL) == 3.0
    assert connect_seconds(ProviderKind.FRONTIER) == 5.0


async def test_only_connecting_has_a_limit_and_nothing_is_followed() -> None:
    client = new_client("http://127.0.0.1", connect=2.0)
    limits = client.timeout
    assert (limits.connect, limits.read, limits.write, limits.pool) == (2.0, None, None, None)
    assert client.follow_redirects is False
    await client.aclose()


async def test_a_plain_connection_loads_no_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    original: Callable[..., None] = ssl.SSLContext.load_verify_locations
    monkeypatch.setattr(
        ssl.SSLContext, "load_verify_locations", lambda *args, **more: (loaded.append("x"), original(*args, **more))[1]
    )
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    await new_client("http://127.0.0.1").aclose()
    assert loaded == []


async def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(connection: Connection) -> None:
        await connection.whole(b'{"by": "proxy"}')

    async with serving(answer) as server:
        monkeypatch.setenv("HTTP_PROXY", server.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        exchange = Exchange(EndpointConfig("p", "http://model.test/v1"))
        assert await exchange.get("/models") == {"by": "proxy"}
        await exchange.aclose()
        assert server.requests[0].path == "http://model.test/v1/models"


async def test_encryption_that_fails_is_a_broken_connection() -> None:
    async def plain(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 no encryption here\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    exchange = Exchange(EndpointConfig("p", f"https://127.0.0.1:{port}"))
    with pytest.raises(ConnectFailedError) as caught:
        await exchange.get("/models")
    assert caught.value.kind == "transport"
    await exchange.aclose()
    server.close()


async def test_a_host_that_has_no_address_is_named() -> None:
    exchange = Exchange(EndpointConfig("p", "http://no-such-host.invalid"))
    with pytest.raises(ConnectFailedError) as caught:
        await exchange.get("/models")
    assert caught.value.kind == "host_not_found"
    await exchange.aclose()
