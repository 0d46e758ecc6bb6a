"""The default selector by its name."""

from __future__ import annotations

from ironhive.gateway import by_priority
from ironhive_plugins.selectors.priority import ironhive_selector


def test_it_is_the_gateways_own() -> None:
    assert ironhive_selector("priority", {}) is by_priority


def test_another_name_is_not_ours() -> None:
    assert ironhive_selector("other", {}) is None
