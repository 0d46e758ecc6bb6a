"""Recorded answers of real providers are understood, however their bytes are cut."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.wire.clients import KEY, WIRES, client_for
from tests.wire.replay import PieceTransport, Recording, random_cuts, single_bytes, whole
from tests.wire.understood import ask, differences

from ironhive.chat import ChatResponse
from ironhive.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("IRONHIVE_SHARED") or REPOSITORY.parent / "shared") / "wire" / "recordings"
PATHS = [path for path in sorted(FOLDER.glob("*/*.json")) if path.parent.name != "ollama"]
"""All but those of Ollama's native wire: Ollama is spoken to over its OpenAI wire."""

CUTS: dict[str, Callable[[bytes], list[bytes]]] = {
    "whole": whole,
    "byte by byte": single_bytes,
    **{f"random {seed}": random_cuts(seed, largest) for seed, largest in ((1, 5), (2, 60), (3, 700), (4, 4000))},
}
FRAMED = {"transfer-encoding": "chunked"}

recorded = pytest.mark.parametrize(
    "path", PATHS or [None], ids=[f"{path.parent.name}/{path.stem}" for path in PATHS] or ["absent"]
)


@pytest.fixture
def recording(path: Path | None, shared: Path) -> Recording:
    if path is None:
        pytest.skip(f"absent data: no recordings below {shared}")
    loaded = Recording.load(path)
    assert loaded.data["wire"] in WIRES
    return loaded


def replay(recording: Recording, pieces: list[bytes], headers: dict[str, str]) -> PieceTransport:
    return PieceTransport(pieces, status=recording.status, headers={**recording.headers, **headers})


@recorded
@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
async def test_it_is_understood(recording: Recording, cut: Callable[[bytes], list[bytes]]) -> None:
    transport = replay(recording, cut(recording.body), FRAMED)
    outcome = await ask(client_for(recording.data["wire"], transport), stream=recording.is_stream)
    assert differences(recording, outcome) == []
    assert len(transport.requests) == 1
    assert transport.streams[0].closed
    assert KEY not in repr(outcome) + str(outcome)


@recorded
async def test_one_that_is_cut_off_is_never_taken_for_whole(recording: Recording) -> None:
    if not recording.is_stream or recording.expect.get("error"):
        return
    if recording.body.count(b'"finishReason"') > 1:
        return  # old Gemini models put one into every event: nothing tells where the answer ends
    rng = random.Random(recording.name)
    body = recording.body
    for length in sorted({1, len(body) // 2, *(rng.randrange(len(body)) for _ in range(25))}):
        transport = replay(recording, [body[:length]], {})
        outcome = await ask(client_for(recording.data["wire"], transport), stream=True)
        if isinstance(outcome, ChatResponse):
            found: Any = (outcome.text, len(outcome.tool_calls))
            assert found == (recording.expect["text"] or "", len(recording.expect["tool_calls"])), length
        else:
            assert isinstance(outcome, ProviderError)


@recorded
async def test_the_same_body_without_streaming_gives_the_same_answer(recording: Recording) -> None:
    """A server that ignores ``stream`` is understood too."""
    if recording.is_stream or recording.status != 200 or recording.expect.get("error"):
        return
    transport = replay(recording, [recording.body], {**FRAMED, "content-type": "application/json"})
    outcome = await ask(client_for(recording.data["wire"], transport), stream=True)
    assert differences(recording, outcome) == []
