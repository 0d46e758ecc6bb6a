"""Keys and extra headers, checked before anything is sent."""

from __future__ import annotations

import pytest

from ironhive.contracts import CredentialPlacement
from ironhive.errors import ConfigurationError
from ironhive.http import check_headers, check_placement, credential_headers
from ironhive.secrets import Secret

KEY = Secret("abc123")


@pytest.mark.parametrize(
    ("placement", "headers"),
    [
        (CredentialPlacement(), {"Authorization": "Bearer abc123"}),
        (CredentialPlacement.authorization("Basic"), {"Authorization": "Basic abc123"}),
        (CredentialPlacement.authorization(None), {"Authorization": "abc123"}),
        (CredentialPlacement.in_header("api-key"), {"api-key": "abc123"}),
    ],
)
def test_the_key_goes_where_it_is_placed_and_nowhere_else(
    placement: CredentialPlacement, headers: dict[str, str]
) -> None:
    assert credential_headers(KEY, placement) == headers


def test_without_a_key_no_header_is_sent() -> None:
    assert credential_headers(None) == {}
    assert credential_headers(Secret("")) == {}


@pytest.mark.parametrize("key", ["abc\n123", "abc\x00", "\u201cabc\u201d", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        credential_headers(Secret(key))
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "placement",
    [
        CredentialPlacement.in_header(""),
        CredentialPlacement.in_header("api key"),
        CredentialPlacement.in_header("api:key"),
        CredentialPlacement.authorization("Two Words"),
        CredentialPlacement.authorization(""),
    ],
)
def test_a_placement_that_makes_no_header_is_refused(placement: CredentialPlacement) -> None:
    with pytest.raises(ConfigurationError):
        check_placement(placement)


@pytest.mark.parametrize(
    ("headers", "word"),
    [
        ({"": "x"}, "empty name"),
        ({"  ": "x"}, "empty name"),
        ({"a b": "x"}, "not a valid header name"),
        ({"AUTHORIZATION": "x"}, "carries the API key"),
        ({"X-A": "1", "x-a": "2"}, "given twice"),
        ({"x-a": "1\r\nevil: 2"}, "control character"),
    ],
)
def test_a_header_that_cannot_or_must_not_be_sent_is_refused(headers: dict[str, str], word: str) -> None:
    with pytest.raises(ConfigurationError, match=word):
        check_headers(headers, reserved=("Authorization",))
