"""The one place that makes HTTP clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ironhive.contracts import ProviderKind

if TYPE_CHECKING:
    import ssl

    import httpx

LAN_CONNECT_SECONDS: Final = 3.0
"""A server of the own network answers the handshake in milliseconds or is not there."""

CONNECT_SECONDS: Final = 5.0
"""For servers on the internet: several round trips over a slow line."""


def connect_seconds(kind: ProviderKind) -> float:
    """How long a connection attempt to a provider of this kind may take."""
    return CONNECT_SECONDS if kind is ProviderKind.FRONTIER else LAN_CONNECT_SECONDS


def new_client(
    base_url: str, *, connect: float = CONNECT_SECONDS, transport: httpx.AsyncBaseTransport | None = None
) -> httpx.AsyncClient:
    """An HTTP client for one provider: no retries, no redirects, no limit but the one for connecting.

    Redirects are not followed because the key would travel with them. Proxies come from the environment.
    """
    import httpx

    return httpx.AsyncClient(
        timeout=httpx.Timeout(None, connect=connect),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
        follow_redirects=False,
        verify=_tls(base_url),
        transport=transport,
    )


def _tls(base_url: str) -> ssl.SSLContext | bool:
    from urllib.request import getproxies

    if base_url.startswith("https:") or getproxies():
        return True
    import ssl

    # reading the certificate store takes tens of milliseconds, and a plain connection needs none of it
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
