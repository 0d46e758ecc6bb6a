"""The provider guide, followed step by step with the files that stand in it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "plugin" / "write-a-provider.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The guide's distribution as installed: its module, its metadata, its entry point."""
    folder = tmp_path_factory.mktemp("acme")
    module, conformance = blocks("python")
    (folder / "acme_ironhive.py").write_text(module, encoding="utf-8")
    (folder / "test_acme.py").write_text(conformance, encoding="utf-8")
    (folder / "pyproject.toml").write_text(blocks("toml")[0], encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder / "site"), str(folder)],
        check=True,
    )
    return folder


def run(site: Path, *arguments: str, config: str = "", stdin: str = "") -> subprocess.CompletedProcess[str]:
    home = site / "home"
    (home / ".ironhive").mkdir(parents=True, exist_ok=True)
    (home / ".ironhive" / "config.yaml").write_text(config, encoding="utf-8")
    environment = {**os.environ, "HOME": str(home), "PYTHONPATH": str(site / "site")}
    return subprocess.run(
        [str(Path(sys.executable).with_name("ironhive")), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=site,
        input=stdin,
        check=False,
    )


def test_the_plugin_is_listed_and_explained(site: Path) -> None:
    listed = run(site, "plugins", "list")
    assert re.search(r"provider\s+acme\s+acme-ironhive\s+0\.1\.0", listed.stdout), listed.stdout + listed.stderr
    shown = run(site, "plugins", "show", "acme")
    assert "ironhive_provider" in shown.stdout, shown.stdout + shown.stderr


def test_the_command_of_the_guide_answers(site: Path) -> None:
    done = run(site, "--provider", "acme", "-p", "say hello", config=blocks("yaml")[0])
    assert (done.returncode, done.stdout.strip()) == (0, "hello"), done.stderr


def test_a_second_instance_by_priority(site: Path) -> None:
    done = run(site, "-p", "two words", "--output", "json", config=blocks("yaml")[1])
    assert (done.returncode, '"content":"words"' in done.stdout.replace(" ", "")) == (0, True), (
        done.stdout + done.stderr
    )


def test_a_provider_without_its_setting_says_what_to_set(site: Path) -> None:
    done = run(site, "--provider", "acme", "-p", "hi")
    assert done.returncode == 1
    assert "set acme.model in config.yaml" in done.stderr


def test_it_passes_the_conformance_suite(site: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-c",
            os.devnull,
            "--rootdir",
            str(site),
            "-o",
            "asyncio_mode=auto",
            "test_acme.py",
        ],
        cwd=site,
        env={**os.environ, "PYTHONPATH": str(site / "site")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
