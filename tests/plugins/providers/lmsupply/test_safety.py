"""A local call is checked and bounded in a fixed order, and the caller's options stay as they were."""

from __future__ import annotations

import pytest

from ironhive.chat import ChatMessage, ChatOptions, ReasoningOptions
from ironhive.contracts import ProviderKind
from ironhive.errors import ConfigurationError, NotReadyError
from ironhive.gateway import Gateway
from ironhive.testing import ScriptedClient
from ironhive_plugins.providers.lmsupply import (
    GeneratorPoolProbe,
    LazyReadinessProbe,
    LocalSafetyOptions,
    local,
    local_safe_client,
)

ASK = [ChatMessage.user("hi")]


class RecordingProbe:
    def __init__(self, *, ready: bool = True, ids: tuple[str, ...] = ("scripted",)) -> None:
        self.ready, self.ids, self.asked = ready, ids, []

    async def is_ready(self) -> bool:
        self.asked.append("ready")
        return self.ready

    async def available_model_ids(self) -> tuple[str, ...]:
        self.asked.append("ids")
        return self.ids


async def test_defaults_go_into_a_copy(scripted) -> None:
    generator = scripted(parameters=None)
    options = ChatOptions(temperature=0.4)
    await local_safe_client(generator).complete(ASK, options)
    sent = generator.requests[0][1]
    assert (sent.max_output_tokens, sent.reasoning) == (512, ReasoningOptions(effort="none"))
    assert sent.temperature == pytest.approx(0.4)
    assert options == ChatOptions(temperature=0.4)


async def test_what_the_caller_set_is_kept_even_an_empty_reasoning(scripted) -> None:
    generator = scripted(parameters=None)
    asked = ChatOptions(max_output_tokens=9, reasoning=ReasoningOptions())
    await local_safe_client(generator).complete(ASK, asked)
    assert generator.requests[0][1] == asked


async def test_none_leaves_reasoning_to_the_model(scripted) -> None:
    generator = scripted(parameters=None)
    client = local_safe_client(generator, options=LocalSafetyOptions(64, default_reasoning_effort=None))
    await client.complete(ASK)
    assert generator.requests[0][1] == ChatOptions(max_output_tokens=64)


async def test_readiness_comes_first_and_ids_only_when_a_model_is_named(scripted) -> None:
    probe = RecordingProbe()
    client = local_safe_client(scripted(), probe=probe)
    await client.complete(ASK)
    assert probe.asked == ["ready"]
    await client.complete(ASK, ChatOptions(model="scripted"))
    assert probe.asked == ["ready", "ready", "ids"]


async def test_not_ready_and_unknown_models_are_refused_before_the_model_is_asked(scripted) -> None:
    generator = scripted()
    with pytest.raises(NotReadyError, match="not ready"):
        await local_safe_client(generator, probe=RecordingProbe(ready=False)).complete(ASK)
    with pytest.raises(NotReadyError, match=r"'frontier-1'.*available: scripted"):
        await local_safe_client(generator, probe=RecordingProbe()).complete(ASK, ChatOptions(model="frontier-1"))
    assert generator.requests == []


async def test_a_probe_by_function_asks_every_time_and_keeps_its_ids() -> None:
    answers = iter([True, False])
    ids = ["a"]
    probe = LazyReadinessProbe(lambda: next(answers), ids)
    ids.append("b")
    assert [await probe.is_ready(), await probe.is_ready()] == [True, False]
    assert await probe.available_model_ids() == ("a",)

    async def later() -> bool:
        return True

    assert await LazyReadinessProbe(later, ()).is_ready()


async def test_a_pool_is_ready_once_something_is_loaded() -> None:
    class Pool:
        models: tuple = ()

        def loaded(self):
            return self.models

    pool = Pool()
    probe = GeneratorPoolProbe(pool)  # type: ignore[arg-type]
    assert not await probe.is_ready()

    class Loaded:
        id = "m"

    pool.models = (Loaded(),)
    assert await probe.is_ready()
    assert await probe.available_model_ids() == ("m",)


async def test_a_gateway_falls_back_when_the_model_is_not_ready(scripted) -> None:
    broken = local(scripted(), id="one", priority=2, probe=RecordingProbe(ready=False))
    good = scripted(answers=["from the second"], parameters=None)
    gateway = Gateway(providers=[broken, local(good, id="two", priority=1)])
    response = await gateway.complete(ASK)
    assert response.text.strip() == "from the second"


async def test_metadata_and_closing(scripted) -> None:
    generator = scripted()
    client = local_safe_client(generator)
    assert client.metadata is not None
    assert (client.metadata.provider, client.metadata.model) == ("LMSupply", "scripted")
    await client.aclose()
    assert not generator.closed


async def test_a_raw_client_is_used_as_it_is() -> None:
    registration = local(client=ScriptedClient(["hello"]), id="raw")
    assert registration.kind is ProviderKind.LOCAL
    response = await registration.client_factory().complete(ASK)
    assert response.text == "hello"


def test_neither_or_both_is_an_error(scripted) -> None:
    with pytest.raises(ConfigurationError, match="either a generator or a chat client"):
        local_safe_client()
    with pytest.raises(ConfigurationError, match="either a generator or a chat client"):
        local(scripted(), id="x", client=ScriptedClient(["a"]))
