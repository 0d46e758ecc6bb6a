"""Guards pass the suite that strangers' must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.core.gateway.helpers import ScanningWordGuard
from tests.core.gateway.test_masking import SECRET, Masker

from ironhive.testing import GuardConformance

if TYPE_CHECKING:
    from ironhive.contracts import Guard


class TestScanning(GuardConformance):
    """A guard with a scanner."""

    forbidden = "this is forbidden text"

    def guard(self) -> Guard:
        return ScanningWordGuard()


class TestMasking(GuardConformance):
    """A guard that masks, and forbids what it masks."""

    masked = f"write to {SECRET} today"

    def guard(self) -> Guard:
        return Masker()
