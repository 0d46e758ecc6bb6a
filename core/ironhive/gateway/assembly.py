"""The parts of a gateway, found as the configuration says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ironhive.chat import NO_PROPERTIES
from ironhive.contracts import ProviderKind
from ironhive.errors import PluginError
from ironhive.gateway.classification import DefaultErrorClassifier
from ironhive.gateway.configured import configured_providers
from ironhive.gateway.degeneration import DegenerationOptions, DegenerationStopClient
from ironhive.gateway.options import GatewayOptions, Resilience
from ironhive.gateway.selection import by_priority
from ironhive.plugins import PluginManager

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ironhive.chat import ChatClient
    from ironhive.contracts import (
        ClientFactory,
        ErrorClassifier,
        Guard,
        HttpFailure,
        HttpFailureReader,
        ProviderRegistration,
        ProviderSelector,
        TransitionObserver,
    )
    from ironhive.settings import Settings
    from ironhive.settings.gateway import DegenerationSection, GatewaySection, UseSection


@dataclass(frozen=True, slots=True)
class StoppedFactory:
    """Makes a provider's client with the degeneration stop around it; equal when both parts are."""

    factory: ClientFactory
    options: DegenerationOptions

    def __call__(self) -> ChatClient:
        """A fresh client."""
        return DegenerationStopClient(self.factory(), self.options)


@dataclass(frozen=True, slots=True)
class GatewayParts:
    """What :class:`ironhive.gateway.Gateway` is made of."""

    providers: tuple[ProviderRegistration, ...]
    guard: Guard | None
    selector: ProviderSelector
    classifier: ErrorClassifier
    options: GatewayOptions
    failure_reader: HttpFailureReader


def gateway_parts(
    settings: Settings,
    *,
    plugins: PluginManager | None = None,
    providers: Iterable[ProviderRegistration] | None = None,
    on_transition: TransitionObserver | None = None,
) -> GatewayParts:
    """See :meth:`ironhive.gateway.Gateway.from_settings`."""
    section = settings.core.gateway
    manager = plugins or PluginManager(disabled=settings.core.extensions.disabled)
    if providers is None:
        providers = configured_providers(settings, manager).registrations
    reader = failure_reader(manager)
    guard, selector = section.guard, section.selector
    return GatewayParts(
        providers=stopped(providers, section.degeneration_stop),
        guard=None if guard is None else _find(manager, "guard", guard, {"failMode": section.fail_mode}),
        selector=by_priority if selector is None else _find(manager, "selector", selector),
        classifier=_classifier(manager, section, reader),
        options=options_from(section, on_transition),
        failure_reader=reader,
    )


def options_from(section: GatewaySection, on_transition: TransitionObserver | None = None) -> GatewayOptions:
    """The options that a ``gateway`` section sets."""
    retry, health = section.retry, section.health
    return GatewayOptions(
        enable_fallback=section.enable_fallback,
        fallback=section.fallback,
        resilience=Resilience(
            max_retries=retry.max_retries,
            base_delay_seconds=retry.base_delay_seconds,
            max_retry_after_seconds=retry.max_retry_after_seconds,
            failure_threshold=health.failure_threshold,
            cooldown_seconds=health.cooldown_seconds,
        ),
        stream_guard=section.stream_guard,
        hold_characters=section.hold_characters,
        queue_seconds=section.queue_seconds,
        fail_mode=section.fail_mode,
        on_transition=on_transition,
    )


def stopped(
    providers: Iterable[ProviderRegistration], section: DegenerationSection
) -> tuple[ProviderRegistration, ...]:
    """Registrations with the degeneration stop around their clients: local ones unless the section says otherwise."""
    options = DegenerationOptions(section.window, section.max_period, section.min_repeats)
    return tuple(
        replace(item, client_factory=StoppedFactory(item.client_factory, options))
        if (item.kind is ProviderKind.LOCAL if section.enabled is None else section.enabled)
        else item
        for item in providers
    )


def failure_reader(plugins: PluginManager) -> HttpFailureReader:
    """Asks the plugins that are loaded for the HTTP facts inside an exception."""

    def read(error: BaseException) -> HttpFailure | None:
        found: HttpFailure | None = plugins.call("ironhive_read_http_failure", error=error)
        return found

    return read


def _classifier(plugins: PluginManager, section: GatewaySection, reader: HttpFailureReader) -> ErrorClassifier:
    """The named classifiers around the standard table, the first one outermost."""
    classifier: ErrorClassifier = DefaultErrorClassifier((reader,))
    for chosen in reversed(section.classifiers):
        classifier = _find(plugins, "classifier", chosen, inner=classifier)
    return classifier


def _find(
    plugins: PluginManager,
    kind: str,
    chosen: UseSection,
    defaults: Mapping[str, Any] = NO_PROPERTIES,
    **arguments: Any,
) -> Any:
    """One component by name, made from its own settings over ``defaults``.

    :raises UnknownNameError: nothing of that name is installed.
    :raises PluginError: its plugin is broken or does not offer it.
    """
    plugins.require(kind, chosen.use)
    given = {**defaults, **(chosen.model_extra or {})}
    found = plugins.call(f"ironhive_{kind}", name=chosen.use, settings=given, **arguments)
    if found is None:
        message = f"the plugin of {kind} {chosen.use!r} is installed and does not offer it; update its distribution"
        raise PluginError(message, key=f"gateway.{kind}")
    return found
