"""Streams under ``stream_guard="hold"``: only what has been judged is shown."""

from __future__ import annotations

from contextlib import aclosing

import pytest
from tests.core.gateway.helpers import ScanningWordGuard, WordGuard

from ironhive.chat import ChatUpdate, ReasoningContent, ToolCallContent
from ironhive.contracts import Verdict
from ironhive.errors import GuardError
from ironhive.gateway import Gateway, GatewayOptions
from ironhive.testing import scripted


class TestHold:
    """``stream_guard="hold"``: only what has been judged is shown."""

    @staticmethod
    def gateway(*answers: object, guard: WordGuard | None = None, hold: int = 10, **options: object) -> Gateway:
        provider, _ = scripted("a", *answers)
        numbers = GatewayOptions(stream_guard="hold", hold_characters=hold, **options)
        return Gateway([provider], guard=guard or ScanningWordGuard(), options=numbers)

    async def shown(self, gateway: Gateway) -> str:
        text = ""
        try:
            async with aclosing(gateway.stream("hello")) as updates:
                async for update in updates:
                    text += update.text
        except GuardError as error:
            assert error.stage == "output"  # noqa: PT017 - what was shown is the assertion
            return text + "|"
        return text

    @pytest.mark.parametrize("guard", [WordGuard, ScanningWordGuard])
    @pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
    @pytest.mark.parametrize("before", [0, 1, 9, 10, 11, 40])
    @pytest.mark.parametrize("after", [0, 1, 40])
    async def test_a_passage_no_longer_than_the_tail_is_never_shown(
        self, guard: type[WordGuard], size: int, before: int, after: int
    ) -> None:
        text = "." * before + "forbidden" + "." * after
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        shown = await self.shown(self.gateway(pieces, guard=guard()))
        assert shown.endswith("|")
        assert not shown.strip(".|")  # not a letter of it

    @pytest.mark.parametrize("guard", [WordGuard, ScanningWordGuard])
    async def test_a_good_answer_arrives_whole_and_before_its_end(self, guard: type[WordGuard]) -> None:
        pieces = [f"{number:03} " for number in range(50)]
        pulled: list[int] = []
        gateway = self.gateway(pieces, guard=guard(), hold=20)
        async with aclosing(gateway.stream("hello")) as updates:
            texts = []
            async for update in updates:
                texts.append(update.text)
                scanned = gateway.guard.scanned[0] if isinstance(gateway.guard, ScanningWordGuard) else ""
                pulled.append(len(scanned) - len("".join(texts)))
        assert texts == pieces
        if guard is ScanningWordGuard:
            assert max(pulled) <= 24  # the tail and one update

    async def test_the_guard_sees_reasoning_and_arguments_apart_from_text(self) -> None:
        guard = ScanningWordGuard()
        updates = [
            ChatUpdate(contents=(ReasoningContent("for"),)),
            "bidden",
            ChatUpdate(contents=(ToolCallContent("1", "run", {"a": "for"}), ToolCallContent("2", "bidden", {}))),
        ]
        assert not (await self.shown(self.gateway(updates, guard=guard))).endswith("|")
        assert guard.scanned == ['for\nbidden\nrun {"a": "for"}\nbidden {}']

    async def test_a_forbidden_tool_call_is_not_handed_out(self) -> None:
        updates = ["fine text to begin with", ChatUpdate(contents=(ToolCallContent("1", "run", {"a": "forbidden"}),))]
        gateway = self.gateway(updates)
        received: list[ChatUpdate] = []
        with pytest.raises(GuardError):  # noqa: PT012 - the loop is what raises
            async with aclosing(gateway.stream("hello")) as stream:
                async for update in stream:
                    received.append(update)
        assert all(not update.tool_calls for update in received)

    async def test_the_end_is_judged_before_it_is_shown(self) -> None:
        class AtTheEnd(ScanningWordGuard):
            def judge(self, text: str) -> Verdict:
                return Verdict.block("late") if self.finished else Verdict.allow()

        assert await self.shown(self.gateway(["good text ", "then more"], guard=AtTheEnd())) == "|"

    @pytest.mark.parametrize("guard", [WordGuard, ScanningWordGuard])
    async def test_a_reader_that_stops_early_has_the_rest_inspected(self, guard: type[WordGuard]) -> None:
        pieces = ["some good text to show first ", "forbi", "dden"]
        gateway = self.gateway(pieces, guard=guard(), hold=4)
        stream = gateway.stream("hello")
        await anext(stream)
        await stream.aclose()  # only what was pulled counts, and that is fine

    @pytest.mark.parametrize("guard", [WordGuard, ScanningWordGuard])
    async def test_nothing_is_inspected_twice(self, guard: type[WordGuard]) -> None:
        made = guard()
        assert await self.shown(self.gateway(["x" * 25] * 4, guard=made)) == "x" * 100
        if isinstance(made, ScanningWordGuard):
            assert (made.finished, made.outputs) == (1, [])
        else:  # windows that overlap by the tail, then the whole
            assert [len(output) for output in made.outputs] == [25, 35, 35, 35, 100]

    async def test_a_scanner_that_fails_blocks_by_default_and_passes_when_open(self) -> None:
        class Broken(WordGuard):
            fed = 0

            def open_scanner(self) -> object:
                guard = self

                class Failing:
                    async def feed(self, text: str) -> Verdict:
                        guard.fed += 1
                        raise RuntimeError("lost")

                    async def finish(self) -> Verdict:
                        return Verdict.block("it saw nothing")

                return Failing()

        assert await self.shown(self.gateway(["text"] * 9, guard=Broken())) == "|"
        guard = Broken()
        provider, client = scripted("a", ["text"] * 9)
        options = GatewayOptions(stream_guard="hold", hold_characters=100, fail_mode="open")
        async with aclosing(Gateway([provider], guard=guard, options=options).stream("hello")) as updates:
            assert (await anext(updates)).text == "text"  # nothing is held for a scanner that sees nothing
            assert client.open_streams == 1
            assert len([update async for update in updates]) == 8
        assert guard.fed == 1
