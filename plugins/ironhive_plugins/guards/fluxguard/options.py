"""What can be set on a guard, and the three presets."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from ironhive.contracts import FailMode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ironhive_plugins.guards.fluxguard.custom import CustomRule


class Action(StrEnum):
    """What becomes of personal data and secrets in the input: stop the call, or replace them by placeholders."""

    BLOCK = "block"
    MASK = "mask"


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of one guard; scores and thresholds lie between 0 and 1.

    ``weights`` multiplies the score of single rules; ``rules_off`` silences rules by id or by category; ``allow`` lists
    texts (exact, case-insensitive) and RE2 patterns (between slashes) whose findings are dropped. ``escalate`` turns
    scores from ``escalation_threshold`` up to ``block_threshold`` into *needs escalation* instead of *flagged*.
    """

    block_threshold: float = 0.9
    flag_threshold: float = 0.7
    escalation_threshold: float = 0.5
    attacks: bool = True
    encodings: bool = True
    linear: bool = True
    pii: bool = True
    secrets: bool = True
    refusals: bool = True
    escalate: bool = False
    fail_mode: FailMode = FailMode.CLOSED
    action: Action = Action.BLOCK
    mask_threshold: float = 0.3
    rules_off: frozenset[str] = frozenset()
    weights: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    allow: tuple[str, ...] = ()
    custom: tuple[CustomRule, ...] = ()


MINIMAL = Options(encodings=False, linear=False, pii=False, refusals=False)
"""Attack rules on the input, secrets everywhere; no decoding, no statistics, no personal data."""

STANDARD = Options()
"""Everything that works offline."""

STRICT = Options(block_threshold=0.8, flag_threshold=0.5, escalation_threshold=0.3)
"""Everything, at lower thresholds: more alarms, more of them false."""

PRESETS: Mapping[str, Options] = MappingProxyType({"minimal": MINIMAL, "standard": STANDARD, "strict": STRICT})
