"""What a client made of a recorded answer, against what the recording says it should be.

The recordings hold the providers' own numbers and words. Where our vocabulary differs by design, the expectation is
converted here, and nowhere else:

* Anthropic counts cached input beside ``input``; ours includes it.
* Gemini counts thoughts beside ``output``; so does xAI, where its total shows it; ours includes them.
* The provider's own finish word is in the property ``provider_finish_reason``.
"""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from ironhive.chat import ChatMessage, ChatResponse, ErrorContent, FinishReason, aggregate
from ironhive.errors import HttpStatusError, IronHiveError, ProviderError

if TYPE_CHECKING:
    from tests.wire.replay import Recording

    from ironhive.http import HttpChatClient

Outcome = ChatResponse | IronHiveError
HELLO = [ChatMessage.user("hello")]


async def ask(client: HttpChatClient, *, stream: bool) -> Outcome:
    """The answer, or the error in its place."""
    try:
        if not stream:
            return await client.complete(HELLO)
        async with aclosing(client.stream(HELLO)) as updates:
            return aggregate([update async for update in updates])
    except IronHiveError as error:
        return error
    finally:
        await client.aclose()


def differences(recording: Recording, outcome: Outcome) -> list[str]:
    """Each point in which the outcome is not what the recording expects."""
    expect = recording.expect
    if expect.get("error"):
        return _error_differences(recording, outcome)
    if not isinstance(outcome, ChatResponse):
        return [f"raised {type(outcome).__name__}: {outcome}"]
    found = {
        "text": outcome.text,
        "reasoning": outcome.reasoning,
        "calls": [(call.name, call.arguments) for call in outcome.tool_calls],
        "finish word": outcome.properties.get("provider_finish_reason"),
        "usage": _usage(outcome),
    }
    wanted = {
        "text": expect["text"] or "",
        "reasoning": expect.get("reasoning_text") or "",
        "calls": [(call["name"], call["arguments"]) for call in expect["tool_calls"]],
        "finish word": expect["finish_reason"],
        "usage": _expected_usage(recording),
    }
    bad = [f"{name}: {found[name]!r} instead of {wanted[name]!r}" for name in wanted if found[name] != wanted[name]]
    return bad + _identity_differences(expect, outcome) + _finish_differences(expect, outcome)


def _identity_differences(expect: dict[str, Any], outcome: ChatResponse) -> list[str]:
    bad = []
    for call, wanted in zip(outcome.tool_calls, expect["tool_calls"], strict=False):
        if wanted["id"] and call.call_id != wanted["id"]:
            bad.append(f"call id: {call.call_id!r} instead of {wanted['id']!r}")
        if not call.call_id or (call.arguments is None) != bool(call.error):
            bad.append(f"call {call!r} has no id, or neither arguments nor an error")
        if "arguments_raw" in wanted and wanted["arguments_raw"] is not None and call.raw != wanted["arguments_raw"]:
            bad.append(f"raw arguments: {call.raw!r} instead of {wanted['arguments_raw']!r}")
    if expect.get("model") and outcome.model != expect["model"]:
        bad.append(f"model: {outcome.model!r}")
    if expect.get("response_id") and outcome.response_id != expect["response_id"]:
        bad.append(f"response id: {outcome.response_id!r}")
    return bad


def _finish_differences(expect: dict[str, Any], outcome: ChatResponse) -> list[str]:
    """The common finish reason must follow from what was said, and must not hide anything."""
    errors = [part for message in outcome.messages for part in message.contents if isinstance(part, ErrorContent)]
    finish, bad = outcome.finish_reason, []
    if expect.get("refusal") and (finish != FinishReason.CONTENT_FILTER or expect["refusal"] != errors[0].message):
        bad.append(f"refusal: {finish!r}, {errors}")
    if expect.get("block_reason") and (finish != FinishReason.CONTENT_FILTER or not errors):
        bad.append(f"blocked prompt: {finish!r}, {errors}")
    if expect.get("finish_message") and errors and errors[0].message != expect["finish_message"]:
        bad.append(f"finish message: {errors}")
    if finish == FinishReason.TOOL_CALLS and not outcome.tool_calls:
        bad.append("finish tool_calls without a call")
    if finish == FinishReason.STOP and outcome.tool_calls:
        bad.append("finish stop with calls")
    return bad


def _usage(outcome: ChatResponse) -> dict[str, int | None] | None:
    usage = outcome.usage
    if usage is None:
        return None
    return {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "cached": usage.cached_input_tokens,
        "reasoning": usage.reasoning_tokens,
    }


def _expected_usage(recording: Recording) -> dict[str, int | None] | None:
    raw = recording.expect["usage"]
    if not raw or all(value is None for value in raw.values()):
        return None
    usage = {name: raw.get(name) for name in ("input", "output", "cached", "reasoning")}
    match recording.data["wire"]:
        case "anthropic":
            usage["input"] = raw["input"] + (raw["cached"] or 0) + (raw.get("cache_write") or 0)
        case "gemini" if raw["output"] is not None or raw["reasoning"] is not None:
            usage["output"] = (raw["output"] or 0) + (raw["reasoning"] or 0)
        case "chat" if raw["reasoning"] and raw["input"] + raw["output"] + raw["reasoning"] == raw.get("total"):
            usage["output"] = raw["output"] + raw["reasoning"]
    return usage


def _error_differences(recording: Recording, outcome: Outcome) -> list[str]:
    expect = recording.expect["error"]
    if not isinstance(outcome, ProviderError) or not isinstance(outcome, HttpStatusError):
        return [f"{outcome!r} instead of an error with a status"]
    bad = []
    inside = expect.get("mid_stream") or expect.get("in_body") or recording.status == 200
    if not inside and outcome.status != expect["status"]:
        bad.append(f"status {outcome.status} instead of {expect['status']}")
    if inside and not 400 <= outcome.status < 600:
        bad.append(f"status {outcome.status} for an error inside an answer")
    said = (expect["message"] or "").strip().splitlines()
    if said and "<html" not in expect["message"].lower() and not outcome.detail.startswith(said[0][:200]):
        bad.append(f"detail {outcome.detail!r} instead of {said[0]!r}")
    code = expect.get("code") or expect.get("type")
    if isinstance(code, str) and outcome.code != code:
        bad.append(f"code {outcome.code!r} instead of {code!r}")
    if expect.get("retry_after_ms") or expect.get("retry_after"):
        hint = expect.get("retry_after_ms")
        seconds = float(hint) / 1000 if hint is not None else float(str(expect["retry_after"]).removesuffix("s"))
        if outcome.retry_after != seconds:
            bad.append(f"retry hint {outcome.retry_after} instead of {seconds}")
    return bad
