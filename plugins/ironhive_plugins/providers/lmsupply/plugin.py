"""The description of the provider: cheap to import, models and engines come with the first request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.hooks import hookimpl

if TYPE_CHECKING:
    from ironhive.contracts import ProviderRegistration

NAME = "lmsupply"


@hookimpl
def ironhive_settings_model(section: str) -> type | None:
    """The model of the section ``lmsupply``."""
    if section != NAME:
        return None
    from ironhive_plugins.providers.lmsupply.settings import LMSupplySection

    return LMSupplySection


@hookimpl
def ironhive_provider(
    name: str,
    settings: Any,
    id: str,  # the hook's argument
    priority: int | None,
    model: str | None,
) -> ProviderRegistration | None:
    """Local models, for the section ``lmsupply``."""
    if name != NAME:
        return None
    from ironhive_plugins.providers.lmsupply.config import LocalConfig
    from ironhive_plugins.providers.lmsupply.registration import lazy_registration

    return lazy_registration(LocalConfig.of(settings, model), id=id, priority=priority)
