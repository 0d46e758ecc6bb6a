"""The reference page holds what the code holds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from ironhive.gateway import TransitionKind, byo
from ironhive.settings import SectionModel
from ironhive.settings.gateway import GatewaySection

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "gateway.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
WORDS = {"none": None, "no limit": None, "true": True, "local only": None, "priority": None}


def rows(header: str) -> list[list[str]]:
    """The cells of the table with this header."""
    table = PAGE.split(f"| {header} |", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def settings(section: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if isinstance(value, SectionModel):
            yield from settings(value, f"{prefix}{field.alias}.")
        else:
            yield f"{prefix}{field.alias}", value


def shown(value: Any) -> Any:
    """A default as the page writes it."""
    if value is None or value == ():
        return None
    return value if isinstance(value, (bool, str)) else f"{value:g}"


@pytest.mark.parametrize("number", range(len([kind for kind, _ in BLOCKS if kind == "python"])))
def test_every_program_runs_as_far_as_it_does_without_a_server(number: int) -> None:
    source = [text for kind, text in BLOCKS if kind == "python"][number]
    exec(compile(source, f"block {number}", "exec"), {"__name__": "documentation"})


def test_the_example_section_is_valid() -> None:
    source = next(text for kind, text in BLOCKS if kind == "yaml")
    assert GatewaySection.model_validate(yaml.safe_load(source)["gateway"]).guard_name == "fluxguard"


def test_every_key_is_described_with_its_default() -> None:
    described = {key: default for key, default, _ in rows("key | default | meaning")}
    actual = dict(settings(GatewaySection()))
    assert list(described) == [key for key in described if key in actual]
    assert described.keys() == actual.keys()
    for key, value in actual.items():
        assert WORDS.get(described[key], described[key]) == shown(value), key


def test_every_transition_is_described() -> None:
    assert [row[0] for row in rows("kind | when | index")] == [kind.value for kind in TransitionKind]


def test_every_preset_is_described() -> None:
    described = [(row[0], row[1].lower(), row[3]) for row in rows("preset | kind | default base URL | key")]
    actual = [
        (preset.id, preset.kind.value, "required" if preset.key_required else "optional") for preset in byo.presets()
    ]
    assert described == actual


def test_every_probe_failure_is_named() -> None:
    assert all(f"`{failure.value}`" in PAGE for failure in byo.ProbeFailure)
