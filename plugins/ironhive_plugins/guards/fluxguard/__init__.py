"""FluxGuard: an offline guard against prompt attacks, leaks of personal data and leaked secrets.

This module only describes the plugin: the engine is imported when a guard is opened or a public name is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ironhive.contracts import CommandEntry
from ironhive.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ironhive.contracts import FailMode, Guard
    from ironhive_plugins.guards.fluxguard.custom import CustomRule, load_rules
    from ironhive_plugins.guards.fluxguard.engines import MissingEngineError
    from ironhive_plugins.guards.fluxguard.escalation import ClientJudge, Judge
    from ironhive_plugins.guards.fluxguard.guard import FluxGuard
    from ironhive_plugins.guards.fluxguard.options import Action, Options

__all__ = [
    "Action",
    "ClientJudge",
    "CustomRule",
    "FailMode",
    "FluxGuard",
    "Judge",
    "MissingEngineError",
    "Options",
    "load_rules",
]

_HOMES = {
    "Action": "options",
    "ClientJudge": "escalation",
    "CustomRule": "custom",
    "FailMode": "options",
    "FluxGuard": "guard",
    "Judge": "escalation",
    "MissingEngineError": "engines",
    "Options": "options",
    "load_rules": "custom",
}


def __getattr__(name: str) -> Any:
    """Load a public name from its module on first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)


@hookimpl
def ironhive_guard(name: str, settings: Mapping[str, Any]) -> Guard | None:
    """The guard for ``gateway.guard: fluxguard``."""
    if name != "fluxguard":
        return None
    from ironhive_plugins.guards.fluxguard.engines import check_installed
    from ironhive_plugins.guards.fluxguard.settings import guard_from_settings

    check_installed()  # now, and not at the first prompt
    return guard_from_settings(settings)


def _commands() -> Any:
    from ironhive_plugins.guards.fluxguard.commands import app

    return app


@hookimpl
def ironhive_commands() -> Sequence[CommandEntry]:
    """``ironhive guard scan`` and ``ironhive guard eval``."""
    return (CommandEntry("guard", "Scan text with the guard, or measure it on labelled data.", _commands),)
