"""Anthropic as a provider: address, key, order, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.wire.clients import request_of, sent
from tests.wire.replay import PieceTransport

from ironhive.chat import ChatMessage
from ironhive.contracts import CredentialPlacement, Endpoint, NotConfigured, ProviderKind, ProviderRegistration
from ironhive.errors import BadAnswerError, ConfigurationError
from ironhive_plugins.providers.anthropic import (
    anthropic,
    ironhive_byo_presets,
    ironhive_provider,
    ironhive_settings_model,
)

HELLO = [ChatMessage.user("hello")]
KEY = "sk-ant-0123456789"


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        (None, "https://api.anthropic.com/v1/messages"),
        ("http://h:8080", "http://h:8080/v1/messages"),
        ("http://h/v1/", "http://h/v1/messages"),
        ("http://h/anthropic", "http://h/anthropic/v1/messages"),
    ],
)
async def test_it_is_asked_at_its_address_with_its_key(base_url: str | None, address: str) -> None:
    registration = anthropic(api_key=KEY, model="m", base_url=base_url, headers={"anthropic-beta": "x"})
    request, _ = await request_of(registration, HELLO)
    assert str(request.url) == address
    assert request.headers["x-api-key"] == KEY
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert request.headers["anthropic-beta"] == "x"
    assert "authorization" not in request.headers


def test_kind_order_and_aliases() -> None:
    registration = anthropic(api_key=KEY)
    assert (registration.kind, registration.priority, registration.aliases) == (ProviderKind.FRONTIER, 70, ("claude",))
    assert registration.client_factory == anthropic(api_key=KEY).client_factory
    assert KEY not in repr(registration)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"api_key": ""}, "set ANTHROPIC_API_KEY"),
        ({"api_key": KEY, "headers": {"X-API-Key": "x"}}, "carries the API key"),
        ({"api_key": KEY, "base_url": "h"}, "must begin with http"),
        ({"api_key": "a\nb"}, "control character"),
    ],
)
def test_what_cannot_work_is_refused_at_once(more: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        anthropic(**more)


async def test_a_call_without_a_model_says_where_to_set_one() -> None:
    with pytest.raises(ConfigurationError, match=r"set anthropic\.model"):
        await sent(anthropic(api_key=KEY), HELLO)


def configured(**settings: Any) -> ProviderRegistration | NotConfigured | None:
    model: Any = ironhive_settings_model(section="anthropic")
    return ironhive_provider(
        name="anthropic", settings=model.model_validate(settings), id="a", priority=None, model=None
    )


def test_the_section_makes_the_provider_or_says_what_is_missing() -> None:
    assert configured() == NotConfigured(
        "anthropic", "set ANTHROPIC_API_KEY and ANTHROPIC_MODEL (or anthropic.apiKey and anthropic.model)", ("claude",)
    )
    answer = configured(apiKey=KEY, model="m", streamIdleTimeoutSeconds=4, promptCaching=False)
    assert isinstance(answer, ProviderRegistration)
    factory: Any = answer.client_factory
    assert (factory.budget.idle_seconds, factory.prompt_caching) == (4, False)
    with pytest.raises(ConfigurationError, match=r"anthropic\.streamIdleTimeoutSeconds"):
        configured(streamIdleTimeoutSeconds=0)
    assert ironhive_settings_model(section="other") is None


async def test_models_are_listed_with_one_request() -> None:
    body = {"data": [{"id": "claude-b", "display_name": "B", "max_input_tokens": 7}, {"id": "claude-a"}, {}]}
    transport = PieceTransport([json.dumps(body).encode()], headers={"content-type": "application/json"})
    factory: Any = anthropic(api_key=KEY).client_factory
    models = await factory.list_models(transport=transport)
    assert [(model.id, model.name, model.context_window) for model in models] == [
        ("claude-b", "B", 7),
        ("claude-a", None, 200_000),
    ]
    (request,) = transport.requests
    assert str(request.url) == "https://api.anthropic.com/v1/models?limit=1000"
    with pytest.raises(BadAnswerError, match="no list of models"):
        await factory.list_models(transport=PieceTransport([b"{}"], headers={}))


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        (Endpoint("anthropic"), "needs an API key"),
        (Endpoint("anthropic", api_key="k", base_url="ftp://h"), "must begin with http"),
        (Endpoint("anthropic", api_key="k", placement=CredentialPlacement()), "cannot be changed"),
        (Endpoint("anthropic", api_key="k", headers={"x-api-key": "x"}), "carries the API key"),
        (Endpoint("anthropic", api_key="k"), None),
    ],
)
def test_an_endpoint_is_checked_without_a_network(endpoint: Endpoint, words: str | None) -> None:
    (preset,) = ironhive_byo_presets()
    assert preset.position == 2
    problem = preset.check(endpoint)
    assert problem is None if words is None else words in (problem or "")
