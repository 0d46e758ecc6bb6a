"""One prompt from start to end: host, turn, output."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ironhive.agent import StopReason
from ironhive.chat import ErrorContent
from ironhive.errors import IronHiveError
from ironhive.host import Host
from ironhive_cli import streams
from ironhive_cli.interrupts import interrupts
from ironhive_cli.running import run_async

if TYPE_CHECKING:
    from ironhive.agent import AgentLoop, AgentResponse
    from ironhive.contracts import Transition
    from ironhive_cli.rendering.form import Form


@dataclass(frozen=True, slots=True)
class Request:
    """What to do: a prompt, and who shall answer it."""

    prompt: str
    provider: str | None = None
    model: str | None = None


class NoAnswerError(IronHiveError):
    """The turn ended and the model has said nothing."""


def run_turn(request: Request, form: Form) -> int:
    """Answer one prompt and show it.

    :returns: 0; everything else is raised.
    :raises KeyboardInterrupt: Ctrl+C was pressed.
    :raises IronHiveError: the turn failed or brought no answer.
    """
    interrupts.last_words = form.last_words
    streams.show_warnings()
    return run_async(_answer(request, form))


async def _answer(request: Request, form: Form) -> int:
    host = Host.from_config(
        provider=request.provider,
        model=request.model,
        on_transition=_report_transition,
        progress=streams.warn,
    )
    async with host:
        for notice in host.notices:
            streams.warn(notice)
        form.start()
        try:
            turn = await _run(host.new_loop(), request.prompt, form)
        finally:
            form.stop()
        _check(turn)
        form.finish(turn)
    if turn.stop_reason != StopReason.COMPLETED:
        streams.warn(f"stopped: {turn.stop_reason}")
    return 0


async def _run(loop: AgentLoop, prompt: str, form: Form) -> AgentResponse:
    if not form.streams:
        return await loop.run(prompt)
    turn: AgentResponse | None = None
    async with aclosing(loop.stream(prompt)) as chunks:
        async for chunk in chunks:
            form.chunk(chunk)
            turn = chunk.turn or turn
    if turn is None:
        message = "the turn ended without a record"
        raise IronHiveError(message)
    return turn


def _check(turn: AgentResponse) -> None:
    if not turn.has_text_output and turn.stop_reason != StopReason.AWAITING_HOST_TOOLS:
        parts = [part for message in turn.messages for part in message.contents]
        said = " ".join(part.message for part in parts if isinstance(part, ErrorContent))
        why = f"{turn.stop_reason}; it said: {said}" if said else turn.stop_reason
        message = f"the model gave no answer (stop reason: {why}); try again, or another model with -m"
        raise NoAnswerError(message)


def _report_transition(transition: Transition) -> None:
    """Say why the answer takes longer or comes from elsewhere; the last failure is the turn's own error."""
    next_step = {"retry": "trying again", "fallback": "trying the next provider"}.get(transition.kind)
    if next_step is not None:
        streams.warn(f"{transition.error or f'{transition.provider_id} failed'}; {next_step}")
