"""The weights in the package are what the training script makes, byte for byte."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="training needs numpy; running the guard does not")

from ironhive_plugins.guards.fluxguard.linear import load_model, pack_model
from ironhive_plugins.guards.fluxguard.training.data import read_rows
from ironhive_plugins.guards.fluxguard.training.split import HELD_OUT, held_out_clusters, is_held_out
from ironhive_plugins.guards.fluxguard.training.texts import own_texts
from ironhive_plugins.guards.fluxguard.training.train import (
    REFUSAL_EPOCHS,
    refusal_samples,
    sample,
    train,
    training_samples,
)

FOLDER = Path(__file__).resolve().parents[4] / "tests" / "data" / "guard"
LANGUAGES = {"ko", "ja", "zh", "es", "de", "fr", "ru", "pt", "ar", "hi"}


def test_the_same_texts_give_the_same_weights() -> None:
    samples = [sample(item.text, attack=item.attack) for item in list(own_texts())[:200]]
    assert train(samples, 3) == train(samples, 3)


def test_the_shipped_weights_are_reproduced(shared: Path) -> None:
    rows = read_rows(shared / "guard" / "data")
    package = resources.files("ironhive_plugins.guards.fluxguard")
    made = pack_model(*train(training_samples(rows, leave_out=False)))
    assert made == (package / "weights.bin").read_bytes()
    made = pack_model(*train(refusal_samples(rows, leave_out=False), REFUSAL_EPOCHS))
    assert made == (package / "refusal.bin").read_bytes()


def test_the_leave_out_weights_are_reproduced(shared: Path) -> None:
    rows = read_rows(shared / "guard" / "data")
    assert pack_model(*train(training_samples(rows, leave_out=True))) == (FOLDER / "weights.leave-out.bin").read_bytes()


def test_no_near_duplicate_stands_on_both_sides(shared: Path) -> None:
    rows = read_rows(shared / "guard" / "data")
    clusters = held_out_clusters(rows)
    seen = {row["cluster"] for row in rows if row.get("cluster") and not is_held_out(row, clusters)}
    judged = {row["cluster"] for row in rows if row.get("cluster") and row["source"] in HELD_OUT}
    assert seen.isdisjoint(judged)


def test_every_language_has_a_hundred_attacks_and_a_hundred_benign_texts_split_by_template() -> None:
    texts = list(own_texts())
    for language in LANGUAGES:
        mine = [item for item in texts if item.language == language]
        assert len({item.text for item in mine if item.attack}) >= 100
        assert len({item.text for item in mine if not item.attack}) >= 100
    rule = {(item.language, item.attack, item.template) for item in own_texts("rule")}
    test = {(item.language, item.attack, item.template) for item in own_texts("test")}
    assert rule.isdisjoint(test)


@pytest.mark.parametrize(
    "data", [b"", b"FLUXLIN1", b"something else entirely", b"FLUXLIN1" + bytes(8) + b"\x78\x9c\x03\x00\x00\x00\x00\x01"]
)
def test_a_torn_weights_file_is_refused(data: bytes) -> None:
    with pytest.raises((ValueError, Exception), match=r"fluxguard|incomplete|torn"):
        load_model(data)
