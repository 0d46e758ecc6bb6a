"""The table of failures."""

from __future__ import annotations

import asyncio
import errno
import socket

import httpx
import pytest
from tests.core.gateway.helpers import refusal

from ironhive.contracts import ErrorClassification, HttpFailure
from ironhive.errors import (
    BadAnswerError,
    ConnectFailedError,
    ContextOverflowError,
    GuardError,
    GuardFailedError,
    NotReadyError,
    ProviderBusyError,
    ProviderTimeoutError,
    StreamErrorEvent,
    StreamIdleTimeoutError,
    StreamLimitError,
    TruncatedStreamError,
)
from ironhive.gateway import DefaultErrorClassifier, read_http_failure

RETRY, NEXT, STOP = (
    ErrorClassification.RETRYABLE,
    ErrorClassification.FALLBACK_ELIGIBLE,
    ErrorClassification.TERMINAL,
)


def caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


def os_error(number: int) -> OSError:
    return OSError(number, "x")


@pytest.mark.parametrize("status", [408, 500, 502, 504])
@pytest.mark.parametrize("hint", [None, 0.0, 3.0])
def test_a_server_that_may_recover_is_asked_again(status: int, hint: float | None) -> None:
    assert DefaultErrorClassifier().classify(refusal(status, retry_after=hint)) is RETRY


@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_busy_server_is_asked_again_only_when_it_says_when(status: int) -> None:
    classify = DefaultErrorClassifier().classify
    assert classify(refusal(status, retry_after=2)) is RETRY
    assert classify(refusal(status, retry_after=0)) is RETRY
    assert classify(refusal(status)) is NEXT


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 409, 410, 413, 422, 451, 501, 505, 520, 302])
def test_any_other_status_goes_to_the_next_provider(status: int) -> None:
    assert DefaultErrorClassifier().classify(refusal(status, retry_after=1)) is NEXT


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (GuardError("x"), STOP),
        (GuardFailedError("x"), STOP),
        (asyncio.CancelledError(), STOP),
        (caused(asyncio.CancelledError(), TimeoutError()), RETRY),
        (ConnectFailedError("x", kind="refused"), NEXT),
        (ConnectFailedError("x", kind="host_not_found"), NEXT),
        (ConnectFailedError("x", kind="unreachable"), NEXT),
        (ConnectFailedError("x", kind="transport"), RETRY),
        (ProviderTimeoutError("x", what="connect", seconds=2), RETRY),
        (StreamIdleTimeoutError("x"), RETRY),
        (TruncatedStreamError("x"), RETRY),
        (StreamErrorEvent("x", status=529), NEXT),
        (StreamErrorEvent("x", status=500), RETRY),
        (StreamLimitError("x"), NEXT),
        (BadAnswerError("x"), NEXT),
        (ContextOverflowError("x"), NEXT),
        (NotReadyError("x"), NEXT),
        (ProviderBusyError("x"), NEXT),
        (ValueError("x"), NEXT),
        (RuntimeError("x"), NEXT),
    ],
    ids=lambda value: repr(value)[:50],
)
def test_failures_without_a_status(error: BaseException, expected: ErrorClassification) -> None:
    assert DefaultErrorClassifier().classify(error) is expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (TimeoutError(), RETRY),
        (ConnectionRefusedError(), NEXT),
        (socket.gaierror(), NEXT),
        (os_error(errno.EHOSTUNREACH), NEXT),
        (os_error(errno.ENETUNREACH), NEXT),
        (ConnectionResetError(), RETRY),
        (BrokenPipeError(), RETRY),
        (httpx.ReadTimeout("x"), RETRY),
        (httpx.ReadError("x"), RETRY),
        (httpx.RemoteProtocolError("x"), RETRY),
        (caused(httpx.ConnectError("x"), ConnectionRefusedError()), NEXT),
        (caused(httpx.ConnectError("x"), ExceptionGroup("x", [ConnectionRefusedError()])), NEXT),
        (caused(RuntimeError("an SDK's own"), caused(httpx.ConnectError("x"), socket.gaierror())), NEXT),
        (caused(RuntimeError("an SDK's own"), httpx.ReadTimeout("x")), RETRY),
        (OSError("disk full"), NEXT),
    ],
    ids=lambda value: repr(value)[:50],
)
def test_foreign_failures_by_the_socket_error_under_them(error: BaseException, expected: ErrorClassification) -> None:
    assert DefaultErrorClassifier().classify(error) is expected


def test_what_a_caller_was_handling_does_not_count() -> None:
    error = ValueError("bad answer")
    error.__context__ = ConnectionResetError()
    assert DefaultErrorClassifier().classify(error) is NEXT


class SdkError(Exception):
    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        super().__init__("x")
        self.status_code = status
        self.response = httpx.Response(status, headers=headers)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_the_shape_of_foreign_http_errors_is_understood(headers: dict[str, str], wait: float | None) -> None:
    assert read_http_failure(SdkError(429, headers)) == HttpFailure(429, wait)
    request = httpx.Request("GET", "http://x")
    error = httpx.HTTPStatusError("x", request=request, response=httpx.Response(503, headers=headers))
    assert read_http_failure(error) == HttpFailure(503, wait)


def test_numbers_that_are_no_status_are_not_taken_for_one() -> None:
    error = RuntimeError("x")
    error.status = True
    assert read_http_failure(error) is None
    error.status = 7
    assert read_http_failure(error) is None


def test_specific_readers_are_asked_first_and_the_first_answer_counts() -> None:
    asked: list[str] = []

    def silent(error: BaseException) -> None:
        asked.append("silent")

    def specific(error: BaseException) -> HttpFailure | None:
        asked.append("specific")
        return HttpFailure(429, 3) if isinstance(error, SdkError) else None

    def late(error: BaseException) -> HttpFailure:
        asked.append("late")
        return HttpFailure(500)

    classifier = DefaultErrorClassifier([silent, silent, specific, late])
    assert classifier.classify(SdkError(429)) is RETRY  # without the reader there is no hint: next provider
    assert asked == ["silent", "specific"]
    assert DefaultErrorClassifier().classify(SdkError(429)) is NEXT


def test_a_reader_that_raises_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    def broken(error: BaseException) -> HttpFailure:
        raise KeyError("x")

    assert DefaultErrorClassifier([broken]).classify(refusal(502)) is RETRY
    assert "failure reader" in caplog.text
