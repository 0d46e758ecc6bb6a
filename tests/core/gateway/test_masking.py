"""Masked questions and restored answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.core.gateway.helpers import ScanningWordGuard, ask, read

from ironhive.chat import (
    ChatMessage,
    ChatUpdate,
    ProviderData,
    ReasoningContent,
    TextContent,
    ToolCallContent,
    aggregate,
)
from ironhive.errors import GuardError, GuardFailedError
from ironhive.gateway import Gateway, GatewayOptions
from ironhive.testing import scripted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.contracts import Unmasker

SECRET, PLACEHOLDER = "kim@example.org", "<EMAIL_1>"

both = pytest.mark.parametrize("streamed", [False, True])


class Masker(ScanningWordGuard):
    """Masks one address, and forbids it: what is masked must not be seen by the inspection."""

    def __init__(self) -> None:
        super().__init__(SECRET)

    def mask(self, messages: Sequence[ChatMessage]) -> tuple[Sequence[ChatMessage], Unmasker | None]:
        if not any(SECRET in message.text for message in messages):
            return messages, None
        return [ChatMessage.user(message.text.replace(SECRET, PLACEHOLDER)) for message in messages], Restoring()


class Restoring:
    """Holds what may be the beginning of a placeholder."""

    def __init__(self) -> None:
        self.held = ""

    def feed(self, text: str) -> str:
        text = (self.held + text).replace(PLACEHOLDER, SECRET)
        cut = max((size for size in range(len(PLACEHOLDER)) if text.endswith(PLACEHOLDER[:size])), default=0)
        self.held = text[len(text) - cut :]
        return text[: len(text) - cut]

    def finish(self) -> str:
        held, self.held = self.held, ""
        return held


PROMPT = f"write to {SECRET}"


@both
@pytest.mark.parametrize("mode", ["end", "hold"])
@pytest.mark.parametrize("size", [1, 3, 9, 50])
async def test_the_provider_sees_the_placeholder_and_the_caller_does_not(streamed: bool, mode: str, size: int) -> None:
    answer = f"I wrote to {PLACEHOLDER}, and <EMA is no placeholder"
    provider, client = scripted("a", [answer[start : start + size] for start in range(0, len(answer), size)])
    gateway = Gateway([provider], guard=Masker(), options=GatewayOptions(stream_guard=mode))
    text = await ask(gateway, streamed=streamed, prompt=PROMPT)
    assert text == f"I wrote to {SECRET}, and <EMA is no placeholder"
    assert client.calls[0].messages[0].text == f"write to {PLACEHOLDER}"


@both
async def test_reasoning_and_tool_arguments_are_restored_too(streamed: bool) -> None:
    arguments = {"to": PLACEHOLDER, "cc": [PLACEHOLDER, "x"], "meta": {"from": PLACEHOLDER, "n": 1}}
    call = ToolCallContent("1", "send", arguments, raw='{"to": "<EMAIL_1>"}')
    parts = [
        ChatUpdate(contents=(ReasoningContent(f"to {PLACEHOLDER}", ProviderData("x", {"signature": "s"})),)),
        ChatUpdate(contents=(TextContent("sending to <EMAIL"),)),
        ChatUpdate(contents=(call,), finish_reason="tool_calls"),
    ]
    gateway = Gateway([scripted("a", parts)[0]], guard=Masker())
    response = aggregate(await read(gateway, PROMPT)) if streamed else await gateway.complete(PROMPT)
    restored = response.tool_calls[0]
    assert restored.arguments == {"to": SECRET, "cc": [SECRET, "x"], "meta": {"from": SECRET, "n": 1}}
    assert SECRET in restored.arguments_text
    assert response.reasoning == f"to {SECRET}"
    assert response.messages[0].contents[0] == ReasoningContent(f"to {SECRET}", ProviderData("x", {"signature": "s"}))
    assert response.text == "sending to <EMAIL"
    assert response.finish_reason == "tool_calls"


async def test_unreadable_arguments_stay_unreadable() -> None:
    call = ToolCallContent("1", "send", None, raw=f'{{"to": "{PLACEHOLDER}', error="cut")
    response = await Gateway([scripted("a", [ChatUpdate(contents=(call,))])[0]], guard=Masker()).complete(PROMPT)
    assert response.tool_calls[0] == ToolCallContent("1", "send", None, raw=f'{{"to": "{SECRET}', error="cut")


@both
@pytest.mark.parametrize("end", [ChatUpdate(finish_reason="length"), ChatUpdate()])
async def test_what_only_began_like_a_placeholder_comes_at_the_end(streamed: bool, end: ChatUpdate) -> None:
    gateway = Gateway([scripted("a", ["cut at <EMA", end])[0]], guard=Masker())
    assert await ask(gateway, streamed=streamed, prompt=PROMPT) == "cut at <EMA"


@both
async def test_without_anything_to_mask_updates_pass_untouched(streamed: bool) -> None:
    gateway = Gateway([scripted("a", f"{PLACEHOLDER}?")[0]], guard=Masker())
    assert await ask(gateway, streamed=streamed) == f"{PLACEHOLDER}?"


@both
async def test_what_a_model_invents_is_inspected_before_it_is_restored(streamed: bool) -> None:
    gateway = Gateway([scripted("a", f"{SECRET} and {PLACEHOLDER}")[0]], guard=Masker())
    with pytest.raises(GuardError):
        await ask(gateway, streamed=streamed, prompt=PROMPT)


@both
async def test_a_masker_that_fails_is_a_guard_that_fails(streamed: bool) -> None:
    class Broken(Masker):
        def mask(self, messages: Sequence[ChatMessage]) -> tuple[Sequence[ChatMessage], Unmasker | None]:
            raise KeyError("x")

    provider, client = scripted("a", "ok")
    with pytest.raises(GuardFailedError):
        await ask(Gateway([provider], guard=Broken()), streamed=streamed)
    assert client.calls == []
    gateway = Gateway([provider], guard=Broken(), options=GatewayOptions(fail_mode="open"))
    assert await ask(gateway, streamed=streamed) == "ok"
