"""JSON of the wrong shape, anywhere in an answer, is an error of ours or does no harm; it is never a crash."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.wire.clients import WIRES, client_for
from tests.wire.replay import PieceTransport
from tests.wire.understood import ask

from ironhive.chat import ChatResponse
from ironhive.errors import IronHiveError

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).resolve().parents[1] / "data" / "wire"
STRANGE: list[Any] = [None, 0, -1, 1.5, True, "", "x", [], [1], [None], {}, {"a": 1}, [{}], [[]], "\ud83d"]
ROUNDS = 60


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a JSON value with each of its keys."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield node, key
        yield from places(value)


def spoiled(line: str, rng: random.Random) -> str:
    """A line of a body with one of its JSON values replaced, or dropped."""
    prefix, value = ("data: ", line[6:]) if line.startswith("data: ") else ("", line)
    try:
        parsed = copy.deepcopy(json.loads(value))
    except ValueError:
        return line
    found = list(places(parsed))
    if not found:
        return line
    for _ in range(rng.randint(1, 3)):
        node, key = rng.choice(found)
        if isinstance(node, dict) and rng.random() < 0.3:
            node.pop(key, None)
        elif isinstance(node, dict) or key < len(node):
            node[key] = rng.choice(STRANGE)
    return prefix + json.dumps(parsed)


CASES = [(wire, case) for wire in WIRES for case in json.loads((FOLDER / f"{wire}.json").read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("wire", "case"), CASES, ids=[f"{wire}: {case['name']}" for wire, case in CASES])
async def test_a_spoiled_answer_is_an_answer_or_a_named_error(wire: str, case: dict[str, Any]) -> None:
    rng = random.Random(case["name"])
    kind = "text/event-stream" if case["stream"] else "application/json"
    for _ in range(ROUNDS):
        lines = [spoiled(line, rng) if rng.random() < 0.5 else line for line in case["body"]]
        body = case.get("newline", "\n").join(lines).encode("utf-8", "replace")
        headers = {"content-type": kind, "transfer-encoding": "chunked"}
        transport = PieceTransport([body], status=case.get("status", 200), headers=headers)
        outcome = await ask(client_for(wire, transport), stream=case["stream"])
        assert isinstance(outcome, (ChatResponse, IronHiveError))
        if isinstance(outcome, ChatResponse):
            assert isinstance(outcome.text, str)
            assert all(call.call_id and isinstance(call.name, str) for call in outcome.tool_calls), body
