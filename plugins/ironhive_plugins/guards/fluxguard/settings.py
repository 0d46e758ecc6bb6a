"""A guard from the settings of config.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ironhive.contracts import FailMode
from ironhive.errors import ConfigurationError
from ironhive_plugins.guards.fluxguard.custom import load_rules, parse_rules
from ironhive_plugins.guards.fluxguard.escalation import ClientJudge
from ironhive_plugins.guards.fluxguard.guard import FluxGuard
from ironhive_plugins.guards.fluxguard.options import PRESETS, Action, Options

if TYPE_CHECKING:
    from ironhive_plugins.guards.fluxguard.custom import CustomRule

_NUMBERS = {
    "blockThreshold": "block_threshold",
    "flagThreshold": "flag_threshold",
    "escalationThreshold": "escalation_threshold",
    "maskThreshold": "mask_threshold",
}
_SWITCHES = {
    "attacks": "attacks",
    "encodings": "encodings",
    "statistics": "linear",
    "pii": "pii",
    "secrets": "secrets",
    "refusals": "refusals",
}
_OTHERS = frozenset({"preset", "failMode", "action", "rules", "allow", "custom", "customFile", "judgeClient", "guard"})


def guard_from_settings(settings: Mapping[str, Any]) -> FluxGuard:
    """The guard that ``settings`` describe; raises ConfigurationError for an unknown key or a bad value."""
    unknown = sorted(set(settings) - _OTHERS - set(_NUMBERS) - set(_SWITCHES))
    if unknown:
        raise ConfigurationError(f"fluxguard does not know {', '.join(map(repr, unknown))}", key="gateway.guard")
    options = _preset(settings.get("preset", "standard"))
    changes: dict[str, Any] = {
        "fail_mode": _choice(FailMode, settings.get("failMode", "closed"), "failMode"),
        "action": _choice(Action, settings.get("action", "block"), "action"),
        "allow": tuple(str(item) for item in settings.get("allow") or ()),
        "custom": _custom(settings),
        **_rule_switches(settings.get("rules") or {}),
    }
    for key, field in _NUMBERS.items():
        if key in settings:
            changes[field] = _share(settings[key], key)
    for key, field in _SWITCHES.items():
        if key in settings:
            changes[field] = bool(settings[key])
    client = settings.get("judgeClient")
    if client is None:
        return FluxGuard(replace(options, **changes))
    return FluxGuard(replace(options, **changes, escalate=True), judge=ClientJudge(client))


def _preset(name: Any) -> Options:
    try:
        return PRESETS[str(name).lower()]
    except KeyError:
        raise ConfigurationError(
            f"unknown fluxguard preset {name!r}, expected one of {sorted(PRESETS)}", key="preset"
        ) from None


def _choice(kind: Any, value: Any, key: str) -> Any:
    try:
        return kind(str(value).lower())
    except ValueError:
        raise ConfigurationError(
            f"{key} is {value!r}, expected one of {[item.value for item in kind]}", key=key
        ) from None


def _share(value: Any, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ConfigurationError(f"{key} is {value!r}, expected a number between 0 and 1", key=key)
    return float(value)


def _rule_switches(rules: Any) -> dict[str, Any]:
    """``rules: {<id or category>: off, <id>: 0.5}``: switches and weights."""
    if not isinstance(rules, Mapping):
        raise ConfigurationError("rules must map rule ids to off or to a weight", key="rules")
    off = frozenset(str(name) for name, value in rules.items() if value is False or value == "off")
    weights = {
        str(name): float(value)
        for name, value in rules.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    return {"rules_off": off, "weights": weights}


def _custom(settings: Mapping[str, Any]) -> tuple[CustomRule, ...]:
    rules = parse_rules(settings["custom"], where="custom") if settings.get("custom") else ()
    path = settings.get("customFile")
    return (*rules, *load_rules(Path(str(path)).expanduser())) if path else rules
