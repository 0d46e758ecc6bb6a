"""A provider's refusal as one of our errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ironhive.errors import ContextOverflowError, HttpStatusError, StreamErrorEvent
from ironhive.http.hints import retry_hint
from ironhive.http.report import read_report
from ironhive.secrets import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ironhive.http.report import ErrorReport

_REQUEST_ID_HEADERS: Final = ("x-request-id", "request-id", "apim-request-id", "x-goog-request-id", "cf-ray")

_STATUS_OF_CODE: Final = {
    # Anthropic's error types and the statuses its documentation gives them
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
    "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "api_error": 500,
    "timeout_error": 504, "overloaded_error": 529,
    # OpenAI's
    "server_error": 500, "internal_error": 500, "internal_server_error": 500, "rate_limit_exceeded": 429,
    "insufficient_quota": 429, "tokens": 429, "requests": 429, "invalid_api_key": 401, "model_not_found": 404,
    "invalid_prompt": 400, "content_filter": 400, "service_unavailable": 503, "server_is_overloaded": 503,
    "slow_down": 503, "engine_overloaded_error": 503, "upstream_error": 502, "context_length_exceeded": 400,
    # Google's, from google.rpc.Code
    "INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404, "RESOURCE_EXHAUSTED": 429, "CANCELLED": 499, "INTERNAL": 500, "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}  # fmt: skip
"""The HTTP status that a word in an error event stands for."""

_OVERFLOW_STATUSES: Final = frozenset({400, 413, 422, 500})
_DEFAULT_EVENT_STATUS: Final = 500
_SHORTEST_KEY: Final = 6
_REDIRECTS: Final = range(300, 400)

_ADVICE: Final = {
    401: "check the API key",
    402: "the account has no credit; check the provider's billing page",
    403: "the key is not allowed to do this",
    404: "check the endpoint's address and the model's name",
}


def status_error(
    provider: str,
    *,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    secrets: Sequence[Secret] = (),
) -> HttpStatusError:
    """The error for an answer whose status is not a success.

    ``body`` is what came with it, of any kind. ``secrets`` are the key and headers in use: should the
    provider repeat one, it is masked.
    """
    parsed = _parse(body)
    report = read_report(parsed)
    detail = _masked(report.message, secrets)
    if status in _REDIRECTS and headers.get("location"):
        detail = f"redirects to {headers['location'].split('?')[0]}; use that address as the endpoint"
    said = detail or _ADVICE.get(status, "no reason given")
    if detail and status in (401, 402):
        said = f"{detail} ({_ADVICE[status]})"
    return _error(
        HttpStatusError,
        f"{provider} answered {status}: {said}",
        report,
        status=status,
        provider=provider,
        code=report.code,
        detail=detail,
        retry_after=retry_hint(headers, parsed),
        request_id=next((headers[name] for name in _REQUEST_ID_HEADERS if name in headers), None),
    )


def event_error(provider: str, body: Any, *, secrets: Sequence[Secret] = ()) -> HttpStatusError:
    """The error for an error object that came inside an answer with a success status."""
    report = read_report(body)
    detail = _masked(report.message, secrets)
    return _error(
        StreamErrorEvent,
        f"{provider} reported an error inside its answer: {detail or report.code or 'no reason given'}",
        report,
        status=report.status or _status_for(body, report),
        provider=provider,
        code=report.code,
        detail=detail,
        retry_after=retry_hint({}, body),
    )


def _error(
    kind: type[HttpStatusError], message: str, report: ErrorReport, *, status: int, **facts: Any
) -> HttpStatusError:
    if report.overflow and status in _OVERFLOW_STATUSES:
        return ContextOverflowError(message, context_window=report.context_window, status=status, **facts)
    return kind(message, status=status, **facts)


def _status_for(body: Any, report: ErrorReport) -> int:
    words = [report.code]
    node = body.get("error") if isinstance(body, dict) else None
    for source in (node, body):
        if isinstance(source, dict):
            words += [source.get("code"), source.get("type"), source.get("status")]
    return next(
        (_STATUS_OF_CODE[word] for word in words if isinstance(word, str) and word in _STATUS_OF_CODE),
        _DEFAULT_EVENT_STATUS,
    )


def _parse(body: bytes) -> Any:
    text = body.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


def _masked(text: str, secrets: Sequence[Secret]) -> str:
    for secret in secrets:
        if len(secret.reveal()) >= _SHORTEST_KEY:  # a very short one would be found in ordinary words
            text = text.replace(secret.reveal(), Secret.MASK)
    return text
