"""Addresses of servers, checked before anything is sent."""

from __future__ import annotations

from urllib.parse import urlsplit

from ironhive.errors import ConfigurationError


def address_problem(url: str) -> str | None:
    """Why a text is not the address of a server that can be asked over HTTP; None when it is one."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return f"the address {url!r} cannot be read: {error}"
    if parts.username is not None or parts.password is not None:
        host = parts.hostname or "?"
        return f"the address of {host} holds a user name or password, which would be shown; give it as the API key"
    if parts.scheme.lower() not in ("http", "https"):
        return f"the address {url!r} must begin with http:// or https://"
    if not parts.hostname:
        return f"the address {url!r} names no host"
    if port == 0:
        return f"the address {url!r} has no usable port"
    if any(character.isspace() or not character.isprintable() for character in url):
        return f"the address {url!r} contains white space or a control character"
    return None


def checked_address(given: str | None, default: str | None, *, provider: str) -> str:
    """The address to use for a provider: the one given, else the default.

    :raises ConfigurationError: there is none, or it is no address.
    """
    address = (given or "").strip() or default
    if not address:
        raise ConfigurationError(f"provider {provider!r} needs the address of its server (endpoint)")
    problem = address_problem(address)
    if problem:
        raise ConfigurationError(f"provider {provider!r}: {problem}")
    return address
