"""Lists of models in the shapes that servers of this wire give them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.wire.replay import PieceTransport

from ironhive.errors import BadAnswerError, HttpStatusError
from ironhive_plugins.providers.openai import gpustack, openai


async def listed(body: Any, registration: Any = None, status: int = 200) -> list[tuple[str, int | None]]:
    transport = PieceTransport([json.dumps(body).encode()], status=status, headers={"content-type": "application/json"})
    factory = (registration or openai(api_key="k")).client_factory
    models = await factory.list_models(transport=transport)
    assert len(transport.requests) == 1
    assert all(stream.closed for stream in transport.streams)
    return [(model.id, model.context_window) for model in models]


@pytest.mark.parametrize(
    ("body", "models"),
    [
        (
            {"object": "list", "data": [{"id": "b", "created": 1}, {"id": "a", "created": 2}]},
            [("b", None), ("a", None)],
        ),
        ({"data": [{"id": "gpt-4o"}]}, [("gpt-4o", 128_000)]),
        ({"data": [{"id": "qwen", "max_model_len": 32_768}]}, [("qwen", 32_768)]),
        ({"data": [{"id": "x/y", "context_length": 4096, "name": "Why"}]}, [("x/y", 4096)]),
        ({"data": [{"id": "m.gguf", "meta": {"n_ctx_train": 2048, "n_params": 1}}]}, [("m.gguf", 2048)]),
        ({"data": [{"id": "m", "max_model_len": "many", "meta": None}]}, [("m", None)]),
        ({"data": None}, []),
        ({"data": []}, []),
        ({"models": [{"name": "m"}]}, [("m", None)]),
        ([{"id": "together"}], [("together", None)]),
        ({"data": [{}, "x", {"id": "only"}]}, [("only", None)]),
    ],
)
async def test_models_come_in_the_servers_order_with_their_window(body: Any, models: Any) -> None:
    assert await listed(body) == models


@pytest.mark.parametrize("body", [{}, 17, "models", {"data": 3}, {"error": "x"}])
async def test_what_is_no_list_is_named(body: Any) -> None:
    with pytest.raises(BadAnswerError, match="no list of models"):
        await listed(body)


async def test_a_refusal_keeps_its_status() -> None:
    with pytest.raises(HttpStatusError) as caught:
        await listed({"error": {"message": "wrong key"}}, gpustack(), status=401)
    assert (caught.value.status, caught.value.detail) == (401, "wrong key")
