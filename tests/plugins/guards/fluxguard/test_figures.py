"""The reference page's figures are recomputed on a fixed sample of sources that rules and weights have never seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from ironhive_plugins.guards.fluxguard.training.data import read_rows
from ironhive_plugins.guards.fluxguard.training.figures import (
    attack_rows,
    held_out,
    leave_out_engine,
    report,
)

REPOSITORY = Path(__file__).resolve().parents[4]
PAGE = REPOSITORY / "docs" / "reference" / "fluxguard.md"
WEIGHTS = REPOSITORY / "tests" / "data" / "guard"
TEN = ("ko", "ja", "zh", "es", "de", "fr", "ru", "pt", "ar", "hi")


@pytest.fixture(scope="module")
def lines(shared: Path) -> list[str]:
    rows = held_out(read_rows(shared / "guard" / "data"), sample=True)
    return report(leave_out_engine(WEIGHTS), rows)


def cells(lines: list[str], name: str, nth: int = 0) -> list[str]:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith(f"| {name} |")]
    return rows[nth]


def test_the_page_shows_what_the_guard_does(lines: list[str]) -> None:
    page = PAGE.read_text("utf-8")
    missing = [line for line in lines if line and line not in page]
    assert missing == []


def test_unknown_sources_keep_the_promised_recall(lines: list[str]) -> None:
    assert float(cells(lines, "all")[2]) >= 0.65
    assert float(cells(lines, "jailbreaks")[2]) >= 0.85
    assert float(cells(lines, "direct injections")[2]) >= 0.38


def test_false_alarms_on_unknown_documents_and_encodings_stay_rare(lines: list[str]) -> None:
    assert int(cells(lines, "documents")[4]) <= 1
    assert int(cells(lines, "encoded")[4]) == 0


@pytest.mark.parametrize("language", TEN)
def test_each_language_catches_phrasings_it_has_not_seen(lines: list[str], language: str) -> None:
    nth = len([line for line in lines if line.startswith(f"| {language} |")]) - 1
    row = cells(lines, language, nth)
    assert int(row[1]) >= 50
    assert float(row[2]) >= 0.15
    assert int(row[4]) <= 1


def test_an_encoded_attack_is_caught_as_often_as_its_plain_parent(shared: Path) -> None:
    engine = leave_out_engine(WEIGHTS)
    rows = [row for row, attack in attack_rows(read_rows(shared / "guard" / "data")) if attack]
    plain = {row["id"]: row for row in rows}
    pairs = [(row, plain[row["parent"]]) for row in rows if row.get("parent") in plain][::3]
    encoded = sum(engine.scan(row["text"]).alarm for row, _ in pairs)
    parents = sum(engine.scan(parent["text"]).alarm for _, parent in pairs)
    assert encoded >= 0.95 * parents
