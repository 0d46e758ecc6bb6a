"""Selector ``priority``: the order that the gateway uses by default, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.errors import ConfigurationError
from ironhive.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ironhive.contracts import ProviderSelector


@hookimpl
def ironhive_selector(name: str, settings: Mapping[str, Any]) -> ProviderSelector | None:
    """Candidates as they come: higher priority first, equal ones in the order of registration."""
    if name != "priority":
        return None
    if settings:
        raise ConfigurationError(f"gateway.selector: priority has no key {next(iter(settings))!r}; it takes none")
    from ironhive.gateway import by_priority  # the gateway is loaded when a selector is really wanted

    return by_priority
