"""Findings about an installation and its configuration."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ironhive.contracts import Diagnosis, Level, ProviderKind
from ironhive.errors import ConfigurationError, IronHiveError
from ironhive.gateway.assembly import gateway_parts
from ironhive.gateway.configured import configured_providers
from ironhive.host.checks import unread_keys
from ironhive.plugins import PluginManager
from ironhive.settings import Settings, load_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ironhive.contracts import ProviderRegistration
    from ironhive.gateway.configured import ConfiguredProviders

PROBED_PROVIDERS: Final = 3
"""How many providers are contacted, in the order they would be asked."""
PROBE_SECONDS: Final = 10.0
LOW_DISK_BYTES: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class _Setup:
    settings: Settings
    plugins: PluginManager
    providers: ConfiguredProviders


async def diagnose(
    workdir: Path | None = None, *, home: Path | None = None, environ: Mapping[str, str] | None = None
) -> list[Diagnosis]:
    """Look at configuration, providers, their reachability and the surroundings. Nothing is changed.

    Problems are findings, not exceptions; only cancellation is raised.
    """
    found: list[Diagnosis] = []
    try:
        settings = load_settings(workdir, home=home, environ=environ)
        found += _configuration(settings)
        plugins = PluginManager(disabled=settings.core.extensions.disabled)
        providers = configured_providers(settings, plugins)
        found += [Diagnosis("Configuration", Level.WARNING, line) for line in unread_keys(settings, plugins)]
    except ConfigurationError as error:
        return [*found, Diagnosis("Configuration", Level.ERROR, str(error))]
    setup = _Setup(settings, plugins, providers)
    found += _providers(setup)
    found += await _connectivity(setup)
    found += _guard(setup)
    found += _plugins(setup)
    found += await asyncio.to_thread(_environment, settings)
    return found


def _configuration(settings: Settings) -> list[Diagnosis]:
    path = settings.home / "config.yaml"
    found = [
        Diagnosis("Configuration", Level.OK, f"own configuration: {path}")
        if path.is_file()
        else Diagnosis("Configuration", Level.NOTE, f"no own configuration at {path}; the defaults are used")
    ]
    return found + [Diagnosis("Configuration", Level.WARNING, notice) for notice in settings.notices]


def _providers(setup: _Setup) -> list[Diagnosis]:
    usable = setup.providers.registrations
    found = [
        Diagnosis("Providers", Level.OK, f"{item.id} ({item.model or 'default model'})") for item in _in_order(usable)
    ]
    found += [
        Diagnosis("Providers", Level.WARNING, f"{item.name} is not usable", item.reason)
        for item in setup.providers.incomplete
    ]
    if not usable:
        advice = "set OPENAI_API_KEY and OPENAI_MODEL, or enable local inference with lmsupply.enabled: true"
        found.append(Diagnosis("Providers", Level.ERROR, "no provider is configured", advice))
    elif all(item.kind is ProviderKind.LOCAL for item in usable):
        advice = "a remote provider would answer faster: set OPENAI_API_KEY and OPENAI_MODEL, for example"
        found.append(Diagnosis("Providers", Level.OK, "Using local inference only (lmsupply)", advice))
    return found


async def _connectivity(setup: _Setup) -> list[Diagnosis]:
    chosen = _in_order(setup.providers.registrations)[:PROBED_PROVIDERS]
    return list(await asyncio.gather(*(_reach(item) for item in chosen)))


async def _reach(provider: ProviderRegistration) -> Diagnosis:
    section = "Connectivity"
    if provider.list_models is None:
        return Diagnosis(section, Level.NOTE, f"{provider.id}: cannot list models, not contacted")
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            models = await provider.list_models()
    except TimeoutError as error:
        reason = str(error) or f"no answer within {PROBE_SECONDS:g} s"
        return Diagnosis(section, Level.ERROR, f"{provider.id}: unreachable", reason)
    except Exception as error:  # noqa: BLE001 - a plugin's function: whatever it raises is a finding
        reason = str(error) if isinstance(error, IronHiveError) else f"{provider.id}: {type(error).__name__}: {error}"
        return Diagnosis(section, Level.ERROR, f"{provider.id}: unreachable", reason)
    if not models:
        return Diagnosis(section, Level.WARNING, f"{provider.id}: reachable, and lists no models")
    return Diagnosis(section, Level.OK, f"{provider.id}: reachable ({len(models)} models)")


def _guard(setup: _Setup) -> list[Diagnosis]:
    try:
        gateway_parts(setup.settings, plugins=setup.plugins, providers=setup.providers.registrations)
    except IronHiveError as error:
        return [Diagnosis("Gateway", Level.ERROR, str(error))]
    if setup.settings.core.gateway.guard is None:
        text = "no guard is set: prompts and answers are not inspected"
        return [Diagnosis("Gateway", Level.NOTE, text, "set gateway.guard: fluxguard to have them inspected")]
    return [Diagnosis("Gateway", Level.OK, f"guard: {setup.settings.core.gateway.guard_name}")]


def _plugins(setup: _Setup) -> list[Diagnosis]:
    setup.plugins.load("tool")
    found = [Diagnosis("Plugins", Level.WARNING, str(item)) for item in setup.plugins.quarantined]
    for (kind, name), owners in setup.plugins.index.clashes.items():
        text = f"the {kind} name {name!r} is claimed by {' and '.join(item.distribution for item in owners)}"
        found.append(Diagnosis("Plugins", Level.WARNING, text, "uninstall one of them"))
    try:
        found += setup.plugins.collect("ironhive_diagnose", Diagnosis, settings=setup.settings)
    except IronHiveError as error:
        found.append(Diagnosis("Plugins", Level.WARNING, str(error)))
    return found


def _environment(settings: Settings) -> list[Diagnosis]:
    found: list[Diagnosis] = []
    git = shutil.which("git")
    if git is None:
        found.append(Diagnosis("Environment", Level.WARNING, "git was not found", "install git to use Git features"))
    else:
        found.append(_git(git))
    folder = next(path for path in (settings.home, *settings.home.parents) if path.is_dir())
    free = shutil.disk_usage(folder).free
    if free < LOW_DISK_BYTES:
        text = f"{free / (1 << 20):.0f} MB are free on the disk of {folder}"
        found.append(Diagnosis("Environment", Level.WARNING, text, "a model and its cache need about 1 GB"))
    return found


def _git(command: str) -> Diagnosis:
    try:
        asked = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
        return Diagnosis("Environment", Level.WARNING, f"git does not run: {error}", "install git to use Git features")
    return Diagnosis("Environment", Level.OK, asked.stdout.strip() or "git is there")


def _in_order(providers: Sequence[ProviderRegistration]) -> list[ProviderRegistration]:
    return sorted(providers, key=lambda item: -item.priority)
