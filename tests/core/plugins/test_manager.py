"""Loading plugins, and what becomes of broken ones."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from stevedore.extension import ExtensionManager
from tests.support.distributions import write_distribution

from ironhive.errors import ModelLoadError, PluginError, UnknownNameError
from ironhive.plugins import PluginManager, open_backend, scan

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """
from ironhive.hooks import hookimpl

@hookimpl
def ironhive_guard(name):
    return f"guard {name}" if name == NAME else None
"""

BROKEN = {
    "raises": "raise RuntimeError('no luck')",
    "exits": "import sys; sys.exit(3)",
    "missing": "import a_module_that_is_not_there",
    "syntax": "def (",
    "misfit": "from ironhive.hooks import hookimpl\n@hookimpl\ndef ironhive_guard(nmae): ...",
    "unknown": "from ironhive.hooks import hookimpl\n@hookimpl\ndef ironhive_gaurd(name): ...",
    "coroutine": "from ironhive.hooks import hookimpl\n@hookimpl\nasync def ironhive_guard(name): ...",
    "empty": "x = 1",
    "hangs": "import threading; threading.Event().wait(30)",
}

Install = Callable[[dict[str, str]], PluginManager]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put guard plugins (name to source) on the path and get a manager that sees them."""

    def put(sources: dict[str, str]) -> PluginManager:
        # module names of their own for each test: one that hangs keeps its import lock
        names = {name: f"guard_{name}_{abs(hash(str(tmp_path)))}" for name in sources}
        modules = {names[name]: source for name, source in sources.items()}
        write_distribution(tmp_path, "acme-guards", {"ironhive.guard": names}, modules)
        monkeypatch.syspath_prepend(str(tmp_path))
        ExtensionManager.ENTRY_POINT_CACHE.clear()  # stevedore reads each group once per process
        return PluginManager(scan([str(tmp_path)]), load_seconds=3)

    return put


def good(name: str) -> str:
    return GOOD.replace("NAME", repr(name))


def imported(name: str) -> bool:
    return any(module.startswith(f"guard_{name}_") for module in sys.modules)


def test_only_what_is_named_is_imported(install: Install) -> None:
    manager = install({"one": good("one"), "two": good("two")})
    assert manager.load("guard", ["two"]) == ("two",)
    assert imported("two")
    assert not imported("one")
    assert manager.hook.ironhive_guard(name="two", settings={}) == "guard two"
    assert manager.hook.ironhive_guard(name="one", settings={}) is None


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("raises", "RuntimeError: no luck"),
        ("exits", "SystemExit: 3"),
        ("missing", "ModuleNotFoundError: No module named 'a_module_that_is_not_there'"),
        ("syntax", "SyntaxError"),
        ("misfit", "nmae"),
        ("unknown", "ironhive_gaurd"),
        ("coroutine", "ironhive_guard is async"),
        ("empty", "implements no hook"),
    ],
)
def test_a_broken_plugin_is_set_aside_and_the_others_go_on(
    install: Install, caplog: pytest.LogCaptureFixture, fault: str, cause: str
) -> None:
    manager = install({"bad": BROKEN[fault], "fine": good("fine")})
    with caplog.at_level(logging.WARNING):
        assert manager.load("guard") == ("fine",)
        assert manager.load("guard") == ("fine",)
    assert manager.hook.ironhive_guard(name="fine", settings={}) == "guard fine"
    (broken,) = manager.quarantined
    assert cause in broken.cause
    assert len(caplog.messages) == 1, "one warning, not one per use"
    for part in ("guard", "'bad'", "acme-guards 1.0", cause, "pip uninstall acme-guards"):
        assert part in caplog.messages[0]


def test_a_plugin_that_hangs_is_set_aside(install: Install) -> None:
    manager = install({"bad": BROKEN["hangs"], "fine": good("fine")})
    manager._load_seconds = 0.2
    assert manager.load("guard") == ("fine",)
    assert "more than 0.2 seconds" in manager.quarantined[0].cause


def test_a_broken_plugin_that_is_named_is_an_error(install: Install) -> None:
    manager = install({"bad": BROKEN["raises"]})
    with pytest.raises(PluginError, match="no luck"):
        manager.require("guard", "bad")


def test_an_unknown_name_suggests_a_close_one(install: Install) -> None:
    manager = install({"fluxguard": good("fluxguard")})
    with pytest.raises(UnknownNameError, match=r"no guard named 'flux_guard' is installed; did you mean 'fluxguard'\?"):
        manager.require("guard", "flux_guard")


@pytest.mark.parametrize("entry", ["one", "guard:one"])
def test_a_disabled_plugin_is_not_loaded(install: Install, entry: str) -> None:
    manager = PluginManager(install({"one": good("one")}).index, disabled=[entry])
    assert manager.load("guard") == ()
    with pytest.raises(UnknownNameError, match=r"is disabled; remove it from extensions\.disabled"):
        manager.require("guard", "one")
    assert manager.module("guard", "one") is None


def test_a_name_with_two_owners_names_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for owner in ("acme", "umbrella"):
        write_distribution(tmp_path, owner, {"ironhive.guard": {"g": f"guard_of_{owner}"}}, {})
    monkeypatch.syspath_prepend(str(tmp_path))
    manager = PluginManager(scan([str(tmp_path)]))
    with pytest.raises(PluginError, match="claimed by acme and umbrella; uninstall one"):
        manager.require("guard", "g")


def test_one_module_may_serve_several_names_and_answers_for_loaded_ones(install: Install) -> None:
    manager = install({"one": good("one")})
    assert manager.hooks_of("guard", "one") == ()
    manager.require("guard", "one")
    assert manager.hooks_of("guard", "one") == ("ironhive_guard",)


def test_a_hook_that_raises_is_laid_at_its_plugins_door(install: Install) -> None:
    manager = install({"bad": "from ironhive.hooks import hookimpl\n@hookimpl\ndef ironhive_guard(name): 1 / 0"})
    manager.require("guard", "bad")
    with pytest.raises(PluginError, match=r"plugin 'bad' \(guard\) failed in ironhive_guard: ZeroDivisionError"):
        manager.call("ironhive_guard", name="bad", settings={})


def test_an_unknown_model_format_names_the_engines(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(b"nothing")
    with pytest.raises(ModelLoadError, match="no backend can open"):
        open_backend(path, PluginManager(scan([])))


BOTH = """
from ironhive.hooks import hookimpl

@hookimpl
def ironhive_guard(name):
    return "a guard"

@hookimpl
def ironhive_tools(services):
    return ["a tool"]
"""


@pytest.mark.parametrize(
    ("disabled", "tools", "guard"),
    [
        ([], ["a tool"], "a guard"),
        (["tool:both"], [], "a guard"),
        (["guard:both"], ["a tool"], None),
        (["both"], [], None),
    ],
    ids=str,
)
def test_a_module_of_two_kinds_is_asked_only_as_what_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disabled: list[str], tools: list[str], guard: str | None
) -> None:
    module = f"both_{abs(hash(str(tmp_path)))}"
    groups = {"ironhive.guard": {"both": module}, "ironhive.tool": {"both": module}}
    write_distribution(tmp_path, "both", groups, {module: BOTH})
    monkeypatch.syspath_prepend(str(tmp_path))
    ExtensionManager.ENTRY_POINT_CACHE.clear()
    plugins = PluginManager(scan([str(tmp_path)]), disabled=disabled)
    plugins.load("guard")
    plugins.load("tool")
    assert plugins.collect("ironhive_tools", str, services=None) == tools
    assert plugins.call("ironhive_guard", name="both", settings={}) == guard
