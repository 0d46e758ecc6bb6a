"""Each import contract holds, and each fails when it is violated."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

VIOLATIONS = {
    "a lower layer imports a higher one": (
        "core/ironhive/chat/extra.py",
        "def late():\n    from ironhive.gateway import Gateway\n    return Gateway\n",
        "The layers of core",
    ),
    "a new package stands outside the layers": ("core/ironhive/extra/__init__.py", "", "The layers of core"),
    "two modules import each other": (
        "core/ironhive/hooks/extra.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ironhive.hooks import extra_two\n",
        "No cycles",
    ),
    "core imports a plugin": (
        "core/ironhive/host/extra.py",
        "from ironhive_plugins.tools import files\n",
        "Core knows neither the plugins nor the CLI",
    ),
    "core imports the CLI library": (
        "core/ironhive/host/extra.py",
        "def late():\n    import typer\n    return typer\n",
        "Core knows neither the plugins nor the CLI",
    ),
    "the CLI imports a plugin": (
        "cli/ironhive_cli/extra.py",
        "from ironhive_plugins.tools import files\n",
        "The CLI and the plugins do not know each other",
    ),
    "one plugin imports another": (
        "plugins/ironhive_plugins/tools/files/extra.py",
        "import ironhive_plugins.providers.openai\n",
        "No plugin imports another",
    ),
    "something else loads entry points": (
        "core/ironhive/host/extra.py",
        "import stevedore\n",
        "Only the plugin loader knows stevedore",
    ),
    "a plugin uses pluggy itself": (
        "plugins/ironhive_plugins/tools/files/extra.py",
        "import pluggy\n",
        "Only the hooks and the plugin loader know pluggy",
    ),
    "a provider makes its own HTTP client": (
        "plugins/ironhive_plugins/providers/openai/extra.py",
        "import httpx\n",
        "Only one module makes HTTP clients",
    ),
}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    path = [str(folder / name) for name in ("core", "plugins", "cli")]
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}; {code}", "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    shutil.copy(REPOSITORY / "pyproject.toml", folder)
    for name in ("core", "plugins", "cli"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.bin"))
    return folder


def test_the_contracts_hold(copy: Path) -> None:
    outcome = lint(copy)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


@pytest.mark.parametrize("violation", VIOLATIONS)
def test_a_violation_is_found(copy: Path, violation: str) -> None:
    place, source, contract = VIOLATIONS[violation]
    file = copy / place
    file.parent.mkdir(exist_ok=True)
    file.write_text(source)
    partner = copy / "core/ironhive/hooks/extra_two.py"
    if contract == "No cycles":
        partner.write_text("def late():\n    from ironhive.hooks import extra\n    return extra\n")
    try:
        outcome = lint(copy)
    finally:
        file.unlink()
        partner.unlink(missing_ok=True)
        if file.name == "__init__.py":
            shutil.rmtree(file.parent)
    assert outcome.returncode == 1, outcome.stdout + outcome.stderr
    assert f"{contract} BROKEN" in outcome.stdout
