"""The host: settings, plugins, gateway, tools and loop put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

from ironhive.agent import AgentLoop, ToolCallingClient
from ironhive.chat import ChatOptions, ReasoningOptions, Tool
from ironhive.contracts import NotConfigured, ProviderKind
from ironhive.errors import ConfigurationError, NoProviderError
from ironhive.gateway import Gateway
from ironhive.gateway.configured import configured_providers
from ironhive.host.checks import unread_keys
from ironhive.host.services import HostServices
from ironhive.plugins import PluginManager
from ironhive.settings import Settings, load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from ironhive.chat import ChatClient
    from ironhive.contracts import ProviderRegistration, TransitionObserver

DEFAULT_MAX_OUTPUT_TOKENS: Final = 4096
"""New tokens per model call where ``chatBehavior.maxOutputTokens`` is unset and a remote provider answers first."""

INSTRUCTIONS: Final = (
    "You carry out one command for the user and report the result. Use the tools when the answer depends on files or "
    "facts you do not have; do not use them otherwise. Trust a tool's success message, do not read the same thing "
    "twice, and say what went wrong when a tool fails. Be brief."
)
"""The system text of hosts that are given none."""


class Host:
    """An agent that is ready to work.

    :param client: answers the conversation; used as it is, so wrap it in
        :class:`~ironhive.agent.ToolCallingClient` to have tools run.
    :param tools: offered to the model in every turn.
    :param instructions: the system text.
    :param options: further options of every model call.
    """

    def __init__(
        self,
        client: ChatClient,
        *,
        tools: Sequence[Tool] = (),
        instructions: str | None = INSTRUCTIONS,
        options: ChatOptions | None = None,
    ) -> None:
        self.client = client
        self.tools = tuple(tools)
        self.instructions = instructions
        self.options = options or ChatOptions()
        self.settings = Settings()
        self.providers: tuple[ProviderRegistration, ...] = ()
        self.incomplete: tuple[NotConfigured, ...] = ()
        self.notices: tuple[str, ...] = ()

    @classmethod
    def from_config(
        cls,
        workdir: Path | None = None,
        *,
        provider: str | None = None,
        model: str | None = None,
        home: Path | None = None,
        environ: Mapping[str, str] | None = None,
        flags: Mapping[str, Any] | None = None,
        plugins: PluginManager | None = None,
        tools: Sequence[Tool] = (),
        on_transition: TransitionObserver | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> Host:
        """The host that the configuration of a folder describes.

        :param provider: bind to one provider, by name or alias.
        :param model: override the provider's model.
        :param tools: offered to the model besides those of the plugins.
        :param on_transition: told when the gateway retries or leaves a provider.
        :param progress: told what is going on while somebody waits.
        :raises ConfigurationError: something in the configuration, or a name given here, cannot be used.
        :raises NoProviderError: nothing is configured that could answer.
        """
        settings = load_settings(workdir, home=home, environ=environ, flags=flags)
        manager = plugins or PluginManager(disabled=settings.core.extensions.disabled)
        configured = configured_providers(settings, manager, provider=provider, model=model)
        if not configured.registrations:
            raise NoProviderError(_nothing_configured(configured.incomplete))
        gateway = Gateway.from_settings(
            settings, plugins=manager, providers=configured.registrations, on_transition=on_transition
        )
        services = HostServices(
            settings.workdir,
            lambda name, other: _unguarded(settings, manager, name or provider, other or model),
            *([progress] if progress is not None else []),
        )
        behavior = settings.core.chat_behavior
        client = ToolCallingClient(
            gateway,
            max_iterations=behavior.maximum_iterations_per_request,
            max_consecutive_errors=behavior.maximum_consecutive_errors_per_request,
            tool_seconds=behavior.tool_call_timeout_seconds,
        )
        host = cls(
            client,
            tools=_tools(manager, services, tools),
            instructions=_instructions(manager, services),
            options=_options(settings, configured.registrations),
        )
        host.settings = settings
        host.providers = configured.registrations
        host.incomplete = configured.incomplete
        host.notices = (*settings.notices, *unread_keys(settings, manager))
        return host

    def new_loop(self) -> AgentLoop:
        """A conversation of its own with this host's client, tools and instructions."""
        return AgentLoop(self.client, tools=self.tools, instructions=self.instructions, options=self.options)

    async def aclose(self) -> None:
        """Release connections and models."""
        await self.client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _unguarded(settings: Settings, plugins: PluginManager, provider: str | None, model: str | None) -> ChatClient:
    found = configured_providers(settings, plugins, provider=provider, model=model).registrations
    return Gateway(providers=found)


def _tools(plugins: PluginManager, services: HostServices, own: Sequence[Tool]) -> tuple[Tool, ...]:
    plugins.load("tool")
    tools: dict[str, Tool] = {}
    for item in (*plugins.collect("ironhive_tools", Tool, services=services), *own):
        if item.name in tools:
            message = (
                f"two tools are named {item.name!r}; give one of them another name, or disable its plugin in "
                "extensions.disabled"
            )
            raise ConfigurationError(message)
        tools[item.name] = item
    return tuple(tools.values())


def _instructions(plugins: PluginManager, services: HostServices) -> str:
    extra = [text for text in plugins.call("ironhive_instructions", services=services) if str(text).strip()]
    return "\n\n".join([INSTRUCTIONS, *map(str, reversed(extra))])


def _options(settings: Settings, providers: Sequence[ProviderRegistration]) -> ChatOptions:
    behavior = settings.core.chat_behavior
    limit = behavior.max_output_tokens
    first = max(providers, key=lambda item: item.priority)
    if limit is None and first.kind is not ProviderKind.LOCAL:
        limit = DEFAULT_MAX_OUTPUT_TOKENS
    effort = behavior.reasoning_effort
    return ChatOptions(max_output_tokens=limit, reasoning=None if effort is None else ReasoningOptions(effort=effort))


def _nothing_configured(incomplete: Sequence[NotConfigured]) -> str:
    if not incomplete:
        return (
            "no provider is configured; set OPENAI_API_KEY and OPENAI_MODEL (or another provider's), or leave "
            "lmsupply.enabled on to use a local model"
        )
    lacks = "; ".join(f"{item.name}: {item.reason}" for item in incomplete)
    return f"no provider is completely configured ({lacks})"
