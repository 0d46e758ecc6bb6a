"""Selector ``priority``: the order that the gateway uses by default, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.hooks import hookimpl

if TYPE_CHECKING:
    from ironhive.contracts import ProviderSelector


@hookimpl
def ironhive_selector(name: str) -> ProviderSelector | None:
    """Candidates as they come: higher priority first, equal ones in the order of registration."""
    if name != "priority":
        return None
    from ironhive.gateway import by_priority  # the gateway is loaded when a selector is really wanted

    return by_priority
