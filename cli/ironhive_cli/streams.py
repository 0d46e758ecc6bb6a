"""Standard streams that never end the program: what cannot be encoded is replaced, a reader who left is not missed."""

from __future__ import annotations

import os
import sys
from typing import Final, TextIO


def prepare() -> None:
    """Make standard output and error take any text.

    Redirected output is UTF-8, whatever the locale says; a terminal keeps its encoding.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller: say it to nobody
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - lives as long as the process
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


def show_warnings() -> None:
    """Send what the libraries log as a warning to standard error, one line each and without tracebacks."""
    import logging  # comes with asyncio: only where that is loaded anyway

    class OneLine(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            warn(record.getMessage())

    logging.basicConfig(handlers=[OneLine()], level=logging.WARNING)


def hide_warnings() -> None:
    """For commands whose output says the same."""
    import logging

    logging.getLogger("ironhive").addHandler(logging.NullHandler())


def discard_output() -> None:
    """Send what is still buffered nowhere, so that the interpreter does not complain about it at its end."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):
        return


def is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody looks at this stream."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False  # closed


def can_show(text: str, stream: TextIO) -> bool:
    """Whether the stream's encoding knows these characters."""
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


_CONTROL: Final = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def printable(text: str) -> str:
    """Text without the characters that move a terminal's cursor or change its state: no answer has that to do."""
    return text.translate(_CONTROL)


def say(line: str) -> None:
    """One line on standard output, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def warn(text: str) -> None:
    """One line on standard error. Nobody there to read it is no reason to stop."""
    line = " ".join(printable(text).split())
    try:
        sys.stderr.write(f"ironhive: {line}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return
