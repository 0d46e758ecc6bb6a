"""What a user entered for an endpoint."""

from __future__ import annotations

from ironhive.contracts import Endpoint


def test_an_endpoint_can_be_logged() -> None:
    endpoint = Endpoint("custom", "http://127.0.0.1:1", "sk-key", headers={"X-Token": "sk-header"})
    assert "sk-" not in repr(endpoint)
    assert endpoint.headers == {"X-Token": "sk-header"}
