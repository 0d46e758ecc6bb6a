"""Where a key goes in a request, and which extra headers are allowed beside it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ironhive.contracts import CredentialPlacement
from ironhive.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ironhive.secrets import Secret

BEARER = CredentialPlacement()
"""The default: ``Authorization: Bearer <key>``."""

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")  # RFC 9110, section 5.6.2


def credential_headers(key: Secret | None, placement: CredentialPlacement = BEARER) -> dict[str, str]:
    """The headers that carry a key; none without a key.

    :raises ConfigurationError: the key cannot stand in a header; the message does not show it.
    """
    check_placement(placement)
    if not key:
        return {}
    value = key.reveal()
    if not _fits_header(value):
        message = (
            f"the API key cannot be sent in the header {placement.header}: it contains a control character or one "
            "outside ASCII; copy the key again, without line breaks or quotation marks of a word processor"
        )
        raise ConfigurationError(message)
    return {placement.header: f"{placement.scheme} {value}" if placement.scheme else value}


def check_placement(placement: CredentialPlacement) -> None:
    """Refuse a placement that makes no valid header.

    :raises ConfigurationError: the header's name or the scheme is no single word of header characters.
    """
    if not _TOKEN.fullmatch(placement.header):
        message = f"the key cannot be placed in a header named {placement.header!r}: that is not a valid header name"
        raise ConfigurationError(message)
    if placement.scheme is not None and not _TOKEN.fullmatch(placement.scheme):
        message = f"the authorization scheme {placement.scheme!r} must be a single word, or None for the bare key"
        raise ConfigurationError(message)


def check_headers(headers: Mapping[str, str], *, reserved: Iterable[str]) -> dict[str, str]:
    """Extra headers, checked.

    ``reserved`` are the names that carry the key on this wire.

    :raises ConfigurationError: a name is empty, no header name, reserved or given twice in different case, or a value
        cannot be sent.
    """
    taken = {name.lower() for name in reserved}
    seen: dict[str, str] = {}
    for name, value in headers.items():
        if not name.strip():
            raise ConfigurationError("an extra header has an empty name; give it one or leave it out")
        if not _TOKEN.fullmatch(name):
            raise ConfigurationError(f"the extra header {name!r} is not a valid header name")
        if name.lower() in taken:
            raise ConfigurationError(f"the header {name} carries the API key on this wire; give the key as api_key")
        if name.lower() in seen:
            raise ConfigurationError(f"the header {name} is given twice: as {seen[name.lower()]} and as {name}")
        if not _fits_header(value):
            raise ConfigurationError(f"the value of the header {name} contains a control character or is not ASCII")
        seen[name.lower()] = name
    return dict(headers)


def _fits_header(value: str) -> bool:
    return value.isascii() and value.isprintable()
