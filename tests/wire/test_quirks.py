"""Each oddity that real servers have, in a small recording of our own making.

``tests/data/wire/<wire>.json`` holds the cases: the lines of a body, and what the client has to make of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.wire.clients import WIRES, client_for
from tests.wire.replay import PieceTransport, random_cuts, single_bytes, whole
from tests.wire.understood import ask

from ironhive.chat import ChatResponse, ErrorContent
from ironhive.errors import ContextOverflowError, HttpStatusError, IronHiveError

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).resolve().parents[1] / "data" / "wire"
CASES = [
    pytest.param(wire, case, id=f"{wire}: {case['name']}")
    for wire in WIRES
    for case in json.loads((FOLDER / f"{wire}.json").read_text(encoding="utf-8"))
]
CUTS: dict[str, Callable[[bytes], list[bytes]]] = {
    "whole": whole,
    "byte by byte": single_bytes,
    "at random": random_cuts(7, 40),
}


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
@pytest.mark.parametrize(("wire", "case"), CASES)
async def test_it_is_understood(wire: str, case: dict[str, Any], cut: Callable[[bytes], list[bytes]]) -> None:
    body = case.get("newline", "\n").join(case["body"]).encode()
    kind = "text/event-stream" if case["stream"] else "application/json"
    headers = {"content-type": kind, "transfer-encoding": "chunked", **case.get("headers", {})}
    transport = PieceTransport(cut(body), status=case.get("status", 200), headers=headers)
    more = {"think_tags": case["think_tags"]} if "think_tags" in case else {}
    outcome = await ask(client_for(wire, transport, **more), stream=case["stream"])
    expect = case["expect"]
    found = error_facts(outcome) if "error" in expect else response_facts(outcome)
    wanted = expect.get("error", expect)
    assert {name: found.get(name) for name in wanted} == wanted, outcome
    assert all(stream.closed for stream in transport.streams)


def error_facts(outcome: object) -> dict[str, Any]:
    assert isinstance(outcome, IronHiveError), outcome
    facts: dict[str, Any] = {"type": type(outcome).__name__}
    if isinstance(outcome, HttpStatusError):
        facts |= {
            "status": outcome.status,
            "detail": outcome.detail,
            "code": outcome.code,
            "retry_after": outcome.retry_after,
        }
    if isinstance(outcome, ContextOverflowError):
        facts["window"] = outcome.context_window
    return facts


def response_facts(outcome: object) -> dict[str, Any]:
    assert isinstance(outcome, ChatResponse), outcome
    errors = (
        [part.message for part in outcome.messages[0].contents if isinstance(part, ErrorContent)]
        if (outcome.messages)
        else []
    )
    return {
        "text": outcome.text,
        "reasoning": outcome.reasoning,
        "finish": outcome.finish_reason,
        "word": outcome.properties.get("provider_finish_reason"),
        "reason": "; ".join(errors),
        "id": outcome.response_id,
        "model": outcome.model,
        "usage": _usage_facts(outcome),
        "calls": [_Call(call.name, call.arguments, call.call_id, call.error) for call in outcome.tool_calls],
    }


def _usage_facts(outcome: ChatResponse) -> dict[str, int]:
    usage = outcome.usage
    counts = {} if usage is None else {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "total": usage.total_tokens,
        "cached": usage.cached_input_tokens,
        "written": usage.cache_write_tokens,
        "reasoning": usage.reasoning_tokens,
    }  # fmt: skip
    return {name: count for name, count in counts.items() if count is not None}


class _Call:
    """A call that equals the facts a case gives about it; without an id there, any id will do."""

    def __init__(self, name: str, arguments: object, call_id: str, error: str | None) -> None:
        self.facts = {"name": name, "arguments": arguments, "id": call_id, "error": error}

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, dict)
        words = other.get("error")
        said = self.facts["error"]
        same_error = said is None if words is None else words in str(said)
        return (
            same_error
            and bool(self.facts["id"])
            and all(self.facts[name] == other[name] for name in other if name != "error")
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.facts)
