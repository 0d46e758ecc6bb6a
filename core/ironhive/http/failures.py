"""Failures of the connection, in our words."""

from __future__ import annotations

from ironhive.causes import absence
from ironhive.errors import ConnectFailedError, ProviderError, ProviderTimeoutError

_ADVICE = {
    "refused": "nothing listens there; is the server running, and is the port right?",
    "host_not_found": "the host name cannot be resolved; check the endpoint's address and the network",
    "unreachable": "the network has no way there; check the network, a VPN or a firewall",
    "transport": "the connection broke",
}


def connection_error(error: Exception, *, provider: str, url: str) -> ProviderError:
    """The error to raise for what httpx raised.

    A read timeout has a better name where the caller knows which limit it was.
    """
    import httpx

    where = httpx.URL(url)
    place = f"{where.scheme}://{where.netloc.decode('ascii')}"
    if isinstance(error, httpx.TimeoutException):
        what = "connect" if isinstance(error, (httpx.ConnectTimeout, httpx.PoolTimeout)) else "read"
        seconds = _limit(error, what)
        message = f"{provider}: no answer from {place} within {seconds:g} s ({what} timeout)"
        return ProviderTimeoutError(message, what=what, seconds=seconds, provider=provider)
    kind = absence(error, contexts=True) or "transport"
    cause = _innermost(error)
    reason = f": {cause}" if kind == "transport" and str(cause) else ""
    message = f"{provider}: no usable connection to {place} ({kind}): {_ADVICE[kind]}{reason}"
    return ConnectFailedError(message, kind=kind, provider=provider)


def _limit(error: Exception, what: str) -> float:
    request = getattr(error, "_request", None)
    timeouts = request.extensions.get("timeout", {}) if request is not None else {}
    return float(timeouts.get(what) or 0)


def _innermost(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error
