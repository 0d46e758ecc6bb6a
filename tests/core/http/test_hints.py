"""The wait that a provider asks for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ironhive.http import retry_hint

NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)
RETRY_INFO = {"error": {"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "48.5s"}]}}


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        ({}, None, None),
        ({"retry-after": "3"}, None, 3.0),
        ({"retry-after": "1.5"}, None, 1.5),
        ({"retry-after": "0"}, None, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, None, 0.25),
        ({"retry-after-ms": "0", "retry-after": "9"}, None, 0.0),
        ({"retry-after-ms": "soon", "retry-after": "9"}, None, 9.0),
        ({"retry-after-ms": "-1", "retry-after": "9"}, None, 9.0),
        ({"retry-after": "Fri, 01 May 2026 12:00:30 GMT"}, None, 30.0),
        ({"retry-after": "Fri, 01 May 2026 11:00:00 GMT"}, None, 0.0),
        ({"retry-after": "Fri, 01 May 2026 12:00:30"}, None, 30.0),
        ({"retry-after": "tomorrow"}, None, None),
        ({"retry-after": "-5"}, None, None),
        ({"retry-after": "nan"}, None, None),
        ({"retry-after": "inf"}, None, None),
        ({"retry-after": ""}, None, None),
        ({}, RETRY_INFO, 48.5),
        ({"retry-after": "2"}, RETRY_INFO, 2.0),
        ({}, {"error": {"details": [{"@type": "RetryInfo"}]}}, None),
        ({}, {"error": "slow down"}, None),
        ({}, ["x"], None),
    ],
)
def test_a_hint_is_read_or_absent_and_never_raises(
    headers: dict[str, str], body: object, expected: float | None
) -> None:
    assert retry_hint(headers, body, now=NOW) == expected
