"""What ``ironhive doctor`` shows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How a finding counts: only an error makes ``doctor`` fail."""

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One finding: the section it belongs to, what was found, and what to do about it."""

    section: str
    level: Level
    text: str
    advice: str = ""
