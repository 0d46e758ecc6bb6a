"""A guard of each preset, built once: loading the lexicon costs more than a scan."""

from __future__ import annotations

import pytest

pytest.importorskip("re2", reason="the extra `guard` is not installed")

from ironhive_plugins.guards.fluxguard import FluxGuard


@pytest.fixture(scope="session")
def guard() -> FluxGuard:
    return FluxGuard.standard()


@pytest.fixture(scope="session")
def minimal() -> FluxGuard:
    return FluxGuard.minimal()
