"""The classifier that gives single statuses another meaning."""

from __future__ import annotations

from typing import Any

import pytest

from ironhive.errors import ConfigurationError, HttpStatusError
from ironhive.gateway import DefaultErrorClassifier, ErrorClassification
from ironhive_plugins.classifiers.http_status import ironhive_classifier


def classify(settings: dict[str, Any], error: BaseException) -> ErrorClassification:
    made = ironhive_classifier("http_status", settings, DefaultErrorClassifier())
    assert made is not None
    return made.classify(error)


def refusal(status: int) -> HttpStatusError:
    return HttpStatusError("x", status=status)


@pytest.mark.parametrize(
    ("key", "meaning"),
    [
        ("retryable", ErrorClassification.RETRYABLE),
        ("fallback", ErrorClassification.FALLBACK_ELIGIBLE),
        ("terminal", ErrorClassification.TERMINAL),
    ],
)
@pytest.mark.parametrize("statuses", [[409, 500], 409])
def test_the_named_statuses_mean_what_the_key_says(key: str, meaning: ErrorClassification, statuses: Any) -> None:
    assert classify({key: statuses}, refusal(409)) is meaning


def test_everything_else_is_left_to_the_inner_classifier() -> None:
    settings = {"terminal": [409]}
    assert classify(settings, refusal(500)) is ErrorClassification.RETRYABLE
    assert classify(settings, refusal(404)) is ErrorClassification.FALLBACK_ELIGIBLE
    assert classify(settings, ValueError()) is ErrorClassification.FALLBACK_ELIGIBLE
    assert classify({}, refusal(409)) is ErrorClassification.FALLBACK_ELIGIBLE


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"teminal": [409]}, "no key 'teminal'; known keys: retryable, fallback, terminal"),
        ({"terminal": ["409"]}, "lists HTTP statuses"),
        ({"terminal": [True]}, "lists HTTP statuses"),
        ({"terminal": [42]}, "not 42"),
        ({"terminal": [409], "retryable": [409]}, "409 under two keys"),
    ],
)
def test_mistakes_are_named(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        classify(settings, ValueError())


def test_another_name_is_not_ours() -> None:
    assert ironhive_classifier("other", {}, DefaultErrorClassifier()) is None
