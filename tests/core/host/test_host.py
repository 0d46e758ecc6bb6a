"""A host put together from a configuration, with a provider that came through an entry point."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from stevedore.extension import ExtensionManager
from tests.support.distributions import write_distribution

from ironhive.chat import ChatOptions, Tool
from ironhive.contracts import Level
from ironhive.errors import ConfigurationError, NoProviderError, PluginError, UnknownNameError
from ironhive.host import Host, diagnose
from ironhive.plugins import PluginManager, scan

if TYPE_CHECKING:
    from pathlib import Path

ACME = """
from dataclasses import dataclass
from ironhive.chat import ChatUpdate, TextContent, ToolCallContent, aggregate, tool
from ironhive.contracts import Diagnosis, Level, ModelInfo, NotConfigured, ProviderKind, ProviderRegistration
from ironhive.errors import HttpStatusError
from ironhive.hooks import hookimpl
from ironhive.settings import SectionModel

class Section(SectionModel):
    model: str = ""
    status: int = 0
    enabled: bool = True
    fault: str = ""
    kind: ProviderKind = ProviderKind.LAN

class Client:
    metadata = None
    def __init__(self, section, model):
        self.section, self.model = section, model
    async def stream(self, messages, options=None):
        if self.section.status:
            raise HttpStatusError(f"{self.model} says no", status=self.section.status, provider=self.model)
        results = [part for message in messages for part in message.contents if message.role == "tool"]
        if options.tools and not results:
            yield ChatUpdate((ToolCallContent("1", options.tools[0].name, {"text": "hi"}),), "tool_calls")
            return
        said = "".join(str(part.result) for part in results)
        yield ChatUpdate((TextContent(f"{self.model}: {said or messages[-1].text} / {options.instructions}"),), "stop")
    async def complete(self, messages, options=None):
        return aggregate([update async for update in self.stream(messages, options)])
    async def aclose(self): ...

@dataclass(frozen=True)
class Factory:
    section: Section
    model: str
    def __call__(self): return Client(self.section, self.model)

@hookimpl
def ironhive_settings_model(section):
    return Section if section in ("acme", "umbrella") else None

@hookimpl
def ironhive_provider(name, settings, id, priority, model):
    if not (model or settings.model):
        return NotConfigured(name, f"set {name}.model", aliases=("ac",))
    async def models():
        if settings.status:
            raise HttpStatusError("refused", status=settings.status)
        if settings.fault == "models":
            raise KeyError("data")
        return [ModelInfo(settings.model)]
    priority = {"acme": 50, "umbrella": 40}[name] if priority is None else priority
    return ProviderRegistration(id, settings.kind, Factory(settings, model or settings.model), priority,
                                model or settings.model, ("ac",) if name == "acme" else (), None, models)

def fault(folder):
    try:
        return (folder / "fault.txt").read_text()
    except OSError:
        return ""

@hookimpl
def ironhive_tools(services):
    @tool
    def shout(text: str) -> str:
        "Say it loud."
        return f"{text.upper()} in {services.workdir.name}"
    return {"tools": 7, "text": ["shout"]}.get(fault(services.workdir), [shout])

@hookimpl
def ironhive_instructions(services):
    return "Shout."

@hookimpl
def ironhive_diagnose(settings):
    if fault(settings.workdir) == "diagnose":
        raise RuntimeError("the doctor is ill")
    return [Diagnosis("Acme", Level.NOTE, "all quiet")]
"""


class Place:
    """A home, a project, and plugins that only these tests see."""

    def __init__(self, root: Path, plugins: PluginManager) -> None:
        self.home, self.project, self.plugins = root / "home", root / "project", plugins
        self.home.mkdir()
        self.project.mkdir()

    def configure(self, tree: dict[str, Any]) -> None:
        (self.home / "config.yaml").write_text(yaml.safe_dump(tree), encoding="utf-8")

    def host(self, **arguments: Any) -> Host:
        return Host.from_config(self.project, home=self.home, environ={}, plugins=self.plugins, **arguments)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    groups = {
        "ironhive.provider": {"acme": "acme_for_host", "umbrella": "acme_for_host"},
        "ironhive.tool": {"shout": "acme_for_host"},
    }
    write_distribution(tmp_path / "site", "acme", groups, {"acme_for_host": ACME})
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "acme_for_host", raising=False)
    ExtensionManager.ENTRY_POINT_CACHE.clear()
    return Place(tmp_path, PluginManager(scan([str(tmp_path / "site")])))


async def test_a_turn_goes_through_gateway_and_tools(place: Place) -> None:
    place.configure({"acme": {"model": "m1"}})
    async with place.host() as host:
        response = await host.new_loop().run("go")
    assert response.content.startswith("m1: HI in project / ")
    assert response.content.endswith("Shout.")
    assert [(call.name, call.success) for call in response.tool_calls] == [("shout", True)]


def test_tools_of_the_caller_come_last_and_may_not_take_a_name(place: Place) -> None:
    place.configure({"acme": {"model": "a"}})
    whisper, shout = Tool("whisper", ""), Tool("shout", "")
    assert [item.name for item in place.host(tools=[whisper]).tools] == ["shout", "whisper"]
    with pytest.raises(ConfigurationError, match="two tools are named 'shout'"):
        place.host(tools=[shout])


async def test_the_higher_priority_answers_and_the_other_helps_out(place: Place) -> None:
    seen = []
    place.configure({"acme": {"model": "a", "status": 401}, "umbrella": {"model": "u"}})
    async with place.host(on_transition=seen.append) as host:
        response = await host.new_loop().run("go", options=ChatOptions())
    assert response.content.startswith("u: ")
    assert (seen[0].kind, seen[0].provider_id) == ("fallback", "acme")


@pytest.mark.parametrize("name", ["umbrella", "UMBRELLA"])
async def test_a_named_provider_is_the_only_one(place: Place, name: str) -> None:
    place.configure(
        {"acme": {"model": "a"}, "umbrella": {"model": "u", "status": 500}, "gateway": {"retry": {"maxRetries": 0}}}
    )
    host = place.host(provider=name)
    assert [item.id for item in host.providers] == ["umbrella"]


def test_an_alias_finds_its_provider(place: Place) -> None:
    place.configure({"acme": {"model": "a"}})
    assert place.host(provider="AC").providers[0].id == "acme"


@pytest.mark.parametrize(
    ("model", "provider", "expected"),
    [("other", "acme", "other"), ("umbrella/x/y", "umbrella", "x/y"), ("org/name", "acme", "org/name")],
)
def test_a_model_may_name_its_provider(place: Place, model: str, provider: str, expected: str) -> None:
    place.configure({"acme": {"model": "a"}, "umbrella": {"model": "u"}})
    (found,) = place.host(model=model).providers
    assert (found.id, found.model) == (provider, expected)


def test_an_unknown_provider_lists_the_known_ones(place: Place) -> None:
    with pytest.raises(UnknownNameError, match="no provider named 'acmee'; known providers: acme, umbrella"):
        place.host(provider="acmee")


def test_a_named_provider_that_lacks_something_says_what(place: Place) -> None:
    with pytest.raises(ConfigurationError, match=r"'acme' is not configured: set acme\.model"):
        place.host(provider="acme")


def test_nothing_configured_says_what_to_do(place: Place) -> None:
    with pytest.raises(NoProviderError, match="no provider is configured"):
        place.host()
    place.configure({"acme": {}})
    with pytest.raises(NoProviderError, match=r"acme: set acme\.model"):
        place.host()


def test_a_wrong_value_names_section_and_file(place: Place) -> None:
    place.configure({"acme": {"model": "a", "status": "high"}})
    with pytest.raises(ConfigurationError, match=r"acme\.status \(set in .*config\.yaml\)"):
        place.host()


def test_third_party_instances_are_listed_under_the_gateway(place: Place) -> None:
    place.configure({"gateway": {"providers": [{"use": "acme", "id": "one", "priority": 7, "model": "m"}]}})
    (found,) = place.host().providers
    assert (found.id, found.priority, found.model) == ("one", 7, "m")


def test_two_providers_of_one_id_are_refused(place: Place) -> None:
    twins = [{"use": "acme", "model": "m"}, {"use": "acme", "model": "n"}]
    place.configure({"gateway": {"providers": twins}})
    with pytest.raises(ConfigurationError, match=r"gateway\.providers\[0\] and gateway\.providers\[1\] both set up"):
        place.host()
    place.configure({"acme": {"model": "a"}, "gateway": {"providers": twins[:1]}})
    with pytest.raises(ConfigurationError, match=r"acme and gateway\.providers\[0\] both set up"):
        place.host()


def test_a_provider_that_is_switched_off_answers_only_by_name(place: Place) -> None:
    place.configure({"acme": {"model": "a", "enabled": False}, "umbrella": {"model": "u"}})
    assert [item.id for item in place.host().providers] == ["umbrella"]
    assert [item.id for item in place.host(provider="acme").providers] == ["acme"]


@pytest.mark.parametrize("word", ["no", "off", False])
def test_a_switch_is_read_as_the_section_reads_it(place: Place, word: object) -> None:
    place.configure({"acme": {"model": "a", "enabled": word}, "umbrella": {"model": "u"}})
    assert [item.id for item in place.host().providers] == ["umbrella"]


def test_a_guard_that_is_not_there_stops_the_host(place: Place) -> None:
    place.configure({"acme": {"model": "a"}, "gateway": {"guard": "nobody"}})
    with pytest.raises(UnknownNameError, match="no guard named 'nobody' is installed"):
        place.host()


def test_what_nothing_reads_is_said(place: Place) -> None:
    place.configure({"acme": {"model": "a", "modle": "b"}, "opneai": {}, "compaction": {}, "chatBehavior": {"warp": 9}})
    notices = "\n".join(place.host().notices)
    for part in (
        "unknown key acme.modle in",
        "unknown key opneai",
        "compaction: this version",
        "unknown key chatBehavior.warp",
    ):
        assert part in notices


def test_limits_come_from_the_configuration(place: Place) -> None:
    place.configure({"acme": {"model": "a"}, "chatBehavior": {"maxOutputTokens": 7, "reasoningEffort": "low"}})
    options = place.host().options
    assert options.max_output_tokens == 7
    assert options.reasoning is not None
    assert options.reasoning.effort == "low"
    place.configure({"acme": {"model": "a"}})
    assert place.host().options.max_output_tokens == 4096
    place.configure({"acme": {"model": "a", "kind": "local"}})
    assert place.host().options.max_output_tokens is None


class TestDoctor:
    """What ``doctor`` finds."""

    async def test_a_broken_file_is_a_finding(self, place: Place) -> None:
        (place.home / "config.yaml").write_text("a: [", encoding="utf-8")
        (found,) = await diagnose(place.project, home=place.home, environ={})
        assert (found.level, "is not YAML" in found.text) == (Level.ERROR, True)

    async def test_without_anything_only_local_inference_is_left(self, place: Place) -> None:
        found = await diagnose(place.project, home=place.home, environ={})
        assert any(item.text == "Using local inference only (lmsupply)" for item in found)
        assert not [item for item in found if item.level is Level.ERROR]

    async def test_a_provider_that_does_not_answer_is_an_error(self, place: Place) -> None:
        place.configure(
            {"acme": {"model": "a", "status": 503}, "umbrella": {"model": "u"}, "lmsupply": {"enabled": False}}
        )
        found = await diagnose(place.project, home=place.home, environ={})
        texts = {item.text: item.level for item in found if item.section == "Connectivity"}
        assert texts == {"acme: unreachable": Level.ERROR, "umbrella: reachable (1 models)": Level.OK}

    async def test_the_missing_guard_is_a_note(self, place: Place) -> None:
        found = await diagnose(place.project, home=place.home, environ={})
        assert ("Gateway", Level.NOTE) in [(item.section, item.level) for item in found]

    async def test_a_plugin_can_add_findings(self, place: Place) -> None:
        place.configure({"acme": {"model": "a"}})
        found = await diagnose(place.project, home=place.home, environ={})
        assert "all quiet" in [item.text for item in found]

    async def test_a_plugin_that_cannot_answer_is_a_finding(self, place: Place) -> None:
        place.configure({"acme": {"model": "a", "fault": "models"}, "lmsupply": {"enabled": False}})
        (place.project / "fault.txt").write_text("diagnose")
        found = await diagnose(place.project, home=place.home, environ={})
        levels = {item.text: item.level for item in found}
        assert levels["acme: unreachable"] is Level.ERROR
        assert [level for text, level in levels.items() if "the doctor is ill" in text] == [Level.WARNING]
        assert [item for item in found if item.section == "Environment"]

    @pytest.mark.parametrize(
        "gateway",
        [{"guard": "nobody"}, {"selector": "nobody"}, {"classifiers": ["nobody"]}],
        ids=lambda value: next(iter(value)),
    )
    async def test_a_component_that_a_prompt_would_fail_without_is_an_error(
        self, place: Place, gateway: dict[str, Any]
    ) -> None:
        place.configure({"acme": {"model": "a"}, "gateway": gateway})
        found = await diagnose(place.project, home=place.home, environ={})
        gate = [item for item in found if item.section == "Gateway" and item.level is Level.ERROR]
        assert ["'nobody'" in item.text for item in gate] == [True]

    async def test_a_guard_that_is_there_is_fine(self, place: Place) -> None:
        place.configure({"acme": {"model": "a"}, "gateway": {"guard": "fluxguard"}})
        found = await diagnose(place.project, home=place.home, environ={})
        assert ("Gateway", Level.OK) in [(item.section, item.level) for item in found]


@pytest.mark.parametrize("what", ["tools", "text"])
def test_a_plugin_that_hands_over_something_else_is_told_apart(place: Place, what: str) -> None:
    place.configure({"acme": {"model": "a"}})
    (place.project / "fault.txt").write_text(what)
    with pytest.raises(PluginError, match="ironhive_tools"):
        place.host()
