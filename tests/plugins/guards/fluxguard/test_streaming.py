"""A streamed answer is judged piece by piece; what is cut in two is still one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ironhive_plugins.guards.fluxguard.streaming import TAIL

if TYPE_CHECKING:
    from ironhive_plugins.guards.fluxguard import FluxGuard

KEY = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.mark.parametrize("cut", [1, 7, 20, 39])
async def test_a_secret_cut_in_two_is_found(guard: FluxGuard, cut: int) -> None:
    scanner = guard.open_scanner()
    await scanner.feed("the key is " + KEY[:cut])
    await scanner.feed(KEY[cut:] + " ok")
    assert (await scanner.finish()).blocked


async def test_findings_count_from_the_start_of_the_answer(guard: FluxGuard) -> None:
    scanner = guard.open_scanner()
    text = "word " * 400 + KEY
    for start in range(0, len(text), 7):
        verdict = await scanner.feed(text[start : start + 7])
    best = verdict.findings[0]
    assert text[best.start : best.end] == KEY


async def test_memory_does_not_grow_with_the_answer(guard: FluxGuard) -> None:
    scanner = guard.open_scanner()
    for _ in range(500):
        assert not (await scanner.feed("a harmless sentence. ")).alarm
    assert len(scanner._tail) <= TAIL  # type: ignore[attr-defined]
