"""What the gateway's tests share: guards with a script, and streams read to their end."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from ironhive.chat import ToolResultContent, result_text
from ironhive.contracts import Verdict
from ironhive.errors import HttpStatusError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ironhive.chat import ChatClient, ChatMessage, ChatOptions, ChatResponse, ChatUpdate
    from ironhive.contracts import Scanner


def refusal(status: int, *, retry_after: float | None = None) -> HttpStatusError:
    return HttpStatusError(f"answered {status}", status=status, retry_after=retry_after)


async def read(client: ChatClient, prompt: str = "hello", options: ChatOptions | None = None) -> list[ChatUpdate]:
    """All updates of a streamed answer."""
    async with aclosing(client.stream(prompt, options)) as updates:
        return [update async for update in updates]


async def ask(client: ChatClient, *, streamed: bool, prompt: str = "hello") -> str:
    """The text of an answer, streamed or not."""
    if streamed:
        return "".join(update.text for update in await read(client, prompt))
    response = await client.complete(prompt)
    return response.text


class WordGuard:
    """Forbids texts with a word in them, and remembers what it was shown."""

    def __init__(self, word: str = "forbidden", *, verdict: Verdict | None = None) -> None:
        self.word = word
        self.verdict = verdict or Verdict.block(f"it says {word}")
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.on_output: Callable[[], None] = lambda: None

    def judge(self, text: str) -> Verdict:
        return self.verdict if self.word in text else Verdict.allow()

    async def inspect_input(self, messages: Sequence[ChatMessage]) -> Verdict:
        self.inputs.append("\n".join(_seen(message) for message in messages))
        return self.judge(self.inputs[-1])

    async def inspect_output(self, response: ChatResponse) -> Verdict:
        calls = "".join(call.arguments_text for call in response.tool_calls)
        self.outputs.append(response.text + response.reasoning + calls)
        self.on_output()
        return self.judge(self.outputs[-1])


def _seen(message: ChatMessage) -> str:
    results = [result_text(part.result) for part in message.contents if isinstance(part, ToolResultContent)]
    return message.text + "".join(results)


class ScanningWordGuard(WordGuard):
    """The same, piece by piece."""

    def __init__(self, word: str = "forbidden", *, verdict: Verdict | None = None) -> None:
        super().__init__(word, verdict=verdict)
        self.scanned: list[str] = []
        self.finished = 0

    def open_scanner(self) -> Scanner:
        guard = self
        guard.scanned.append("")

        class Words:
            async def feed(self, text: str) -> Verdict:
                guard.scanned[-1] += text
                return guard.judge(guard.scanned[-1])

            async def finish(self) -> Verdict:
                guard.finished += 1
                return guard.judge(guard.scanned[-1])

        return Words()


class BrokenGuard:
    """A guard that always fails."""

    async def inspect_input(self, messages: Sequence[ChatMessage]) -> Verdict:
        raise RuntimeError("no model loaded")

    async def inspect_output(self, response: ChatResponse) -> Verdict:
        raise RuntimeError("no model loaded")
