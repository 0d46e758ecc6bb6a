"""What every guard must do."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar

from ironhive.chat import ChatMessage, ChatResponse, ReasoningContent, ToolCallContent, ToolResultContent
from ironhive.contracts import MaskingGuard, ScanningGuard, Verdict
from ironhive.testing.conformance import Conformance, NotApplicableError, require

if TYPE_CHECKING:
    from ironhive.chat import Content
    from ironhive.contracts import Guard

_PIECES = (1, 2, 5, 1000)
"""Sizes of the pieces in which texts are fed, in characters."""


def _answer(*parts: str | Content) -> ChatResponse:
    return ChatResponse(messages=(ChatMessage.assistant(*parts),))


def _cut(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


class GuardConformance(Conformance):
    """Suite for guards.

    Override :meth:`guard`. ``harmless`` must pass. ``forbidden_input`` must raise an alarm in what a user says or a
    tool gives, ``forbidden_output`` in what a model says; each is empty when the guard forbids nothing there.
    ``masked`` is a text that a masking guard changes.
    """

    harmless: ClassVar[str] = "What is the capital of France?"
    forbidden_input: ClassVar[str] = ""
    forbidden_output: ClassVar[str] = ""
    masked: ClassVar[str] = ""

    def guard(self) -> Guard:
        """A fresh guard."""
        raise NotImplementedError

    async def check_harmless_text_passes(self) -> None:
        """No alarm where there is nothing to object to."""
        guard = self.guard()
        for verdict in (
            await guard.inspect_input([ChatMessage.user(self.harmless)]),
            await guard.inspect_output(_answer(self.harmless)),
        ):
            require(isinstance(verdict, Verdict), f"{type(verdict).__name__} is no Verdict")
            require(not verdict.alarm, f"a harmless text was not passed: {verdict.reason}")

    async def check_nothing_at_all_passes(self) -> None:
        """Empty conversations and answers are fine."""
        guard = self.guard()
        require(not (await guard.inspect_input([])).alarm, "an empty conversation raised an alarm")
        require(not (await guard.inspect_input([ChatMessage.user("")])).alarm, "an empty message raised an alarm")
        require(not (await guard.inspect_output(ChatResponse())).alarm, "an empty answer raised an alarm")

    async def check_forbidden_text_raises_an_alarm(self) -> None:
        """In both directions, with a reason, a sensible score and findings inside the text."""
        guard = self.guard()
        if self.forbidden_input:
            verdict = await guard.inspect_input([ChatMessage.user(self.forbidden_input)])
            _is_alarm(verdict, self.forbidden_input)
        if self.forbidden_output:
            _is_alarm(await guard.inspect_output(_answer(self.forbidden_output)), self.forbidden_output)

    async def check_earlier_and_later_messages_count(self) -> None:
        """Neither an earlier message nor a tool's result is overlooked."""
        text = _given(self.forbidden_input)
        tool = ChatMessage.tool(ToolResultContent("1", "read", text))
        for messages in ([ChatMessage.user(text), ChatMessage.user(self.harmless)], [ChatMessage.user("Go on."), tool]):
            require((await self.guard().inspect_input(messages)).alarm, f"forbidden {messages[0].role} text passed")

    async def check_reasoning_and_tool_arguments_count(self) -> None:
        """An answer is more than its visible text."""
        text = _given(self.forbidden_output)
        parts: tuple[Content, ...] = (ReasoningContent(text), ToolCallContent("1", "write", {"content": text}))
        for part in parts:
            verdict = await self.guard().inspect_output(_answer(self.harmless, part))
            require(verdict.alarm, f"forbidden text in a {type(part).__name__} passed")

    async def check_inspections_can_run_at_once(self) -> None:
        """One guard serves several calls."""
        text, guard = _given(self.forbidden_input), self.guard()
        messages = [[ChatMessage.user(text if number % 2 else self.harmless)] for number in range(20)]
        verdicts = await asyncio.gather(*(guard.inspect_input(item) for item in messages))
        found = [verdict.alarm for verdict in verdicts]
        require(found == [bool(number % 2) for number in range(20)], "inspections at once disturbed each other")

    async def check_a_scanner_agrees_however_a_text_is_cut(self) -> None:
        """A scanner finds in pieces what the guard finds in the whole."""
        guard = self.guard()
        if not isinstance(guard, ScanningGuard):
            message = "the guard has no scanner"
            raise NotApplicableError(message)
        for size in _PIECES:
            require(not await _scan(guard, self.harmless, size), f"a harmless text in pieces of {size} was not passed")
            if self.forbidden_output:
                require(await _scan(guard, self.forbidden_output, size), f"forbidden text in pieces of {size} passed")

    async def check_what_is_masked_is_restored(self) -> None:
        """Masking and restoring give the text back, however the answer is cut."""
        guard: Any = self.guard()
        if not isinstance(guard, MaskingGuard):
            message = "the guard does not mask"
            raise NotApplicableError(message)
        same, unmasker = guard.mask([ChatMessage.user(self.harmless)])
        require([message.text for message in same] == [self.harmless], "a harmless text was masked")
        require(unmasker is None, "without anything masked there must be no unmasker")
        if not self.masked:
            return
        for size in _PIECES:
            messages, unmasker = guard.mask([ChatMessage.user(self.masked)])
            require(messages[0].text != self.masked, "the text to be masked was not changed")
            if unmasker is None:
                message = "a masked text without an unmasker cannot be restored"
                raise AssertionError(message)
            restored = "".join([*(unmasker.feed(piece) for piece in _cut(messages[0].text, size)), unmasker.finish()])
            require(restored == self.masked, f"in pieces of {size} the masked text was restored as {restored!r}")


def _given(text: str) -> str:
    if not text:
        message = "no forbidden text was given"
        raise NotApplicableError(message)
    return text


def _is_alarm(verdict: Verdict, text: str) -> None:
    require(verdict.alarm, "a forbidden text passed")
    require(verdict.reason.strip(), "an alarm without a reason: people cannot tell what happened")
    require(0 <= verdict.score <= 1, f"the score {verdict.score} is not between 0 and 1")
    for finding in verdict.findings:
        inside = 0 <= finding.start <= finding.end <= len(text)
        require(inside, f"finding {finding.rule!r} lies outside of the text")


async def _scan(guard: ScanningGuard, text: str, size: int) -> bool:
    """Whether a scanner raised an alarm, on the way or at the end."""
    scanner = guard.open_scanner()
    for piece in _cut(text, size):
        if (await scanner.feed(piece)).alarm:
            return True
    return (await scanner.finish()).alarm
