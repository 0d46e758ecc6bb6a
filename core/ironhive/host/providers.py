"""The providers of a configuration, without anything around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.gateway.configured import configured_providers
from ironhive.plugins import PluginManager
from ironhive.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ironhive.contracts import ProviderRegistration


def providers_of(
    workdir: Path | None = None,
    *,
    provider: str | None = None,
    home: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> tuple[ProviderRegistration, ...]:
    """The usable providers in the order in which they would be asked; none is contacted.

    :param provider: only this one, by name or alias.
    :raises ConfigurationError: the configuration, or that provider, cannot be used.
    """
    settings = load_settings(workdir, home=home, environ=environ)
    plugins = PluginManager(disabled=settings.core.extensions.disabled)
    found = configured_providers(settings, plugins, provider=provider).registrations
    return tuple(sorted(found, key=lambda item: -item.priority))
