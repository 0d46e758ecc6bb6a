"""Masked values leave as placeholders and come back in the answer, however the stream is cut."""

from __future__ import annotations

import json

import pytest

from ironhive.chat import (
    ChatMessage,
    ProviderData,
    ReasoningContent,
    TextContent,
    ToolCallContent,
    ToolResultContent,
)
from ironhive_plugins.guards.fluxguard import Action, FluxGuard

MAIL = "jane@mail.example.org"


@pytest.fixture(scope="module")
def masking() -> FluxGuard:
    return FluxGuard.standard().with_options(action=Action.MASK)


def test_a_value_is_replaced_by_one_placeholder_wherever_it_stands(masking: FluxGuard) -> None:
    result = ToolResultContent("1", "crm", {"mail": MAIL, "also": [MAIL, 7]})
    messages, unmasker = masking.mask([ChatMessage.user(f"write to {MAIL} and {MAIL}"), ChatMessage.tool(result)])
    assert messages[0].text == "write to [EMAIL_ADDRESS_1] and [EMAIL_ADDRESS_1]"
    assert messages[1].contents[0].result == {"mail": "[EMAIL_ADDRESS_1]", "also": ["[EMAIL_ADDRESS_1]", 7]}  # type: ignore[union-attr]
    assert unmasker is not None


@pytest.mark.parametrize("cut", range(1, 30))
def test_the_answer_is_restored_wherever_the_stream_cuts_it(masking: FluxGuard, cut: int) -> None:
    _, unmasker = masking.mask([ChatMessage.user(f"write to {MAIL}")])
    assert unmasker is not None
    answer = "sent [a] to [EMAIL_ADDRESS_1]!"
    shown = unmasker.feed(answer[:cut]) + unmasker.feed(answer[cut:]) + unmasker.finish()
    assert shown == f"sent [a] to {MAIL}!"


def test_nothing_to_mask_changes_nothing(masking: FluxGuard) -> None:
    messages = [ChatMessage.system(MAIL), ChatMessage.user("good morning")]
    assert masking.mask(messages) == (messages, None)


async def test_masking_is_no_reason_to_block(masking: FluxGuard) -> None:
    assert not (await masking.inspect_input([ChatMessage.user("card 4111 1111 1111 1111")])).alarm
    messages, _ = masking.mask([ChatMessage.user("card 4111 1111 1111 1111")])
    assert messages[0].text == "card [CREDIT_CARD_1]"


def test_a_guard_that_blocks_does_not_mask() -> None:
    messages = [ChatMessage.user(MAIL)]
    assert FluxGuard.standard().mask(messages) == (messages, None)


def test_no_part_of_the_history_takes_a_value_out(masking: FluxGuard) -> None:
    signed = ProviderData("acme", {"signature": "s"})
    history = [
        ChatMessage.user(f"write to {MAIL}"),
        ChatMessage.assistant(
            ReasoningContent(f"so {MAIL} it is", signed),
            TextContent(f"writing to {MAIL}", signed),
            ToolCallContent("1", "send", {"to": [MAIL], "n": 1}, raw=f'{{"to": ["{MAIL}"], "n": 1}}'),
            ToolCallContent("2", "send", None, raw=f'{{"to": "{MAIL}', error="cut"),
        ),
        ChatMessage.tool(ToolResultContent("1", "send", (TextContent(f"sent to {MAIL}"),))),
    ]
    messages, _ = masking.mask(history)
    assert MAIL not in repr(messages)
    reasoning, text, call, broken = messages[1].contents
    assert (reasoning.private, text.private) == (signed, signed)  # type: ignore[union-attr]
    assert isinstance(call, ToolCallContent)
    assert json.loads(call.arguments_text) == {"to": ["[EMAIL_ADDRESS_1]"], "n": 1}
    assert isinstance(broken, ToolCallContent)
    assert (broken.arguments, broken.error) == (None, "cut")
