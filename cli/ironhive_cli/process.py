"""One run of the program: whatever happens becomes output of the asked-for form and an exit code."""

from __future__ import annotations

import errno
import sys
from typing import TYPE_CHECKING

from ironhive_cli import streams
from ironhive_cli.interrupts import CANCELLED, interrupts
from ironhive_cli.rendering.failures import asked_format, show_failure

if TYPE_CHECKING:
    from collections.abc import Sequence


def run(arguments: Sequence[str]) -> int:
    """Run a command line.

    :returns: 0 success, 1 failure, 130 interrupted.
    """
    interrupts.install()
    streams.prepare()
    try:
        return _run_and_report(arguments, asked_format(arguments))
    finally:
        interrupts.end_from_now_on()


def _run_and_report(arguments: Sequence[str], form: str) -> int:
    try:
        code = _run_command(arguments)
        if code == CANCELLED:
            return _failed(form, "cancelled", CANCELLED)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _failed(form, "cancelled", CANCELLED)
    except OSError as error:
        return _output_failed(error, form)
    except Exception as error:  # noqa: BLE001 - the last line of defence: a person sees a sentence, not a traceback
        return _failed(form, _describe(error), 1)
    return code


def _run_command(arguments: Sequence[str]) -> int:
    """The exit code; 130 also for a KeyboardInterrupt, which typer turns into it."""
    from ironhive_cli.app import build

    result = build().main(args=list(arguments), prog_name="ironhive", standalone_mode=False)
    return result if isinstance(result, int) else 0


def _failed(form: str, message: str, code: int) -> int:
    try:
        show_failure(form, message, code)
        sys.stdout.flush()
    except OSError:
        streams.discard_output()
    return code


def _output_failed(error: OSError, form: str) -> int:
    """Something could not be written or read: perhaps standard output itself, perhaps a file or a folder."""
    if error.errno == errno.EPIPE:
        streams.discard_output()  # the reader has seen enough: nothing to report to anybody
        return 1
    streams.warn(_describe(error))
    if form != "text":
        _failed(form, _describe(error), 1)
    streams.discard_output()
    return 1


def _describe(error: BaseException) -> str:
    from ironhive.errors import IronHiveError

    text = " ".join(str(error).split())
    usage = getattr(error, "format_message", None)  # what typer raises about the command line
    if usage is not None:
        return f"{' '.join(usage().split())} (see ironhive --help)"
    if isinstance(error, IronHiveError) and text:
        notes: list[str] = getattr(error, "__notes__", [])
        return "; ".join([text, *(" ".join(note.split()) for note in notes)])
    if isinstance(error, OSError):
        where = f": {error.filename}" if error.filename else ""
        return f"{error.strerror or type(error).__name__}{where}"
    return f"unexpected {type(error).__name__}: {text}" if text else f"unexpected {type(error).__name__}"
