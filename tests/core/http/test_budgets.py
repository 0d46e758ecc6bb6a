"""Limits of an answer as settings."""

from __future__ import annotations

import pytest

from ironhive.errors import ConfigurationError
from ironhive.http import NO_BUDGET, StreamBudget, budget_for


def test_nothing_set_is_no_limit() -> None:
    assert budget_for("ollama") == NO_BUDGET == StreamBudget()


@pytest.mark.parametrize(
    ("limits", "key"),
    [
        ({"idle": 0}, "ollama.streamIdleTimeoutSeconds"),
        ({"idle": -3}, "ollama.streamIdleTimeoutSeconds"),
        ({"first_token": 0}, "ollama.firstTokenTimeoutSeconds"),
        ({"total": -1}, "ollama.totalTimeoutSeconds"),
        ({"size": 0}, "ollama.maxAnswerBytes"),
    ],
)
def test_zero_or_less_is_refused_by_the_name_of_its_key(limits: dict[str, int], key: str) -> None:
    with pytest.raises(ConfigurationError, match=key) as caught:
        budget_for("ollama", **limits)  # type: ignore[arg-type]
    assert caught.value.key == key
