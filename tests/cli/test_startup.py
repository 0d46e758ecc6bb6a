"""What starting costs, as the set of modules that are loaded: a stopwatch would lie on a busy machine."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

BANNED = frozenset({
    "asyncio", "httpx", "importlib.metadata", "mcp", "pydantic", "pydantic_settings", "rich", "stevedore",
    "llama_cpp", "onnxruntime_genai",
})  # fmt: skip
"""Slow to import, and not needed before there is work to do."""

MOST_MODULES = 170
"""The interpreter alone has about 35; typer brings 110."""

PACKAGES = [
    "ironhive",
    "ironhive.errors",
    "ironhive.secrets",
    "ironhive.chat",
    "ironhive.contracts",
    "ironhive.hooks",
    "ironhive.settings",
    "ironhive.plugins",
    "ironhive.agent",
    "ironhive_plugins",
    "ironhive_plugins.tools.files",
    "ironhive_cli",
    "ironhive_cli.app",
]
"""What can be imported without anything banned. ``ironhive.http``, ``.gateway`` and ``.host`` are asynchronous and load
asyncio; that they load nothing else of the list is tested apart."""

ASYNCHRONOUS = ["ironhive.http", "ironhive.gateway", "ironhive.host", "ironhive.testing", "ironhive_cli.turn"]


def modules_after(code: str) -> set[str]:
    """The modules that are loaded once this code has run in a fresh interpreter."""
    script = f"{code}\nimport sys as _s, json as _j\n_s.stderr.write('\\n' + _j.dumps(sorted(_s.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    return set(json.loads(done.stderr.splitlines()[-1])) - {"json"}


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["plugins", "list"], ["plugins", "--help"], ["doctor", "--help"], ["models", "--help"]],
    ids=" ".join,
)
def test_commands_that_do_no_work_load_nothing_slow(arguments: list[str]) -> None:
    loaded = modules_after(f"from ironhive_cli.main import main; assert main({arguments!r}) == 0")
    assert loaded & BANNED == set()
    assert len(loaded) <= MOST_MODULES


def test_the_version_does_without_typer() -> None:
    loaded = modules_after("from ironhive_cli.main import main; assert main(['--version']) == 0")
    assert "typer" not in loaded
    assert len(loaded) <= 75


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_loads_nothing_slow(package: str) -> None:
    assert modules_after(f"import {package}") & BANNED == set()


@pytest.mark.parametrize("package", ASYNCHRONOUS)
def test_importing_an_asynchronous_package_loads_nothing_slow_but_asyncio(package: str) -> None:
    assert modules_after(f"import {package}") & BANNED <= {"asyncio"}


@pytest.mark.parametrize("package", [*PACKAGES, *ASYNCHRONOUS])
def test_importing_prints_nothing(package: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import {package}"], capture_output=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == (b"", b"")
