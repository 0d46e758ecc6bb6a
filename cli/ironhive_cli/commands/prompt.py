"""The default command: one prompt."""

from __future__ import annotations

from ironhive.errors import ConfigurationError
from ironhive_cli.prompt import NO_PROMPT, join_prompt
from ironhive_cli.rendering.choose import choose_form
from ironhive_cli.rendering.failures import FORMS
from ironhive_cli.rendering.form import Show


def run_prompt(
    prompt: str | None,
    *,
    model: str | None,
    provider: str | None,
    output: str,
    show_tokens: bool,
    show_thinking: bool,
    no_stream: bool,
    plain: bool,
) -> int:
    """Answer one prompt.

    :returns: the exit code.
    :raises ConfigurationError: an option cannot be used, or there is no prompt.
    """
    if output.lower() not in FORMS:
        message = f"unknown output form {output!r}; use {', '.join(FORMS[:-1])} or {FORMS[-1]}"
        raise ConfigurationError(message, key="--output")
    text = join_prompt(prompt)
    if text is None:
        raise ConfigurationError(NO_PROMPT)
    form = choose_form(output.lower(), Show(show_thinking, show_tokens, plain), whole=no_stream)
    from ironhive_cli.turn import Request, run_turn  # the SDK: only where there is something to do

    return run_turn(Request(text, provider, model), form)
