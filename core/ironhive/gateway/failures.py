"""Reads the HTTP status and the asked-for wait out of exceptions, ironhive's own and foreign ones."""

from __future__ import annotations

import logging
import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from ironhive.contracts import HttpFailure
from ironhive.errors import HttpStatusError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

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
    return HttpFailure(status, retry_hint(headers) if headers is not None else None)


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


def retry_hint(headers: Mapping[str, Any], *, now: Callable[[], datetime] | None = None) -> float | None:
    """The wait in seconds that response headers ask for, None when they ask for none that can be read.

    ``retry-after-ms`` (milliseconds) comes before ``Retry-After``, which is a number of seconds or an HTTP date; a date
    that has passed means 0.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = _header(headers, name)
        if text is None:
            continue
        number = _number(text)
        if number is not None:
            return number / unit
        if unit == 1.0:
            return _until(text, (now or _utc_now)())
    return None


def _status(holder: Any) -> int | None:
    for name in ("status_code", "status"):
        value = getattr(holder, name, None)
        if isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599:  # noqa: PLR2004
            return value
    return None


def _header(headers: Mapping[str, Any], name: str) -> str | None:
    value = headers.get(name)
    if value is None:  # a plain dict, unlike an HTTP library's headers, minds the case
        value = next((item for key, item in headers.items() if str(key).lower() == name), None)
    return None if value is None else str(value).strip()


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _until(text: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _utc_now() -> datetime:
    return datetime.now(UTC)
