"""The providers that a configuration describes.

A provider is in use when its section stands in the configuration (or it is the local default) and its plugin finds what
it needs there. Third-party providers without a section of their own are listed under ``gateway.providers``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ironhive.contracts import NotConfigured, ProviderRegistration
from ironhive.errors import ConfigurationError, PluginError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ironhive.plugins import PluginManager
    from ironhive.settings import Settings

KIND: Final = "provider"
DEFAULT_PROVIDERS: Final = ("lmsupply",)
"""Providers that are in use without a section: local inference needs no key."""


@dataclass(frozen=True, slots=True)
class ConfiguredProviders:
    """What can answer, and what is set up incompletely."""

    registrations: tuple[ProviderRegistration, ...]
    incomplete: tuple[NotConfigured, ...] = ()


@dataclass(frozen=True, slots=True)
class _Entry:
    """One provider to set up: the plugin's name, the id it gets, its settings, and a priority if one was written."""

    use: str
    id: str
    settings: Mapping[str, Any]
    path: str
    priority: int | None = None
    model: str | None = None


def configured_providers(
    settings: Settings, plugins: PluginManager, *, provider: str | None = None, model: str | None = None
) -> ConfiguredProviders:
    """Set up the providers of a configuration.

    :param provider: bind to this one, by id, section name or alias; fallback has then nowhere to go.
    :param model: override the model; ``provider/model`` binds to a provider as well, where there is one of that name.
    :raises UnknownNameError: no provider has that name.
    :raises ConfigurationError: the named provider lacks something; the message says what to set.
    """
    if provider is None and model is not None and "/" in model:
        head, _, rest = model.partition("/")
        if _find_name(head, settings, plugins) is not None:
            provider, model = head, rest
    if provider is not None:
        return ConfiguredProviders((_bound(provider, model, settings, plugins),))
    entries = list(_entries(settings, plugins))
    _refuse_twins(entries)
    found = [_set_up(entry, settings, plugins, model) for entry in entries]
    usable = tuple(item for item in found if isinstance(item, ProviderRegistration))
    if model is not None and usable:
        # a model's name means something to one provider only: the first choice keeps it, alone
        first = max(usable, key=lambda item: item.priority)
        usable = (first,)
    return ConfiguredProviders(usable, tuple(item for item in found if isinstance(item, NotConfigured)))


def _refuse_twins(entries: Sequence[_Entry]) -> None:
    """Two providers of one id: the second would replace the first without a word."""
    seen: dict[str, str] = {}
    for entry in entries:
        if entry.id in seen:
            message = (
                f"{seen[entry.id]} and {entry.path} both set up a provider with the id {entry.id!r}; "
                "give one of them another id"
            )
            raise ConfigurationError(message, key=entry.path)
        seen[entry.id] = entry.path


def _bound(name: str, model: str | None, settings: Settings, plugins: PluginManager) -> ProviderRegistration:
    entry = _find_name(name, settings, plugins)
    if entry is None:
        known = sorted({*plugins.index.names(KIND), *(item.id for item in _entries(settings, plugins))}, key=str.lower)
        message = f"no provider named {name!r}; known providers: {', '.join(known)}"
        raise UnknownNameError(message)
    found = _set_up(entry, settings, plugins, model)
    if isinstance(found, NotConfigured):
        message = f"provider {found.name!r} is not configured: {found.reason}"
        raise ConfigurationError(message)
    return found


def _find_name(name: str, settings: Settings, plugins: PluginManager) -> _Entry | None:
    """The entry that a person means by a name: an id or section in any case, else an alias."""
    wanted = name.casefold()
    entries = {entry.id.casefold(): entry for entry in _entries(settings, plugins)}
    if wanted in entries:
        return entries[wanted]
    for known in plugins.index.names(KIND):
        if known.casefold() == wanted:
            return _section_entry(known, settings)
    for known in plugins.load(KIND):  # aliases are known to the plugins only: the slow way, for a name not found
        found = _set_up(_section_entry(known, settings), settings, plugins, None)
        if wanted in (alias.casefold() for alias in found.aliases):
            return _section_entry(known, settings)
    return None


def _entries(settings: Settings, plugins: PluginManager) -> Iterator[_Entry]:
    for name in plugins.index.names(KIND):
        default = name in DEFAULT_PROVIDERS and name not in plugins.disabled
        if (name in settings.tree or default) and not _switched_off(name, settings, plugins):
            yield _section_entry(name, settings)
    for index, item in enumerate(settings.core.gateway.providers):
        extra = item.model_extra or {}
        yield _Entry(
            use=item.use,
            id=item.id or item.use,
            settings=extra,
            path=f"gateway.providers[{index}]",
            priority=item.priority,
            model=item.model,
        )


def _switched_off(name: str, settings: Settings, plugins: PluginManager) -> bool:
    """Whether a section says so itself. Whoever asks for the provider by name still gets it."""
    section = settings.section(name)
    if "enabled" not in section or not plugins.load(KIND, [name]):
        return False
    values = validated(name, section, settings, plugins, name)
    enabled = values.get("enabled") if isinstance(values, dict) else getattr(values, "enabled", True)
    return enabled is False


def _section_entry(name: str, settings: Settings) -> _Entry:
    return _Entry(use=name, id=name, settings=settings.section(name), path=name)


def _set_up(
    entry: _Entry, settings: Settings, plugins: PluginManager, model: str | None
) -> ProviderRegistration | NotConfigured:
    if entry.use in DEFAULT_PROVIDERS and not entry.settings and not plugins.load(KIND, [entry.use]):
        return NotConfigured(entry.id, "its plugin cannot be loaded; see: ironhive plugins show " + entry.use)
    plugins.require(KIND, entry.use)
    values = validated(entry.use, entry.settings, settings, plugins, entry.path)
    found = plugins.call(
        "ironhive_provider",
        name=entry.use,
        settings=values,
        id=entry.id,
        priority=entry.priority,
        model=model or entry.model,
    )
    if found is None:
        message = f"the plugin of provider {entry.use!r} is installed and does not offer it; update its distribution"
        raise PluginError(message, key=entry.path)
    if isinstance(found, NotConfigured):
        return replace(found, name=entry.id)
    if not isinstance(found, ProviderRegistration):
        kind = type(found).__name__
        message = (
            f"the plugin of provider {entry.use!r} answered with {kind} instead of a registration; report it there"
        )
        raise PluginError(message, key=entry.path)
    return found


def validated(section: str, value: Mapping[str, Any], settings: Settings, plugins: PluginManager, path: str) -> Any:
    """A section as an instance of its plugin's model, or as it is where there is no model.

    :raises ConfigurationError: a value does not fit; the message names its key.
    """
    model = plugins.call("ironhive_settings_model", section=section)
    if model is None:
        return value
    from pydantic import BaseModel, ValidationError  # loaded by the model already

    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        message = f"the plugin of section {section!r} gave {model!r} as its settings model, which is no pydantic model"
        raise PluginError(message, key=path)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise settings.invalid(error, path) from None
