"""Servers of the OpenAI wires as providers: addresses, keys, order, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from tests.wire.clients import request_of, sent

from ironhive.chat import ChatMessage, ChatOptions
from ironhive.contracts import CredentialPlacement, Endpoint, NotConfigured, ProviderKind, ProviderRegistration
from ironhive.errors import ConfigurationError
from ironhive.http import StreamBudget
from ironhive_plugins.providers.openai import (
    azure,
    gpustack,
    ironhive_byo_presets,
    ironhive_provider,
    ironhive_settings_model,
    lmstudio,
    ollama,
    openai,
    openai_compatible,
    xai,
)

HELLO = [ChatMessage.user("hello")]
KEY = "sk-0123456789"


@pytest.mark.parametrize(
    ("registration", "address"),
    [
        (openai(api_key=KEY, model="m"), "https://api.openai.com/v1/chat/completions"),
        (openai(api_key=KEY, model="m", base_url="http://h:8000/v1/"), "http://h:8000/v1/chat/completions"),
        (openai(api_key=KEY, model="m", base_url="http://h/gateway"), "http://h/gateway/chat/completions"),
        (xai(api_key=KEY, model="m"), "https://api.x.ai/v1/chat/completions"),
        (xai(api_key=KEY, model="m", base_url="http://h"), "http://h/v1/chat/completions"),
        (ollama(model="m"), "http://localhost:11434/v1/chat/completions"),
        (ollama(model="m", base_url="http://h:11434/v1"), "http://h:11434/v1/chat/completions"),
        (lmstudio(model="m"), "http://localhost:1234/v1/chat/completions"),
        (lmstudio(model="m", base_url="http://h:1234/v1/"), "http://h:1234/v1/chat/completions"),
        (gpustack(model="m"), "http://localhost:8080/v1-openai/chat/completions"),
        (gpustack(model="m", base_url="http://h/v1"), "http://h/v1-openai/chat/completions"),
        (gpustack(model="m", base_url="http://h/v1-openai/"), "http://h/v1-openai/chat/completions"),
        (openai_compatible(model="m"), "http://localhost:11434/v1/chat/completions"),
        (openai_compatible(model="m", base_url="http://h/V1"), "http://h/V1/chat/completions"),
        (openai_compatible(model="m", base_url="https://h/api/v1"), "https://h/api/v1/chat/completions"),
        (openai_compatible(model="m", base_url="https://h/api/paas/v4"), "https://h/api/paas/v4/chat/completions"),
        (openai_compatible(model="m", base_url="https://h/v1beta/openai"), "https://h/v1beta/openai/chat/completions"),
        (
            azure(endpoint="https://r.azure.com/", api_key=KEY, model="d"),
            "https://r.azure.com/openai/v1/chat/completions",
        ),
        (
            azure(endpoint="https://r.azure.com", api_key=KEY, model="d", api_version="2024-10-21"),
            "https://r.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
        ),
        (
            azure(endpoint="https://r.azure.com", api_key=KEY, model="d", api_version="2025-03-01", wire="responses"),
            "https://r.azure.com/openai/responses?api-version=2025-03-01",
        ),
    ],
)
async def test_each_server_is_asked_at_its_address(registration: ProviderRegistration, address: str) -> None:
    request, _ = await request_of(registration, HELLO)
    assert str(request.url) == address


@pytest.mark.parametrize(
    ("registration", "header", "value"),
    [
        (openai(api_key=KEY, model="m"), "authorization", f"Bearer {KEY}"),
        (azure(endpoint="https://r", api_key=KEY, model="m"), "api-key", KEY),
        (lmstudio(model="m"), "authorization", "Bearer lm-studio"),
        (ollama(model="m"), "authorization", None),
        (gpustack(model="m"), "authorization", None),
        (
            openai_compatible(model="m", api_key=KEY, placement=CredentialPlacement.authorization("Basic")),
            "authorization",
            f"Basic {KEY}",
        ),
        (
            openai_compatible(model="m", api_key=KEY, placement=CredentialPlacement.in_header("X-Key")),
            "x-key",
            KEY,
        ),
        (
            openai_compatible(model="m", api_key=KEY, placement=CredentialPlacement.in_header("X-Key")),
            "authorization",
            None,
        ),
        (openai_compatible(model="m", headers={"X-Gateway-Token": "t"}), "x-gateway-token", "t"),
    ],
)
async def test_the_key_and_extra_headers_are_sent(
    registration: ProviderRegistration, header: str, value: str | None
) -> None:
    request, _ = await request_of(registration, HELLO)
    assert request.headers.get(header) == value


@pytest.mark.parametrize(
    ("registration", "kind", "priority", "aliases"),
    [
        (gpustack(), ProviderKind.LAN, 90, ("gpustack",)),
        (openai(api_key=KEY), ProviderKind.FRONTIER, 80, ()),
        (azure(endpoint="https://r", api_key=KEY), ProviderKind.FRONTIER, 75, ("azure",)),
        (xai(api_key=KEY), ProviderKind.FRONTIER, 50, ("grok",)),
        (ollama(), ProviderKind.LAN, 40, ()),
        (lmstudio(), ProviderKind.LAN, 30, ()),
        (openai_compatible(), ProviderKind.LAN, 20, ()),
    ],
)
def test_kind_order_and_aliases(
    registration: ProviderRegistration, kind: ProviderKind, priority: int, aliases: tuple[str, ...]
) -> None:
    assert (registration.kind, registration.priority, registration.aliases) == (kind, priority, aliases)


def test_equal_settings_are_equal_factories() -> None:
    budget = StreamBudget(idle_seconds=3)
    first = openai(api_key=KEY, model="m", headers={"a": "b"}, budget=budget)
    assert first.client_factory == openai(api_key=KEY, model="m", headers={"a": "b"}, budget=budget).client_factory
    assert first.client_factory != openai(api_key="sk-other", model="m", headers={"a": "b"}).client_factory
    assert hash(first.client_factory) == hash(first.client_factory)


def test_keys_and_header_values_are_not_printed() -> None:
    registration = openai(api_key=KEY, model="m", headers={"X-Token": "secret-token"})
    client = registration.client_factory()
    for shown in (registration, registration.client_factory, client, client.metadata):
        assert KEY not in repr(shown)
        assert "secret-token" not in repr(shown)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: openai(api_key=" ", model="m"), "needs an API key; set OPENAI_API_KEY"),
        (lambda: xai(api_key=None, model="m"), "XAI_API_KEY"),
        (lambda: openai_compatible(base_url="localhost:8080"), "must begin with http"),
        (lambda: openai(api_key="sk\n1", model="m"), "control character"),
        (lambda: openai(api_key=KEY, headers={"authorization": "x"}), "carries the API key"),
        (
            lambda: openai_compatible(
                api_key=KEY, headers={"x-key": "1"}, placement=CredentialPlacement.in_header("X-Key")
            ),
            "carries the API key",
        ),
    ],
)
def test_what_cannot_work_is_refused_at_once(make: Any, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        make()


async def test_a_call_without_a_model_says_where_to_set_one() -> None:
    with pytest.raises(ConfigurationError, match=r"set ollama\.model"):
        await sent(ollama(), HELLO)
    assert (await sent(ollama(), HELLO, ChatOptions(model="other")))["model"] == "other"


def configured(name: str, **settings: Any) -> ProviderRegistration | NotConfigured | None:
    model = ironhive_settings_model(section=name)
    assert model is not None
    section = model.model_validate(settings)  # type: ignore[attr-defined]
    return ironhive_provider(name=name, settings=section, id=name, priority=None, model=None)


@pytest.mark.parametrize(
    ("name", "settings", "missing"),
    [
        ("openai", {}, "set OPENAI_API_KEY and OPENAI_MODEL (or openai.apiKey and openai.model)"),
        ("openai", {"apiKey": "k"}, "set OPENAI_MODEL (or openai.model)"),
        ("azureopenai", {"apiKey": "k", "model": "m"}, "set AZURE_OPENAI_ENDPOINT (or azureopenai.endpoint)"),
        ("gpuStack", {"endpoint": "http://h", "model": "m"}, "set GPUSTACK_API_KEY (or gpuStack.apiKey)"),
        ("xai", {"apiKey": "k"}, "set XAI_MODEL (or xai.model)"),
        ("ollama", {"model": "m"}, "set ollama.enabled to true (or OLLAMA_ENABLED=true)"),
        ("lmstudio", {}, "set lmstudio.enabled to true (or LMSTUDIO_ENABLED=true)"),
        ("custom", {"model": "m"}, "set custom.endpoint"),
    ],
)
def test_a_section_that_lacks_something_says_what_to_set(name: str, settings: dict[str, Any], missing: str) -> None:
    answer = configured(name, **settings)
    assert isinstance(answer, NotConfigured)
    assert answer.reason == missing


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("openai", {"apiKey": "k", "model": "m"}),
        ("azureopenai", {"endpoint": "https://r", "apiKey": "k", "model": "m"}),
        ("gpuStack", {"endpoint": "http://h", "apiKey": "k", "model": "m"}),
        ("xai", {"apiKey": "k", "model": "m"}),
        ("ollama", {"enabled": True}),
        ("lmstudio", {"enabled": True}),
        ("custom", {"endpoint": "http://h", "model": "m"}),
    ],
)
def test_a_complete_section_is_a_provider(name: str, settings: dict[str, Any]) -> None:
    answer = configured(name, **settings, streamIdleTimeoutSeconds=5, carryToolImages=True, maxConcurrency=2)
    assert isinstance(answer, ProviderRegistration)
    assert answer.id == name
    assert answer.max_concurrency == 2
    factory: Any = answer.client_factory
    assert factory.budget.idle_seconds == 5
    assert factory.carry_tool_images


def test_a_plain_mapping_and_a_model_of_the_command_line_will_do() -> None:
    answer = ironhive_provider(name="openai", settings={"apiKey": "k", "model": "m"}, id="o", priority=3, model="other")
    assert isinstance(answer, ProviderRegistration)
    assert (answer.model, answer.priority) == ("other", 3)
    assert ironhive_provider(name="strange", settings={}, id="s", priority=None, model=None) is None
    assert ironhive_settings_model(section="strange") is None


@pytest.mark.parametrize("seconds", [0, -1])
@pytest.mark.parametrize("settings", [{}, {"apiKey": "k", "model": "m"}])
def test_an_idle_limit_of_zero_is_refused_by_its_name(seconds: int, settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=r"openai\.streamIdleTimeoutSeconds"):
        configured("openai", **settings, streamIdleTimeoutSeconds=seconds)


@pytest.mark.parametrize(
    ("model", "responses"),
    [
        ("gpt-4o", False),
        ("gpt-5.2", False),
        ("o3-pro", True),
        ("gpt-5-codex", True),
        ("gpt-6-astra", False),
        ("gpt-6-cyber", True),
        ("gpt-5.5-pro", True),
        ("gpt-5.2-pro", True),
    ],
)
async def test_responses_is_spoken_where_the_model_needs_it(model: str, *, responses: bool) -> None:
    path = "/v1/responses" if responses else "/v1/chat/completions"
    request, _ = await request_of(openai(api_key=KEY, model="m"), HELLO, ChatOptions(model=model))
    assert request.url.path == path
    request, _ = await request_of(azure(endpoint="https://r", api_key=KEY, model=model), HELLO)
    assert request.url.path == "/openai" + path
    # a server that stands in for OpenAI's is not known to have it
    request, _ = await request_of(openai(api_key=KEY, model=model, base_url="http://h/v1"), HELLO)
    assert request.url.path == "/v1/chat/completions"


async def test_the_setting_decides_over_the_model() -> None:
    request, _ = await request_of(openai(api_key=KEY, model="gpt-4o", wire="responses"), HELLO)
    assert request.url.path == "/v1/responses"
    request, _ = await request_of(openai(api_key=KEY, model="o3-pro", wire="chat"), HELLO)
    assert request.url.path == "/v1/chat/completions"


def test_the_presets_stand_in_their_places() -> None:
    presets = {preset.id: preset for preset in ironhive_byo_presets()}
    assert {name: preset.position for name, preset in presets.items()} == {
        "openai": 1, "grok": 4, "ollama": 5, "gpustack": 6, "custom": 7,
    }  # fmt: skip
    assert presets["grok"].kind is ProviderKind.FRONTIER
    assert presets["custom"].default_base_url is None
    assert presets["ollama"].default_base_url == "http://localhost:11434"


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        (Endpoint("openai"), "needs an API key"),
        (Endpoint("custom"), "needs a base URL"),
        (Endpoint("custom", base_url="ftp://h"), "must begin with http"),
        (Endpoint("custom", base_url="h:80"), "must begin with http"),
        (Endpoint("grok", api_key="k", headers={"Authorization": "x"}), "carries the API key"),
        (Endpoint("grok", api_key="k", placement=CredentialPlacement.in_header("a b")), "not a valid header name"),
        (Endpoint("ollama", headers={"": "x"}), "empty name"),
    ],
)
def test_an_endpoint_that_cannot_work_is_refused_with_a_reason(endpoint: Endpoint, words: str) -> None:
    preset = next(preset for preset in ironhive_byo_presets() if preset.id == endpoint.preset)
    assert words in (preset.check(endpoint) or "")


async def test_an_endpoint_becomes_a_provider_under_its_presets_name() -> None:
    preset = next(preset for preset in ironhive_byo_presets() if preset.id == "grok")
    endpoint = Endpoint("grok", api_key=KEY, headers={"X-Gateway-Token": "t"})
    assert preset.check(endpoint) is None
    registration = preset.register(endpoint, id="mine", priority=30, model="grok-4")
    assert (registration.id, registration.priority, registration.kind) == ("mine", 30, ProviderKind.FRONTIER)
    assert registration.client_factory().metadata.provider == "grok"
    request, _ = await request_of(registration, HELLO)
    assert (str(request.url), request.headers["x-gateway-token"]) == ("https://api.x.ai/v1/chat/completions", "t")


@pytest.mark.parametrize(
    ("settings", "header", "value"),
    [
        ({}, "authorization", "Bearer k1"),
        ({"apiKeyHeader": "X-Key"}, "x-key", "k1"),
        ({"apiKeyScheme": "Basic"}, "authorization", "Basic k1"),
        ({"apiKeyScheme": ""}, "authorization", "k1"),
        ({"apiKeyHeader": "X-Key", "apiKeyScheme": "Token"}, "x-key", "Token k1"),
    ],
)
async def test_a_section_can_place_its_key(settings: dict[str, str], header: str, value: str) -> None:
    answer = configured("custom", endpoint="http://h", model="m", apiKey="k1", **settings)
    assert isinstance(answer, ProviderRegistration)
    request, _ = await request_of(answer, HELLO)
    assert request.headers[header] == value
