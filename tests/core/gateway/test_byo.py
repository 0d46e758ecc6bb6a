"""Endpoints that a user brings: the catalogue, the checks, the probe and the provider made of it."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.core.gateway.helpers import ask, refusal

from ironhive.contracts import ByoPreset, ModelInfo, ProviderKind, ProviderRegistration
from ironhive.errors import BadAnswerError, ConfigurationError, ConnectFailedError, ProviderTimeoutError
from ironhive.gateway import Gateway, byo
from ironhive.gateway.byo import CredentialPlacement, Endpoint, ProbeFailure
from ironhive.plugins import PluginManager
from ironhive.testing import Fault, LoopbackServer, Reply, ScriptedClient, free_port, scripted_provider

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

OPENAI_WIRE = ["openai", "grok", "ollama", "gpustack", "custom"]


@pytest.fixture(scope="module")
def catalogue() -> tuple[ByoPreset, ...]:
    return byo.presets(PluginManager())


def fake(
    *,
    list_models: Callable[[Endpoint], Awaitable[Sequence[ModelInfo]]] | None = None,
    check: Callable[[Endpoint], str | None] = lambda _: None,
    **facts: Any,
) -> ByoPreset:
    async def listed(endpoint: Endpoint) -> Sequence[ModelInfo]:
        return [ModelInfo("m")]

    def register(endpoint: Endpoint, **names: Any) -> ProviderRegistration:
        return ProviderRegistration(names["id"], ProviderKind.LAN, ScriptedClient, names["priority"], names["model"])

    preset = ByoPreset("acme", ProviderKind.LAN, None, False, False, False, check, register, list_models or listed)
    return replace(preset, **facts)


def raising(error: Exception) -> ByoPreset:
    async def list_models(endpoint: Endpoint) -> Sequence[ModelInfo]:
        raise error

    return fake(list_models=list_models)


class TestCatalogue:
    def test_it_is_collected_from_the_provider_plugins_in_its_fixed_order(
        self, catalogue: tuple[ByoPreset, ...]
    ) -> None:
        known = [(item.id, item.kind.value, item.default_base_url, item.key_required) for item in catalogue]
        assert known == [
            ("openai", "frontier", "https://api.openai.com/v1", True),
            ("anthropic", "frontier", "https://api.anthropic.com", True),
            ("gemini", "frontier", "https://generativelanguage.googleapis.com", True),
            ("grok", "frontier", "https://api.x.ai/v1", True),
            ("ollama", "lan", "http://localhost:11434", False),
            ("gpustack", "lan", "http://localhost:8080", False),
            ("custom", "lan", None, False),
        ]
        assert [item.id for item in catalogue if item.base_url_required] == ["custom"]
        assert [item.id for item in catalogue if item.placement_allowed] == OPENAI_WIRE

    def test_an_id_that_two_plugins_offer_belongs_to_the_first(self, caplog: pytest.LogCaptureFixture) -> None:
        class Two:
            def load(self, kind: str) -> None:
                assert kind == "provider"

            def call(self, hook: str) -> list[list[ByoPreset]]:
                return [[fake(position=2)], [fake(position=1), fake(id="other")]]

        offered = byo.presets(Two())
        assert [(item.id, item.position) for item in offered] == [("acme", 1), ("other", 100)]
        assert "two plugins offer" in caplog.text


class TestValidate:
    @pytest.mark.parametrize(
        ("endpoint", "reason"),
        [
            (Endpoint("openai", api_key="k"), None),
            (Endpoint(" Ollama "), None),
            (Endpoint("custom", base_url="http://box:8000"), None),
            (Endpoint("GROK", api_key="k", headers={"X-Gateway-Token": "t"}), None),
            (Endpoint("ollama", base_url="  ", api_key=" "), None),
            (Endpoint("openai", api_key="k", placement=CredentialPlacement.in_header("api-key")), None),
            (Endpoint("openia"), "unknown preset 'openia'; known presets: openai, anthropic, gemini, grok"),
            (Endpoint(""), "unknown preset ''"),
            (Endpoint("custom"), "custom needs a base URL"),
            (Endpoint("ollama", base_url="localhost:11434"), "must be a complete http or https address"),
            (Endpoint("ollama", base_url="ftp://box"), "must be a complete http or https address"),
            (Endpoint("ollama", base_url="http://"), "must be a complete http or https address"),
            (Endpoint("ollama", base_url="http://box:99999"), "must be a complete http or https address"),
            (Endpoint("openai"), "openai needs an API key"),
            (Endpoint("grok", api_key="  "), "grok needs an API key"),
            (Endpoint("openai", base_url="nonsense"), "must be a complete"),  # the address before the key
        ],
        ids=repr,
    )
    def test_reasons(self, catalogue: tuple[ByoPreset, ...], endpoint: Endpoint, reason: str | None) -> None:
        found = byo.validate(endpoint, catalogue=catalogue)
        assert found is None if reason is None else reason in str(found)

    @pytest.mark.parametrize("preset", ["anthropic", "gemini"])
    def test_a_placement_has_no_place_beside_a_vendors_header(
        self, catalogue: tuple[ByoPreset, ...], preset: str
    ) -> None:
        endpoint = Endpoint(preset, api_key="k", placement=CredentialPlacement.authorization("Basic"))
        assert "vendor's own header" in str(byo.validate(endpoint, catalogue=catalogue))

    @pytest.mark.parametrize(
        ("preset", "header"),
        [*((name, "authorization") for name in OPENAI_WIRE), ("anthropic", "X-Api-Key"), ("gemini", "x-goog-api-key")],
    )
    def test_the_credentials_header_is_refused_among_the_extra_ones(
        self, catalogue: tuple[ByoPreset, ...], preset: str, header: str
    ) -> None:
        endpoint = Endpoint(preset, base_url="http://box", api_key="k", headers={header: "v"})
        assert header in str(byo.validate(endpoint, catalogue=catalogue))

    def test_the_key_is_never_part_of_a_reason(self, catalogue: tuple[ByoPreset, ...]) -> None:
        endpoint = Endpoint("openai", api_key="secret-1\nx", headers={"Authorization": "secret-2"})
        assert "secret" not in str(byo.validate(endpoint, catalogue=catalogue))
        assert "secret" not in repr(endpoint.api_key)

    def test_a_check_that_fails_is_no_permission(self) -> None:
        def broken(endpoint: Endpoint) -> str | None:
            raise KeyError("x")

        assert "acme could not check the endpoint" in str(
            byo.validate(Endpoint("acme"), catalogue=[fake(check=broken)])
        )

    def test_the_installed_plugins_are_the_default(self) -> None:
        assert byo.validate(Endpoint("ollama")) is None


class TestProbe:
    @pytest.mark.parametrize("preset", ["openai", "grok", "ollama", "gpustack", "custom", "anthropic", "gemini"])
    async def test_a_refused_connection_is_refused_on_every_wire(
        self, catalogue: tuple[ByoPreset, ...], preset: str
    ) -> None:
        endpoint = Endpoint(preset, base_url=f"http://127.0.0.1:{free_port()}", api_key="k")
        result = await byo.probe(endpoint, catalogue=catalogue)
        assert (result.ok, result.failure, result.status_code) == (False, ProbeFailure.REFUSED, None)
        assert result.error

    @pytest.mark.parametrize(
        ("status", "failure"),
        [
            (401, "unauthorized"),
            (403, "unauthorized"),
            (404, "http_status"),
            (429, "http_status"),
            (503, "http_status"),
        ],
    )
    @pytest.mark.parametrize("preset", ["custom", "gpustack", "anthropic", "gemini"])
    async def test_a_refusal_is_told_with_its_status_and_asked_once(
        self, catalogue: tuple[ByoPreset, ...], preset: str, status: int, failure: str
    ) -> None:
        async with LoopbackServer([Reply.error(status, message="not for you")]) as server:
            endpoint = Endpoint(preset, base_url=server.url, api_key="k")
            result = await byo.probe(endpoint, catalogue=catalogue)
            assert len(server.requests) == 1
        assert (result.failure, result.status_code) == (failure, status)
        assert "not for you" in str(result.error)

    async def test_the_models_come_in_the_servers_order(self, catalogue: tuple[ByoPreset, ...]) -> None:
        async with scripted_provider(models=["z-model", "a-model"]) as server:
            result = await byo.probe(Endpoint("custom", base_url=server.url), catalogue=catalogue)
        assert (result.ok, result.failure, result.error) == (True, None, None)
        assert (result.model_ids, result.model_count) == (("z-model", "a-model"), 2)
        assert result.lists("a-model")
        assert not result.lists("A-Model")
        assert not byo.ProbeResult(("m",), failure=ProbeFailure.TIMEOUT).lists("m")

    async def test_an_invalid_entry_is_not_contacted(self, catalogue: tuple[ByoPreset, ...]) -> None:
        async with LoopbackServer([Reply.json({})]) as server:
            endpoint = Endpoint("openai", base_url=server.url)
            result = await byo.probe(endpoint, catalogue=catalogue)
            assert server.requests == []
        assert (result.failure, result.error) == (ProbeFailure.INVALID, "openai needs an API key")

    @pytest.mark.parametrize("step", [b"", b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"])
    async def test_silence_ends_at_the_time_limit(self, catalogue: tuple[ByoPreset, ...], step: bytes) -> None:
        async with LoopbackServer([Reply.raw(step, Fault.STALL)]) as server:
            result = await byo.probe(Endpoint("custom", base_url=server.url), timeout=0.1, catalogue=catalogue)
            await server.quiet()
            assert len(server.requests) == 1
        assert (result.failure, result.error) == (ProbeFailure.TIMEOUT, "No answer within 0.1 s.")

    async def test_a_page_is_no_list_of_models(self, catalogue: tuple[ByoPreset, ...]) -> None:
        async with LoopbackServer([Reply.of(b"<html>", content_type="text/html")]) as server:
            result = await byo.probe(Endpoint("custom", base_url=server.url), catalogue=catalogue)
        assert result.failure is ProbeFailure.TRANSPORT

    @pytest.mark.parametrize(
        ("error", "failure"),
        [
            (ConnectFailedError("x", kind="host_not_found"), ProbeFailure.HOST_NOT_FOUND),
            (ConnectFailedError("x", kind="unreachable"), ProbeFailure.UNREACHABLE),
            (ConnectFailedError("x", kind="transport"), ProbeFailure.TRANSPORT),
            (BadAnswerError("x"), ProbeFailure.TRANSPORT),
            (ProviderTimeoutError("x", seconds=2.5), ProbeFailure.TIMEOUT),
            (TimeoutError(), ProbeFailure.TIMEOUT),
            (socket.gaierror("x"), ProbeFailure.HOST_NOT_FOUND),
            (ConnectionRefusedError("x"), ProbeFailure.REFUSED),
            (OSError(113, "no route"), ProbeFailure.UNREACHABLE),
            (httpx.ReadError("x"), ProbeFailure.TRANSPORT),
            (refusal(401), ProbeFailure.UNAUTHORIZED),
            (RuntimeError(), ProbeFailure.TRANSPORT),
        ],
        ids=repr,
    )
    async def test_whatever_a_provider_raises_becomes_a_result(self, error: Exception, failure: ProbeFailure) -> None:
        result = await byo.probe(Endpoint("acme"), catalogue=[raising(error)])
        assert result.failure is failure
        assert result.error

    @pytest.mark.parametrize(("seconds", "text"), [(2.5, "2.5"), (10.0, "10"), (0.25, "0.2")])
    async def test_the_time_is_told_without_needless_digits(self, seconds: float, text: str) -> None:
        result = await byo.probe(Endpoint("acme"), catalogue=[raising(ProviderTimeoutError("x", seconds=seconds))])
        assert result.error == f"No answer within {text} s."

    async def test_only_cancellation_is_raised(self) -> None:
        asked = asyncio.Event()

        async def endless(endpoint: Endpoint) -> Sequence[ModelInfo]:
            asked.set()
            await asyncio.Event().wait()
            return []

        task = asyncio.create_task(byo.probe(Endpoint("acme"), catalogue=[fake(list_models=endless)]))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


class TestRegistration:
    def test_the_kind_is_the_presets(self, catalogue: tuple[ByoPreset, ...]) -> None:
        for preset in catalogue:
            endpoint = Endpoint(preset.id, base_url="http://box", api_key="k")
            made = byo.registration(endpoint, id="mine", priority=30, model="m", catalogue=catalogue)
            assert (made.id, made.kind, made.priority, made.model) == ("mine", preset.kind, 30, "m")

    def test_an_unusable_entry_is_refused_with_the_same_words(self, catalogue: tuple[ByoPreset, ...]) -> None:
        endpoint = Endpoint("custom")
        with pytest.raises(ConfigurationError) as caught:
            byo.registration(endpoint, id="mine", catalogue=catalogue)
        assert str(caught.value) == byo.validate(endpoint, catalogue=catalogue)

    @pytest.mark.parametrize(
        ("placement", "header", "value"),
        [
            (None, "authorization", "Bearer k"),
            (CredentialPlacement.authorization("Basic"), "authorization", "Basic k"),
            (CredentialPlacement.authorization(None), "authorization", "k"),
            (CredentialPlacement.in_header("api-key"), "api-key", "k"),
        ],
    )
    @pytest.mark.parametrize("preset", OPENAI_WIRE)
    async def test_probe_and_chat_send_the_same_key_and_headers(
        self,
        catalogue: tuple[ByoPreset, ...],
        preset: str,
        placement: CredentialPlacement | None,
        header: str,
        value: str,
    ) -> None:
        async with scripted_provider("ok") as server:
            endpoint = Endpoint(preset, server.url, "k", {"X-Gateway-Token": "t"}, placement)
            assert (await byo.probe(endpoint, catalogue=catalogue)).ok
            made = byo.registration(endpoint, id="mine", model="m", catalogue=catalogue)
            async with Gateway([made]) as gateway:
                assert await ask(gateway, streamed=False) == "ok"
            for request in server.requests:
                assert request.headers[header] == value
                assert request.headers["x-gateway-token"] == "t"
                assert {name for name in request.headers if name in ("authorization", "api-key")} == {header}
            assert [request.method for request in server.requests] == ["GET", "POST"]
