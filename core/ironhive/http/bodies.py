"""JSON out of answers, with a name for each way in which it can fail."""

from __future__ import annotations

import json
from typing import Any, Final

from ironhive.errors import BadAnswerError
from ironhive.http.report import first_line, is_html, read_report

_EXCERPT: Final = 120
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # json.loads without its checks of argument types: it runs once per event


def parse_json(data: bytes, *, provider: str, what: str = "the answer") -> Any:
    """The JSON value in ``data``.

    :raises BadAnswerError: it is empty, an HTML page, not UTF-8 or not JSON; the message says which.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        message = f"{provider}: {what} is not valid UTF-8 (byte {error.start} of {len(data)})"
        raise BadAnswerError(message, provider=provider) from None
    try:
        value, end = _scan(text, 0)
    except (StopIteration, ValueError, RecursionError):
        return _parse_padded(text, provider, what)
    return value if end == len(text) else _parse_padded(text, provider, what)


def parse_events(payloads: list[bytes]) -> list[Any] | None:
    """The JSON values of several events at once, or None when they have to be looked at one by one.

    One pass over all of them is cheaper: the scanner then makes each key's string once.
    """
    try:
        text = (b"[%b]" % b",".join(payloads)).decode()
        values, end = _scan(text, 0)
    except (StopIteration, ValueError, RecursionError):
        return None
    return values if end == len(text) and len(values) == len(payloads) else None


def _parse_padded(text: str, provider: str, what: str) -> Any:
    stripped = text.strip("\ufeff \t\r\n")
    if not stripped:
        raise BadAnswerError(f"{provider}: {what} is empty where JSON was expected", provider=provider)
    if is_html(stripped):
        message = f"{provider}: {what} is {read_report(stripped).message}; check the endpoint's address and any proxy"
        raise BadAnswerError(message, provider=provider)
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError) as error:
        where = f" (at character {error.pos})" if isinstance(error, json.JSONDecodeError) else ""
        message = f"{provider}: {what} is not JSON{where}: {first_line(stripped, _EXCERPT)}"
        raise BadAnswerError(message, provider=provider) from None


def encode_json(body: Any) -> bytes:
    """A request body as compact UTF-8 JSON; half a surrogate pair, which UTF-8 cannot carry, becomes ``?``."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
