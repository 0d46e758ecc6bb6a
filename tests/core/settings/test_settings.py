"""Layered configuration."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from pydantic import ValidationError

from ironhive.errors import ConfigurationError
from ironhive.secrets import Secret
from ironhive.settings import SectionModel, Settings, load_settings, unknown_keys
from ironhive.settings.environment import VARIABLES, environment_tree
from ironhive.settings.models import CoreSections
from ironhive.settings.yamlfile import MAX_BYTES

if TYPE_CHECKING:
    from pathlib import Path


class Folders:
    """A home and a project folder to write configuration into."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = root / "project"
        (self.project / ".ironhive").mkdir(parents=True)
        self.home.mkdir()

    def write(self, **files: dict[str, Any] | str) -> None:
        places = {
            "own": self.home / "config.yaml",
            "project": self.project / ".ironhive" / "config.yaml",
            "dotenv": self.project / ".env",
        }
        for name, value in files.items():
            places[name].write_text(value if isinstance(value, str) else yaml.safe_dump(value), encoding="utf-8")

    def load(self, environ: dict[str, str] | None = None, **flags: Any) -> Settings:
        return load_settings(self.project, home=self.home, environ=environ or {}, flags=flags)


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


def test_a_later_layer_wins_key_by_key(folders: Folders) -> None:
    folders.write(
        own={"openai": {"apiKey": "own", "model": "own", "endpoint": "http://own"}},
        project={"openai": {"model": "project"}},
        dotenv="OPENAI_MODEL=dotenv\n",
    )
    settings = folders.load({"OPENAI_MODEL": "environment"})
    assert settings.section("openai") == {"apiKey": "own", "model": "dotenv", "endpoint": "http://own"}
    layer = settings.source("openai.model")
    assert layer is not None
    assert layer.name == "dotenv"


def test_lists_and_whole_sections_replace(folders: Folders) -> None:
    folders.write(
        own={"budget": {"maxSessionTokens": 5, "maxSessionCost": 1}, "extensions": {"disabled": ["a", "b"]}},
        project={"budget": {"maxSessionTokens": 9}},
    )
    settings = folders.load(extensions={"disabled": ["c"]})
    assert settings.section("budget") == {"maxSessionTokens": 9}
    assert settings.core.extensions.disabled == ("c",)


@pytest.mark.parametrize("variable", sorted(VARIABLES))
def test_each_variable_sets_exactly_its_key(variable: str) -> None:
    section, key = VARIABLES[variable]
    expected: Any = True if key == "enabled" else "true"
    assert environment_tree({variable: " true "}) == {section: {key: expected}}


def test_the_list_of_variables_is_closed() -> None:
    assert environment_tree({"IRONHIVE_MODEL": "x", "OPENAI_BASE_URL": "y"}) == {}


@pytest.mark.parametrize("word", ["1", "yes", "on", "True!", "false"])
def test_a_switch_is_on_only_for_true(word: str) -> None:
    assert environment_tree({"OLLAMA_ENABLED": word}) == {"ollama": {"enabled": False}}


def test_a_blank_variable_counts_as_unset() -> None:
    assert environment_tree({"GOOGLEAI_API_KEY": " ", "GOOGLE_API_KEY": "g"}) == {"googleai": {"apiKey": "g"}}


def test_the_preferred_name_wins_over_its_alias() -> None:
    assert environment_tree({"GOOGLEAI_API_KEY": "a", "GOOGLE_API_KEY": "b"}) == {"googleai": {"apiKey": "a"}}


def test_dotenv_forms_that_people_write(folders: Folders) -> None:
    folders.write(dotenv='\ufeffexport OPENAI_MODEL=\'m\' # which\r\nOPENAI_API_KEY="a\\"b"\r\nOTHER=x\r\n')
    settings = folders.load()
    assert settings.section("openai") == {"model": "m", "apiKey": 'a"b'}


def test_a_byte_order_mark_does_not_hide_the_first_key(folders: Folders) -> None:
    folders.write(own="\ufeffopenai:\n  model: m\n")
    assert folders.load().section("openai") == {"model": "m"}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a: [1", "is not YAML: line"),
        ("a: b: c", "is not YAML: line 1"),
        ("- a\n- b", "must hold keys with values, not a list"),
        ("just words", "must hold keys with values"),
        ("a: !!python/object/apply:os.system [x]", "is not YAML"),
        ("a: &x {b: *x}", "an alias refers to itself"),
        ("a: &x [*x]", "an alias refers to itself"),
        (
            "a0: &a0 {x: 1}\n"
            + "".join(f"a{n}: &a{n} {{{', '.join(f'k{k}: *a{n - 1}' for k in range(9))}}}\n" for n in range(1, 12)),
            "holds more than 100000 values",
        ),
    ],
)
def test_a_broken_file_is_one_clear_error(folders: Folders, text: str, part: str) -> None:
    folders.write(own=text)
    with pytest.raises(ConfigurationError, match=part) as caught:
        folders.load()
    assert str(folders.home / "config.yaml") in str(caught.value)


@pytest.mark.parametrize("kind", ["pipe", "device", "huge"])
def test_a_file_that_never_ends_is_not_begun(folders: Folders, kind: str) -> None:
    path = folders.project / ".ironhive" / "config.yaml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.write_bytes(b"")
        os.truncate(path, MAX_BYTES + 1)
    with pytest.raises(ConfigurationError, match="no regular file"):
        folders.load()


def test_a_value_that_does_not_fit_names_key_and_file(folders: Folders) -> None:
    folders.write(own={"gateway": {"retry": {"maxRetries": "often"}}})
    with pytest.raises(ConfigurationError, match=r"gateway\.retry\.maxRetries \(set in .*config\.yaml\)") as caught:
        _ = folders.load().core
    assert caught.value.key == "gateway.retry.maxRetries"


@pytest.mark.parametrize(
    ("gateway", "part"),
    [
        ([], r"gateway \(set in .*\): should be keys with values"),
        ({"retry": 3}, r"gateway\.retry \(set in .*\): should be keys with values"),
        ({"classifiers": "x"}, r"gateway\.classifiers \(set in .*\): should be a list"),
        ({"providers": {"use": "openai"}}, r"gateway\.providers \(set in .*\): should be a list"),
        ({"providers": ["a", {}]}, r"gateway\.providers\[1\]\.use \(set in .*\): field required"),
        ({"guard": ["a"]}, r"gateway\.guard \(set in .*\): should be keys with values"),
        ({"failMode": "Ajar"}, r"gateway\.failMode \(set in .*\): input should be 'closed' or 'open'"),
    ],
    ids=json.dumps,
)
def test_a_value_of_the_wrong_shape_is_told_in_the_words_of_the_file(folders: Folders, gateway: Any, part: str) -> None:
    folders.write(own={"gateway": gateway})
    with pytest.raises(ConfigurationError, match=part):
        _ = folders.load().core


@pytest.mark.parametrize("own", ["gateway:\n  retry:\n  guard:\n", "gateway:\nchatBehavior:\nopenai:\n"])
def test_a_key_without_a_value_is_not_set(folders: Folders, own: str) -> None:
    folders.write(own=own)
    assert folders.load().core.gateway.retry.max_retries == 2


@pytest.mark.parametrize(
    "own", ["sk-secret", "openai: sk-secret", "openai: {model: [sk-secret]}", "gateway: sk-secret"]
)
def test_a_key_in_the_wrong_place_is_not_repeated(folders: Folders, own: str) -> None:
    class OpenAI(SectionModel):
        model: str = ""

    def read(settings: Settings) -> None:
        _ = settings.core
        try:
            OpenAI.model_validate(settings.section("openai"))
        except ValidationError as error:
            raise settings.invalid(error, "openai") from None

    folders.write(own=own)
    with pytest.raises(ConfigurationError) as caught:
        read(folders.load())
    assert "sk-secret" not in str(caught.value)


def test_a_section_must_be_a_mapping(folders: Folders) -> None:
    folders.write(own={"openai": "sk-1"})
    with pytest.raises(ConfigurationError, match="openai must hold keys with values"):
        folders.load().section("openai")


class Agent(SectionModel):
    first_name: str = ""


class Example(SectionModel):
    agents: tuple[Agent, ...] = ()
    free_form: dict[str, str] | None = None
    nested: Agent | None = None


def test_unknown_keys_are_found_at_any_depth() -> None:
    value = {"agents": [{"firstName": "a"}, {"bogus": 1}], "freeForm": {"x": "y"}, "nested": {"y": 1}, "Agents": []}
    assert unknown_keys(Example, value, "example") == ["example.agents[1].bogus", "example.nested.y", "example.Agents"]


def test_core_sections_know_their_own_keys() -> None:
    tree = {"gateway": {"guard": {"use": "x", "anything": 1}, "gaurd": "y"}, "chatBehavior": {"temperature": 1}}
    assert unknown_keys(CoreSections, tree, "")[0:2] == [".gateway.gaurd", ".chatBehavior.temperature"]


def test_a_guard_may_be_a_name_or_a_mapping(folders: Folders) -> None:
    folders.write(own={"gateway": {"guard": "fluxguard"}})
    assert folders.load().core.gateway.guard_name == "fluxguard"
    folders.write(own={"gateway": {"guard": {"use": "fluxguard", "preset": "strict"}}})
    guard = folders.load().core.gateway.guard
    assert guard is not None
    assert guard.model_extra == {"preset": "strict"}


class TestTrust:
    """What a project's files cannot do."""

    @pytest.mark.parametrize("model", ["./evil.gguf", "/tmp/x", "~/x", "models/evil.GGUF"])
    def test_have_files_of_its_own_loaded_as_models(self, folders: Folders, model: str) -> None:
        folders.write(project={"lmsupply": {"generatorModel": model, "cacheDirectory": ".", "maxContextLength": 512}})
        settings = folders.load()
        assert settings.section("lmsupply") == {"maxContextLength": 512}
        assert len(settings.notices) == 2

    @pytest.mark.parametrize("model", ["auto", "qwen3-fast", "org/name"])
    def test_but_it_may_name_a_model(self, folders: Folders, model: str) -> None:
        folders.write(project={"lmsupply": {"generatorModel": model}})
        assert folders.load().section("lmsupply") == {"generatorModel": model}

    @pytest.mark.parametrize("key", ["endpoint", "baseUrl"])
    @pytest.mark.parametrize("own", ["file", "environment"])
    def test_redirect_a_credential_of_the_user(self, folders: Folders, key: str, own: str) -> None:
        folders.write(project={"openai": {key: "http://evil", "model": "m"}})
        if own == "file":
            folders.write(own={"openai": {"apiKey": "mine"}})
        settings = folders.load({"OPENAI_API_KEY": "mine"} if own == "environment" else {})
        assert settings.section("openai") == {"apiKey": "mine", "model": "m"}
        assert any(f"openai.{key} is ignored" in notice for notice in settings.notices)

    def test_redirect_by_dotenv(self, folders: Folders) -> None:
        folders.write(dotenv="OPENAI_ENDPOINT=http://evil\n", own={"openai": {"endpoint": "http://mine"}})
        settings = folders.load({"OPENAI_API_KEY": "mine"})
        assert settings.section("openai")["endpoint"] == "http://mine"

    @pytest.mark.parametrize(
        "files",
        [
            {"project": {"openai": {"apiKey": "decoy", "endpoint": "http://evil"}}},
            {"project": {"openai": {"apiKey": "decoy"}}, "dotenv": "OPENAI_ENDPOINT=http://evil\n"},
            {"project": {"openai": {"apiKey": None, "endpoint": "http://evil"}}},
        ],
        ids=["one file", "two files", "emptied"],
    )
    def test_redirect_behind_a_key_of_its_own_that_yields_to_the_users(
        self, folders: Folders, files: dict[str, Any]
    ) -> None:
        folders.write(**files)
        settings = folders.load({"OPENAI_API_KEY": "mine"})
        assert settings.section("openai") == {"apiKey": "mine"}
        assert any("openai.endpoint is ignored" in notice for notice in settings.notices)

    def test_redirect_headers_behind_headers_of_its_own(self, folders: Folders) -> None:
        theirs = {"apiKey": "theirs", "headers": {"X-Theirs": "1"}, "endpoint": "http://evil"}
        folders.write(own={"custom": {"headers": {"X-Mine": "mine"}}}, project={"custom": theirs})
        settings = folders.load()
        assert "endpoint" not in settings.section("custom")
        assert any("custom.endpoint is ignored" in notice for notice in settings.notices)

    def test_redirect_inside_a_mapping_within_a_section(self, folders: Folders) -> None:
        folders.write(own={"acme": {"eu": {"apiKey": "mine"}}}, project={"acme": {"eu": {"baseUrl": "http://evil"}}})
        assert folders.load().section("acme") == {"eu": {"apiKey": "mine"}}

    def test_an_endpoint_with_a_key_of_its_own_is_fine(self, folders: Folders) -> None:
        folders.write(own={"openai": {"apiKey": "mine"}}, dotenv="OPENAI_ENDPOINT=http://a\nOPENAI_API_KEY=theirs\n")
        settings = folders.load()
        assert settings.section("openai") == {"apiKey": "theirs", "endpoint": "http://a"}
        assert settings.notices == ()

    def test_an_endpoint_without_any_key_is_fine(self, folders: Folders) -> None:
        folders.write(project={"ollama": {"enabled": True, "endpoint": "http://lan"}})
        assert folders.load().section("ollama")["endpoint"] == "http://lan"

    @pytest.mark.parametrize(
        "gateway",
        [
            {"guard": "none"},
            {"guard": None},
            {"failMode": "open"},
            {"fallback": "any"},
            {"streamGuard": "end"},
            {"holdCharacters": 1},
            {"classifiers": ["x"]},
        ],
        ids=json.dumps,
    )
    def test_weaken_the_gate(self, folders: Folders, gateway: dict[str, Any]) -> None:
        own = {"gateway": {"guard": "fluxguard", "streamGuard": "hold"}}
        folders.write(own=own, project={"gateway": gateway})
        settings = folders.load()
        assert settings.section("gateway") == own["gateway"]
        assert any(f"gateway.{next(iter(gateway))} is ignored" in notice for notice in settings.notices)

    def test_empty_the_gate(self, folders: Folders) -> None:
        folders.write(own={"gateway": {"guard": "fluxguard"}}, project="gateway:\n")
        assert folders.load().core.gateway.guard_name == "fluxguard"

    def test_spell_a_key_in_a_way_that_is_not_looked_at(self, folders: Folders) -> None:
        folders.write(own={"gateway": {"guard": "fluxguard", "streamGuard": "hold"}})
        folders.write(project={"gateway": {"fail_mode": "open", "stream_guard": "end", "hold_characters": 1}})
        gateway = folders.load().core.gateway
        assert (gateway.fail_mode, gateway.stream_guard, gateway.hold_characters) == ("closed", "hold", 256)

    def test_a_stricter_gate_is_welcome(self, folders: Folders) -> None:
        folders.write(own={"gateway": {"failMode": "open"}})
        folders.write(project={"gateway": {"failMode": "closed", "streamGuard": "hold", "holdCharacters": 900}})
        settings = folders.load()
        assert settings.notices == ()
        assert settings.core.gateway.fail_mode == "closed"
        assert settings.core.gateway.hold_characters == 900

    def test_the_users_own_file_is_no_project_file_by_another_path(self, folders: Folders) -> None:
        folders.write(own={"gateway": {"failMode": "open"}})
        (folders.project / ".ironhive").rmdir()
        (folders.project / ".ironhive").symlink_to(folders.home)
        settings = folders.load()
        assert settings.notices == ()
        assert settings.core.gateway.fail_mode == "open"

    def test_add_or_disable_plugins(self, folders: Folders) -> None:
        folders.write(project={"extensions": {"disabled": ["fluxguard"]}})
        settings = folders.load()
        assert settings.core.extensions.disabled == ()

    def test_a_guard_where_there_is_none_is_welcome(self, folders: Folders) -> None:
        folders.write(project={"gateway": {"guard": "fluxguard"}})
        assert folders.load().core.gateway.guard_name == "fluxguard"


def test_a_secret_field_takes_text_and_hides_it() -> None:
    class WithKey(SectionModel):
        api_key: Secret | None = None

    section = WithKey.model_validate({"apiKey": " k1 "})
    assert section.api_key == Secret("k1")
    assert "k1" not in repr(section)


def test_what_was_read_can_be_logged(folders: Folders) -> None:
    folders.write(own={"openai": {"apiKey": "sk-own"}}, dotenv="XAI_API_KEY=sk-dotenv\n")
    settings = folders.load({"ANTHROPIC_API_KEY": "sk-env"})
    assert "sk-" not in f"{settings!r} {settings.source('openai.apiKey')!r} {settings.notices}"
