"""An operator's rules prove themselves before they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ironhive.errors import ConfigurationError
from ironhive_plugins.guards.fluxguard import FluxGuard, load_rules

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """
rules:
  - id: codename
    pattern: '(?i)project\\s+falcon'
    category: confidential
    severity: critical
    score: 0.95
    roles: [user]
    tests:
      match: ["what is Project Falcon?"]
      pass: ["a falcon is a bird"]
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text(text, "utf-8")
    return path


def test_a_rule_from_yaml_blocks_in_its_role_only(tmp_path: Path) -> None:
    guard = FluxGuard.standard().with_custom_rules(*load_rules(write(tmp_path, GOOD)))
    assert guard.scan("tell me about project  falcon").blocked
    assert not guard.scan("project falcon", role="tool").alarm


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("a falcon is a bird", "project falcon"), "matches its pass example"),
        (("what is Project Falcon?", "what is it?"), "does not match its match example"),
        (("critical", "huge"), "unknown severity"),
        (("0.95", "9"), "not between 0 and 1"),
        (("[user]", "[boss]"), "unknown roles"),
        (("project\\s+falcon'", "(project'"), "not a pattern"),
        (("falcon'", "falcon(?=x)'"), "not a pattern"),
        (("id: codename", "name: codename"), "needs an id and a pattern"),
    ],
)
def test_a_bad_rule_is_refused_with_its_reason(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    text = GOOD.replace(*change)
    assert text != GOOD
    with pytest.raises(ConfigurationError, match=message):
        load_rules(write(tmp_path, text))


@pytest.mark.parametrize("text", ["rules: 7", "- - -:", "just text"])
def test_a_file_that_holds_no_rules_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigurationError):
        load_rules(write(tmp_path, text))
