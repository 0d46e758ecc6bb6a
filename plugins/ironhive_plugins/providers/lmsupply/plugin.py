"""The description of the provider: cheap to import, models and engines come with the first request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.contracts import Diagnosis, ProviderRegistration

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


@hookimpl
def ironhive_diagnose(settings: Any) -> Sequence[Diagnosis]:
    """Engines and models, unless the section is switched off."""
    section = settings.section(NAME)
    if section.get("enabled") is False:
        return ()
    from ironhive_plugins.providers.lmsupply.config import LocalConfig
    from ironhive_plugins.providers.lmsupply.diagnosis import findings

    return findings(LocalConfig.of(section))
