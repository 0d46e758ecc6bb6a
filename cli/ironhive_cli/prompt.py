"""The prompt: what was written after ``-p``, and what is piped in."""

from __future__ import annotations

import codecs
import sys
from typing import IO

from ironhive_cli import streams

PATIENCE_SECONDS = 2.0
"""How long to wait for piped text before saying that one waits."""

NO_PROMPT = 'there is nothing to do: give a prompt with -p "..." or pipe text into standard input'


def join_prompt(prompt: str | None) -> str | None:
    """The prompt, a blank line, and the text from standard input; either may be missing, None when both are."""
    written = None if prompt is None else prompt.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    parts = [part for part in (written, _piped()) if part is not None and part.strip()]
    return "\n\n".join(parts) if parts else None


def _piped() -> str | None:
    """The text on standard input, None at a terminal.

    It is UTF-8, or UTF-16 where a mark at its start says so; bytes that are neither become replacement characters.
    """
    source = sys.stdin
    if source is None or source.closed or streams.is_terminal(source):
        return None
    try:
        _announce_wait(source.buffer)
        data = source.buffer.read()
    except OSError as error:
        streams.warn(f"standard input cannot be read ({error.strerror}); going on without it")
        return None
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    return data.decode(encoding, errors="replace").rstrip("\r\n")


def _announce_wait(source: IO[bytes]) -> None:
    """A pipe that nobody writes to and nobody closes would look like a program that hangs: say what is waited for."""
    import select

    try:
        ready, _, _ = select.select([source], [], [], PATIENCE_SECONDS)
    except (OSError, ValueError):
        return  # a platform whose select knows sockets only
    if not ready:
        streams.warn("waiting for standard input to end; use < /dev/null to do without it")
