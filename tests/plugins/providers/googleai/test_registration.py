"""Google AI as a provider: address, key, order, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.wire.clients import request_of, sent
from tests.wire.replay import PieceTransport

from ironhive.chat import ChatMessage
from ironhive.contracts import CredentialPlacement, Endpoint, NotConfigured, ProviderKind, ProviderRegistration
from ironhive.errors import BadAnswerError, ConfigurationError
from ironhive_plugins.providers.googleai import (
    googleai,
    ironhive_byo_presets,
    ironhive_provider,
    ironhive_settings_model,
)

HELLO = [ChatMessage.user("hello")]
KEY = "AIza0123456789"


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        (None, "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent"),
        ("http://h:8080/", "http://h:8080/v1beta/models/m:generateContent"),
        ("http://h/v1beta/", "http://h/v1beta/models/m:generateContent"),
        ("http://h/v1", "http://h/v1/models/m:generateContent"),
    ],
)
async def test_it_is_asked_at_its_address_with_its_key(base_url: str | None, address: str) -> None:
    registration = googleai(api_key=KEY, model="models/m", base_url=base_url, headers={"x-extra": "1"})
    request, _ = await request_of(registration, HELLO)
    assert str(request.url) == address
    assert (request.headers["x-goog-api-key"], request.headers["x-extra"]) == (KEY, "1")
    assert KEY not in str(request.url)


async def test_streams_are_asked_for_as_events() -> None:
    request, _ = await request_of(googleai(api_key=KEY, model="m"), HELLO, stream=True)
    assert request.url.path.endswith("m:streamGenerateContent")
    assert request.url.query == b"alt=sse"


def test_kind_order_and_aliases() -> None:
    registration = googleai(api_key=KEY)
    assert (registration.kind, registration.priority) == (ProviderKind.FRONTIER, 60)
    assert registration.aliases == ("google", "gemini")
    assert registration.client_factory == googleai(api_key=KEY).client_factory
    assert KEY not in repr(registration)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"api_key": ""}, "set GOOGLEAI_API_KEY"),
        ({"api_key": KEY, "headers": {"X-Goog-Api-Key": "x"}}, "carries the API key"),
        ({"api_key": KEY, "base_url": "h"}, "must begin with http"),
        ({"api_key": "a\nb"}, "control character"),
    ],
)
def test_what_cannot_work_is_refused_at_once(more: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        googleai(**more)


async def test_a_call_without_a_model_says_where_to_set_one() -> None:
    with pytest.raises(ConfigurationError, match=r"set googleai\.model"):
        await sent(googleai(api_key=KEY), HELLO)


def configured(**settings: Any) -> ProviderRegistration | NotConfigured | None:
    model: Any = ironhive_settings_model(section="googleai")
    return ironhive_provider(
        name="googleai", settings=model.model_validate(settings), id="g", priority=None, model=None
    )


def test_the_section_makes_the_provider_or_says_what_is_missing() -> None:
    assert configured(apiKey=KEY) == NotConfigured(
        "googleai", "set GOOGLEAI_MODEL (or googleai.model)", ("google", "gemini")
    )
    answer = configured(apiKey=KEY, model="m", streamIdleTimeoutSeconds=4)
    assert isinstance(answer, ProviderRegistration)
    factory: Any = answer.client_factory
    assert factory.budget.idle_seconds == 4
    with pytest.raises(ConfigurationError, match=r"googleai\.streamIdleTimeoutSeconds"):
        configured(streamIdleTimeoutSeconds=-1)


async def test_models_that_can_chat_are_listed_with_one_request() -> None:
    body = {
        "models": [
            {
                "name": "models/gemini-b",
                "displayName": "B",
                "inputTokenLimit": 7,
                "supportedGenerationMethods": ["generateContent"],
            },
            {"name": "models/embed", "supportedGenerationMethods": ["embedContent"]},
            {"name": "models/gemini-2.5-flash"},
        ]
    }
    transport = PieceTransport([json.dumps(body).encode()], headers={"content-type": "application/json"})
    factory: Any = googleai(api_key=KEY).client_factory
    models = await factory.list_models(transport=transport)
    assert [(model.id, model.name, model.context_window) for model in models] == [
        ("gemini-b", "B", 7),
        ("gemini-2.5-flash", None, 1_048_576),
    ]
    (request,) = transport.requests
    assert str(request.url) == "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000"
    with pytest.raises(BadAnswerError, match="no list of models"):
        await factory.list_models(transport=PieceTransport([b"[]"], headers={}))


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        (Endpoint("gemini"), "needs an API key"),
        (Endpoint("gemini", api_key="k", placement=CredentialPlacement()), "cannot be changed"),
        (Endpoint("gemini", api_key="k", headers={"x-goog-api-key": "x"}), "carries the API key"),
        (Endpoint("gemini", api_key="k"), None),
    ],
)
def test_an_endpoint_is_checked_without_a_network(endpoint: Endpoint, words: str | None) -> None:
    (preset,) = ironhive_byo_presets()
    assert (preset.id, preset.position) == ("gemini", 3)
    problem = preset.check(endpoint)
    assert problem is None if words is None else words in (problem or "")
