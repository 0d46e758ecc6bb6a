"""What ``ironhive doctor`` says about local models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.contracts import Diagnosis, Level
from ironhive_plugins.providers.lmsupply.engines import installed_engines
from ironhive_plugins.providers.lmsupply.resolve import best_here, find_here

if TYPE_CHECKING:
    from ironhive_plugins.providers.lmsupply.config import LocalConfig

SECTION = "Local models"


def findings(config: LocalConfig) -> list[Diagnosis]:
    """Which engines are installed, and which model the next request would use."""
    return [_engines(), _model(config)]


def _engines() -> Diagnosis:
    found = installed_engines()
    if found:
        return Diagnosis(SECTION, Level.OK, f"engines: {', '.join(found)}")
    return Diagnosis(SECTION, Level.WARNING, "no engine is installed", "run  pip install 'ironhive[local]'")


def _model(config: LocalConfig) -> Diagnosis:
    if config.auto:
        best = best_here(config)
        if best is not None:
            return Diagnosis(SECTION, Level.OK, f"{best.id} is on this machine and fits ({best.size / 1e6:.0f} MB)")
    elif (found := find_here(config, config.model)) is not None:
        return Diagnosis(SECTION, Level.OK, f"{found.id} is on this machine")
    if config.offline:
        text = f"{config.model}: no such model is on this machine, and lmsupply.offline forbids to fetch one"
        return Diagnosis(SECTION, Level.WARNING, text, "set lmsupply.offline to false for one run")
    return Diagnosis(SECTION, Level.NOTE, f"{config.model}: the first request will fetch a model into {config.cache}")
