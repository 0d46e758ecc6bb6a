"""Which providers a gateway has, and in which order they are asked."""

from __future__ import annotations

import pytest
from tests.core.gateway.helpers import ask

from ironhive.chat import ChatOptions
from ironhive.errors import ConfigurationError, NoProviderError
from ironhive.gateway import (
    Gateway,
    ProviderKind,
    ProviderRegistration,
    ProviderRegistry,
    SelectionContext,
    by_priority,
)
from ironhive.testing import scripted


def ids(registry: ProviderRegistry) -> list[str]:
    return [item.id for item in registry.ordered()]


def test_higher_priority_first_then_registration_order() -> None:
    registry = ProviderRegistry(
        scripted(name, priority=priority)[0] for name, priority in [("a", 1), ("b", 5), ("c", 1)]
    )
    assert ids(registry) == ["b", "a", "c"]


def test_registering_an_id_again_replaces_it_and_moves_it_behind_its_equals() -> None:
    registry = ProviderRegistry([scripted("a")[0], scripted("b")[0]])
    again, _ = scripted("a")
    registry.register(again)
    assert ids(registry) == ["b", "a"]
    assert registry.ordered()[1] is again


def test_ids_differ_by_case() -> None:
    assert ids(ProviderRegistry([scripted("a")[0], scripted("A")[0]])) == ["a", "A"]


@pytest.mark.parametrize("blank", ["", "  ", "\t"])
def test_a_blank_id_is_refused(blank: str) -> None:
    with pytest.raises(ConfigurationError, match="id that is not blank"):
        scripted(blank)


def test_a_factory_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="'a': client_factory must be callable"):
        ProviderRegistration("a", ProviderKind.LAN, None)


async def test_a_gateway_without_providers_says_what_to_do() -> None:
    with pytest.raises(NoProviderError, match="no provider is registered; give the gateway one"):
        await Gateway().complete("hello")


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_selector_sees_the_call_and_decides_the_order(streamed: bool) -> None:
    contexts: list[SelectionContext] = []

    def backwards(context: SelectionContext) -> list[ProviderRegistration]:
        contexts.append(context)
        return list(reversed(context.candidates))

    gateway = Gateway([scripted("a", "from a")[0], scripted("b", "from b")[0]], selector=backwards)
    assert await ask(gateway, streamed=streamed) == "from b"
    assert [item.id for item in contexts[0].candidates] == ["a", "b"]
    assert contexts[0].messages[0].text == "hello"


async def test_a_selector_may_leave_providers_out() -> None:
    gateway = Gateway(
        [scripted("a", ValueError("x"))[0], scripted("b", "from b")[0]], selector=lambda c: c.candidates[:1]
    )
    with pytest.raises(ValueError, match="x"):
        await gateway.complete("hello")


async def test_a_selector_that_leaves_nobody_is_named() -> None:
    gateway = Gateway([scripted("a")[0], scripted("b")[0]], selector=lambda _: ())
    with pytest.raises(NoProviderError, match="the selector chose none of the 2 providers"):
        await gateway.complete("hello")


def test_the_default_selector_ignores_the_kind() -> None:
    candidates = (scripted("a", kind=ProviderKind.LOCAL)[0], scripted("b", kind=ProviderKind.FRONTIER)[0])
    assert by_priority(SelectionContext((), ChatOptions(), candidates)) is candidates


async def test_messages_and_options_reach_the_provider_as_they_are() -> None:
    registration, client = scripted("a", "ok")
    options = ChatOptions(model="m", temperature=0.5)
    await Gateway([registration]).complete("hello", options)
    assert client.calls[0].options is options
    assert [message.text for message in client.calls[0].messages] == ["hello"]
