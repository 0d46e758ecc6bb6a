"""The page about providers says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ironhive_plugins.providers.anthropic.decoder import FINISH_WORDS as ANTHROPIC_WORDS
from ironhive_plugins.providers.anthropic.plugin import ironhive_settings_model as anthropic_model
from ironhive_plugins.providers.googleai.decoder import FINISH_WORDS as GOOGLE_WORDS
from ironhive_plugins.providers.googleai.plugin import ironhive_settings_model as google_model
from ironhive_plugins.providers.openai.chat.decoder import FINISH_WORDS as CHAT_WORDS
from ironhive_plugins.providers.openai.plugin import ironhive_settings_model as openai_model
from ironhive_plugins.providers.openai.presets import BY_SECTION

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "providers.md").read_text(encoding="utf-8")
WORDS = set(re.findall(r"`([^`\n]+)`", PAGE))


@pytest.mark.parametrize("section", [*BY_SECTION, "anthropic", "googleai"])
def test_every_setting_is_described(section: str) -> None:
    model = openai_model(section=section) or anthropic_model(section=section) or google_model(section=section)
    assert model is not None
    keys = {field.alias for field in model.model_fields.values()}  # type: ignore[attr-defined]
    assert keys - WORDS == set()
    assert section in WORDS


@pytest.mark.parametrize("words", [CHAT_WORDS, ANTHROPIC_WORDS, GOOGLE_WORDS], ids=["chat", "anthropic", "google"])
def test_every_finish_word_stands_in_the_row_it_is_mapped_to(words: dict[str, str]) -> None:
    rows = {line.split("|")[1].strip().strip("`"): line for line in PAGE.splitlines() if line.startswith("| `")}
    assert [word for word, finish in words.items() if f"`{word}`" not in rows[finish]] == []


def test_priorities_and_aliases() -> None:
    for preset in BY_SECTION.values():
        (row,) = re.findall(rf"^\| `{preset.section}` \|.*\| {preset.priority} \|$", PAGE, re.MULTILINE)
        assert all(f"`{alias}`" in row for alias in preset.aliases)
        if preset.base_url and preset.section != "custom":
            assert preset.base_url in WORDS


def test_the_examples_run() -> None:
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "providers.md", "exec"), {})
