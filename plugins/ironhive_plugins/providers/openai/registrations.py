"""The functions that register a server as a provider. Nothing is contacted here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.contracts import ProviderRegistration
from ironhive.errors import ConfigurationError
from ironhive.secrets import as_secret
from ironhive_plugins.providers.openai import presets
from ironhive_plugins.providers.openai.factory import OpenAIClientFactory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ironhive.contracts import CredentialPlacement, ProviderKind
    from ironhive.http import StreamBudget
    from ironhive.secrets import Secret
    from ironhive_plugins.providers.openai.factory import WireName
    from ironhive_plugins.providers.openai.presets import Preset


def openai(
    *,
    id: str = "openai",
    api_key: Secret | str | None,
    model: str | None = None,
    priority: int | None = None,
    base_url: str | None = None,
    wire: WireName | None = None,
    **more: Any,
) -> ProviderRegistration:
    """OpenAI's own service, or a server that stands in for it.

    ``base_url`` is the complete address with its version, by default ``https://api.openai.com/v1``. ``wire`` chooses
    ``chat`` or ``responses``; by default Chat Completions, and Responses where the model is offered on no other wire.
    ``more`` are the settings of :func:`openai_compatible`.

    :raises ConfigurationError: the key is missing or a setting cannot be used.
    """
    return register(
        presets.OPENAI, id=id, priority=priority, model=model, api_key=api_key, base_url=base_url, wire=wire, **more
    )


def azure(
    *,
    id: str = "azureopenai",
    endpoint: str | None = None,
    api_key: Secret | str | None,
    model: str | None = None,
    priority: int | None = None,
    api_version: str | None = None,
    wire: WireName | None = None,
    **more: Any,
) -> ProviderRegistration:
    """Azure OpenAI. ``model`` is the name of the deployment, ``endpoint`` the address of the resource.

    With ``api_version`` the older addresses are used, which name the deployment in the path.

    :raises ConfigurationError: the key is missing or a setting cannot be used.
    """
    return register(
        presets.AZURE, id=id, priority=priority, model=model, api_key=api_key, base_url=endpoint, wire=wire,
        api_version=api_version, **more,
    )  # fmt: skip


def xai(
    *,
    id: str = "xai",
    api_key: Secret | str | None,
    model: str | None = None,
    priority: int | None = None,
    base_url: str | None = None,
    **more: Any,
) -> ProviderRegistration:
    """The Grok models of xAI.

    :raises ConfigurationError: the key is missing or a setting cannot be used.
    """
    return register(presets.XAI, id=id, priority=priority, model=model, api_key=api_key, base_url=base_url, **more)


def gpustack(
    *,
    id: str = "gpustack",
    base_url: str | None = None,
    api_key: Secret | str | None = None,
    model: str | None = None,
    priority: int | None = None,
    **more: Any,
) -> ProviderRegistration:
    """A GPUStack server; ``base_url`` is its address, by default ``http://localhost:8080``.

    :raises ConfigurationError: a setting cannot be used.
    """
    return register(presets.GPUSTACK, id=id, priority=priority, model=model, api_key=api_key, base_url=base_url, **more)


def ollama(
    *,
    id: str = "ollama",
    base_url: str | None = None,
    model: str | None = None,
    priority: int | None = None,
    **more: Any,
) -> ProviderRegistration:
    """An Ollama server, by default at ``http://localhost:11434``.

    :raises ConfigurationError: a setting cannot be used.
    """
    return register(presets.OLLAMA, id=id, priority=priority, model=model, base_url=base_url, **more)


def lmstudio(
    *,
    id: str = "lmstudio",
    base_url: str | None = None,
    model: str | None = None,
    priority: int | None = None,
    **more: Any,
) -> ProviderRegistration:
    """An LM Studio server, by default at ``http://localhost:1234``.

    :raises ConfigurationError: a setting cannot be used.
    """
    return register(presets.LMSTUDIO, id=id, priority=priority, model=model, base_url=base_url, **more)


def openai_compatible(
    *,
    id: str = "openai-compatible",
    base_url: str | None = None,
    api_key: Secret | str | None = None,
    model: str | None = None,
    priority: int | None = None,
    **more: Any,
) -> ProviderRegistration:
    """Any server with this wire: vLLM, llama.cpp, OpenRouter, and so on.

    ``base_url`` is the server's address, by default Ollama's; ``/v1`` is appended unless a version is in it. ``more``
    may be ``kind``, ``placement`` (where the key goes), ``headers`` (sent with each request), ``budget`` (limits of
    an answer), ``carry_tool_images`` (images from tools follow in a user message; else a note stands for them),
    ``think_tags`` (whether ``<think>`` at the start of a text is reasoning), ``token_limit`` (``max_tokens``,
    ``max_completion_tokens`` or ``both``), ``aliases`` and ``max_concurrency``.

    :raises ConfigurationError: a setting cannot be used.
    """
    return register(presets.CUSTOM, id=id, priority=priority, model=model, api_key=api_key, base_url=base_url, **more)


def register(
    preset: Preset,
    *,
    id: str,
    priority: int | None = None,
    model: str | None = None,
    api_key: Secret | str | None = None,
    base_url: str | None = None,
    kind: ProviderKind | None = None,
    aliases: tuple[str, ...] | None = None,
    max_concurrency: int | None = None,
    headers: Mapping[str, str] | None = None,
    placement: CredentialPlacement | None = None,
    budget: StreamBudget | None = None,
    name: str | None = None,
    carry_tool_images: bool = False,
    think_tags: bool | None = None,
    token_limit: str | None = None,
    wire: WireName | None = None,
    api_version: str | None = None,
) -> ProviderRegistration:
    """A registration of a server of this preset.

    :raises ConfigurationError: the key or the address is missing, or a setting cannot be used.
    """
    from ironhive.http import checked_address  # asyncio and more: only where a provider is really set up

    factory = OpenAIClientFactory(
        preset=preset,
        name=name or preset.name,
        base_url=checked_address(base_url, preset.base_url, provider=id),
        api_key=_key(api_key, preset, id),
        model=model,
        placement=placement,
        headers=tuple((headers or {}).items()),
        budget=budget,
        carry_tool_images=carry_tool_images,
        think_tags=think_tags,
        token_limit=token_limit,
        wire=wire,
        api_version=api_version,
    )
    factory.endpoint()  # what cannot be sent is refused now, not at the first call
    return ProviderRegistration(
        id=id,
        kind=kind or preset.kind,
        client_factory=factory,
        priority=preset.priority if priority is None else priority,
        model=model,
        aliases=preset.aliases if aliases is None else aliases,
        list_models=factory.list_models,
        max_concurrency=max_concurrency,
    )


def _key(api_key: Secret | str | None, preset: Preset, id: str) -> Secret | None:
    key = as_secret(api_key) or as_secret(preset.placeholder_key)
    if preset.key == "required" and not key:
        raise ConfigurationError(f"provider {id!r} needs an API key; set {preset.variables}_API_KEY or pass api_key")
    return key
