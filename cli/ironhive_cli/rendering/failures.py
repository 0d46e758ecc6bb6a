"""A failure in the form that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive_cli import streams

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMS = ("text", "json", "jsonl")
_OTHERS_WITH_VALUE = frozenset({"-p", "--prompt", "-m", "--model", "--provider"})


def asked_format(arguments: Sequence[str]) -> str:
    """The output form that a command line asks for, as far as can be told before it is parsed: ``text`` in doubt."""
    asked = "text"
    pending = iter(arguments)
    for argument in pending:
        if argument == "--":
            break
        name, equals, value = argument.partition("=")
        if name in _OTHERS_WITH_VALUE and not equals:
            next(pending, None)  # a prompt may look like an option
        elif name == "--output":
            asked = value if equals else next(pending, "")
        elif argument == "-o":
            asked = next(pending, "")
        elif argument.startswith("-o"):
            asked = argument[2:]
    return asked.lower() if asked.lower() in FORMS else "text"


def report_early_interrupt(arguments: Sequence[str]) -> int:
    """Ctrl+C came before anything was ready to handle it.

    :returns: the exit code.
    """
    streams.warn("cancelled")
    show_failure(asked_format(arguments), "cancelled", 130)
    return 130


def show_failure(form: str, message: str, code: int) -> None:
    """One line: on standard error for people, on standard output where a program reads that.

    The hint that Ctrl+C prints has told people already.
    """
    if form == "json":
        from ironhive_cli.rendering.form import compact

        streams.say(compact({"error": message, "code": code}))
    elif form == "jsonl":
        from ironhive_cli.rendering.form import compact

        streams.say(compact({"type": "error", "error": message}))
    elif message != "cancelled":
        streams.warn(message)
