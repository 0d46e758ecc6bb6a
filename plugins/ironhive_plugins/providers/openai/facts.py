"""What ``models.json`` says about a model and about the host it is asked on."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ironhive.http import FactTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FILE = Path(__file__).with_name("models.json")

MODELS: Final = FactTable(_FILE)
"""Facts by model id."""

_WORDS = ("none", "minimal", "low", "medium", "high", "xhigh")


@cache
def host_facts(host: str) -> Mapping[str, Any]:
    """Facts about a public service, by its host name; empty for any other server."""
    facts: dict[str, Any] = {}
    for rule in json.loads(_FILE.read_text(encoding="utf-8"))["hosts"]:
        if re.search(rule["match"], host):
            facts |= {key: value for key, value in rule.items() if key != "match"}
    return facts


def effort_word(effort: str, offered: Sequence[str] | None) -> str | None:
    """The wire's word for an effort, the nearest of those a model offers; None when it offers none.

    ``offered`` None means that nothing is known about the model: the word goes out as it is.
    """
    word = "xhigh" if effort == "extra_high" else effort
    if offered is None:
        return word
    if not offered:
        return None
    wanted = _WORDS.index(word)
    return min(offered, key=lambda option: (abs(_WORDS.index(option) - wanted), _WORDS.index(option)))
