r"""An operator's own rules, read from YAML and proven by their own examples before they are used.

::

    rules:
      - id: codename
        pattern: '(?i)project\s+falcon'     # RE2 syntax, on the text as it stands
        category: confidential
        severity: high
        score: 0.9
        roles: [user, assistant]             # default: all
        tests:
          match: ["what is Project Falcon?"]
          pass: ["a falcon is a bird"]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ironhive.contracts.guards import Finding, Severity
from ironhive.errors import ConfigurationError
from ironhive_plugins.guards.fluxguard.engines import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROLES = frozenset({"user", "tool", "assistant"})


@dataclass(frozen=True, slots=True)
class CustomRule:
    """One rule of an operator; ``pattern`` is RE2 syntax, ``score`` lies between 0 and 1."""

    id: str
    pattern: str
    category: str = "custom"
    severity: Severity = Severity.HIGH
    score: float = 0.8
    roles: frozenset[str] = ROLES

    def find(self, text: str, role: str) -> Iterator[Finding]:
        """Every place in ``text`` where the rule holds."""
        if role in self.roles:
            for match in pattern(self.pattern).finditer(text):
                yield Finding(f"custom.{self.id}", self.category, match.start(), match.end(), self.severity, self.score)


def load_rules(path: Path) -> tuple[CustomRule, ...]:
    """The rules of a YAML file; raises ConfigurationError for a bad file or a rule that fails its own examples."""
    import yaml  # heavy, and only needed by those who write rules

    try:
        data = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise ConfigurationError(f"guard rules {path}: {error}") from error
    return parse_rules(data, where=str(path))


def parse_rules(data: Any, *, where: str = "rules") -> tuple[CustomRule, ...]:
    """The rules in already parsed data (a mapping with ``rules``, or the list itself); each must pass its examples."""
    entries = data.get("rules") if isinstance(data, Mapping) else data
    if not isinstance(entries, list):
        raise ConfigurationError(f"guard rules {where}: expected a list of rules")
    return tuple(_rule(entry, f"{where}, rule {number}") for number, entry in enumerate(entries, 1))


def _rule(entry: Any, where: str) -> CustomRule:
    if (
        not isinstance(entry, Mapping)
        or not isinstance(entry.get("id"), str)
        or not isinstance(entry.get("pattern"), str)
    ):
        raise ConfigurationError(f"guard {where}: a rule needs an id and a pattern")
    roles = frozenset(entry.get("roles", ROLES))
    if roles - ROLES:
        raise ConfigurationError(f"guard {where}: unknown roles {sorted(roles - ROLES)}, expected {sorted(ROLES)}")
    try:
        severity = Severity[str(entry.get("severity", "high")).upper()]
        score = float(entry.get("score", 0.8))
        rule = CustomRule(entry["id"], entry["pattern"], str(entry.get("category", "custom")), severity, score, roles)
        pattern(rule.pattern)
    except KeyError as error:
        raise ConfigurationError(f"guard {where}: unknown severity {error}") from error
    except ValueError as error:
        raise ConfigurationError(f"guard {where}: {error}") from error
    if not 0 <= score <= 1:
        raise ConfigurationError(f"guard {where}: score {score} is not between 0 and 1")
    _self_test(rule, entry.get("tests") or {}, where)
    return rule


def _self_test(rule: CustomRule, tests: Any, where: str) -> None:
    if not isinstance(tests, Mapping):
        raise ConfigurationError(f"guard {where}: tests must be a mapping with match and pass")
    role = min(rule.roles) if rule.roles else "user"
    for kind, wanted in (("match", True), ("pass", False)):
        for text in tests.get(kind) or ():
            if any(True for _ in rule.find(str(text), role)) is not wanted:
                verb = "does not match" if wanted else "matches"
                raise ConfigurationError(f"guard {where}: {rule.id!r} {verb} its {kind} example {text!r}")
