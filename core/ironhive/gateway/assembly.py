"""A gateway put together from the configuration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ironhive.contracts import ProviderKind
from ironhive.errors import PluginError
from ironhive.gateway.classification import DefaultErrorClassifier
from ironhive.gateway.configured import configured_providers
from ironhive.gateway.degeneration import DegenerationOptions, DegenerationStopClient
from ironhive.gateway.gateway import Gateway
from ironhive.gateway.options import GatewayOptions, Resilience
from ironhive.gateway.selection import by_priority
from ironhive.plugins import PluginManager

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ironhive.chat import ChatClient
    from ironhive.contracts import (
        ClientFactory,
        ErrorClassifier,
        HttpFailure,
        HttpFailureReader,
        ProviderRegistration,
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


def assemble(
    settings: Settings,
    *,
    plugins: PluginManager | None = None,
    providers: Iterable[ProviderRegistration] | None = None,
    on_transition: TransitionObserver | None = None,
) -> Gateway:
    """See :meth:`ironhive.gateway.Gateway.from_settings`."""
    section = settings.core.gateway
    manager = plugins or PluginManager(disabled=settings.core.extensions.disabled)
    if providers is None:
        providers = configured_providers(settings, manager).registrations
    parts = _Parts(manager, section)
    reader = failure_reader(manager)
    return Gateway(
        stopped(providers, section.degeneration_stop),
        guard=None if section.guard is None else parts.find("guard", section.guard, failMode=section.fail_mode),
        selector=by_priority if section.selector is None else parts.find("selector", section.selector),
        classifier=parts.classifier(reader),
        options=options_from(section, on_transition),
        failure_readers=(reader,),
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


def stopped(providers: Iterable[ProviderRegistration], section: DegenerationSection) -> list[ProviderRegistration]:
    """Registrations with the degeneration stop around their clients: local ones unless the section says otherwise."""
    options = DegenerationOptions(section.window, section.max_period, section.min_repeats)
    return [
        replace(item, client_factory=StoppedFactory(item.client_factory, options))
        if (item.kind is ProviderKind.LOCAL if section.enabled is None else section.enabled)
        else item
        for item in providers
    ]


def failure_reader(plugins: PluginManager) -> HttpFailureReader:
    """Asks the plugins that are loaded for the HTTP facts inside an exception."""

    def read(error: BaseException) -> HttpFailure | None:
        found: HttpFailure | None = plugins.call("ironhive_read_http_failure", error=error)
        return found

    return read


@dataclass(frozen=True, slots=True)
class _Parts:
    """Finds the components that a section names."""

    plugins: PluginManager
    section: GatewaySection

    def classifier(self, reader: HttpFailureReader) -> ErrorClassifier:
        """The named classifiers around the standard table, the first one outermost."""
        classifier: ErrorClassifier = DefaultErrorClassifier((reader,))
        for chosen in reversed(self.section.classifiers):
            classifier = self.find("classifier", chosen, hook_arguments={"inner": classifier})
        return classifier

    def find(
        self, kind: str, chosen: UseSection, *, hook_arguments: dict[str, Any] | None = None, **defaults: Any
    ) -> Any:
        """One component by name.

        :raises UnknownNameError: nothing of that name is installed.
        :raises PluginError: its plugin is broken or does not offer it.
        """
        self.plugins.require(kind, chosen.use)
        given = {**defaults, **(chosen.model_extra or {})}
        found = self.plugins.call(f"ironhive_{kind}", name=chosen.use, settings=given, **(hook_arguments or {}))
        if found is None:
            message = f"the plugin of {kind} {chosen.use!r} is installed and does not offer it; update its distribution"
            raise PluginError(message, key=f"gateway.{kind}")
        return found
