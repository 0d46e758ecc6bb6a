"""Answers that repeat themselves, and those that only look like it."""

from __future__ import annotations

import pytest
from tests.core.gateway.helpers import read

from ironhive.chat import ChatUpdate, ClientMetadata, ReasoningContent, TextContent
from ironhive.errors import ConfigurationError
from ironhive.gateway import (
    REPEATED_UNIT_KEY,
    DegenerationOptions,
    DegenerationStopClient,
    find_repeating_unit,
    with_degeneration_stop,
)
from ironhive.testing import ScriptedClient

CODE = """for item in items:
    if item is None:
        continue
    if item.done:
        continue
    if item.late:
        continue
    total += item.price
"""

FINE = {
    "nothing": "",
    "a word": "hi",
    "an interjection": "Hmmmm, let me think. hmmmm",
    "a colour": "use #ffffff",
    "colours": "#ffffff #ffffff #ffffff #ffffff",
    "a record type": "an AAAA",
    "a placeholder": "card XXXX-XXXX-XXXX-XXXX",
    "zeroes in base64": "key: " + "A" * 43,
    "hexadecimal": "0x0000ffff",
    "a hex dump": "ff ff ff ff ff ff ff ff",
    "a broadcast address": "ff:ff:ff:ff:ff:ff",
    "laughter in Korean": "\u314b\u314b\u314b\u314b\u314b\u314b\u314b\u314b",
    "laughter": "ha ha ha ha",
    "a long laugh": "hahahahahaha",
    "a rule": "-" * 200,
    "an underline": "=" * 200,
    "dots": "." * 200,
    "a table's rule": "| --- | --- | --- | --- | --- |",
    "cells": "| yes | yes | yes | yes | yes |",
    "rows": "| a | yes |\n| b | yes |\n| c | yes |\n| d | yes |\n",
    "bullets": "- one thing\n- other thing\n- third thing\n- last thing\n",
    "nulls": "[null, null, null, null, null, null]",
    "values": "transparent, " * 6,
    "closing tags": "</div></div></div></div></div>",
    "closing braces": "}\n}\n}\n}\n",
    "code": CODE,
    "no-ops": "nop\nnop\nnop\nnop\n",
    "three times": "never never never ",
    "numbers": "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
}

BAD = {
    "an adverb": "Answer concisely concisely concisely concisely ",
    "a short word": "I want to to to to to ",
    "Korean": "\uac04\uacb0\ud558\uac8c \uc124\uba85\ud558\uba74 " * 4,
    "Japanese": "\u3059\u307f\u307e\u305b\u3093\u3002" * 4,
    "a sentence": "I cannot help with that. " * 4,
    "a sentence with commas": "Well, in 2019, she said: no. " * 4,
    "a sentence in Japanese": "\u3059\u307f\u307e\u305b\u3093\u3001\u308f\u304b\u308a\u307e\u305b\u3093\u3002" * 4,
    "lines": "I am sorry, I do not know.\n" * 4,
    "a long unit": "one two three four five six seven eight nine ten eleven " * 4,
    "a row for ever": "| yes | yes |\n" * 40,
    "a letter for ever": "a" * 240,
    "a value for ever": "null, " * 60,
}


@pytest.mark.parametrize("text", FINE.values(), ids=FINE)
def test_good_answers_are_not_cut(text: str) -> None:
    for end in range(len(text) + 1):  # wherever a piece of the stream may end
        assert find_repeating_unit(text[:end]) is None


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_repetition_is_found(text: str) -> None:
    unit = find_repeating_unit(text)
    assert unit is not None
    assert text.endswith(unit * 4)


def test_the_smallest_unit_is_reported_as_it_stands_at_the_end() -> None:
    assert find_repeating_unit("again " * 8) == "again "
    assert find_repeating_unit("again " * 8 + "ag") == "ain ag"


def test_the_numbers_can_be_changed() -> None:
    text = "three times is enough. " * 3
    assert find_repeating_unit(text) is None
    assert find_repeating_unit(text, DegenerationOptions(min_repeats=3)) is not None
    long = "the quick brown fox jumps over a lazy dog while nobody looks at either "
    assert find_repeating_unit(long * 4) is None
    assert find_repeating_unit(long * 4, DegenerationOptions(window=400, max_period=80)) == long


@pytest.mark.parametrize(("field", "value"), [("window", 1), ("max_period", 0), ("min_repeats", 1)])
def test_numbers_that_make_no_sense_are_refused(field: str, value: int) -> None:
    with pytest.raises(ConfigurationError, match=field):
        DegenerationOptions(**{field: value})


class TestStream:
    """The wrapper around a client."""

    pieces = (ChatUpdate(contents=(TextContent("It is "),), response_id="r", message_id="m"), *["concisely "] * 20)

    async def test_ends_with_a_sign_and_closes_the_provider(self) -> None:
        client = ScriptedClient(self.pieces)
        updates = await read(with_degeneration_stop(client))
        assert "".join(update.text for update in updates) == "It is " + "concisely " * 4
        last = updates[-1]
        assert last == ChatUpdate(
            finish_reason="degeneration",
            role="assistant",
            response_id="r",
            message_id="m",
            properties={REPEATED_UNIT_KEY: "concisely "},
        )
        assert client.open_streams == 0

    async def test_complete_stops_early_as_well(self) -> None:
        client = ScriptedClient(self.pieces)
        response = await with_degeneration_stop(client, min_repeats=5).complete(())
        assert response.text == "It is " + "concisely " * 5
        assert response.finish_reason == "degeneration"
        assert response.properties[REPEATED_UNIT_KEY] == "concisely "
        assert client.calls[0].streamed
        assert client.open_streams == 0

    async def test_a_good_answer_passes_untouched(self) -> None:
        updates = [ChatUpdate(contents=(TextContent("fine"),)), ChatUpdate(finish_reason="stop")]
        received = await read(with_degeneration_stop(ScriptedClient(updates)))
        assert [id(update) for update in received] == [id(update) for update in updates]

    async def test_an_answer_that_ended_by_itself_keeps_its_reason(self) -> None:
        updates = [ChatUpdate(contents=(TextContent("over and over " * 8),), finish_reason="length")]
        response = await with_degeneration_stop(ScriptedClient(updates)).complete(())
        assert response.finish_reason == "length"

    async def test_reasoning_that_repeats_itself_is_stopped_too(self) -> None:
        pieces = [ChatUpdate(contents=(ReasoningContent("wait, no. "),))] * 40
        response = await with_degeneration_stop(ScriptedClient(pieces)).complete(())
        assert response.finish_reason == "degeneration"
        assert len(response.reasoning) < 400

    async def test_reasoning_and_text_do_not_mix(self) -> None:
        pieces = [ChatUpdate(contents=(part("say again and "),)) for part in (TextContent, ReasoningContent)] * 3
        response = await with_degeneration_stop(ScriptedClient([*pieces, "x"])).complete(())
        assert response.finish_reason is None

    async def test_failures_pass_through(self) -> None:
        with pytest.raises(ValueError, match="x"):
            await with_degeneration_stop(ScriptedClient(["a", ValueError("x")])).complete(())

    async def test_it_stands_for_the_client_it_wraps(self) -> None:
        client = ScriptedClient(metadata=ClientMetadata("LMSupply", model="m"))
        wrapped = DegenerationStopClient(client)
        assert wrapped.metadata == ClientMetadata("LMSupply", model="m")
        await wrapped.aclose()
        assert client.closed
