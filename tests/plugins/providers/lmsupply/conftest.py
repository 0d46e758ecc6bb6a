"""GGUF headers made to measure, and a generator that does what it is told."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

from ironhive.chat import ChatUpdate, TextContent, Usage, UsageContent
from ironhive.contracts import GeneratorInfo

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence
    from pathlib import Path

    from ironhive.chat import ChatMessage, ChatOptions


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _pair(key: str, value: Any) -> bytes:
    if isinstance(value, str):
        return _text(key) + struct.pack("<I", 8) + _text(value)
    if isinstance(value, list):
        body = b"".join(_text(item) for item in value)
        return _text(key) + struct.pack("<IIQ", 9, 8, len(value)) + body
    return _text(key) + struct.pack("<II", 4, value)


def gguf(size: int, *, template: bool = True, architecture: str = "llama", **facts: Any) -> bytes:
    """A file that begins as a model does and is filled up with zeros to ``size`` bytes (sparse when written)."""
    pairs: dict[str, Any] = {
        "general.architecture": architecture,
        "general.name": "Test model",
        f"{architecture}.block_count": 4,
        f"{architecture}.context_length": 4096,
        f"{architecture}.embedding_length": 64,
        f"{architecture}.attention.head_count": 4,
        f"{architecture}.attention.head_count_kv": 2,
        "tokenizer.ggml.tokens": ["a", "b"],
        **facts,
    }
    if template:
        pairs["tokenizer.chat_template"] = "{{ messages }}"
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(pairs))
    head += b"".join(_pair(key, value) for key, value in pairs.items())
    head += _text("weights") + struct.pack("<IQQIQ", 2, 10, 20, 0, 0)
    return head


@pytest.fixture
def make_gguf() -> Callable[..., Path]:
    """Write such a file; ``megabytes`` is its size."""

    def write(path: Path, megabytes: int = 2, **facts: Any) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.write(gguf(megabytes, **facts))
            file.truncate(megabytes << 20)
        return path

    return write


class ScriptedGenerator:
    """A :class:`ironhive.contracts.Generator` and scorer: scores come from ``likes``, answers from ``answers`` in turn.

    ``likes`` maps a word to a figure; a text's score is the sum over the words in it. ``requests`` records what came.
    """

    def __init__(
        self,
        *,
        likes: dict[str, float] | None = None,
        answers: Sequence[str] = ("An answer of some words.",),
        parameters: int | None = 100,
        finish: str = "stop",
    ) -> None:
        self.likes = likes or {}
        self.answers = list(answers)
        self.finish = finish
        self.requests: list[tuple[Sequence[ChatMessage], ChatOptions]] = []
        self.closed = False
        self.info = GeneratorInfo("scripted", "nowhere", 2048, "scripted", parameters=parameters)

    async def stream(self, messages: Sequence[ChatMessage], options: ChatOptions) -> AsyncGenerator[ChatUpdate, None]:
        self.requests.append((messages, options))
        text = self.answers[min(len(self.requests), len(self.answers)) - 1]
        yield ChatUpdate(role="assistant", model=self.info.model_id)
        for word in text.split(" "):
            yield ChatUpdate((TextContent(word + " "),))
        usage = Usage(input_tokens=10, output_tokens=len(text.split()), total_tokens=10 + len(text.split()))
        yield ChatUpdate((UsageContent(usage),), finish_reason=self.finish)

    async def score(
        self, messages: Sequence[ChatMessage], continuations: Sequence[str], *, start: str = ""
    ) -> list[float]:
        nothing = messages[-1].text.endswith("N/A")
        return [
            0.0 if nothing else sum(value for word, value in self.likes.items() if word in start + text)
            for text in continuations
        ]

    async def count_tokens(self, text: str) -> int:
        return len(text.split())

    async def warm_up(self) -> None:
        return None

    async def aclose(self) -> None:
        self.closed = True


@pytest.fixture
def scripted() -> type[ScriptedGenerator]:
    return ScriptedGenerator
