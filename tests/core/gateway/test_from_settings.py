"""The gateway that a configuration describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from stevedore.extension import ExtensionManager
from tests.core.gateway.helpers import ask, refusal
from tests.support.distributions import write_distribution

from ironhive.contracts import ProviderKind, Transition
from ironhive.errors import ConfigurationError, GuardError, HttpStatusError, PluginError, UnknownNameError
from ironhive.gateway import FailMode, Gateway, GatewayOptions, Resilience, by_priority
from ironhive.plugins import PluginManager, scan
from ironhive.settings import Settings
from ironhive.testing import scripted

if TYPE_CHECKING:
    from pathlib import Path

ACME = """
from ironhive.contracts import ErrorClassification, HttpFailure, ProviderKind, ProviderRegistration, Verdict
from ironhive.hooks import hookimpl
from ironhive.testing import ScriptedClient


class Acme:
    def __init__(self, settings):
        self.settings = dict(settings)

    async def inspect_input(self, messages):
        return Verdict.block("acme says no") if "no" in messages[-1].text.split() else Verdict.allow()

    async def inspect_output(self, response):
        return Verdict.allow()


class Wrapped:
    def __init__(self, name, inner):
        self.name, self.inner = name, inner

    def classify(self, error):
        return self.inner.classify(error)


class AcmeError(Exception):
    pass


@hookimpl
def ironhive_guard(name, settings):
    return Acme(settings) if name == "acme" else None


@hookimpl
def ironhive_selector(name, settings):
    return (lambda context: context.candidates[::-1]) if name == "backwards" else None


@hookimpl
def ironhive_classifier(name, settings, inner):
    return Wrapped(name, inner) if name in ("outer", "inner") else None


@hookimpl
def ironhive_provider(name, settings, id, priority, model):
    if name == "acmecloud":
        factory = lambda: ScriptedClient(f"{id} answers with {model} and {settings['extra']}")
        return ProviderRegistration(id, ProviderKind.LAN, factory, priority or 0, model)


@hookimpl
def ironhive_read_http_failure(error):
    return HttpFailure(429, 4.0) if type(error).__name__ == "AcmeError" else None
"""


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PluginManager:
    """A manager that sees one distribution of a stranger."""
    module = f"acme_{abs(hash(str(tmp_path)))}"
    names = {
        "guard": ["acme", "absent"],
        "selector": ["backwards"],
        "classifier": ["outer", "inner"],
        "provider": ["acmecloud"],
    }
    groups = {f"ironhive.{kind}": dict.fromkeys(items, module) for kind, items in names.items()}
    write_distribution(tmp_path, "acme", groups, {module: ACME})
    monkeypatch.syspath_prepend(str(tmp_path))
    ExtensionManager.ENTRY_POINT_CACHE.clear()
    return PluginManager(scan([str(tmp_path)]))


def settings(**gateway: Any) -> Settings:
    return Settings(tree={"gateway": gateway})


def test_an_empty_section_is_the_documented_default(plugins: PluginManager) -> None:
    gateway = Gateway.from_settings(settings(), plugins=plugins, providers=[])
    assert gateway.options == GatewayOptions(fail_mode="closed")
    assert gateway.options.resilience == Resilience(2, 0.2, 3, 30.0, 10.0)
    assert gateway.guard is None


def test_every_number_and_switch_is_read(plugins: PluginManager) -> None:
    seen = list[Transition]()
    section = settings(
        failMode="open",
        enableFallback=False,
        fallback="any",
        queueSeconds=7,
        retry={"maxRetries": 5, "baseDelaySeconds": 1.5, "maxRetryAfterSeconds": 60},
        health={"failureThreshold": 9, "cooldownSeconds": 5},
        streamGuard="hold",
        holdCharacters=99,
    )
    gateway = Gateway.from_settings(section, plugins=plugins, providers=[], on_transition=seen.append)
    assert gateway.options == GatewayOptions(
        enable_fallback=False,
        fallback="any",
        resilience=Resilience(5, 1.5, 9, 5, 60),
        stream_guard="hold",
        hold_characters=99,
        queue_seconds=7,
        fail_mode=FailMode.OPEN,
        on_transition=gateway.options.on_transition,
    )
    assert gateway.options.on_transition is not None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("failMode", "ajar"),
        ("fallback", "everywhere"),
        ("streamGuard", "never"),
        ("holdCharacters", 0),
        ("queueSeconds", 0),
        ("retry", {"maxRetries": -1}),
        ("health", {"cooldownSeconds": "soon"}),
        ("degenerationStop", {"minRepeats": 1}),
        ("guard", {"preset": "strict"}),
        ("providers", [{"id": "x"}]),
    ],
)
def test_a_value_that_does_not_fit_is_named(plugins: PluginManager, key: str, value: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"gateway.{key}"):
        Gateway.from_settings(settings(**{key: value}), plugins=plugins, providers=[])


@pytest.mark.parametrize("guard", ["acme", {"use": "acme", "preset": "strict"}])
async def test_the_guard_by_name_with_its_settings_and_the_fail_mode(plugins: PluginManager, guard: Any) -> None:
    provider, client = scripted("a", "ok")
    gateway = Gateway.from_settings(settings(guard=guard, failMode="open"), plugins=plugins, providers=[provider])
    given = gateway.guard.settings
    assert given == {"failMode": "open", **({"preset": "strict"} if isinstance(guard, dict) else {})}
    assert await ask(gateway, streamed=False, prompt="yes please") == "ok"
    with pytest.raises(GuardError, match="acme says no"):
        await ask(gateway, streamed=False, prompt="no thanks")
    assert len(client.calls) == 1


@pytest.mark.parametrize("key", ["guard", "selector"])
def test_a_component_that_is_not_installed_is_an_error_that_names_it(plugins: PluginManager, key: str) -> None:
    with pytest.raises(UnknownNameError, match="'acne'"):
        Gateway.from_settings(settings(**{key: "acne"}), plugins=plugins, providers=[])


def test_so_is_one_that_its_plugin_does_not_offer(plugins: PluginManager) -> None:
    with pytest.raises(PluginError, match="does not offer it"):
        Gateway.from_settings(settings(guard="absent"), plugins=plugins, providers=[])


async def test_the_selector_by_name(plugins: PluginManager) -> None:
    providers = [scripted("a", "from a")[0], scripted("b", "from b")[0]]
    gateway = Gateway.from_settings(settings(selector="backwards"), plugins=plugins, providers=providers)
    assert await ask(gateway, streamed=False) == "from b"
    plain = Gateway.from_settings(settings(), plugins=plugins, providers=providers)
    assert await ask(plain, streamed=False) == "from a"


def test_classifiers_stand_around_each_other_the_first_one_outermost(plugins: PluginManager) -> None:
    gateway = Gateway.from_settings(settings(classifiers=["outer", {"use": "inner"}]), plugins=plugins, providers=[])
    outermost: Any = gateway._router._classifier
    assert (outermost.name, outermost.inner.name) == ("outer", "inner")


async def test_a_foreign_exception_is_read_by_the_plugin_that_knows_it(plugins: PluginManager) -> None:
    class AcmeError(Exception):
        pass

    plugins.load("classifier")
    provider, client = scripted("a", AcmeError(), "ok")
    section = settings(retry={"maxRetryAfterSeconds": 3})
    gateway = Gateway.from_settings(section, plugins=plugins, providers=[provider])
    with pytest.raises(AcmeError):  # it asks for 4 seconds, which is more than may be waited
        await ask(gateway, streamed=False)
    assert len(client.calls) == 1


async def test_third_party_providers_of_the_section(plugins: PluginManager) -> None:
    entries = [
        {"use": "acmecloud", "id": "one", "model": "m1", "extra": "x"},
        {"use": "acmecloud", "id": "two", "priority": 5, "model": "m2", "extra": "y"},
    ]
    tree = {"gateway": {"providers": entries}, "lmsupply": {"enabled": False}}
    gateway = Gateway.from_settings(Settings(tree=tree), plugins=plugins)
    assert [item.id for item in gateway.registry.ordered()] == ["two", "one"]
    assert await ask(gateway, streamed=False) == "two answers with m2 and y"


class TestDegenerationStop:
    """On for local providers, unless the section says otherwise."""

    loop = ("over and over again ",) * 30

    @pytest.mark.parametrize("kind", list(ProviderKind))
    @pytest.mark.parametrize(
        ("enabled", "stops"), [(None, {ProviderKind.LOCAL}), (True, set(ProviderKind)), (False, set())]
    )
    async def test_by_kind(
        self, plugins: PluginManager, kind: ProviderKind, enabled: bool | None, stops: set[ProviderKind]
    ) -> None:
        provider, _ = scripted("a", self.loop, kind=kind)
        section = settings(degenerationStop={} if enabled is None else {"enabled": enabled})
        gateway = Gateway.from_settings(section, plugins=plugins, providers=[provider])
        response = await gateway.complete("hello")
        assert (response.finish_reason == "degeneration") is (kind in stops)

    async def test_with_the_sections_numbers(self, plugins: PluginManager) -> None:
        provider, _ = scripted("a", self.loop, kind=ProviderKind.LOCAL)
        section = settings(degenerationStop={"minRepeats": 7})
        gateway = Gateway.from_settings(section, plugins=plugins, providers=[provider])
        response = await gateway.complete("hello")
        assert response.text == "over and over again " * 7


async def test_the_shipped_plugins_by_name() -> None:
    section = settings(selector="priority", classifiers=[{"use": "http_status", "terminal": [409]}])
    a, _ = scripted("a", refusal(409), refusal(404))
    gateway = Gateway.from_settings(section, providers=[a, scripted("b", "from b")[0]])
    assert gateway._selector is by_priority
    with pytest.raises(HttpStatusError):
        await ask(gateway, streamed=False)
    assert await ask(gateway, streamed=False) == "from b"
