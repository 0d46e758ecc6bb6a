"""Reads the HTTP status and the asked-for wait out of exceptions, ironhive's own and foreign ones."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from ironhive.contracts import HttpFailure
from ironhive.errors import HttpStatusError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ironhive.contracts import HttpFailureReader

logger = logging.getLogger("ironhive.gateway")


def read_http_failure(error: BaseException) -> HttpFailure | None:
    """The facts that an exception carries itself.

    Understands ironhive's own errors, and foreign ones that show an integer ``status_code`` or ``status``, or a
    ``response`` that does, with headers beside it: the shape that httpx, aiohttp, requests and the vendors' SDKs share.
    """
    if isinstance(error, HttpStatusError):
        return HttpFailure(error.status, error.retry_after)
    response = getattr(error, "response", None)
    status = _status(error) or _status(response)
    if status is None:
        return None
    headers = getattr(response, "headers", None) or getattr(error, "headers", None)
    return HttpFailure(status, _hint(headers) if headers else None)


def reader_of(readers: Iterable[HttpFailureReader]) -> HttpFailureReader:
    """One reader out of several: the given ones first, :func:`read_http_failure` last, the first answer counts."""
    foreign = tuple(dict.fromkeys(readers))

    def read(error: BaseException) -> HttpFailure | None:
        for reader in foreign:
            try:
                found = reader(error)
            except Exception:  # a plugin's reader must not hide the failure it was asked about
                logger.warning("the failure reader %r raised; it is passed over", reader, exc_info=True)
                continue
            if found is not None:
                return found
        return read_http_failure(error)

    return read if foreign else read_http_failure


def _hint(headers: Mapping[str, Any]) -> float | None:
    from ironhive.http import retry_hint  # the HTTP package is needed only where a foreign exception is read

    return retry_hint({str(name).lower(): str(value) for name, value in headers.items()})


def _status(holder: Any) -> int | None:
    for name in ("status_code", "status"):
        value = getattr(holder, name, None)
        if isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599:  # noqa: PLR2004 - the range of statuses
            return value
    return None
