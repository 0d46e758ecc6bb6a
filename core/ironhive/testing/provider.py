"""A model server on this machine that speaks OpenAI's Chat Completions and says what a test wrote."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ironhive.testing.server import Fault, LoopbackServer, Reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ironhive.testing.server import Request

MODEL = "scripted-1"
"""The model that a scripted provider lists and claims to be."""


def scripted_provider(
    *answers: str | Sequence[str | Fault] | Reply, models: Sequence[str] = (MODEL,)
) -> LoopbackServer:
    """A server for ``async with`` whose chat answers are given; requests for ``/models`` are answered beside them.

    An answer is a text, the pieces of one (a fault among them breaks the stream there; a request that is not streamed
    then gets the fault at once), or a :class:`Reply` as it is. The last answer is repeated. The base URL of the API is
    ``server.url + "/v1"``.
    """
    waiting = list(answers or ("",))

    def reply(request: Request) -> Reply:
        if request.path.split("?")[0].endswith("/models"):
            listed = [{"id": model, "object": "model"} for model in models]
            return Reply.json({"object": "list", "data": listed})
        answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return answer if isinstance(answer, Reply) else chat_reply(request, answer)

    return LoopbackServer([reply])


def chat_reply(request: Request, answer: str | Sequence[str | Fault]) -> Reply:
    """The answer in the form that the request asks for: streamed or whole."""
    pieces = (answer,) if isinstance(answer, str) else tuple(answer)
    if request.json.get("stream"):
        return Reply.chunked(chat_events(pieces))
    fault = next((piece for piece in pieces if isinstance(piece, Fault)), None)
    if fault is not None:
        return Reply.raw(fault)
    return Reply.json(chat_completion("".join(piece for piece in pieces if isinstance(piece, str))))


def chat_completion(text: str) -> dict[str, Any]:
    """A whole answer on the wire."""
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def chat_events(pieces: Iterable[str | Fault]) -> Iterable[bytes | Fault]:
    """A streamed answer on the wire, one event for each piece; a fault ends it."""
    for piece in pieces:
        if isinstance(piece, Fault):
            yield piece
            return
        yield _event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": piece}}]})
    yield _event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    yield b"data: [DONE]\n\n"


def _event(value: dict[str, Any]) -> bytes:
    event = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": MODEL, **value}
    return b"data: " + json.dumps(event).encode() + b"\n\n"
